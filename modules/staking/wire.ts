/** Records of staking as protobuf carries them. Decimals are integers of 18 places there. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { encodeBech32 } from '../../core/bech32.ts'
import { compareBytes } from '../../core/bytes.ts'
import { truncate } from '../../core/decimal.ts'
import { toSecondsAndNanos } from '../../core/time.ts'
import { staking } from '../../proto/index.ts'
import type { StateReader } from '../../store/state.ts'
import type { DelegationView } from '../stake.ts'
import { formatOperator } from '../validator-addresses.ts'
import { toWirePublicKey } from './public-key.ts'
import type { Redelegation } from './keeper/redelegations.ts'
import type { UnbondingDelegation } from './keeper/unbonding.ts'
import { readLastPowers } from './keeper/validator-updates.ts'
import { powerOf, tokensFromShares, type Validator } from './validator.ts'
import { existingValidator } from './keeper/validators.ts'

const STATUSES = {
  unbonded: staking.BondStatus.UNBONDED,
  unbonding: staking.BondStatus.UNBONDING,
  bonded: staking.BondStatus.BONDED,
} as const

/** The names that JSON and requests use. */
export const STATUS_NAMES = {
  unbonded: 'BOND_STATUS_UNBONDED',
  unbonding: 'BOND_STATUS_UNBONDING',
  bonded: 'BOND_STATUS_BONDED',
} as const

type WireValidator = MessageInitShape<typeof staking.ValidatorSchema>

export const toWireValidator = (validator: Validator): WireValidator => ({
  operatorAddress: formatOperator(validator.operator),
  consensusPubkey: toWirePublicKey(validator.publicKey),
  jailed: validator.isJailed,
  status: STATUSES[validator.status],
  tokens: validator.tokens.toString(),
  delegatorShares: validator.shares.toString(),
  description: { ...validator.description },
  unbondingHeight: BigInt(validator.unbondingHeight),
  unbondingTime: toSecondsAndNanos(validator.unbondingTimeNs),
  commission: {
    commissionRates: {
      rate: validator.commissionRate.toString(),
      maxRate: validator.maxCommissionRate.toString(),
      maxChangeRate: validator.maxCommissionChangeRate.toString(),
    },
    updateTime: toSecondsAndNanos(validator.commissionTimeNs),
  },
  minSelfDelegation: validator.minSelfDelegation.toString(),
  unbondingIds: validator.unbondingIds.map(BigInt),
})

/** The delegation with what the shares are worth. */
export const toWireDelegation = (
  { delegator, operator, shares }: DelegationView,
  validator: Validator,
  denom: string,
): MessageInitShape<typeof staking.DelegationResponseSchema> => ({
  delegation: {
    delegatorAddress: encodeBech32(delegator),
    validatorAddress: formatOperator(operator),
    shares: shares.toString(),
  },
  balance: { denom, amount: truncate(tokensFromShares(validator, shares)).toString() },
})

export const toWireUnbonding = ({
  delegator,
  operator,
  entries,
}: UnbondingDelegation): MessageInitShape<typeof staking.UnbondingDelegationSchema> => ({
  delegatorAddress: encodeBech32(delegator),
  validatorAddress: formatOperator(operator),
  entries: entries.map((entry) => ({
    creationHeight: BigInt(entry.creationHeight),
    completionTime: toSecondsAndNanos(entry.completionTimeNs),
    initialBalance: entry.initialBalance.toString(),
    balance: entry.balance.toString(),
    unbondingId: BigInt(entry.id),
  })),
})

/** The entries stand beside the redelegation, each with what its shares are worth at the destination. */
export const toWireRedelegation = (
  { delegator, source, destination, entries }: Redelegation,
  validator: Validator | undefined,
): MessageInitShape<typeof staking.RedelegationResponseSchema> => ({
  redelegation: {
    delegatorAddress: encodeBech32(delegator),
    validatorSrcAddress: formatOperator(source),
    validatorDstAddress: formatOperator(destination),
  },
  entries: entries.map((entry) => ({
    redelegationEntry: {
      creationHeight: BigInt(entry.creationHeight),
      completionTime: toSecondsAndNanos(entry.completionTimeNs),
      initialBalance: entry.initialBalance.toString(),
      sharesDst: entry.sharesDestination.toString(),
      unbondingId: BigInt(entry.id),
    },
    balance: (validator === undefined ? 0n : truncate(tokensFromShares(validator, entry.sharesDestination))).toString(),
  })),
})

/** CometBFT's set of a state as HistoricalInfo lists it: by falling power, then by consensus address. */
export const historicalValidators = (state: StateReader): readonly WireValidator[] =>
  [...readLastPowers(state)]
    .map(({ operator }) => existingValidator(state, operator))
    .sort((a, b) => {
      const [first, second] = [powerOf(a), powerOf(b)]
      if (first !== second) return first > second ? -1 : 1
      return compareBytes(a.consensusAddress, b.consensusAddress)
    })
    .map(toWireValidator)
