/** Suggested fees and their history. What the node suggests passes its own minimum. */
import type { ChainReader } from '../app/index/chain-reader.ts'
import type { Header } from '../app/records/header.ts'
import { quantityToHex } from '../core/hex.ts'
import { MAX_FEE_PERCENTILES } from '../core/limits.ts'
import type { Receipt } from '../app/records/receipt.ts'
import type { ReceiptGas } from '../app/records/records.ts'
import { readBaseFee } from '../modules/feemarket/index.ts'
import { queryFailed } from '../app/errors.ts'
import type { Questions } from '../app/ports.ts'
import { pendingFees } from './pending.ts'
import { firstHeight, isPending, requireHeader, requireHeight, type ChainView } from './chain-view.ts'
import type { Json } from './ethereum-json.ts'

/** geth's oracle: the three lowest tips of each of the last 20 blocks, their 60th percentile, at most 500 gwei. */
const SAMPLED_BLOCKS = 20
const SAMPLES_A_BLOCK = 3
const PERCENTILE = 60
const MAX_TIP = 500_000_000_000n

const compareBigint = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Least tip that passes the node's minimum price at a base fee. */
export const minimumTip = (minimumGasPrice: bigint, baseFeePerGas: bigint): bigint =>
  max(0n, minimumGasPrice - baseFeePerGas)

/** Stored bytes of receipts that are read at the first question after a start, on the thread that executes blocks. */
const MAX_READ_BYTES = 4 * 1024 * 1024
const RECEIPT_BYTES = 150
const LOG_BYTES = 26

/** Blocks of very many receipts or logs are left out, from the oldest on. */
const oldestToRead = (reader: ChainReader, head: number): number => {
  let left = MAX_READ_BYTES
  let oldest = head + 1
  while (oldest > Math.max(0, head - SAMPLED_BLOCKS + 1)) {
    const record = reader.header(oldest - 1)
    if (record !== undefined)
      left -= RECEIPT_BYTES * record.transactionCount + LOG_BYTES * record.logCount + record.logBytes
    if (left < 0) break
    oldest--
  }
  return oldest
}

/**
 * Tips of recent blocks: those that are stored, as far as they are soon read, then fed at every commit. So a node suggests after a restart what
 * the others do.
 */
export class TipOracle {
  readonly #blocks: (readonly bigint[])[] = []
  #height: number

  /** `head` is the newest block that is committed. */
  constructor(reader: ChainReader, head: number) {
    const oldest = oldestToRead(reader, head)
    this.#height = oldest - 1
    for (let height = oldest; height <= head; height++) {
      const record = reader.header(height)
      if (record !== undefined) this.note(height, reader.receiptGas(height), record.header.baseFeePerGas)
    }
  }

  note(height: number, receipts: readonly Pick<Receipt, 'effectiveGasPrice'>[], baseFeePerGas: bigint): void {
    if (height <= this.#height) return
    this.#height = height
    const tips = receipts.map(({ effectiveGasPrice }) => effectiveGasPrice - baseFeePerGas).sort(compareBigint)
    this.#blocks.push(tips.slice(0, SAMPLES_A_BLOCK))
    if (this.#blocks.length > SAMPLED_BLOCKS) this.#blocks.shift()
  }

  /** Suggests a tip in anat a gas. */
  suggest(minimum: bigint): bigint {
    const samples = this.#blocks.flat().sort(compareBigint)
    const tip = samples[Math.floor(((samples.length - 1) * PERCENTILE) / 100)] ?? 0n
    return max(tip > MAX_TIP ? MAX_TIP : tip, minimum)
  }
}

const checkPercentiles = (percentiles: readonly number[]): void => {
  if (percentiles.length > MAX_FEE_PERCENTILES) {
    throw queryFailed(`invalid reward percentile: over the query limit ${MAX_FEE_PERCENTILES}`)
  }
  for (const [index, percentile] of percentiles.entries()) {
    if (percentile < 0 || percentile > 100) throw queryFailed(`invalid reward percentile: ${percentile.toFixed(6)}`)
    const previous = percentiles[index - 1]
    if (previous !== undefined && percentile <= previous) {
      const pair = `#${index - 1}:${previous.toFixed(6)} >= #${index}:${percentile.toFixed(6)}`
      throw queryFailed(`invalid reward percentile: ${pair}`)
    }
  }
}

interface FeeBlock {
  readonly header: Header
  readonly receipts: readonly ReceiptGas[]
}

/** Tips at percentiles of the block's gas. */
const rewards = (
  view: ChainView,
  { header, receipts }: FeeBlock,
  percentiles: readonly number[],
): readonly string[] => {
  const floor = minimumTip(view.settings.minimumGasPriceAnat, header.baseFeePerGas)
  if (receipts.length === 0) return percentiles.map(() => quantityToHex(floor))
  const items = receipts
    .map(({ gasUsed, effectiveGasPrice }) => ({ gasUsed, tip: effectiveGasPrice - header.baseFeePerGas }))
    .sort((a, b) => compareBigint(a.tip, b.tip))
  let index = 0
  let sum = items[0]?.gasUsed ?? 0n
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(header.gasUsed) * percentile) / 100))
    while (sum < threshold && index < items.length - 1) {
      index++
      sum += items[index]?.gasUsed ?? 0n
    }
    return quantityToHex(max(items[index]?.tip ?? 0n, floor))
  })
}

/** Committed blocks, with receipts where rewards are asked for. */
const committedBlocks = (view: ChainView, oldest: number, count: number, withReceipts: boolean): readonly FeeBlock[] =>
  Array.from({ length: count }, (_, index) => {
    view.interrupt()
    const { header, transactionCount } = requireHeader(view, oldest + index)
    const receipts = withReceipts && transactionCount > 0 ? view.reader.receiptGas(header.number) : []
    return { header, receipts }
  })

/** `pending` counts as a block of its own. */
export const feeHistory = async (
  view: ChainView,
  { count, newest, percentiles }: Questions['feeHistory'],
): Promise<Json> => {
  if (count < 1) return { oldestBlock: '0x0', gasUsedRatio: null }
  checkPercentiles(percentiles)
  if ('number' in newest && newest.number > view.head) {
    throw queryFailed(`request beyond head block: requested ${newest.number}, head ${view.head}`)
  }
  const last = requireHeight(view, newest)
  const pending = isPending(newest) ? await pendingFees(view) : undefined
  const more = pending === undefined ? 0 : 1
  const wanted = Math.min(count, view.settings.feeHistoryCap, last + more - firstHeight(view) + 1) - more
  const oldest = last - wanted + 1
  const withReceipts = percentiles.length > 0
  const committed = committedBlocks(view, oldest, wanted, withReceipts)
  const blocks = pending === undefined ? committed : [...committed, pending]
  const following =
    last < view.head ? requireHeader(view, last + 1).header.baseFeePerGas : readBaseFee(view.stateAt(view.head))
  const fees = [...blocks.map(({ header }) => header.baseFeePerGas), pending?.nextBaseFee ?? following]
  return {
    oldestBlock: quantityToHex(oldest),
    ...(withReceipts ? { reward: blocks.map((block) => rewards(view, block, percentiles)) } : {}),
    baseFeePerGas: fees.map((fee) => quantityToHex(fee)),
    gasUsedRatio: blocks.map(({ header }) => Number(header.gasUsed) / Number(header.gasLimit)),
    baseFeePerBlobGas: fees.map(() => '0x1'),
    blobGasUsedRatio: blocks.map(() => 0),
  }
}
