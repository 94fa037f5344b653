/** Events of admission. */
import type { Address } from '../../core/address.ts'
import { makeEvent } from '../events.ts'
import type { Event } from '../module.ts'
import { formatOperator } from '../validator-addresses.ts'

export const operatorApproved = (operator: Address): Event =>
  makeEvent('approve_operator', { operator: formatOperator(operator) })

export const operatorRevoked = (operator: Address): Event =>
  makeEvent('revoke_operator', { operator: formatOperator(operator) })
