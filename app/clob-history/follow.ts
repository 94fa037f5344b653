/**
 * Keeps the history beside the blocks: takes the next ones in, forgets what is pruned, and begins anew where what it has is of
 * other blocks than those of the node (after a rollback or a restore). Each step is a few bounded writes; it may be killed anywhere.
 */
import { equalBytes } from '../../core/bytes.ts'
import { listMarkets, type OpenOrder, readOrder, scanOrders } from '../../modules/clob/index.ts'
import { readBaseHeight } from '../../store/base-height.ts'
import { HistoricalState } from '../../store/history.ts'
import { isKept, readKeptRange } from '../../store/kept-range.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { oldestHeight, readCommittedBlock } from '../feed/committed-block.ts'
import { ChainReader, readChainParameters, readCommittedHeight } from '../index/chain-reader.ts'
import { forgetBlocks, forgetSome } from './forget.ts'
import { adoptOrders, type Cursor, readCursor, wholeHeight, writeHistory } from './write-history.ts'

/** Orders that one write adopts: a longer one would hold up the commit of a block. */
const ADOPTED_A_WRITE = 2_000

export interface HistoryStep {
  /** There is more to do at once. */
  readonly isMore: boolean
  /** Height of the history; undefined while it is empty. */
  readonly height: number | undefined
}

/** What was open in the state before the first block of the history, as far as it is not in here yet. */
interface Adoption {
  readonly height: number
  readonly state: HistoricalState
  readonly orders: Generator<OpenOrder, void>
}

function* openOrdersIn(state: HistoricalState): Generator<OpenOrder, void> {
  for (const { id } of listMarkets(state)) yield* scanOrders(state, id)
}

const nextOf = (orders: Generator<OpenOrder, void>, most: number): readonly OpenOrder[] => {
  const some: OpenOrder[] = []
  while (some.length < most) {
    const { value } = orders.next()
    if (value === undefined) break
    some.push(value)
  }
  return some
}

export class HistoryFollower {
  readonly #store: KeyValueStore
  readonly #reader: ChainReader
  /** The block of the cursor is one of the node's: looked at once, and told by the parent of the next block from then on. */
  #isChecked = false
  #isForgetting = false
  #adoption: Adoption | undefined
  readonly #happeningsAWrite: number | undefined

  /** `happeningsAWrite` is for tests: how much of a block is in one write. */
  constructor(store: KeyValueStore, happeningsAWrite?: number) {
    this.#store = store
    this.#happeningsAWrite = happeningsAWrite
    this.#reader = new ChainReader(store)
  }

  /** Takes at most one block, and a bounded part of what is forgotten. */
  step(): HistoryStep {
    const chain = readChainParameters(this.#store)
    const head = readCommittedHeight(this.#store)
    if (chain === undefined || head === undefined) return { isMore: false, height: undefined }
    const oldest = oldestHeight(this.#store, chain.initialHeight)
    if (this.#adoption !== undefined) return this.#adopt(this.#adoption, oldest, head)
    const cursor = this.#isForgetting ? undefined : readCursor(this.#store)
    if (cursor === undefined || !this.#fits(cursor, oldest, head)) {
      this.#isForgetting = forgetSome(this.#store)
      this.#isChecked = true
      if (this.#isForgetting) return { isMore: true, height: undefined }
      if (oldest > head) return { isMore: false, height: undefined }
      const state = this.#stateBefore(oldest, head)
      this.#adoption = { height: oldest, state, orders: openOrdersIn(state) }
      return this.#adopt(this.#adoption, oldest, head)
    }
    const hasPruned = forgetBlocks(this.#store, readBaseHeight(this.#store))
    const step = this.#take(wholeHeight(cursor) + 1, head, cursor)
    return { ...step, isMore: step.isMore || hasPruned }
  }

  /** Without a cursor behind it: when it is interrupted it begins anew, with a history that is forgotten before. */
  #adopt({ height, state, orders }: Adoption, oldest: number, head: number): HistoryStep {
    const isThere = (): boolean => height === oldest && isKept(readKeptRange(this.#store), height - 1)
    const some = isThere() ? nextOf(orders, ADOPTED_A_WRITE) : []
    state.close()
    if (some.length > 0 && isThere()) {
      adoptOrders(this.#store, some)
      return { isMore: true, height: undefined }
    }
    this.#adoption = undefined
    // Blocks were pruned meanwhile: the next step forgets what is in here, and begins anew.
    if (height !== oldest) return { isMore: true, height: undefined }
    return this.#take(height, head, undefined)
  }

  #stateBefore(height: number, head: number): HistoricalState {
    return new HistoricalState(this.#store, height - 1, () => head)
  }

  /** False where its block is not the node's, or where blocks that it has not taken were pruned. */
  #fits(cursor: Cursor, oldest: number, head: number): boolean {
    const { height, hash } = cursor
    if (height > head || wholeHeight(cursor) + 1 < oldest) return false
    if (this.#isChecked) return true
    this.#isChecked = true
    const record = this.#reader.header(height)
    return record === undefined || equalBytes(record.hash, hash)
  }

  #take(height: number, head: number, cursor: Cursor | undefined): HistoryStep {
    const reached = cursor && wholeHeight(cursor)
    if (height > head) return { isMore: false, height: reached }
    const block = readCommittedBlock(this.#reader, height)
    // Pruned since: the next step begins anew at what is the oldest then.
    if (block === undefined) return { isMore: false, height: reached }
    if (cursor !== undefined && !equalBytes(cursor.taken === 0 ? block.header.parentHash : block.hash, cursor.hash)) {
      this.#isForgetting = true
      return { isMore: true, height: undefined }
    }
    const before = this.#stateBefore(height, head)
    try {
      writeHistory(this.#store, block, this.#happeningsAWrite, (market, seq) =>
        this.#orderIn(before, height - 1, market, seq),
      )
    } finally {
      before.close()
    }
    return { isMore: height < head, height }
  }

  /** Undefined where it was not open, and where that state is pruned, or was meanwhile. */
  #orderIn(state: HistoricalState, height: number, market: number, seq: number): OpenOrder | undefined {
    const isThere = (): boolean => isKept(readKeptRange(this.#store), height)
    const order = isThere() ? readOrder(state, market, seq) : undefined
    return isThere() ? order : undefined
  }
}
