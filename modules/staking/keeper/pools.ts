/**
 * The two accounts that hold what is staked. What stands behind records is counted beside their balances, for anyone can
 * push coins into an account: such a surplus votes for nothing, and is nobody's stake.
 */
import type { Address } from '../../../core/address.ts'
import { bigintToBytes, bytesToBigint } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import type { Coin } from '../../ledger.ts'
import type { ModuleContext } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { POWER_REDUCTION } from '../../stake.ts'
import type { StakingPorts } from '../deps.ts'
import { BONDED_POOL_ADDRESS, NOT_BONDED_POOL_ADDRESS, POOLS_KEY, STAKING_ADDRESS } from '../keys.ts'
import { readStakingParams } from './params.ts'
import type { Validator } from '../validator.ts'

export type Pool = 'bonded' | 'notBonded'

export type PoolTokens = { readonly [Name in Pool]: bigint }

const ADDRESSES: { readonly [Name in Pool]: Address } = {
  bonded: BONDED_POOL_ADDRESS,
  notBonded: NOT_BONDED_POOL_ADDRESS,
}

/** CometBFT's most total power is 2^63 / 8, and all stake together must fit it. */
export const MAX_STAKE = (2n ** 60n - 1n) * POWER_REDUCTION

/** Where the tokens of a validator lie. */
export const poolOf = ({ status }: Pick<Validator, 'status'>): Pool => (status === 'bonded' ? 'bonded' : 'notBonded')

export const readPools = (state: StateReader): PoolTokens => {
  const value = state.value(STAKING_ADDRESS, POOLS_KEY)
  if (value === undefined) return { bonded: 0n, notBonded: 0n }
  const [bonded, notBonded] = decodeRlp(value) as [Uint8Array, Uint8Array]
  return { bonded: bytesToBigint(bonded), notBonded: bytesToBigint(notBonded) }
}

export const writePools = (state: StateWriter, { bonded, notBonded }: PoolTokens): void => {
  invariant(bonded >= 0n && notBonded >= 0n, 'a pool of stake would be negative')
  const empty = bonded === 0n && notBonded === 0n
  state.setValue(
    STAKING_ADDRESS,
    POOLS_KEY,
    empty ? undefined : encodeRlp([bigintToBytes(bonded), bigintToBytes(notBonded)]),
  )
}

const coinsOf = (state: StateReader, amount: bigint) => [{ denom: readStakingParams(state).bondDenomination, amount }]

/** Moves coins from the delegator's account. Throws sdk/5 when it has too little. */
export const fillPool = (
  { ledger }: StakingPorts,
  context: ModuleContext,
  delegator: Address,
  pool: Pool,
  amount: bigint,
): void => {
  ledger.moveStake(context, delegator, ADDRESSES[pool], coinsOf(context.state, amount))
  const pools = readPools(context.state)
  if (pools.bonded + pools.notBonded + amount > MAX_STAKE)
    throw sdkError('invalidRequest', 'more stake than there can be')
  writePools(context.state, { ...pools, [pool]: pools[pool] + amount })
}

/** Back to a delegator's account, when unbonding is over. What all payments of a block sum to is noted once, after them. */
export const payFromPool = ({ ledger }: StakingPorts, context: ModuleContext, delegator: Address, coin: Coin): void =>
  ledger.moveStake(context, NOT_BONDED_POOL_ADDRESS, delegator, [coin])

export const notePaid = (state: StateWriter, amount: bigint): void => {
  if (amount === 0n) return
  const pools = readPools(state)
  writePools(state, { ...pools, notBonded: pools.notBonded - amount })
}

/** Nothing happens for a zero amount, or within one pool. */
export const movePools = (
  { ledger }: StakingPorts,
  context: ModuleContext,
  from: Pool,
  to: Pool,
  amount: bigint,
): void => {
  if (amount === 0n || from === to) return
  ledger.send(context, ADDRESSES[from], ADDRESSES[to], coinsOf(context.state, amount))
  const { bonded, notBonded } = readPools(context.state)
  const risen = to === 'bonded' ? amount : -amount
  writePools(context.state, { bonded: bonded + risen, notBonded: notBonded - risen })
}

export const burnFromPool = ({ ledger }: StakingPorts, context: ModuleContext, pool: Pool, amount: bigint): void => {
  if (amount === 0n) return
  ledger.burn(context, ADDRESSES[pool], coinsOf(context.state, amount))
  const pools = readPools(context.state)
  writePools(context.state, { ...pools, [pool]: pools[pool] - amount })
}
