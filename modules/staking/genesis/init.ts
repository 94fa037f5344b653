/** Writing the genesis of staking, and its first validators. */
import { bytesToKey } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { failAt } from '../../../core/parse.ts'
import type { ModuleContext, ValidatorUpdate } from '../../module.ts'
import { writeDelegation } from '../keeper/delegations.ts'
import type { StakingPorts } from '../deps.ts'
import type { StakingGenesis } from './parse.ts'
import { parseStakingGenesis } from './parse.ts'
import { callHooks } from '../hooks.ts'
import { BONDED_POOL, BONDED_POOL_ADDRESS, NOT_BONDED_POOL, NOT_BONDED_POOL_ADDRESS, PRESENT } from '../keys.ts'
import { writeStakingParams } from '../keeper/params.ts'
import { writePools } from '../keeper/pools.ts'
import { writeUnbondingId } from '../keeper/queue.ts'
import { enqueueRedelegation, writeRedelegation } from '../keeper/redelegations.ts'
import { writeTask } from '../keeper/slash-tasks.ts'
import { enqueueUnbonding, writeUnbonding } from '../keeper/unbonding.ts'
import {
  applyFirstValidators,
  enqueueValidator,
  writeLastPower,
  writeLastTotalPower,
} from '../keeper/validator-updates.ts'
import { createValidator, forgetIndexChange, noteIndexChange, readStrongest } from '../keeper/validators.ts'

/** The bank was written before. More than enough is allowed: coins that were pushed into a pool. */
const checkPools = ({ ledger }: StakingPorts, { state }: ModuleContext, { pools, params }: StakingGenesis): void => {
  const check = (name: string, balance: bigint, tokens: bigint): void => {
    if (balance >= tokens) return
    failAt('app_state.staking', `${name} holds ${balance}${params.bondDenomination}, but ${tokens} are staked`)
  }
  const balance = (address: Uint8Array): bigint => ledger.balance(state, address, params.bondDenomination)
  check(BONDED_POOL, balance(BONDED_POOL_ADDRESS), pools.bonded)
  check(NOT_BONDED_POOL, balance(NOT_BONDED_POOL_ADDRESS), pools.notBonded)
}

const writeValidators = (ports: StakingPorts, context: ModuleContext, genesis: StakingGenesis): void => {
  for (const validator of genesis.validators) {
    createValidator(context.state, validator)
    if (!genesis.exported) callHooks(ports, 'afterValidatorCreated', context, validator.operator)
    if (validator.status === 'unbonding') enqueueValidator(context.state, validator, PRESENT)
  }
}

const writeDelegations = (ports: StakingPorts, context: ModuleContext, genesis: StakingGenesis): void => {
  for (const delegation of genesis.delegations) {
    const { delegator, operator } = delegation
    if (!genesis.exported) callHooks(ports, 'beforeDelegationCreated', context, delegator, operator)
    writeDelegation(context.state, delegation)
    if (!genesis.exported) callHooks(ports, 'afterDelegationModified', context, delegator, operator)
  }
}

const writeLeaving = (
  { state }: ModuleContext,
  { unbondingDelegations, redelegations, slashes }: StakingGenesis,
): void => {
  for (const task of slashes) writeTask(state, task)
  for (const unbonding of unbondingDelegations) {
    writeUnbonding(state, unbonding)
    for (const entry of unbonding.entries) enqueueUnbonding(state, unbonding, entry)
  }
  for (const redelegation of redelegations) {
    writeRedelegation(state, redelegation)
    for (const entry of redelegation.entries) enqueueRedelegation(state, redelegation, entry)
  }
}

/** The set of the other chain goes on. When its stake says otherwise (an edited file), the next block applies that. */
const takeOver = ({ state }: ModuleContext, genesis: StakingGenesis): readonly ValidatorUpdate[] => {
  const keys = new Map(genesis.validators.map(({ operator, publicKey }) => [bytesToKey(operator), publicKey]))
  const powers = new Map<string, bigint>()
  const updates = genesis.lastValidatorPowers.map(({ operator, power }) => {
    const publicKey = keys.get(bytesToKey(operator))
    invariant(publicKey !== undefined, 'a power of the genesis file has no validator')
    writeLastPower(state, operator, power)
    powers.set(bytesToKey(operator), power)
    return { publicKey, power }
  })
  writeLastTotalPower(state, genesis.lastTotalPower)
  const strongest = readStrongest(state, genesis.params.maxValidators).filter(({ power }) => power > 0n)
  // Without anyone who has power the set stays as it is.
  const same =
    strongest.length === 0 ||
    (strongest.length === powers.size &&
      strongest.every(({ operator, power }) => powers.get(bytesToKey(operator)) === power))
  if (same) forgetIndexChange(state)
  else noteIndexChange(state)
  return updates
}

const applyFirst = (
  ports: StakingPorts,
  context: ModuleContext,
  genesis: StakingGenesis,
): readonly ValidatorUpdate[] => {
  const bonded = genesis.validators.filter(({ status }) => status === 'bonded')
  // Slashing follows signatures from here on.
  for (const { consensusAddress, operator } of bonded) {
    callHooks(ports, 'afterValidatorBonded', context, consensusAddress, operator)
  }
  const updates = applyFirstValidators(ports, context, bonded)
  forgetIndexChange(context.state)
  return updates
}

/** Returns the first validators of the chain. Throws genesis/1. */
export const initStaking = (
  ports: StakingPorts,
  context: ModuleContext,
  value: unknown,
): readonly ValidatorUpdate[] => {
  const genesis = parseStakingGenesis(value)
  const { state } = context
  checkPools(ports, context, genesis)
  writeStakingParams(state, genesis.params)
  writePools(state, genesis.pools)
  writeUnbondingId(state, genesis.lastUnbondingId)
  writeValidators(ports, context, genesis)
  writeDelegations(ports, context, genesis)
  writeLeaving(context, genesis)
  return genesis.exported ? takeOver(context, genesis) : applyFirst(ports, context, genesis)
}
