/** What governance sets, and what it may be. */
import { ANAT_PER_NAT, MAX_UINT256 } from '../../core/amounts.ts'

export interface Erc20Params {
  /** Whether contracts are registered and tokens are taken. Withdrawals are never switched off. */
  readonly enabled: boolean
  /** Whether anybody may register a contract; governance always may. */
  readonly registrationOpen: boolean
  /** The fee in anat, which goes to the community pool. It bounds what strangers add to the state. */
  readonly registrationFee: bigint
  /** Most gas of a call of transfer or transferFrom. */
  readonly transferGas: bigint
  /** Most gas of a call of balanceOf, name, symbol or decimals. */
  readonly viewGas: bigint
}

/** Tokens behind proxies with hooks use up to 200,000 gas for a transfer. */
export const DEFAULT_PARAMS: Erc20Params = {
  enabled: true,
  registrationOpen: true,
  registrationFee: 10n * ANAT_PER_NAT,
  transferGas: 500_000n,
  viewGas: 100_000n,
}

/** No honest token works below the first; one call could take most of a transaction above the second. */
const LEAST_GAS = 30_000n
const MOST_GAS = 8_000_000n

const gasFault = (gas: bigint, name: string): string | undefined =>
  gas >= LEAST_GAS && gas <= MOST_GAS ? undefined : `${name} must be from ${LEAST_GAS} to ${MOST_GAS}, not ${gas}`

/** What is wrong with them, or undefined. */
export const paramsFault = ({ registrationFee, transferGas, viewGas }: Erc20Params): string | undefined => {
  if (registrationFee < 0n || registrationFee > MAX_UINT256) return 'registration_fee must be from 0 to 2^256 - 1'
  return gasFault(transferGas, 'transfer_gas') ?? gasFault(viewGas, 'view_gas')
}
