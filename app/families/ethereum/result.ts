/** The result of an Ethereum transaction as ABCI has it. */
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { bytesToHex } from '../../../core/hex.ts'
import type { SignedTransaction } from '../../../evm/transaction/transaction.ts'
import { markSearched } from '../../../modules/events.ts'
import type { Event } from '../../../modules/module.ts'
import type { ShownResult } from '../../ports.ts'
import type { Receipt } from '../../records/receipt.ts'

export interface EthereumOutcomeSummary {
  readonly signed: SignedTransaction
  readonly receipt: Receipt
  /** Why it failed, in geth's words; undefined when it succeeded. */
  readonly failure: string | undefined
  /** The events of its calls to native precompiles, in their order. */
  readonly nativeEvents?: readonly Event[]
}

/**
 * The event is named as cosmos/evm names it; only the hash is for CometBFT's indexer. Amount, recipient and gas stand
 * in the transaction and its receipt, and a full block has tens of thousands of these.
 */
const ethereumEvent = ({ signed, failure }: EthereumOutcomeSummary, index: number): Event => ({
  type: 'ethereum_tx',
  attributes: [
    { key: 'ethereumTxHash', value: bytesToHex(signed.hash), index: true },
    { key: 'txIndex', value: index.toString(), index: false },
    ...(failure === undefined ? [] : [{ key: 'ethereumTxFailed', value: failure, index: false }]),
  ],
})

/** `index` is its place in the Ethereum block. A failed one has code 0 too: it is in the block, and its receipt tells. */
export const ethereumResult = (outcome: EthereumOutcomeSummary, index: number): ShownResult => ({
  code: 0,
  codespace: '',
  log: outcome.failure ?? '',
  data: EMPTY_BYTES,
  gasWanted: outcome.signed.transaction.gasLimit,
  gasUsed: outcome.receipt.gasUsed,
  events: [ethereumEvent(outcome, index), ...markSearched(outcome.nativeEvents ?? [])],
})
