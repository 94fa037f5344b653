/** What CometBFT proves against a validator has its consequence here (x/evidence/keeper/infraction.go). */
import { invariant } from '../../core/errors.ts'
import type { BlockContext, Misbehavior } from '../module.ts'
import { formatConsensusAddress } from '../validator-addresses.ts'
import type { EvidenceDependencies } from './deps.ts'
import { encodeEquivocation, hashEquivocation, toEquivocation } from './equivocation.ts'
import { writeEvidence } from './keeper.ts'

/** 9999-12-31T23:59:59Z, the last time that amino can write: for ever. */
const DOUBLE_SIGN_JAIL_END_NS = 253_402_300_799_000_000_000n
/** Blocks between an update of validators and the set that it makes (the SDK's ValidatorUpdateDelay). */
const VALIDATOR_UPDATE_DELAY = 1

const isTooOld = (
  { state, height, timeNs }: BlockContext,
  misbehavior: Misbehavior,
  { evidenceMaxAge }: EvidenceDependencies,
): boolean => {
  const { blocks, durationNs } = evidenceMaxAge(state)
  return timeNs - misbehavior.timeNs > durationNs && height - misbehavior.height > blocks
}

const punish = (context: BlockContext, misbehavior: Misbehavior, dependencies: EvidenceDependencies): void => {
  const { state } = context
  const { stake, doubleSigns } = dependencies
  const { validatorAddress: address, height, power } = misbehavior
  const validator = stake.validatorByConsensusAddress(state, address)
  if (validator === undefined || validator.status === 'unbonded') return
  if (isTooOld(context, misbehavior, dependencies)) return
  const isTombstoned = doubleSigns.isTombstoned(state, address)
  invariant(isTombstoned !== undefined, `there is no signing info of validator ${formatConsensusAddress(address)}`)
  if (isTombstoned) return
  doubleSigns.slash(context, address, height - VALIDATOR_UPDATE_DELAY, power)
  if (!validator.isJailed) doubleSigns.jail(context, address)
  doubleSigns.jailUntil(context, address, DOUBLE_SIGN_JAIL_END_NS)
  doubleSigns.tombstone(context, address)
  const equivocation = toEquivocation(misbehavior)
  writeEvidence(state, hashEquivocation(equivocation), encodeEquivocation(equivocation))
}

/** An attack on light clients is punished as a double sign; what CometBFT cannot name is passed over. */
export const handleMisbehavior = (context: BlockContext, dependencies: EvidenceDependencies): void => {
  for (const misbehavior of context.misbehavior) {
    if (misbehavior.type !== 'unknown') punish(context, misbehavior, dependencies)
  }
}
