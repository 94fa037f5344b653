/** The votes of the last commit: who missed too many blocks is slashed and jailed (x/slashing/keeper/infractions.go). */
import { bytesToKey } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { BlockContext, CommitVote } from '../module.ts'
import { formatConsensusAddress } from '../validator-addresses.ts'
import type { SlashingDependencies } from './deps.ts'
import { liveness, slashedForDowntime } from './events.ts'
import {
  overLimitKeys,
  readParams,
  readSigningInfo,
  type SigningInfo,
  writeMissedCount,
} from './keeper/signing-info.ts'
import { forgetMissed, isMissed, missedIndex, setMissed } from './keeper/missed-blocks.ts'
import { maxMissed, type SlashingParams } from './params.ts'

/** Blocks between an update of validators and the set that it makes (the SDK's ValidatorUpdateDelay). */
const VALIDATOR_UPDATE_DELAY = 1

const punishDowntime = (
  context: BlockContext,
  { validatorAddress: address, power }: CommitVote,
  info: SigningInfo,
  params: SlashingParams,
  { punisher }: SlashingDependencies,
): void => {
  const { state, height, timeNs } = context
  // The stake that signed: the commit is the last block's, and its set is older by the delay.
  const infractionHeight = height - VALIDATOR_UPDATE_DELAY - 1
  const burned = punisher.slash(context, address, infractionHeight, power, params.slashFractionDowntime)
  context.emit(slashedForDowntime(address, power, burned))
  punisher.jail(context, address)
  // Nothing is held against it when it comes back.
  forgetMissed(state, address, params.signedBlocksWindow)
  const jailedUntilNs = timeNs + params.downtimeJailDurationNs
  writeMissedCount(state, address, { ...info, jailedUntilNs, missedBlocks: 0 }, params)
}

const countVote = (
  context: BlockContext,
  vote: CommitVote,
  wasMissed: boolean,
  params: SlashingParams,
  dependencies: SlashingDependencies,
): void => {
  const { state, height } = context
  const { validatorAddress: address, flag } = vote
  const validator = dependencies.stake.validatorByConsensusAddress(state, address)
  // A jailed validator still votes for two heights. One that staking does not know has nothing to lose.
  if (validator === undefined || validator.isJailed) return
  const info = readSigningInfo(state, address)
  invariant(info !== undefined, `there is no signing info of validator ${formatConsensusAddress(address)}`)
  const missed = flag === 'absent'
  const missedBlocks = info.missedBlocks + Number(missed) - Number(wasMissed)
  if (missed !== wasMissed) setMissed(state, address, missedIndex(height, params.signedBlocksWindow), missed)
  if (missed) context.emit(liveness(address, missedBlocks, height))
  if (height > info.startHeight + params.signedBlocksWindow && missedBlocks > maxMissed(params)) {
    punishDowntime(context, vote, info, params, dependencies)
  } else if (missedBlocks !== info.missedBlocks) {
    writeMissedCount(state, address, { ...info, missedBlocks }, params)
  }
}

/** A vote for nil counts as signed. One that signs, and signed a window ago, is read once and writes nothing. */
export const countVotes = (context: BlockContext, dependencies: SlashingDependencies): void => {
  const { state, height, lastCommit } = context
  if (lastCommit.length === 0) return
  const params = readParams(state)
  const index = missedIndex(height, params.signedBlocksWindow)
  const overLimit = overLimitKeys(state)
  for (const vote of lastCommit) {
    const { validatorAddress, flag } = vote
    const wasMissed = isMissed(state, validatorAddress, index)
    if (flag !== 'absent' && !wasMissed && !overLimit.has(bytesToKey(validatorAddress))) continue
    countVote(context, vote, wasMissed, params, dependencies)
  }
}
