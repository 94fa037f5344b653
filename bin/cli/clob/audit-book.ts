/** Rules 7 and 8: the step of each block on an own book, and what state has after it. */
import { type Address, FEE_COLLECTOR_ADDRESS } from '../../../core/address.ts'
import { bytesToKey, bytesToUnprefixedHex, equalBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import {
  accountKey,
  AFTER_KEY,
  agentKey,
  type BatchItem,
  type BatchResult,
  type BlockPlan,
  type Books,
  CLOB_TX_BYTE,
  type ClobParameters,
  type ClobTx,
  decodeClobBody,
  expectedSigner,
  lockDenom,
  type Market,
  marketKey,
  NEXT_KEY,
  PARAMS_KEY,
  QUEUE_KEY,
  readMarket,
  readParameters,
  readRecord,
  recordKey,
  recoverSigner,
  streamClobStep,
  TIME_KEY,
  volumeKey,
} from '../../../modules/clob/index.ts'
import { learnMarkets, type BookAtStart, SINGLE_KEYS } from './audit-begin.ts'
import type { AccountProof } from './audit-ethereum.ts'
import { AuditFault, type Rule } from './audit-fault.ts'
import type { Result, Stored } from './audit-node.ts'
import { askBalance, type ProvenHeight, type Sources } from './audit-proven.ts'
import { balanceName, type KnownValues, type Missing, readerOf, StepState } from './audit-state.ts'

interface Wanted {
  readonly owner: Address
  readonly denom: string
}

/** What a step reads of the state before it, as a node says it. */
export interface StepAnswers {
  readonly balances: readonly (Wanted & { readonly answer: AccountProof | Stored })[]
  readonly values: readonly { readonly key: Uint8Array; readonly answer: Stored }[]
}

export interface BlockStep {
  /** The proven state of H. */
  readonly before: ProvenHeight
  readonly height: number
  readonly timeMs: number
  /** Undefined where the block has no votes. */
  readonly plan: BlockPlan | undefined
  readonly results: readonly Result[]
  readonly answers: StepAnswers
}

interface SignedChain {
  readonly chainId: string
  readonly evmChainId: number
}

/** What one run of a step has found. */
interface Run {
  readonly results: readonly BatchResult[]
  readonly fills: number
  commit(): void
}

const hex = (bytes: Uint8Array | undefined): string => (bytes === undefined ? 'absent' : bytesToUnprefixedHex(bytes))

const readBody = (raw: Uint8Array): ClobTx | undefined => {
  try {
    return decodeClobBody(raw).tx
  } catch (error) {
    if (error instanceof CodedError) return undefined
    throw error
  }
}

export class AuditedBook {
  readonly #sources: Sources
  readonly #chain: SignedChain
  readonly #books: Books
  /** The values of the state of H, as far as a step reads them. */
  readonly #known: KnownValues
  readonly #markets = new Map<number, Market | undefined>()
  #marketCount: number
  /** Whether an order was signed for the EVM chain id that the node says: nothing else shows it. */
  #isChainIdShown = false
  fills = 0

  constructor(sources: Sources, chain: SignedChain, { books, known, marketCount }: BookAtStart) {
    this.#sources = sources
    this.#chain = chain
    this.#books = books
    this.#known = known
    this.#marketCount = marketCount
    this.#readMarkets()
  }

  /** The parameters in the state of H. */
  get parameters(): ClobParameters {
    return readParameters(readerOf(this.#known))
  }

  get openOrders(): number {
    return this.#books.size
  }

  /** What must be proven of the state after each block. */
  keysOfState(): readonly Uint8Array[] {
    const ids = Array.from({ length: this.#marketCount }, (_, index) => index + 1)
    return [...SINGLE_KEYS, ...ids.map(recordKey), ...ids.map(marketKey), marketKey(this.#marketCount + 1)]
  }

  /** What the transactions of a block will make a step read, as far as they tell. */
  async ask(transactions: readonly Uint8Array[], height: number): Promise<StepAnswers> {
    const missing: Missing = { keys: new Map(), balances: new Map() }
    for (const raw of transactions) {
      const tx = raw[0] === CLOB_TX_BYTE ? readBody(raw) : undefined
      if (tx !== undefined) this.#addNeeds(tx, missing)
    }
    return await this.#askMissing(missing, height)
  }

  /** Judges a block by rule 7. Throws {@link AuditFault}. */
  async step(block: BlockStep): Promise<void> {
    const passing: KnownValues = new Map()
    const balances = new Map<string, bigint>()
    let answers = block.answers
    for (;;) {
      this.#take(block.before, answers, passing, balances)
      const state = new StepState(this.#known, passing, balances)
      const run = this.#try(state, block)
      if (run !== undefined && state.isWhole) {
        this.#judge(block, run.results)
        run.commit()
        this.fills += run.fills
        return
      }
      answers = await this.#askMissing(state.missing, block.before.height)
    }
  }

  /** Judges the state by rule 8, and learns what the next step reads of it. Throws {@link AuditFault}. */
  async judgeState(after: ProvenHeight, height: number): Promise<void> {
    await after.prove(this.keysOfState())
    const ids = Array.from({ length: this.#marketCount }, (_, index) => index + 1)
    const own = [...ids.map((id) => [`record of market ${id}`, recordKey(id)] as const), ...OWN_VALUES]
    for (const [name, key] of own) {
      const value = this.#known.get(bytesToKey(key))
      if (after.has(key, value)) continue
      const said = await after.value(key)
      throw new AuditFault({ height, rule: 8, what: `${name} is ${hex(said)}; the own one is ${hex(value)}` })
    }
    for (const key of [PARAMS_KEY, QUEUE_KEY, ...ids.map(marketKey)]) {
      const at = bytesToKey(key)
      this.#known.set(at, await after.value(key, this.#known.get(at)))
    }
    const count = after.isAbsent(marketKey(this.#marketCount + 1))
      ? this.#marketCount
      : await learnMarkets(after, this.#known, this.#marketCount + 1)
    for (let id = this.#marketCount + 1; id <= count; id++) {
      if ((readRecord(readerOf(this.#known), id)?.sequence ?? 0) === 0) continue
      throw new AuditFault({ height, rule: 8, what: `the new market ${id} has records` })
    }
    this.#marketCount = count
    this.#readMarkets()
  }

  #readMarkets(): void {
    const reader = readerOf(this.#known)
    for (let id = 1; id <= this.#marketCount; id++) this.#markets.set(id, readMarket(reader, id))
  }

  #addNeeds(tx: ClobTx, { keys, balances }: Missing): void {
    const { owner, agent, actions } = tx
    const add = (key: Uint8Array): void => {
      const at = bytesToKey(key)
      if (!this.#known.has(at)) keys.set(at, key)
    }
    add(accountKey(owner))
    if (agent !== undefined) add(agentKey(owner, agent))
    for (const action of actions) {
      const place = 'place' in action ? action.place : undefined
      const market = this.#markets.get(place?.market ?? 0)
      if (place === undefined || market === undefined) continue
      const denom = lockDenom(market, place.side)
      balances.set(balanceName(owner, denom), { owner, denom })
      add(volumeKey(owner, market.quoteDenom))
    }
  }

  async #askMissing({ keys, balances }: Missing, height: number): Promise<StepAnswers> {
    const { node } = this.#sources
    const [askedBalances, values] = await Promise.all([
      Promise.all(
        [...balances.values()].map(async ({ owner, denom }) => {
          return { owner, denom, answer: await askBalance(this.#sources, owner, denom, height) }
        }),
      ),
      Promise.all([...keys.values()].map(async (key) => ({ key, answer: await node.stored(key, height) }))),
    ])
    return { balances: askedBalances, values }
  }

  /** Accounts and volumes are kept from the first block that asks for them; agents and balances are those of H each time. */
  #take(before: ProvenHeight, answers: StepAnswers, passing: KnownValues, balances: Map<string, bigint>): void {
    for (const { owner, denom, answer } of answers.balances) {
      balances.set(balanceName(owner, denom), before.takeBalance(owner, denom, answer))
    }
    for (const { key, answer } of answers.values) {
      const at = bytesToKey(key)
      if (this.#known.has(at)) continue
      const isAgent = bytesToKey(key).startsWith('agent')
      ;(isAgent ? passing : this.#known).set(at, before.takeStored(key, answer))
    }
  }

  /** Runs the step once. It returns undefined where the step broke off for want of what it was not told. */
  #try(state: StepState, { height, timeMs, plan }: BlockStep): Run | undefined {
    const books = this.#books
    const items = (plan?.taken ?? []).map(({ body, listed }): BatchItem => {
      const { hash, tx } = body.body
      return { body: body.body, hash, listedPhase: listed.phase, signer: () => this.#signerOf(tx) }
    })
    const results: BatchResult[] = []
    const context = { state, height, timeMs, feeCollector: FEE_COLLECTOR_ADDRESS, emit: ignore, ledger: LEDGER }
    try {
      const { delta, told } = streamClobStep(books, context, items, (result) => void results.push(result))
      const fills = told.records.filter(({ kind }) => kind === 'fill').length
      const commit = (): void => {
        books.apply(delta)
        for (const [key, value] of state.writes) this.#known.set(key, value)
      }
      return { results, fills, commit }
    } catch (error) {
      if (state.isWhole) throw error
      books.undoTo(0)
      return undefined
    }
  }

  #signerOf(tx: ClobTx): Address | undefined {
    const signer = recoverSigner(tx, this.#chain)
    if (tx.sigScheme === 1 && signer !== undefined && equalBytes(signer, expectedSigner(tx)))
      this.#isChainIdShown = true
    return signer
  }

  #judge({ height, plan, results: said }: BlockStep, own: readonly BatchResult[]): void {
    const first = plan === undefined ? 0 : 1
    for (const [index, { code, data }] of own.entries()) {
      const result = said[first + index]
      if (result?.code === code && equalBytes(result.data, data)) continue
      const what =
        `order ${index} has code ${result?.code} and data ${hex(result?.data)}; ` +
        `the own ones are ${code} and ${hex(data)}`
      const unsure = this.#isChainIdShown ? {} : { liar: this.#sources.ethereum.url, mayBeChain: true }
      throw new AuditFault({ height, rule: 7 satisfies Rule, what, ...unsure })
    }
  }
}

const OWN_VALUES = [
  ['next', NEXT_KEY],
  ['time', TIME_KEY],
  ['after', AFTER_KEY],
] as const

const ignore = (): void => undefined

/** Coins move in no state that an audit has: what the step finds is proven anew for each block. */
const LEDGER = {
  balance: (state: unknown, owner: Address, denom: string): bigint =>
    state instanceof StepState ? state.balance(owner, denom) : 0n,
  escrow: ignore,
  settle: ignore,
}
