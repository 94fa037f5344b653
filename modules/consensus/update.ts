/** What may be changed while the chain runs: CometBFT's rules in its words, and those of this application. */
import { checkConsensusParameters, type ConsensusParameters } from './params.ts'
import { roomFault } from './room.ts'
import { parametersRefused } from './errors.ts'

const refuse = (message: string): never => {
  throw parametersRefused(message)
}

/** The least gas of a block: below it no vote and no proposal would find room, and nobody could raise it again. */
const MIN_BLOCK_GAS = 1_000_000
/**
 * The most gas of a block: its messages answer a byte for 300 gas at least (app/native/gas.ts), and CometBFT takes 3.5 MiB of answers over
 * gRPC, with up to 1,000 changed validators. Above it a block could stop every such node for good, where `max_block_weight` lets it.
 */
const MAX_BLOCK_GAS = 1_050_000_000

/** Throws consensus/1. */
export const checkRoom = (parameters: Pick<ConsensusParameters, 'block' | 'evidence'>, validators: number): void => {
  const fault = roomFault(parameters, validators)
  if (fault !== undefined) refuse(fault)
}

/** ValidateBasic of CometBFT's types/params.go, then what this application cannot run with. Throws consensus/1. */
export const checkUpdate = (parameters: ConsensusParameters): void => {
  const { block, evidence } = parameters
  if (block.maxBytes === 0 || block.maxBytes < -1) {
    refuse(`block.MaxBytes must be -1 or greater than 0. Got ${block.maxBytes}`)
  }
  if (block.maxGas < -1) refuse(`block.MaxGas must be greater or equal to -1. Got ${block.maxGas}`)
  if (evidence.maxAgeNumBlocks <= 0) {
    refuse(`evidence.MaxAgeNumBlocks must be greater than 0. Got ${evidence.maxAgeNumBlocks}`)
  }
  if (evidence.maxAgeDurationNs <= 0n) {
    refuse(`evidence.MaxAgeDuration must be greater than 0 if provided, Got ${evidence.maxAgeDurationNs}ns`)
  }
  if (evidence.maxBytes > block.maxBytes && block.maxBytes !== -1) {
    refuse(`evidence.MaxBytesEvidence is greater than upper bound, ${evidence.maxBytes} > ${block.maxBytes}`)
  }
  if (evidence.maxBytes < 0) refuse(`evidence.MaxBytes must be non negative. Got: ${evidence.maxBytes}`)
  if (parameters.validator.pubKeyTypes.length === 0) refuse('len(Validator.PubKeyTypes) must be greater than 0')
  checkConsensusParameters(parameters)
  if (block.maxGas < MIN_BLOCK_GAS) refuse(`block.max_gas must be at least ${MIN_BLOCK_GAS}, not ${block.maxGas}`)
  checkRoom(parameters, 1)
}

/** A chain that began with more keeps it. Throws consensus/1. */
export const checkBlockGas = (current: number, updated: number): void => {
  if (updated > MAX_BLOCK_GAS && updated > current) {
    refuse(`block.max_gas must be at most ${Math.max(MAX_BLOCK_GAS, current)}, not ${updated}`)
  }
}

/**
 * ValidateUpdate of CometBFT's types/params.go at a height, but that extensions which wait for theirs cannot be turned
 * off either. Throws consensus/1.
 */
export const checkExtensionsUpdate = (current: number, updated: number, height: number): void => {
  if (updated < 0) refuse('VoteExtensionsEnableHeight must be positive')
  if (current === updated) return
  if (updated === 0) {
    refuse(
      current <= height
        ? `vote extensions cannot be disabled once enabled: old enable height: ${current}, current height ${height}`
        : `vote extensions cannot be turned off: they begin at height ${current}`,
    )
  }
  if (updated <= height) {
    refuse(
      `vote extensions cannot be updated to a past or current height, enable height: ${updated}, current height ${height}`,
    )
  }
  if (current > 0 && current <= height) {
    refuse(`vote extensions cannot be modified once enabled: enable height: ${current}, current height ${height}`)
  }
}
