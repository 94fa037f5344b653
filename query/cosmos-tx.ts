/** Transactions and their results as cosmos.tx.v1beta1 shows them; those of Ethereum as one MsgEthereumTx. */
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { DENOMINATION } from '../core/amounts.ts'
import { bytesToUnprefixedHex } from '../core/hex.ts'
import { sha256 } from '../core/hash.ts'
import { formatSeconds } from '../core/time.ts'
import { markAll } from '../modules/events.ts'
import type { SignedTransaction } from '../evm/transaction/transaction.ts'
import { feeCap } from '../evm/transaction/validity.ts'
import { type baseAbci, evmTx, tx } from '../proto/index.ts'
import { decodeSigned } from '../evm/transaction/recover-sender.ts'
import { familyOf } from '../app/families/index.ts'
import { decodeNativeTransaction } from '../app/native/decode-transaction.ts'
import type { ShownResult } from '../app/ports.ts'

export type TxResponseInit = MessageInitShape<typeof baseAbci.TxResponseSchema>

const TX_URL = `/${tx.TxSchema.typeName}`
const ETHEREUM_URL = `/${evmTx.MsgEthereumTxSchema.typeName}`

export const upperHex = (bytes: Uint8Array): string => bytesToUnprefixedHex(bytes).toUpperCase()

/** Makes the message from the transaction's bytes, decoded as far as protobuf goes. Throws sdk/2 and its like. */
export const nativeTx = (raw: Uint8Array): tx.Tx => {
  const { bodyBytes, authInfoBytes, signatures } = decodeNativeTransaction(raw)
  return create(tx.TxSchema, {
    body: fromBinary(tx.TxBodySchema, bodyBytes),
    authInfo: fromBinary(tx.AuthInfoSchema, authInfoBytes),
    signatures: [...signatures],
  })
}

/** Shows an Ethereum transaction as one MsgEthereumTx: what it offers to pay is its fee, its signature is within. */
export const ethereumTx = ({ transaction, sender, raw }: SignedTransaction): tx.Tx => {
  const message = create(evmTx.MsgEthereumTxSchema, { from: sender, raw })
  const { gasLimit } = transaction
  return create(tx.TxSchema, {
    body: { messages: [{ typeUrl: ETHEREUM_URL, value: toBinary(evmTx.MsgEthereumTxSchema, message) }] },
    authInfo: {
      fee: { amount: [{ denom: DENOMINATION, amount: (feeCap(transaction) * gasLimit).toString() }], gasLimit },
    },
  })
}

/** A transaction of a block in either family. Throws where the bytes are of neither. */
export const anyTx = (raw: Uint8Array): tx.Tx =>
  familyOf(raw).isInEthereumBlock ? ethereumTx(decodeSigned(raw)) : nativeTx(raw)

export interface PlacedTransaction {
  readonly raw: Uint8Array
  readonly height: number
  readonly timeNs: bigint
  readonly result: ShownResult
}

/** `tx` is the transaction decoded. */
export const txResponse = ({ raw, height, timeNs, result }: PlacedTransaction, shown: tx.Tx): TxResponseInit => ({
  height: BigInt(height),
  txhash: upperHex(sha256(raw)),
  codespace: result.codespace,
  code: result.code,
  data: upperHex(result.data),
  rawLog: result.log,
  logs: [],
  gasWanted: result.gasWanted,
  gasUsed: result.gasUsed,
  tx: { typeUrl: TX_URL, value: toBinary(tx.TxSchema, shown) },
  timestamp: formatSeconds(timeNs),
  events: markAll(result.events).map(({ type, attributes }) => ({ type, attributes: [...attributes] })),
})
