/** What staking tells slashing. Keys of validators are not kept here: staking knows them. */
import type { StakingHooks } from '../stake.ts'
import { readParams, readSigningInfo, writeMissedCount, writeSigningInfo } from './keeper.ts'
import { forgetMissed } from './missed-blocks.ts'

export const slashingHooks: StakingHooks = {
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
}
