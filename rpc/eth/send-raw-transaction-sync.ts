import { type Hex, quantityToHex } from '../../core/hex.ts'
import { rpcError } from '../errors.ts'
import { formatGoDuration } from '../go-duration.ts'
import { defineClientMethod, optionalParameter, required } from '../method.ts'
import type { Decode } from '../parameters/go-json.ts'
import { decodeData, decodeUint64 } from '../parameters/hex.ts'

const MILLISECOND_NS = 1_000_000n
const DEFAULT_TIMEOUT_NS = 20_000n * MILLISECOND_NS
const MAX_TIMEOUT_NS = 60_000n * MILLISECOND_NS

/** Go counts nanoseconds in 64 bits: of a very large time little or less than nothing may be left. */
const toTimeoutNs = (milliseconds: Hex | undefined): bigint => {
  if (milliseconds === undefined || BigInt(milliseconds) === 0n) return DEFAULT_TIMEOUT_NS
  const wanted = BigInt.asIntN(64, BigInt(milliseconds) * MILLISECOND_NS)
  return wanted > MAX_TIMEOUT_NS ? MAX_TIMEOUT_NS : wanted
}

/** An integer as EIP-7966 has it and viem sends it, or a hexadecimal text as geth 1.16 wants it. */
const decodeTimeout: Decode<Hex> = (value, place) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? quantityToHex(value as number) : decodeUint64(value, place)

/** EIP-7966: the answer is the receipt. */
export const sendRawTransactionSync = defineClientMethod({
  name: 'eth_sendRawTransactionSync',
  cost: 20,
  hasEffect: true,
  readsDigits: true,
  parameters: [required(decodeData), optionalParameter(decodeTimeout)],
  answer: async ({ ask, inclusion, onGone }, client, raw, timeout) => {
    const timeoutNs = toTimeoutNs(timeout)
    using place = inclusion.reserve(client)
    const hash = JSON.parse(await ask('sendRawTransaction', { raw })) as Hex
    const receipt = await place.receiptOf(hash, Number(timeoutNs / MILLISECOND_NS), onGone)
    if (receipt !== undefined) return receipt
    const time = formatGoDuration(timeoutNs)
    const message = `The transaction was added to the transaction pool but wasn't processed in ${time}`
    throw rpcError('notIncluded', message, hash)
  },
})
