/** What an audit asks a node's consensus RPC. Nothing of it is believed before it fits a header. */
import * as z from 'zod'
import { bytesToUnprefixedHex, EMPTY_BYTES, plainBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { type clob, clobQuery } from '../../../proto/index.ts'
import { CLI_CODES, cliError } from '../../errors.ts'
import { CometClient } from '../client/comet-client.ts'
import { parseTimeNs } from './audit-wire.ts'

const MAX_PAGES = 100
const PAGE = 100
const ORDERS_A_PAGE = 1_000

const base64 = z
  .string()
  .nullish()
  .transform((text) => plainBytes(Buffer.from(text ?? '', 'base64')))
const hex = z
  .string()
  .regex(/^([0-9a-fA-F]{2})*$/)
  .transform((text) => plainBytes(Buffer.from(text, 'hex')))
const count = z.union([z.string().regex(/^-?\d{1,19}$/), z.int()]).transform(Number)
const power = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform(BigInt)
const time = z.string().transform((text, context) => {
  const timeNs = parseTimeNs(text)
  if (timeNs !== undefined) return timeNs
  context.addIssue({ code: 'custom', message: 'no time' })
  return z.NEVER
})
const blockId = z.object({ hash: hex, parts: z.object({ total: count, hash: hex }) })
const header = z.object({
  version: z.object({ block: count, app: count.default(0) }),
  chain_id: z.string(),
  height: count,
  time,
  last_block_id: blockId,
  last_commit_hash: hex,
  data_hash: hex,
  validators_hash: hex,
  next_validators_hash: hex,
  consensus_hash: hex,
  app_hash: hex,
  last_results_hash: hex,
  evidence_hash: hex,
  proposer_address: hex,
})
const commit = z.object({
  height: count,
  round: count,
  block_id: blockId,
  signatures: z.array(
    z.object({ block_id_flag: z.int().min(1).max(3), validator_address: hex, timestamp: time, signature: base64 }),
  ),
})
const signedHeader = z.object({ signed_header: z.object({ header, commit }) })
const block = z.object({
  block: z.object({
    header,
    data: z.object({ txs: z.array(base64).nullish() }),
    last_commit: commit,
  }),
})
const results = z.object({
  txs_results: z
    .array(
      z.object({ code: z.int().default(0), data: base64, gas_wanted: power.default(0n), gas_used: power.default(0n) }),
    )
    .nullish(),
})
const validators = z.object({
  validators: z.array(
    z.object({
      pub_key: z.object({ type: z.literal('tendermint/PubKeyEd25519'), value: base64 }),
      voting_power: power,
    }),
  ),
  total: count,
})
const stored = z.object({
  response: z.object({
    code: z.int().default(0),
    log: z.string().default(''),
    value: base64,
    height: count.default(0),
    proofOps: z.object({ ops: z.array(z.object({ type: z.string(), data: base64 })) }).nullish(),
  }),
})
const enable = z.object({ vote_extensions_enable_height: count.default(0) }).nullish()
const parameters = z.object({ consensus_params: z.object({ feature: enable, abci: enable }) })
const genesis = z.object({ genesis: z.object({ initial_height: count.default(1) }) })
const status = z.object({ sync_info: z.object({ latest_block_height: count }) })

export type Header = z.infer<typeof header>
export type Commit = z.infer<typeof commit>
export type SignedHeader = z.infer<typeof signedHeader>['signed_header']
export type Block = z.infer<typeof block>['block']
export type Result = NonNullable<z.infer<typeof results>['txs_results']>[number]
export type Stored = z.infer<typeof stored>['response']

export interface Member {
  readonly publicKey: Uint8Array
  readonly power: bigint
}

/**
 * A node closes connections that rest, and may do so just when a question is on its way. Every question of an audit can be asked
 * once more. Throws what the second attempt throws.
 */
export const askAgain = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
  try {
    return await ask()
  } catch (error) {
    const isUnreachable =
      error instanceof CodedError && error.codespace === 'cli' && error.code === CLI_CODES.unreachable
    if (!isUnreachable) throw error
    return await ask()
  }
}

export class AuditNode {
  readonly #client: CometClient

  /** tcp://host:port or a URL. */
  constructor(node: string) {
    this.#client = new CometClient(node)
  }

  get url(): string {
    return this.#client.url
  }

  async signedHeader(height: number): Promise<SignedHeader> {
    return (await this.#ask('commit', signedHeader, { height: `${height}` })).signed_header
  }

  async block(height: number): Promise<Block> {
    return (await this.#ask('block', block, { height: `${height}` })).block
  }

  async results(height: number): Promise<readonly Result[]> {
    return (await this.#ask('block_results', results, { height: `${height}` })).txs_results ?? []
  }

  /** The validators in the order of commits. */
  async validators(height: number): Promise<readonly Member[]> {
    const members: Member[] = []
    for (let page = 1; page <= MAX_PAGES; page++) {
      const params = { height: `${height}`, page: `${page}`, per_page: `${PAGE}` }
      const found = await this.#ask('validators', validators, params)
      for (const { pub_key, voting_power } of found.validators) {
        members.push({ publicKey: pub_key.value, power: voting_power })
      }
      if (members.length >= found.total || found.validators.length === 0) break
    }
    return members
  }

  /** Asks for a value of a module, with its proof where that is wanted. */
  async stored(key: Uint8Array, height: number, module = 'clob', prove = true): Promise<Stored> {
    const params = { path: `/store/${module}/key`, data: bytesToUnprefixedHex(key), height: `${height}`, prove }
    const { response } = await this.#ask('abci_query', stored, params)
    if (response.code === 0) return response
    throw cliError('query', `abci_query at ${height}: ${response.log}; history needs pruning = "nothing"`)
  }

  /** Lists the open orders of a market, page by page, as the node says them. */
  async *orders(market: number, height: number): AsyncGenerator<clob.OpenOrder, void> {
    const method = clobQuery.Query.method.orders
    let key: Uint8Array = EMPTY_BYTES
    do {
      const request = { market, pagination: { key, limit: BigInt(ORDERS_A_PAGE) } }
      const { orders, pagination } = await askAgain(() => this.#client.query(method, request, height))
      yield* orders
      // A node that promises more with an empty page would never end.
      key = orders.length === 0 ? EMPTY_BYTES : (pagination?.nextKey ?? EMPTY_BYTES)
    } while (key.length > 0)
  }

  /** 0: never. */
  async extensionsFrom(height: number): Promise<number> {
    const { feature, abci } = (await this.#ask('consensus_params', parameters, { height: `${height}` }))
      .consensus_params
    return Math.max(feature?.vote_extensions_enable_height ?? 0, abci?.vote_extensions_enable_height ?? 0)
  }

  async initialHeight(): Promise<number> {
    return (await this.#ask('genesis', genesis, {})).genesis.initial_height
  }

  async latestHeight(): Promise<number> {
    return (await this.#ask('status', status, {})).sync_info.latest_block_height
  }

  async #ask<Shape extends z.ZodType>(
    method: string,
    shape: Shape,
    params: Readonly<Record<string, unknown>>,
  ): Promise<z.infer<Shape>> {
    const read = shape.safeParse(await askAgain(() => this.#client.call(method, params)))
    if (read.success) return read.data
    throw cliError('query', `${method} of ${this.url} is malformed: ${z.prettifyError(read.error)}`)
  }
}
