/** What staking tells slashing. Keys of validators are not kept here: staking knows them. */
import type { StakingHooks } from '../stake.ts'
import type { SlashingDependencies } from './deps.ts'
import { slashingError } from './errors.ts'
import { readParams, readSigningInfo, writeMissedCount, writeSigningInfo } from './keeper/signing-info.ts'
import { forgetMissed } from './keeper/missed-blocks.ts'

export const createHooks = ({ stake }: Pick<SlashingDependencies, 'stake'>): StakingHooks => ({
  /**
   * A key that signed twice cannot come back with a new validator, as it can in the SDK: evidence against it has no
   * consequence any more. Throws slashing/9, and the message that creates the validator fails.
   */
  afterValidatorCreated: ({ state }, operator) => {
    const validator = stake.validator(state, operator)
    if (validator === undefined || readSigningInfo(state, validator.consensusAddress)?.tombstoned !== true) return
    throw slashingError('alreadyTombstoned', 'the key has signed twice, and another one is needed')
  },
  /** A first window begins, in which it is not punished. */
  afterValidatorBonded: ({ state, height }, consensusAddress) => {
    const info = readSigningInfo(state, consensusAddress)
    if (info?.startHeight === height) return
    writeSigningInfo(state, consensusAddress, {
      jailedUntilNs: 0n,
      tombstoned: false,
      missedBlocks: 0,
      ...info,
      startHeight: height,
    })
  },
  /** What it missed goes. The signing info stays, as in the SDK: a tombstone is for ever. */
  afterValidatorRemoved: ({ state }, consensusAddress) => {
    const info = readSigningInfo(state, consensusAddress)
    if (info === undefined || info.missedBlocks === 0) return
    const params = readParams(state)
    forgetMissed(state, consensusAddress, params.signedBlocksWindow)
    writeMissedCount(state, consensusAddress, { ...info, missedBlocks: 0 }, params)
  },
})
