/** The gas of a message once its frames have ended. */
import { invariant } from '../../core/errors.ts'
import type { Message } from '../engine.ts'
import type { PreparedMessage } from './prepare-message.ts'

/** EIP-3529: at most a fifth of the gas used comes back. */
const REFUND_QUOTIENT = 5n

export interface MessageGas {
  readonly gasUsed: bigint
  readonly gasBeforeRefund: bigint
}

/** `frameGas` is what the outermost frame used, `refund` what it and the authorizations earned (EIP-7623, EIP-7702). */
export const settleGas = (
  message: Message,
  prepared: PreparedMessage,
  frameGas: bigint,
  refund: bigint,
): MessageGas => {
  const spent = prepared.intrinsicGas + frameGas
  const cap = spent / REFUND_QUOTIENT
  const afterRefund = spent - (refund < cap ? refund : cap)
  const atLeastFloor = (gas: bigint): bigint => (gas < prepared.floorGas ? prepared.floorGas : gas)
  const gasUsed = atLeastFloor(afterRefund)
  invariant(gasUsed <= message.gasLimit, 'a message used more gas than its limit')
  return { gasUsed, gasBeforeRefund: atLeastFloor(spent) }
}
