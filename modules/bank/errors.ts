/** Failures of the bank, with the Cosmos SDK's codespaces and codes where it has them. */
import { checksumAddress, type Address } from '../../core/address.ts'
import { CodedError } from '../../core/errors.ts'

export const insufficientFunds = (address: Address, denom: string, balance: bigint, amount: bigint): CodedError =>
  new CodedError(
    'sdk',
    5,
    `spendable balance ${balance}${denom} of ${checksumAddress(address)} is smaller than ${amount}${denom}: insufficient funds`,
  )

export const invalidDenom = (denom: string): CodedError =>
  new CodedError('sdk', 10, `invalid denom: ${denom.slice(0, 128)}`)
