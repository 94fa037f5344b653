/** What a node that runs says of itself, and how it compares with another one. */
import { fetchPeerCount, fetchStatus } from '../../node/runtime/comet-rpc.ts'
import type { CometAddresses } from '../../node/config/comet-toml.ts'
import { formatSpan } from '../../node/progress.ts'
import { peerAdvice } from '../../node/supervise/peer-watch.ts'
import { cliError } from '../../errors.ts'
import { type Finding, fault, ok, orFault, warning } from './finding.ts'
import { judgeClock } from './machine.ts'

const REQUEST_MS = 5_000
/** Blocks come every second. */
const OLD_BLOCK_SECONDS = 30
const MANY_BLOCKS = 10

const checkHead = async (rpc: string): Promise<readonly Finding[]> => {
  const { sync_info: sync } = await fetchStatus(rpc)
  const { latest_block_height: height, catching_up: catchingUp } = sync
  const seconds = (Date.now() - Date.parse(sync.latest_block_time)) / 1_000
  if (catchingUp) {
    const behind = height === 0 ? '' : `, ${formatSpan(seconds)} behind`
    return [warning('head', `height ${height}${behind}`, 'it catches up: the log says how long it will take')]
  }
  if (seconds <= OLD_BLOCK_SECONDS) return [ok('head', `height ${height}, ${formatSpan(seconds)} old`)]
  const action = 'no block came since: are more than two thirds of the validators online? The log names the round'
  return [fault('head', `height ${height} is ${formatSpan(seconds)} old`, action)]
}

/** Checks a node that runs. */
export const checkRunning = async (comet: CometAddresses, isAlone: boolean): Promise<readonly Finding[]> => [
  ...(await orFault('head', 'look at the log of CometBFT', () => checkHead(comet.rpc))),
  ...(await orFault('peers', 'look at the log of CometBFT', async () => {
    const count = await fetchPeerCount(comet.rpc)
    if (count > 0) return [ok('peers', `${count} are connected`)]
    if (isAlone) return [ok('peers', 'none, and this node is the only validator')]
    return [fault('peers', 'none is connected', peerAdvice(comet))]
  })),
]

/** HTTP tells whole seconds: the middle of one is right by half a second. */
const HALF_SECOND_MS = 500

const fetchClock = async (url: string): Promise<number> => {
  // Where a redirect leads nobody has named: the answer of this server tells its time, whatever it is.
  const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(REQUEST_MS), redirect: 'manual' })
  await response.body?.cancel()
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(date)) throw cliError('unreachable', `${url} tells no time`)
  return date + HALF_SECOND_MS
}

/** With another node: its clock, its chain, and how far this one is behind it. */
export const compareWith = async (
  url: string,
  chainId: string | undefined,
  ownHeight: number | undefined,
): Promise<readonly Finding[]> => [
  ...(await orFault('clock', `check that ${url} can be reached`, async () => {
    const before = Date.now()
    const other = await fetchClock(url)
    return [judgeClock((before + Date.now()) / 2, other, url)]
  })),
  ...(await orFault('network', `check that ${url} is the consensus RPC of a node`, async () => {
    const { node_info, sync_info } = await fetchStatus(url)
    if (chainId !== undefined && node_info.network !== chainId) {
      const action = 'this home is of another chain: name the right home, or the right node'
      return [fault('network', `${url} is of ${node_info.network}, this home of ${chainId}`, action)]
    }
    const { latest_block_height: height } = sync_info
    if (ownHeight === undefined) return [ok('network', `${url} is at height ${height}`)]
    const behind = height - ownHeight
    const detail = `${url} is at height ${height}, this node at ${ownHeight}`
    if (behind <= MANY_BLOCKS) return [ok('network', detail)]
    return [warning('network', detail, 'it catches up: the log says how long it will take')]
  })),
]

/** Undefined where no node answers there. */
export const readHeight = async (rpc: string): Promise<number | undefined> => {
  const status = await fetchStatus(rpc).catch(() => undefined)
  return status?.sync_info.latest_block_height
}

/** The time of the newest block is the middle of the validators' clocks, a second or two ago. */
export const compareWithBlock = async (rpc: string): Promise<readonly Finding[]> => {
  const status = await fetchStatus(rpc).catch(() => undefined)
  const sync = status?.sync_info
  if (sync === undefined || sync.catching_up || sync.latest_block_height === 0) {
    return [warning('clock', 'it was compared with nothing', 'name a node with --rpc http://host:26657')]
  }
  return [judgeClock(Date.now(), Date.parse(sync.latest_block_time) + 1_000, 'the newest block')]
}
