/** The feed of committed blocks as JSON, page by page: docs/adr/039. */
import { bytesToHex } from '../core/hex.ts'
import { invariant } from '../core/errors.ts'
import {
  type CommittedBlock,
  type CommittedReceipt,
  type CommittedTransaction,
  oldestHeight,
  readCommittedBlock,
} from '../app/feed/committed-block.ts'
import { invalidParameters, isQueryError, prunedBlocks } from '../app/errors.ts'
import type { FeedBlock, FeedPage, FeedPlace, FeedReceipt, FeedTransaction, Questions } from '../app/ports.ts'
import type { ChainView } from './chain-view.ts'
import { headerJson } from './ethereum-json.ts'

/** Characters of a page at most, but for its last transaction or the events of its last block. */
const MAX_PAGE_TEXT = 4 * 1024 * 1024
/** A page of empty blocks takes no longer than one of full ones. */
const MAX_PAGE_BLOCKS = 250
/** A page from the oldest block on may be pruned under the reader, once a block: so often it is read again. */
const MAX_ATTEMPTS = 3

const receiptOf = ({ index, sender, receipt }: CommittedReceipt): FeedReceipt => {
  const { type, succeeded, cumulativeGasUsed, effectiveGasPrice, contractAddress, firstLogIndex, logs } = receipt
  return {
    index,
    from: bytesToHex(sender),
    type,
    succeeded,
    cumulativeGasUsed: cumulativeGasUsed.toString(),
    effectiveGasPrice: effectiveGasPrice.toString(),
    contractAddress: contractAddress === undefined ? null : bytesToHex(contractAddress),
    logs: logs.map(({ address, topics, data }, at) => ({
      index: firstLogIndex + at,
      address: bytesToHex(address),
      topics: topics.map(bytesToHex),
      data: bytesToHex(data),
    })),
  }
}

const eventsOf = (events: FeedTransaction['events']): FeedTransaction['events'] =>
  events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value, index }) => ({ key, value, index })),
  }))

const transactionOf = ({ index, family, hash, raw, result, ethereum }: CommittedTransaction): FeedTransaction => ({
  index,
  family,
  hash: bytesToHex(hash),
  raw: bytesToHex(raw),
  code: result.code,
  codespace: result.codespace,
  log: result.log,
  data: bytesToHex(result.data),
  gasWanted: result.gasWanted.toString(),
  gasUsed: result.gasUsed.toString(),
  events: eventsOf(result.events),
  ...(ethereum === undefined ? {} : { receipt: receiptOf(ethereum) }),
})

/** The text of a block up to the bracket that begins its transactions. */
const openingOf = (block: CommittedBlock): string => {
  const shown: Omit<FeedBlock, 'transactions'> = {
    height: block.height,
    hash: bytesToHex(block.hash),
    timeNs: block.timeNs.toString(),
    proposer: bytesToHex(block.proposerAddress),
    header: headerJson(block.header, block.hash) as FeedBlock['header'],
    events: eventsOf(block.events),
    validatorUpdates: block.validatorUpdates.map(({ publicKey, power }) => ({
      publicKey: bytesToHex(publicKey),
      power: power.toString(),
    })),
    transactionCount: block.transactionCount,
  }
  return `${JSON.stringify(shown).slice(0, -1)},"transactions":[`
}

/** Text by text: as objects all transactions of a page take many times the memory. */
class Page {
  readonly #maxText: number
  readonly #rest: string[] = []
  readonly #blocks: string[] = []
  #restHash: string | undefined
  #length = 0
  next: FeedPlace

  constructor(from: FeedPlace, maxText: number) {
    this.next = from
    this.#maxText = maxText
  }

  get isFull(): boolean {
    return this.#length >= this.#maxText || this.#blocks.length >= MAX_PAGE_BLOCKS
  }

  /** Adds as much of a block as the page has room for, from {@link next} on. */
  add(block: CommittedBlock): void {
    const { height, transaction: from } = this.next
    const texts = from > 0 ? this.#rest : []
    if (from > 0) this.#restHash = bytesToHex(block.hash)
    const opening = from > 0 ? '' : openingOf(block)
    this.#length += opening.length
    let place = from
    for (const transaction of block.transactions(from)) {
      const text = JSON.stringify(transactionOf(transaction))
      texts.push(text)
      place++
      this.#length += text.length
      if (this.#length >= this.#maxText) break
    }
    const isWhole = place >= block.transactionCount
    this.next = isWhole ? { height: height + 1, transaction: 0 } : { height, transaction: place }
    if (from === 0) this.#blocks.push(`${opening}${texts.join(',')}]}`)
  }

  text(head: FeedPage['head']): string {
    const rest =
      this.#restHash === undefined ? 'null' : `{"hash":"${this.#restHash}","transactions":[${this.#rest.join(',')}]}`
    const { height, transaction } = this.next
    const next = `{"height":${height},"transaction":${transaction}}`
    return `{"head":${head},"rest":${rest},"blocks":[${this.#blocks.join(',')}],"next":${next}}`
  }
}

type FeedView = Pick<ChainView, 'reader' | 'head' | 'parameters'>

const lowest = ({ reader, parameters }: FeedView): number => oldestHeight(reader.store, parameters.initialHeight)

const pageFrom = (view: FeedView, from: FeedPlace, maxText: number): string => {
  const page = new Page(from, maxText)
  while (page.next.height <= view.head && !page.isFull) {
    const block = readCommittedBlock(view.reader, page.next.height)
    invariant(block !== undefined, `block ${page.next.height} of the feed is not in the database`)
    if (page.next.transaction > 0 && page.next.transaction >= block.transactionCount)
      throw invalidParameters(`block ${block.height} has ${block.transactionCount} transactions`)
    page.add(block)
  }
  return page.text(view.head)
}

/** Throws query/8 when the block of `from` is not here any more, whatever came of reading it. */
const pageUnlessPruned = (view: FeedView, from: FeedPlace, maxText: number): string => {
  const requireKept = (): void => {
    const oldest = lowest(view)
    if (from.height < oldest) throw prunedBlocks(from.height, oldest)
  }
  requireKept()
  try {
    return pageFrom(view, from, maxText)
  } finally {
    // What pruning had taken away under it is no fault of the database.
    requireKept()
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** See the question `committedBlocks`. Throws query/2 and query/8. */
export const committedBlocks = async (
  view: FeedView,
  { from, maxBytes }: Questions['committedBlocks'],
): Promise<string> => {
  if (!isCount(maxBytes) || (from !== undefined && !(isCount(from.height) && isCount(from.transaction))))
    throw invalidParameters('the place or the size of a page of the feed is no number')
  const maxText = Math.max(1, Math.min(maxBytes, MAX_PAGE_TEXT))
  if (from !== undefined) return pageUnlessPruned(view, from, maxText)
  for (let attempt = 1; ; attempt++) {
    try {
      return pageUnlessPruned(view, { height: lowest(view), transaction: 0 }, maxText)
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isQueryError(error, 'prunedHistory')) throw error
    }
  }
}
