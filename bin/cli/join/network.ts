/** What a node that joins asks of the consensus RPCs of nodes that are there: they are named by the operator, and believed. */
import * as z from 'zod'
import { formatHostPort, parseHostPort } from '../../../core/host-port.ts'
import { cliError, errorText } from '../../errors.ts'
import { malformedPeers, splitPeers } from '../../node/config/peers.ts'
import { fetchJson, fetchRoute, fetchStatus, MAX_ANSWER_BYTES } from '../../node/runtime/comet-rpc.ts'

/** Part of a genesis file that CometBFT hands out at once, where the whole is too long for one answer. */
const MAX_GENESIS_PARTS = 1_000
const GENESIS_TIMEOUT_MS = 120_000
/** Peers of the node that is asked, which are noted beside it. */
const MAX_SEEDS = 8
const DEFAULT_P2P_PORT = 26_656

export interface JoinedNetwork {
  readonly chainId: string
  readonly genesis: unknown
  readonly height: number
  /** Time of the newest block, in milliseconds since 1970. */
  readonly timeMs: number
  readonly version: string
  /** `id@host:port` of the node that was asked, and of those beside it. */
  readonly peer: string
  readonly others: readonly string[]
}

const nodeInfo = z.object({ id: z.string().regex(/^[0-9a-f]{40}$/), listen_addr: z.string() })
const infoAnswer = z.object({ node_info: nodeInfo })
const netInfoAnswer = z.object({
  peers: z.array(z.object({ node_info: nodeInfo, remote_ip: z.string() })).default([]),
})
const part = z.object({ total: z.string().regex(/^\d+$/).transform(Number), data: z.string() })

export const requireUrl = (url: string): string => {
  if (/^https?:\/\/[^/]+/.test(url)) return url.replace(/\/+$/, '')
  throw cliError(
    'usage',
    `"${url}" is no http or https URL: name the consensus RPC of a node, such as http://host:26657`,
  )
}

const isAnywhere = (host: string): boolean => host === '0.0.0.0' || host === '::' || host === ''

/** How a node is dialled: the port that it listens on, at the host where it was met unless it names another. */
const dialledAs = (id: string, listen: string, metAt: string): string => {
  const address = parseHostPort(listen.replace(/^tcp:\/\//, ''))
  const port = address?.port ?? DEFAULT_P2P_PORT
  const host = address === undefined || isAnywhere(address.host) ? metAt.replace(/^\[|\]$/g, '') : address.host
  return `${id}@${formatHostPort({ host, port })}`
}

/** CometBFT does not begin with one that is malformed, and a comma would bring another one along. */
const isOnePeer = (peer: string): boolean =>
  !/[\s,]|@:/.test(peer) && splitPeers(peer).length === 1 && malformedPeers(peer).length === 0

const fetchParts = async (url: string): Promise<unknown> => {
  const texts: Buffer[] = []
  let bytes = 0
  for (let index = 0, total = 1; index < total; index++) {
    const answer = part.parse(await fetchRoute(url, `genesis_chunked?chunk=${index}`))
    total = answer.total
    const text = Buffer.from(answer.data, 'base64')
    bytes += text.length
    if (total > MAX_GENESIS_PARTS || bytes > MAX_ANSWER_BYTES) {
      throw cliError('unreachable', `${url} has a genesis file of more than ${MAX_ANSWER_BYTES} bytes`)
    }
    texts.push(text)
  }
  return JSON.parse(Buffer.concat(texts).toString('utf8')) as unknown
}

const fetchGenesisOf = async (url: string): Promise<unknown> => {
  const answer = (await fetchJson(`${url}/genesis`, { timeoutMs: GENESIS_TIMEOUT_MS, keepsErrors: true })) as {
    readonly result?: { readonly genesis?: unknown }
  } | null
  // A long one is refused with the advice to ask for its parts.
  return answer?.result?.genesis ?? (await fetchParts(url))
}

const fetchPeers = async (url: string): Promise<Pick<JoinedNetwork, 'peer' | 'others'>> => {
  const { hostname } = new URL(url)
  const { node_info: own } = infoAnswer.parse(await fetchRoute(url, 'status'))
  const { peers } = netInfoAnswer.parse(await fetchRoute(url, 'net_info'))
  const others = peers
    .filter(({ node_info: { listen_addr } }) => !/^(tcp:\/\/)?(127\.|localhost|\[::1\])/.test(listen_addr))
    .map(({ node_info: { id, listen_addr }, remote_ip }) => dialledAs(id, listen_addr, remote_ip))
    .filter(isOnePeer)
  return { peer: dialledAs(own.id, own.listen_addr, hostname), others: others.slice(0, MAX_SEEDS) }
}

/** Throws cli/10 where it cannot be asked, or answers something else than a node does. */
export const fetchNetwork = async (url: string): Promise<JoinedNetwork> => {
  try {
    const { node_info, sync_info } = await fetchStatus(url)
    const genesis = await fetchGenesisOf(url)
    return {
      chainId: node_info.network,
      genesis,
      height: sync_info.latest_block_height,
      timeMs: Date.parse(sync_info.latest_block_time),
      version: node_info.version,
      ...(await fetchPeers(url)),
    }
  } catch (error) {
    if (!(error instanceof z.ZodError) && !(error instanceof SyntaxError)) throw error
    throw cliError('unreachable', `${url} does not answer as the consensus RPC of a node: ${errorText(error)}`)
  }
}
