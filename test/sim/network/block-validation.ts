/** What CometBFT checks of a proposal before it asks the application (internal/state/validation.go). */
import { concatBytes, equalBytes, uint64ToBytes } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import { jsonOf } from '../driver.ts'
import type { Validator, ValidatorSets } from '../validators.ts'
import type { Evidence } from './evidence.ts'
import {
  addressOf,
  type Block,
  blockCommit,
  type DecidedBlock,
  extendedVotes,
  medianTimeNs,
  powerOf,
} from './messages.ts'

/** Stands for the Merkle root that CometBFT makes. */
export const validatorsHash = (validators: readonly Validator[]): Uint8Array =>
  sha256(concatBytes(...validators.flatMap(({ publicKey, power }) => [publicKey, uint64ToBytes(Number(power))])))

export interface ValidationContext {
  readonly height: number
  readonly sets: ValidatorSets
  readonly evidence: Evidence
  readonly last: DecidedBlock | undefined
  /** The app hash of the application, after the last height. */
  readonly appHash: Uint8Array
  readonly genesisTimeNs: bigint
}

const commitFault = (
  { content, lastCommit }: Block,
  { height, sets, last, genesisTimeNs }: ValidationContext,
): string | undefined => {
  if (last === undefined) {
    return lastCommit === undefined && content.timeNs === genesisTimeNs
      ? undefined
      : 'the first block has no last commit'
  }
  if (lastCommit?.height !== height - 1 || lastCommit.blockHash !== last.block.hash)
    return 'its commit is of another block'
  const validators = sets.at(height - 1)
  if (lastCommit.round !== content.lastCommitRound) return 'its commit is of another round'
  const signed = validators.filter((validator, index) => {
    const vote = lastCommit.votes[index]
    return vote?.blockHash === lastCommit.blockHash && vote.validator === addressOf(validator)
  })
  if (powerOf(signed) * 3n <= powerOf(validators) * 2n) return 'its commit has too little power'
  if (jsonOf(blockCommit(extendedVotes(lastCommit, validators))) !== jsonOf(content.lastCommit))
    return 'its votes are not those of its commit'
  const timeNs = medianTimeNs(lastCommit, validators, last.block.content.timeNs)
  return timeNs === content.timeNs ? undefined : 'its time is not the median of its votes'
}

export const blockFault = (block: Block, context: ValidationContext): string | undefined => {
  const { content } = block
  const { height, sets, evidence, appHash } = context
  if (content.height !== height) return `it is of height ${content.height}, not ${height}`
  if (!equalBytes(block.appHash, appHash)) return 'its app hash is another'
  if (!equalBytes(content.nextValidatorsHash, validatorsHash(sets.at(height + 1))))
    return 'its next validators are others'
  const isTrue = content.misbehavior.every((each) => evidence.isTrue(each, height))
  return isTrue ? commitFault(block, context) : 'its evidence is none'
}
