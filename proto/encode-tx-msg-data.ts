/** cosmos.base.abci.v1beta1.TxMsgData by hand: every native transaction has one, and the general encoder is slow. */
import { BackwardWriter } from './backward-writer.ts'

/** TxMsgData: msg_responses 2. Any: type_url 1, value 2. */
const [MSG_RESPONSES, TYPE_URL, VALUE] = [0x12, 0x0a, 0x12] as const
const INITIAL_BYTES = 128

/** A view into a larger buffer: copy what is kept for long. */
export const encodeTxMsgData = (
  msgResponses: readonly { readonly typeUrl: string; readonly value: Uint8Array }[],
): Uint8Array => {
  const writer = new BackwardWriter(INITIAL_BYTES)
  for (const { typeUrl, value } of msgResponses.toReversed()) {
    const end = writer.written
    if (value.length > 0) writer.bytes(VALUE, value)
    if (typeUrl !== '') writer.text(TYPE_URL, typeUrl)
    writer.number(MSG_RESPONSES, writer.written - end)
  }
  return writer.finish()
}
