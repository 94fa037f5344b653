import { defineEvent } from '../abi/event.ts'
import { address, int256, uint256 } from '../abi/types.ts'

export const createValidatorEvent = defineEvent('CreateValidator', { validatorAddress: address }, { value: uint256 })

export const editValidatorEvent = defineEvent(
  'EditValidator',
  { validatorAddress: address },
  { commissionRate: int256, minSelfDelegation: int256 },
)

const parties = { delegatorAddress: address, validatorAddress: address }

export const delegateEvent = defineEvent('Delegate', parties, { amount: uint256, newShares: uint256 })

/** Seconds since 1970. */
export const unbondEvent = defineEvent('Unbond', parties, { amount: uint256, completionTime: uint256 })

export const redelegateEvent = defineEvent(
  'Redelegate',
  { delegatorAddress: address, validatorSrcAddress: address, validatorDstAddress: address },
  { amount: uint256, completionTime: uint256 },
)

export const cancelUnbondingEvent = defineEvent('CancelUnbondingDelegation', parties, {
  amount: uint256,
  creationHeight: uint256,
})
