/** What this node asks its own CometBFT over port 26657; never from inside an ABCI call. */
import * as z from 'zod'
import { limitExceeded } from '../../../app/errors.ts'
import { CodedError } from '../../../core/errors.ts'
import { ByteBudget } from '../../../rpc/grpc/byte-budget.ts'
import { cliError, errorText } from '../../errors.ts'
import { rpcUrl } from './rpc-url.ts'
import { escapeHidden } from './printable.ts'

const TIMEOUT_MS = 5_000
/** A genesis file of a large network. */
export const MAX_ANSWER_BYTES = 256 * 1024 * 1024

const height = z.string().regex(/^\d+$/).transform(Number)

const statusAnswer = z.object({
  result: z.object({
    node_info: z.object({ id: z.string(), network: z.string(), version: z.string() }),
    sync_info: z.object({ latest_block_height: height, catching_up: z.boolean(), latest_block_time: z.string() }),
    validator_info: z.object({ address: z.string(), voting_power: z.string() }),
  }),
})
const netInfoAnswer = z.object({
  result: z.object({
    n_peers: height,
    peers: z
      .array(z.object({ node_info: z.object({ version: z.string().default('') }).default({ version: '' }) }))
      .default([]),
  }),
})
const consensusAnswer = z.object({
  result: z.object({ round_state: z.object({ 'height/round/step': z.string() }) }),
})

export type CometStatus = z.infer<typeof statusAnswer>['result']

/** Bytes of answers that are being read at once: one of clients may ask for the largest block a thousand times. */
const MAX_BYTES_AT_ONCE = 512 * 1024 * 1024
const atOnce = new ByteBudget(MAX_BYTES_AT_ONCE)

/**
 * The text of an answer, whatever length it announces. Throws cli/10 for a longer one, and query/5 where all that are read
 * together take more than `budget`.
 */
export const readText = async (
  body: Response['body'],
  url: string,
  maxBytes: number,
  budget = atOnce,
): Promise<string> => {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for await (const part of body ?? []) {
      if (!budget.take(part.length)) throw limitExceeded('too many long answers of CometBFT are read; try again')
      length += part.length
      if (length > maxBytes) throw cliError('unreachable', `${url} answers more than ${maxBytes} bytes`)
      parts.push(part)
    }
    return Buffer.concat(parts).toString('utf8')
  } finally {
    budget.give(length)
  }
}

/** The body as JSON; throws also what JSON.parse throws. */
export const readJson = async (body: Response['body'], url: string, maxBytes = MAX_ANSWER_BYTES): Promise<unknown> =>
  JSON.parse(await readText(body, url, maxBytes)) as unknown

/** Why a request failed: fetch says little, and its cause the rest. */
export const requestFault = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${errorText(error)}${cause}`
}

/** The options of {@link fetchJson}. */
interface FetchOptions {
  readonly timeoutMs?: number
  /** HTTP errors are answers, too. */
  readonly keepsErrors?: boolean
}

const MAX_REDIRECTS = 5

/** Whether that is the same machine, and no less safe: what it names was chosen by whoever named the first. */
const isSameHost = (from: URL, to: URL): boolean =>
  from.hostname === to.hostname &&
  (from.origin === to.origin || (from.protocol === 'http:' && to.protocol === 'https:' && to.port === ''))

/** Follows no redirect to another host: the operator has named one, and trusts no other. Throws cli/10. */
const fetchFrom = async (url: string, signal: AbortSignal): Promise<Response> => {
  let at = new URL(url)
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await fetch(at.href, { signal, redirect: 'manual' })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || location === null) return response
    await response.body?.cancel()
    const next = URL.parse(location, at.href)
    if (next === null || !isSameHost(at, next)) {
      throw cliError(
        'unreachable',
        `${url} redirects to another host (${escapeHidden(location)}): name that one if you trust it`,
      )
    }
    at = next
  }
  throw cliError('unreachable', `${url} redirects more than ${MAX_REDIRECTS} times`)
}

const unreadable = (url: string, error: unknown): CodedError =>
  error instanceof CodedError ? error : cliError('unreachable', `${url} cannot be read: ${requestFault(error)}`)

/** Refuses what is too large or too slow, and HTTP errors unless they are kept. Throws cli/10. */
const fetchText = async (
  url: string,
  { timeoutMs = TIMEOUT_MS, keepsErrors = false }: FetchOptions,
): Promise<string> => {
  try {
    const response = await fetchFrom(url, AbortSignal.timeout(timeoutMs))
    if (!response.ok && !keepsErrors) throw cliError('unreachable', `${url} answered HTTP ${response.status}`)
    return await readText(response.body, url, MAX_ANSWER_BYTES)
  } catch (error) {
    throw unreadable(url, error)
  }
}

const parseText = (text: string, url: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw unreadable(url, error)
  }
}

/** Fetches JSON; refuses what is too large or too slow, and HTTP errors unless they are kept. Throws cli/10. */
export const fetchJson = async (url: string, options: FetchOptions = {}): Promise<unknown> =>
  parseText(await fetchText(url, options), url)

export const fetchStatus = async (rpc: string): Promise<CometStatus> =>
  statusAnswer.parse(await fetchJson(`${rpcUrl(rpc)}/status`)).result

export interface CometPeerReport {
  readonly count: number
  /** What they say that they run. */
  readonly versions: readonly string[]
}

export const fetchPeers = async (rpc: string): Promise<CometPeerReport> => {
  const { n_peers, peers } = netInfoAnswer.parse(await fetchJson(`${rpcUrl(rpc)}/net_info`)).result
  return { count: n_peers, versions: peers.map(({ node_info }) => node_info.version) }
}

export const fetchPeerCount = async (rpc: string): Promise<number> => (await fetchPeers(rpc)).count

/** Such as 12/0/3: for the message about a chain that does not advance. */
export const fetchRoundState = async (rpc: string): Promise<string> =>
  consensusAnswer.parse(await fetchJson(`${rpcUrl(rpc)}/consensus_state`)).result.round_state['height/round/step']

const infoAnswer = z.object({ response: z.object({ last_block_height: height.default(0) }) })

const anyAnswer = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string(), data: z.string().default('') }).optional(),
})

/** The reply to a route such as `block?height=7` as text, which {@link readReply} reads. Throws cli/10. */
export const fetchReply = async (rpc: string, route: string): Promise<string> =>
  await fetchText(`${rpcUrl(rpc)}/${route}`, { keepsErrors: true })

/** The result that a reply holds. Throws cli/10, and cli/20 with CometBFT's words where it refuses. */
export const readReply = (reply: string, route: string): unknown => {
  const { result, error } = anyAnswer.parse(parseText(reply, route))
  if (error !== undefined) throw cliError('query', error.data === '' ? error.message : error.data)
  return result
}

/** The result of a route. Throws as {@link readReply}. */
export const fetchRoute = async (rpc: string, route: string): Promise<unknown> =>
  readReply(await fetchReply(rpc, route), route)

/** The height that the application has committed. */
export const fetchApplicationHeight = async (rpc: string): Promise<number> =>
  infoAnswer.parse(await fetchRoute(rpc, 'abci_info')).response.last_block_height
