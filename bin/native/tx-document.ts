/** Transactions as documents: what `--generate-only` prints, what `sign` and `broadcast` read. */
import { readFileSync, readSync } from 'node:fs'
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { decodeNativeTransaction, type NativeTransaction } from '../../app/native/decode-transaction.ts'
import type { PackedMessage } from '../../app/native/public-key.ts'
import { plainBytes } from '../../core/bytes.ts'
import { MAX_TRANSACTION_BYTES } from '../../core/limits.ts'
import { tx } from '../../proto/index.ts'
import { cliError, errorText } from '../errors.ts'
import { readMessage } from './messages-json.ts'

const STANDARD_INPUT = 0
const CHUNK_BYTES = 64 * 1024
/** A proposal may hold long texts; a transaction is far below. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024
const POLL_MS = 10

const isNotReady = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

/** To its end. A pipe that does not block says so when whoever writes is slower. */
const readStandardInput = (): string => {
  const chunks: Buffer[] = []
  for (let total = 0; ; ) {
    try {
      const chunk = Buffer.alloc(CHUNK_BYTES)
      const length = readSync(STANDARD_INPUT, chunk)
      if (length === 0) return Buffer.concat(chunks).toString('utf8')
      total += length
      if (total > MAX_INPUT_BYTES) throw cliError('usage', `more than ${MAX_INPUT_BYTES} bytes on standard input`)
      chunks.push(chunk.subarray(0, length))
    } catch (error) {
      if (!isNotReady(error)) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS)
    }
  }
}

/** The whole of a file, or of standard input for `-`. Throws cli/1. */
export const readText = (file: string): string => {
  if (file === '-') return readStandardInput()
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw cliError('usage', errorText(error))
  }
}

/** Throws cli/1. */
export const parseJson = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw cliError('usage', `${what} is no JSON: ${errorText(error)}`)
  }
}

export const readJson = (file: string): unknown => parseJson(readText(file), file)

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

/** As the node would read it. Throws the node's refusals (codespace sdk). */
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
