/** The engine over real state, block after block, as the differential test and the vectors drive it. */
import { FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { bytesToUnprefixedHex } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import type { Books } from '../../modules/clob/book/books.ts'
import { CLOB_ERRORS } from '../../modules/clob/errors.ts'
import { listMarkets } from '../../modules/clob/keeper/index.ts'
import type { BatchResult } from '../../modules/clob/matching/results.ts'
import { type runClobStep, streamClobStep } from '../../modules/clob/matching/index.ts'
import { decodeClobBody, decodeClobResult, encodeClobTx } from '../../modules/clob/orders/index.ts'
import type { Event } from '../../modules/module.ts'
import type { StateWriter } from '../../store/state.ts'
import { LEDGER } from './lines.ts'
import { addressOf, type TrafficTx } from './traffic.ts'

type Batch = Parameters<typeof runClobStep>[2]
export type StepOutcome = ReturnType<typeof runClobStep>

const EMPTY = new Uint8Array(0)

export const batchOf = (txs: readonly TrafficTx[]): Batch =>
  txs.map(({ tx, listedPhase, signer }) => {
    const raw = tx === undefined ? EMPTY : encodeClobTx(tx)
    return {
      body: tx === undefined ? undefined : decodeClobBody(raw),
      hash: sha256(raw),
      listedPhase,
      signer: () => (signer === undefined ? undefined : addressOf(signer)),
    }
  })

/** Property 3: a continuous market is crossed after no transaction. */
const checkUncrossed = (books: Books, continuous: ReadonlySet<number>): void => {
  for (const { id, bids, asks } of books.markets()) {
    const [bid, ask] = [bids.best?.ticks, asks.best?.ticks]
    if (bid === undefined || ask === undefined || bid < ask || !continuous.has(id)) continue
    throw new RangeError(`market ${id} is crossed within its block: ${bid} is bid, ${ask} is asked`)
  }
}

/** One step on the books as they are, which it leaves as they were. */
export const stepOn = (
  books: Books,
  state: StateWriter,
  block: { readonly height: number; readonly timeMs: number },
  txs: readonly TrafficTx[],
  events: Event[] = [],
): StepOutcome => {
  const { height, timeMs } = block
  const emit = (event: Event): void => void events.push(event)
  const context = { state, height, timeMs, emit, ledger: LEDGER, feeCollector: FEE_COLLECTOR_ADDRESS }
  const results: BatchResult[] = []
  const markets = listMarkets(state).filter(({ mode }) => mode === 'continuous')
  const continuous = new Set(markets.map(({ id }) => id))
  const outcome = streamClobStep(books, context, batchOf(txs), (result) => {
    checkUncrossed(books, continuous)
    results.push(result)
  })
  return { results, ...outcome }
}

const NAMES = new Map(Object.entries(CLOB_ERRORS.codes).map(([name, code]) => [code as number, name]))

export const codeName = (code: number): string => (code === 0 ? '' : (NAMES.get(code) ?? `code ${code}`))

/** A result as text: the code's name, then each action's, then the hash of the records. */
export const describeResult = (result: StepOutcome['results'][number]): string => {
  const { results, records } = decodeClobResult(result.data)
  const actions = results.map(
    ({ code, orderSeq, filledLots, quote }) => `[${codeName(code)} ${orderSeq} ${filledLots} ${quote}]`,
  )
  return `${codeName(result.code)} ${actions.join(' ')} ${bytesToUnprefixedHex(records)}`
}
