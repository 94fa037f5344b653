/** What an attack does to a node, seen from outside: its processes and their memory, its blocks, and its ports. */
import { readFileSync } from 'node:fs'
import { connect as connectHttp2, constants } from 'node:http2'
import { descendants, type Part, type TestNode } from '../../e2e/harness.ts'
import type { Target } from './attack.ts'
import { HONEST_CALLS } from './honest.ts'
import { grpcMessage } from './http2.ts'
import { openSocket } from './sockets.ts'
import { askHttp, outcomeOf, rpcText } from './wire.ts'

/** A port that takes longer does not answer. */
const PORT_LIMIT_MS = 5_000
const BLOCKS_A_PAGE = 20

export const targetOf = ({ urls, grpc }: TestNode): Target => ({ ...urls, grpc })

const PARTS: readonly Part[] = ['supervisor', 'application', 'gateway', 'cometbft']

/** Process ids of what no client may end. */
export const partsOf = (node: TestNode): Readonly<Record<string, number>> =>
  Object.fromEntries(PARTS.map((part) => [part, node.pidOf(part)]))

const residentMegabytes = (pid: number): number => {
  try {
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kilobytes ?? 0) / 1_024)
  } catch {
    // It has ended since it was listed.
    return 0
  }
}

/** The memory of each part, and of what else the node runs together, such as processes that read. */
export const memoryOf = (node: TestNode): Readonly<Record<string, number>> => {
  const parts = partsOf(node)
  const known = new Set(Object.values(parts))
  const others = [...descendants(node.pid).keys()].filter((pid) => !known.has(pid))
  const named = Object.entries(parts).map(([part, pid]) => [part, residentMegabytes(pid)] as const)
  return { ...Object.fromEntries(named), others: others.reduce((sum, pid) => sum + residentMegabytes(pid), 0) }
}

export const sumOf = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((sum, each) => sum + each, 0)

interface BlockMetas {
  readonly block_metas: readonly { readonly header: { readonly height: string; readonly time: string } }[]
}

/** Milliseconds between the times of each two blocks from `from` to `to`, oldest first. */
export const blockGaps = async (node: TestNode, from: number, to: number): Promise<readonly number[]> => {
  const times = new Map<number, number>()
  for (let low = from; low <= to; low += BLOCKS_A_PAGE) {
    const high = Math.min(to, low + BLOCKS_A_PAGE - 1)
    const { block_metas: metas } = await node.comet<BlockMetas>(`blockchain?minHeight=${low}&maxHeight=${high}`)
    for (const { header } of metas) times.set(Number(header.height), Date.parse(header.time))
  }
  const sorted = [...times].toSorted(([a], [b]) => a - b).map(([, time]) => time)
  return sorted.slice(1).map((time, index) => time - (sorted[index] ?? time))
}

const askWebSocket = async (url: string, limitMs: number): Promise<string> => {
  const socket = await openSocket(url)
  if (socket === undefined) return 'not connected'
  const answer = new Promise<string>((resolve) => {
    socket.once('message', (data: Buffer) => resolve(data.toString('utf8').includes('"result"') ? 'ok' : 'refused'))
    socket.once('close', (code) => resolve(`closed ${code}`))
    setTimeout(() => resolve('no answer in time'), limitMs).unref()
  })
  socket.send(rpcText('eth_chainId'))
  const word = await answer
  socket.terminate()
  return word
}

const askGrpc = (address: string, limitMs: number): Promise<string> =>
  new Promise((resolve) => {
    const session = connectHttp2(`http://${address}`)
    const settle = (word: string): void => {
      clearTimeout(timer)
      session.destroy()
      resolve(word)
    }
    const timer = setTimeout(() => settle('no answer in time'), limitMs)
    session.on('error', (error: Error) => settle(error.message))
    const call = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: '/cosmos.bank.v1beta1.Query/Params',
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      te: 'trailers',
    })
    call.on('error', (error: Error) => settle(error.message))
    call.on('trailers', (trailers) =>
      settle(trailers['grpc-status'] === '0' ? 'ok' : `status ${trailers['grpc-status']}`),
    )
    call.resume().end(grpcMessage(Buffer.alloc(0)))
  })

/**
 * A word for each port: `ok` where a client gets what it asks for. JSON-RPC is asked for what costs nothing, and for
 * what executes code.
 */
export const askPorts = async (
  { http, ws, rest, comet, grpc }: Target,
  limitMs = PORT_LIMIT_MS,
): Promise<Readonly<Record<string, string>>> => {
  const get = async (url: string): Promise<string> => outcomeOf(await askHttp(url, { method: 'GET', limitMs }))
  const post = async (body: string): Promise<string> => outcomeOf(await askHttp(http, { body, limitMs }))
  return {
    http: await post(HONEST_CALLS.eth_blockNumber),
    calls: await post(HONEST_CALLS.eth_call),
    ws: await askWebSocket(ws, limitMs),
    rest: await get(`${rest}/cosmos/bank/v1beta1/params`),
    grpc: await askGrpc(grpc, limitMs),
    comet: await get(`${comet}/health`),
  }
}

export const ALL_PORTS = { http: 'ok', calls: 'ok', ws: 'ok', rest: 'ok', grpc: 'ok', comet: 'ok' } as const
