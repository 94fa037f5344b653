/** An order as a client sends it. */
import { hexToBytes } from '../core/hex.ts'
import { encodeClobTx, readTypedTx } from '../modules/clob/index.ts'
import type { Questions } from '../app/ports.ts'

/** Throws clob/16 where the message of the typed data is none. */
export const wireFormOf = (order: Questions['sendOrder']): Uint8Array =>
  'raw' in order ? hexToBytes(order.raw) : encodeClobTx(readTypedTx(order.message, order.signature))
