/** Transactions as documents: what `--generate-only` prints, what `sign` and `broadcast` read. */
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { decodeNativeTransaction, type NativeTransaction } from '../../../app/native/decode-transaction.ts'
import type { PackedMessage } from '../../../app/native/public-key.ts'
import { plainBytes } from '../../../core/bytes.ts'
import { MAX_TRANSACTION_BYTES } from '../../../core/limits.ts'
import { tx } from '../../../proto/index.ts'
import { cliError } from '../../errors.ts'
import { readJson } from '../input.ts'
import { readMessage } from '../client/messages-json.ts'

export const pack = <Desc extends DescMessage>(desc: Desc, message: MessageInitShape<Desc>): PackedMessage => ({
  typeUrl: `/${desc.typeName}`,
  value: toBinary(desc, create(desc, message)),
})

export const encodeTransaction = ({ body, authInfo, signatures }: tx.Tx): Uint8Array =>
  toBinary(
    tx.TxRawSchema,
    create(tx.TxRawSchema, {
      bodyBytes: toBinary(tx.TxBodySchema, body ?? create(tx.TxBodySchema)),
      authInfoBytes: toBinary(tx.AuthInfoSchema, authInfo ?? create(tx.AuthInfoSchema)),
      signatures,
    }),
  )

/** Checks the transaction as the node would read it. Throws the node's refusals (codespace sdk). */
export const checkTransaction = (transaction: tx.Tx): NativeTransaction =>
  decodeNativeTransaction(encodeTransaction(transaction))

/** A document with a transaction. Throws cli/1, and the node's refusals. */
export const readTransaction = (file: string): tx.Tx => {
  const transaction = readMessage(tx.TxSchema, readJson(file), file)
  checkTransaction(transaction)
  return transaction
}

/** Bytes in base64 or hexadecimal. Throws cli/1. */
export const readBytes = (text: string): Uint8Array => {
  const trimmed = text.trim()
  const isHex = /^(?:0x)?(?:[0-9a-fA-F]{2})+$/.test(trimmed)
  if (!isHex && !/^[A-Za-z0-9+/]+={0,2}$/.test(trimmed)) throw cliError('usage', 'neither base64 nor hexadecimal')
  const bytes = plainBytes(isHex ? Buffer.from(trimmed.replace(/^0x/, ''), 'hex') : Buffer.from(trimmed, 'base64'))
  if (bytes.length <= MAX_TRANSACTION_BYTES) return bytes
  throw cliError('usage', `${bytes.length} bytes, at most ${MAX_TRANSACTION_BYTES} are allowed`)
}
