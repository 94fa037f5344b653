/** A market place for tests: the real books, step, keeper and bank over a state in memory, block by block. */
import { FEE_COLLECTOR_ADDRESS, type Address } from '../../../../core/address.ts'
import { bytesToKey, utf8ToBytes } from '../../../../core/bytes.ts'
import { sha256 } from '../../../../core/hash.ts'
import { LatestState } from '../../../../store/latest.ts'
import { openMemoryStore } from '../../../../store/memory/memory-store.ts'
import { Overlay } from '../../../../store/overlay.ts'
import type { StateReader, StateWriter } from '../../../../store/state.ts'
import type { EscrowEntry } from '../../../ledger.ts'
import { type BookDelta, Books } from '../../book/books.ts'
import type { OrderBounds } from '../../book/crowd.ts'
import type { Market } from '../../domain/market.ts'
import type { OpenOrder } from '../../domain/order.ts'
import type { ClobParameters } from '../../domain/settings.ts'
import { CLOB_ACCOUNT, readNextSeq, readParameters, writeMarket, writeParameters } from '../../keeper/index.ts'
import { decodeClobResult } from '../../orders/clob-result.ts'
import type { Action, ClobTx, Phase, Place } from '../../orders/clob-tx.ts'
import { phaseOf, weightOf } from '../../orders/phase-and-weight.ts'
import { codeOf, MATCHING_ENTRIES } from '../error-entries.ts'
import { type BatchItem, runClobStep, type StepOutcome } from '../index.ts'

export const addressOf = (name: string): Address => sha256(utf8ToBytes(name)).slice(0, 20)

export const MARKET: Market = {
  id: 1,
  baseDenom: 'base',
  quoteDenom: 'quote',
  lotSize: 10n,
  factor: 1n,
  fees: [{ volume: 0n, makerPpm: 0, takerPpm: 0 }],
  minNotional: 0n,
  bandPpm: 0,
  maxOpenOrders: 500,
  triggerNotional: 1n,
  minEquity: 0n,
  status: 'active',
  mode: 'continuous',
}

const SYSTEM = sha256(utf8ToBytes('test ledger')).slice(0, 20)
const balanceKey = (owner: Address, denom: string): Uint8Array =>
  utf8ToBytes(`${Buffer.from(owner).toString('hex')}/${denom}`)

/** Balances in the same state, so that an overlay that is dropped drops them too. */
export const testLedger = {
  balance: (state: StateReader, owner: Address, denom: string): bigint => {
    const value = state.value(SYSTEM, balanceKey(owner, denom))
    return value === undefined ? 0n : BigInt(Buffer.from(value).toString())
  },
  add(state: StateWriter, owner: Address, denom: string, amount: bigint): void {
    const after = testLedger.balance(state, owner, denom) + amount
    if (after < 0n) throw new RangeError(`a balance of ${denom} would fall below zero`)
    state.setValue(SYSTEM, balanceKey(owner, denom), utf8ToBytes(String(after)))
  },
  escrow(state: StateWriter, module: Address, entries: readonly EscrowEntry[]): void {
    for (const { owner, denom, amount } of entries) {
      testLedger.add(state, owner, denom, -amount)
      testLedger.add(state, module, denom, amount)
    }
  },
  settle(state: StateWriter, module: Address, entries: readonly EscrowEntry[]): void {
    for (const { owner, denom, amount } of entries) {
      testLedger.add(state, module, denom, -amount)
      testLedger.add(state, owner, denom, amount)
    }
  },
}

export const place = (changes: Partial<Place> & Pick<Place, 'side' | 'priceTicks' | 'qtyLots'>): Action => ({
  kind: 'place',
  place: {
    market: 1,
    tif: 'gtc',
    stp: 'cancel_maker',
    clientId: new Uint8Array(0),
    expireS: 0,
    triggerTicks: 0,
    triggerKind: 'none',
    maxFills: 0,
    postOnlyMode: 'reject',
    ...changes,
  },
})

export const buy = (qtyLots: number, priceTicks: number, changes: Partial<Place> = {}): Action =>
  place({ side: 'buy', qtyLots, priceTicks, ...changes })

export const sell = (qtyLots: number, priceTicks: number, changes: Partial<Place> = {}): Action =>
  place({ side: 'sell', qtyLots, priceTicks, ...changes })

export const cancelSeq = (orderSeq: number, market = 1): Action => ({
  kind: 'cancel',
  market,
  target: { kind: 'seq', orderSeq },
})

export const cancelId = (clientId: string, market = 1): Action => ({
  kind: 'cancel',
  market,
  target: { kind: 'client', clientId: utf8ToBytes(clientId) },
})

export interface Sent {
  readonly from: string
  readonly actions: readonly Action[]
  readonly changes?: Partial<ClobTx>
  /** The phase of the id; that of the body where it is left out. */
  readonly listedPhase?: Phase
  readonly signer?: Address | undefined
}

