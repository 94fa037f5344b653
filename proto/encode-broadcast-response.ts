/** cosmos.tx.v1beta1.BroadcastTxResponse by hand: it answers every transaction, and the general encoder is slow. */
import { BackwardWriter } from './backward-writer.ts'

/** BroadcastTxResponse: tx_response 1. TxResponse: txhash 2, codespace 3, code 4, raw_log 6. */
const [TX_RESPONSE, TXHASH, CODESPACE, CODE, RAW_LOG] = [0x0a, 0x12, 0x1a, 0x20, 0x32] as const
const INITIAL_BYTES = 256

export interface BroadcastResponseFields {
  readonly txhash: string
  readonly codespace: string
  readonly code: number
  readonly rawLog: string
}

export const encodeBroadcastResponse = ({ txhash, codespace, code, rawLog }: BroadcastResponseFields): Uint8Array => {
  const writer = new BackwardWriter(INITIAL_BYTES)
  if (rawLog !== '') writer.text(RAW_LOG, rawLog)
  if (code !== 0) writer.number(CODE, code)
  if (codespace !== '') writer.text(CODESPACE, codespace)
  if (txhash !== '') writer.text(TXHASH, txhash)
  writer.number(TX_RESPONSE, writer.written)
  return writer.finish()
}
