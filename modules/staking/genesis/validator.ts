/** A validator of a new chain, for whoever writes its genesis file. */
import type { Address } from '../../../core/address.ts'
import { type Decimal, ONE, toDecimal } from '../../../core/decimal.ts'
import { consensusAddressOf } from '../../validator-addresses.ts'
import { checkCommissionRates, type CommissionRates } from '../commission.ts'
import { checkDescription, EMPTY_DESCRIPTION } from '../description.ts'
import { formatDelegation, formatValidator } from './export.ts'

export interface GenesisValidator {
  readonly operator: Address
  /** ed25519, 32 bytes. */
  readonly publicKey: Uint8Array
  /** Its own stake in anat, which the genesis file must give to bonded_tokens_pool. */
  readonly tokens: bigint
  readonly moniker: string
  /** What else it says of itself. */
  readonly description?: Partial<typeof EMPTY_DESCRIPTION>
  readonly commission?: CommissionRates
  readonly minSelfDelegation?: bigint
}

const PERCENT: Decimal = ONE / 100n
/** What the SDK's gentx takes when nothing is said. */
const DEFAULT_COMMISSION: CommissionRates = { rate: 10n * PERCENT, maxRate: 20n * PERCENT, maxChangeRate: PERCENT }

/**
 * The members to put into `validators` and `delegations` of app_state.staking: bonded, with its operator's delegation
 * alone. Throws staking/9 to 14, and sdk/18 for a moniker above 70 bytes.
 */
export const genesisValidator = ({
  operator,
  publicKey,
  tokens,
  moniker,
  description,
  commission = DEFAULT_COMMISSION,
  minSelfDelegation = 1n,
}: GenesisValidator) => {
  const { rate, maxRate, maxChangeRate } = checkCommissionRates(commission)
  const shares = toDecimal(tokens)
  const validator = formatValidator({
    operator,
    publicKey,
    consensusAddress: consensusAddressOf(publicKey),
    status: 'bonded',
    isJailed: false,
    tokens,
    shares,
    minSelfDelegation,
    description: checkDescription({ ...EMPTY_DESCRIPTION, ...description, moniker }),
    commissionRate: rate,
    maxCommissionRate: maxRate,
    maxCommissionChangeRate: maxChangeRate,
    commissionTimeNs: 0n,
    unbondingHeight: 0,
    unbondingTimeNs: 0n,
    unbondingIds: [],
  })
  return { validator, delegation: formatDelegation({ delegator: operator, operator, shares }) }
}