/** What an action became: its code's name, and what it placed and filled. */
export interface Became {
  readonly code: string
  readonly orderSeq: number
  readonly filledLots: number
  readonly quote: bigint
}

const NAMES = new Map(
  Object.keys(MATCHING_ENTRIES).map((name) => [codeOf(name as keyof typeof MATCHING_ENTRIES), name]),
)
export const nameOf = (code: number): string => (code === 0 ? 'ok' : (NAMES.get(code) ?? String(code)))

export class World {
  state: Overlay = new Overlay(new LatestState(openMemoryStore(), 100))
  books = new Books()
  height = 1
  timeMs = 1_700_000_000_000
  readonly #nonces = new Map<string, number>()
  #items = 0
  last: StepOutcome | undefined

  constructor(markets: readonly Partial<Market>[] = [{}], bounds?: OrderBounds) {
    for (const changes of markets) this.setMarket(changes)
    this.books = Books.load(this.state, bounds)
  }

  setMarket(changes: Partial<Market>): void {
    writeMarket(this.state, { ...MARKET, ...changes })
  }

  setParameters(changes: Partial<ClobParameters>): void {
    writeParameters(this.state, { ...readParameters(this.state), ...changes })
  }

  fund(name: string, amounts: Readonly<Record<string, bigint>>): void {
    for (const [denom, amount] of Object.entries(amounts)) testLedger.add(this.state, addressOf(name), denom, amount)
  }

  balance(name: string, denom: string): bigint {
    return testLedger.balance(this.state, addressOf(name), denom)
  }

  escrow(denom: string): bigint {
    return testLedger.balance(this.state, CLOB_ACCOUNT, denom)
  }

  fees(denom: string): bigint {
    return testLedger.balance(this.state, FEE_COLLECTOR_ADDRESS, denom)
  }

  item({ from, actions, changes, listedPhase, ...rest }: Sent): BatchItem {
    const tx: ClobTx = {
      owner: addressOf(from),
      subaccount: 0,
      nonceMs: this.nonceOf(from),
      goodTilBlock: this.height + 10,
      actions,
      sigScheme: 1,
      signature: new Uint8Array(65),
      agent: undefined,
      ...changes,
    }
    const hash = sha256(utf8ToBytes(`${this.#items++}`))
    const body = { raw: new Uint8Array(0), hash, tx, phase: phaseOf(tx.actions), weight: weightOf(tx.actions) }
    const signer = 'signer' in rest ? rest.signer : (tx.agent ?? tx.owner)
    return { body, hash, listedPhase: listedPhase ?? body.phase, signer: () => signer }
  }

  /** The time of the block, or one more than the last of the same signer. */
  nonceOf(from: string): number {
    const nonceMs = Math.max(this.timeMs, (this.#nonces.get(from) ?? 0) + 1)
    this.#nonces.set(from, nonceMs)
    return nonceMs
  }

  /** A block with these transactions is decided and committed. */
  block(...sent: readonly Sent[]): Became[][] {
    return this.commit(sent.map((each) => this.item(each)))
  }

  commit(items: readonly BatchItem[]): Became[][] {
    const outcome = this.run(items, this.state)
    this.books.apply(outcome.delta)
    this.last = outcome
    this.height++
    this.timeMs += 1_000
    return outcome.results.map(({ code, data }) =>
      code === 0
        ? decodeClobResult(data).results.map((result) => ({
            code: nameOf(result.code),
            orderSeq: result.orderSeq,
            filledLots: result.filledLots,
            quote: result.quote,
          }))
        : [{ code: nameOf(code), orderSeq: 0, filledLots: 0, quote: 0n }],
    )
  }

  run(items: readonly BatchItem[], state: StateWriter): StepOutcome & { readonly delta: BookDelta } {
    const { height, timeMs } = this
    const context = {
      state,
      height,
      timeMs,
      ledger: testLedger,
      feeCollector: FEE_COLLECTOR_ADDRESS,
      emit: () => undefined,
    }
    return runClobStep(this.books, context, items)
  }

  /** Sends the actions of one owner in a block of its own: what they became. */
  act(from: string, ...actions: readonly Action[]): Became[] {
    return this.block({ from, actions })[0] ?? []
  }

  /** Lots left by order_seq, of one market. */
  open(market = 1): Readonly<Record<number, number>> {
    const orders = [...this.books.market(market).orders.values()].toSorted((a, b) => a.seq - b.seq)
    return Object.fromEntries(orders.map(({ seq, left }) => [seq, left]))
  }

  order(seq: number, market = 1): OpenOrder | undefined {
    return this.books.market(market).orders.get(seq)
  }

  nextSeq(): number {
    return readNextSeq(this.state)
  }

  ownerKey(name: string): string {
    return bytesToKey(addressOf(name))
  }
}
