/** The consensus RPC of a node, as the commands of the native layer use it: JSON-RPC over HTTP, and queries over ABCI. */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import * as z from 'zod'
import { plainBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { methodPath } from '../../../rpc/native/services.ts'
import { cliError } from '../../errors.ts'
import { MAX_ANSWER_BYTES, readJson, requestFault } from '../../node/runtime/comet-rpc.ts'
import { rpcUrl } from '../../node/runtime/rpc-url.ts'

export const DEFAULT_NODE = 'tcp://127.0.0.1:26657'
const TIMEOUT_MS = 30_000

const base64 = z.string().transform((text) => plainBytes(Buffer.from(text, 'base64')))
const reply = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string(), data: z.unknown().optional() }).optional(),
})
const abciAnswer = z.object({
  response: z.object({
    code: z.int().default(0),
    log: z.string().default(''),
    codespace: z.string().default(''),
    value: base64.nullish(),
    height: z.string().default('0'),
  }),
})
const statusAnswer = z.object({ node_info: z.object({ network: z.string() }) })
const broadcastAnswer = z.object({
  code: z.int(),
  codespace: z.string().default(''),
  log: z.string(),
  hash: z.string(),
})

export type BroadcastAnswer = z.infer<typeof broadcastAnswer>

/** What a query of a module was refused with: codespace and code of the SDK, in the node's words. */
export class QueryRefusal extends CodedError {
  readonly reason: { readonly codespace: string; readonly code: number }

  constructor(path: string, codespace: string, code: number, log: string) {
    const { codespace: cli, code: own } = cliError('query', '')
    super(cli, own, `${path}: ${log} (${codespace} ${code})`)
    this.reason = { codespace, code }
  }
}

/** Parameters by name, as CometBFT takes them, or by place, as Ethereum's JSON-RPC does. */
export type CallParameters = Readonly<Record<string, unknown>> | readonly unknown[]

export class CometClient {
  readonly url: string
  readonly #maxAnswerBytes: number
  readonly #flag: string

  /** `node` is tcp://host:port or a URL; `flag` is what names another one. */
  constructor(node: string, maxAnswerBytes: number = MAX_ANSWER_BYTES, flag = '--node') {
    this.#maxAnswerBytes = maxAnswerBytes
    this.#flag = flag
    this.url = rpcUrl(node.includes('://') ? node : `tcp://${node}`)
  }

  /** The result of a method. Throws cli/10 when there is no node or its answer has no end, and cli/20 with its words when it refuses. */
  async call(method: string, params: CallParameters = {}): Promise<unknown> {
    let answer: z.infer<typeof reply>
    let status = ''
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      // CometBFT's own errors are JSON whatever their status is: it is told of only where the body cannot be read.
      if (!response.ok) status = `HTTP status ${response.status}: `
      answer = reply.parse(await readJson(response.body, this.url, this.#maxAnswerBytes))
    } catch (error) {
      if (error instanceof CodedError) throw error
      throw cliError(
        'unreachable',
        `${this.url} cannot be asked: ${status}${requestFault(error)}; name a node with ${this.#flag}`,
      )
    }
    const { error, result } = answer
    if (error === undefined) return result
    const data = typeof error.data === 'string' ? `: ${error.data}` : ''
    throw cliError('query', `${method}: ${error.message}${data}`)
  }

  /** `height` 0 is the head. Throws {@link QueryRefusal}. */
  async abciQuery(
    path: string,
    data: Uint8Array,
    height = 0,
  ): Promise<{ readonly value: Uint8Array; readonly height: number }> {
    const params = { path, data: bytesToUnprefixedHex(data), height: String(height), prove: false }
    const { response } = abciAnswer.parse(await this.call('abci_query', params))
    if (response.code !== 0) throw new QueryRefusal(path, response.codespace, response.code, response.log)
    return { value: response.value ?? new Uint8Array(0), height: Number(response.height) }
  }

  async query<Input extends DescMessage, Output extends DescMessage>(
    method: DescMethodUnary<Input, Output>,
    request: MessageInitShape<Input>,
    height = 0,
  ): Promise<MessageShape<Output>> {
    const data = toBinary(method.input, create(method.input, request))
    return fromBinary(method.output, (await this.abciQuery(methodPath(method), data, height)).value)
  }

  async chainId(): Promise<string> {
    return statusAnswer.parse(await this.call('status')).node_info.network
  }

  async broadcast(raw: Uint8Array, mode: 'sync' | 'async'): Promise<BroadcastAnswer> {
    const tx = Buffer.from(raw).toString('base64')
    return broadcastAnswer.parse(await this.call(`broadcast_tx_${mode}`, { tx }))
  }
}
