/**
 * Deposits of an external chain by the thousand: how many a block are credited, what that does to the interval of blocks, and what the
 * daemon takes. Run: make bench BENCH=bridge, or node test/bench/bridge.ts [events] [timeout_commit in ms]
 */
import type { GenesisDocument } from '../../bin/node/genesis/document.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToHex } from '../../core/hex.ts'
import { CHAIN_ID, CONTRACT, ExternalChain, ExternalEndpoint } from '../../daemons/testing/external-chain.ts'
import { descendants, type TestNode, until } from '../e2e/harness.ts'
import { createNetwork } from '../e2e/network.ts'
import { machine } from './support/devnet.ts'
import { cpuSeconds } from './support/process-times.ts'

const [events = 10_000, timeoutCommitMs = 200] = process.argv.slice(2).map(Number)
const DENOM = 'bridge/token'
const RECIPIENT = new Uint8Array(20).fill(0xaa)
const QUIET_BLOCKS = 50
const EVENTS_A_BLOCK_OUTSIDE = 50
/** The daemon has read the external chain up to here when the deposits come. */
const READ_BEFORE = 100
const LIMIT_MS = 3_600_000

const withBridge = (document: GenesisDocument): GenesisDocument => {
  const params = {
    chain_id: CHAIN_ID.toString(),
    contract: bytesToHex(CONTRACT),
    denom: DENOM,
    delay_blocks: 2,
    delay_seconds: 1,
  }
  return { ...document, app_state: { ...document.app_state, bridge: { params } } }
}

const rest = async <T>(node: TestNode, route: string): Promise<T> =>
  (await (await fetch(`${node.urls.rest}${route}`)).json()) as T
const credited = async (node: TestNode): Promise<number> => {
  const route = `/cosmos/bank/v1beta1/balances/${encodeBech32(RECIPIENT)}/by_denom?denom=${encodeURIComponent(DENOM)}`
  return Number((await rest<{ balance: { amount: string } }>(node, route)).balance.amount)
}

interface Header {
  readonly block: { readonly header: { readonly time: string } }
}
/** Intervals of blocks in ms, in ascending order. */
const intervals = async (node: TestNode, from: number, to: number): Promise<readonly number[]> => {
  const times: number[] = []
  for (let height = from; height <= to; height++) {
    times.push(Date.parse((await node.comet<Header>(`block?height=${height}`)).block.header.time))
  }
  const between = times.slice(1).map((time, index) => time - (times[index] ?? time))
  return between.toSorted((a, b) => a - b)
}
const tell = (name: string, sorted: readonly number[]): void => {
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  console.log(`${name}: ${sorted.length} intervals, median ${at(0.5)} ms, 99 of 100 below ${at(0.99)} ms`)
}

console.log(`machine: ${machine()}; ${events} events, timeout_commit ${timeoutCommitMs} ms`)
const endpoint = await new ExternalEndpoint(new ExternalChain()).listen()
const settings = {
  'bridge-daemon-eth-rpc-endpoint': endpoint.url,
  'max-daemon-unhealthy-seconds': '4294967295',
}
const network = await createNetwork({ members: [{ settings, timeoutCommitMs }], editGenesis: withBridge })
try {
  await network.start()
  const node = network.at(0)
  await node.untilHeight(5, LIMIT_MS)
  const quietFrom = await node.height()
  await node.untilHeight(quietFrom + QUIET_BLOCKS, LIMIT_MS)
  tell('without events', await intervals(node, quietFrom, quietFrom + QUIET_BLOCKS))
  endpoint.chain.deposits = Array.from({ length: events }, (_, id) => ({
    block: READ_BEFORE + 1 + Math.floor(id / EVENTS_A_BLOCK_OUTSIDE),
    id,
    amount: 1n,
    recipient: RECIPIENT,
  }))
  endpoint.chain.finalized = READ_BEFORE + 1 + Math.ceil(events / EVENTS_A_BLOCK_OUTSIDE)
  await until('the first credit', async () => ((await credited(node)) > 0 ? true : undefined), LIMIT_MS)
  const from = await node.height()
  const [daemon = 0] =
    [...descendants(node.pid)].find(([, command]) => command.includes('/daemons/bridge/main.ts')) ?? []
  const processes = new Map([
    ['application', node.pidOf('application')],
    ['daemon', daemon],
  ])
  const before = cpuSeconds(processes)
  const startMs = performance.now()
  await until('all credits', async () => ((await credited(node)) === events ? true : undefined), LIMIT_MS)
  const to = await node.height()
  const seconds = (performance.now() - startMs) / 1_000
  tell('with events', await intervals(node, from, to))
  console.log(
    `${events} credited in ${to - from} blocks (${(events / (to - from)).toFixed(1)} a block), ${seconds.toFixed(0)} s`,
  )
  const after = cpuSeconds(processes)
  const cpu = [...processes.keys()].map(
    (name) => `${name} ${(((after.get(name) ?? 0) - (before.get(name) ?? 0)) / seconds).toFixed(2)}`,
  )
  const { daemons } = (await (await fetch(`${node.urls.http}/readyz`)).json()) as {
    readonly daemons: readonly { readonly memoryBytes: number }[]
  }
  console.log(
    `processor time, s a second: ${cpu.join(', ')}; the daemon has ${((daemons[0]?.memoryBytes ?? 0) / 1e6).toFixed(0)} MB`,
  )
} catch (error) {
  network.print()
  throw error
} finally {
  await network.remove()
  await endpoint.close()
}
