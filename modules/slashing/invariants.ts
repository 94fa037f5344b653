import { bytesToKey } from '../../core/bytes.ts'
import type { Invariant } from '../module.ts'
import { formatConsensusAddress } from '../validator-addresses.ts'
import type { SlashingDependencies } from './deps.ts'
import { listSigningInfos, overLimitKeys, readParams, readSigningInfo } from './keeper/signing-info.ts'
import { listMissing, missedIndexes } from './keeper/missed-blocks.ts'
import { maxMissed } from './params.ts'

export const slashingInvariants = ({ stake }: SlashingDependencies): readonly Invariant[] => [
  {
    name: 'slashing/missed-counter-is-number-of-bits',
    check: ({ state }) => {
      const { signedBlocksWindow: window } = readParams(state)
      const missing = new Set(listMissing(state).map(bytesToKey))
      for (const [address, { missedBlocks }] of listSigningInfos(state)) {
        missing.delete(bytesToKey(address))
        const indexes = missedIndexes(state, address, window)
        const name = formatConsensusAddress(address)
        if (indexes.length !== missedBlocks) return `${name} counts ${missedBlocks} and has ${indexes.length} bits`
        if ((indexes.at(-1) ?? 0) >= window) return `${name} has a bit outside of the window`
      }
      return missing.size === 0 ? undefined : `${missing.size} validators with bits have no signing info`
    },
  },
  {
    name: 'slashing/over-limit-is-listed',
    check: ({ state }) => {
      const limit = maxMissed(readParams(state))
      const listed = new Set(overLimitKeys(state))
      for (const [address, { missedBlocks }] of listSigningInfos(state)) {
        if (listed.delete(bytesToKey(address)) !== missedBlocks > limit) {
          return `${formatConsensusAddress(address)} missed ${missedBlocks} of ${limit}, and the list says otherwise`
        }
      }
      return listed.size === 0 ? undefined : `${listed.size} are listed without a signing info`
    },
  },
  {
    // A vote that it misses, and evidence against it, would stop the block.
    name: 'slashing/bonded-have-signing-infos',
    check: ({ state }) => {
      for (const { consensusAddress } of stake.bondedValidators(state)) {
        if (readSigningInfo(state, consensusAddress) !== undefined) continue
        return `${formatConsensusAddress(consensusAddress)} is bonded and has no signing info`
      }
      return undefined
    },
  },
  {
    name: 'slashing/tombstoned-are-jailed',
    check: ({ state }) => {
      for (const [address, { tombstoned }] of listSigningInfos(state)) {
        if (tombstoned && stake.validatorByConsensusAddress(state, address)?.isJailed === false) {
          return `${formatConsensusAddress(address)} is tombstoned and not jailed`
        }
      }
      return undefined
    },
  },
]
