/** What consensus is made of: blocks as CometBFT has them, votes with their extensions, commits, and what nodes send. */
import type { ExtendedVote, ProposedBlock } from '../../../app/ports.ts'
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import type { Misbehavior } from '../../../modules/module.ts'
import { bytesToHex, type Hex } from '../../../core/hex.ts'
import { verifyExtensionSignature } from '../../../core/vote-extension.ts'
import type { Validator } from '../validators.ts'

export interface Vote {
  readonly type: 'prevote' | 'precommit'
  readonly height: number
  readonly round: number
  /** Undefined is nil. */
  readonly blockHash: Hex | undefined
  readonly validator: Hex
  readonly timeNs: bigint
  /** The extension of precommits for a block, with its signature; both are empty elsewhere. */
  readonly extension: Uint8Array
  readonly extensionSignature: Uint8Array
}

/** More than two thirds of the power for a block. */
export interface Commit {
  readonly height: number
  readonly round: number
  readonly blockHash: Hex
  /** The votes in the order of the set; undefined is absent. */
  readonly votes: readonly (Vote | undefined)[]
}

export interface Block {
  readonly content: ProposedBlock
  readonly hash: Hex
  /** Undefined in the first block. */
  readonly lastCommit: Commit | undefined
  /** The app hash of the height before: part of CometBFT's header. */
  readonly appHash: Uint8Array
}

export interface Proposal {
  readonly height: number
  readonly round: number
  readonly block: Block
  /** The round in which more than two thirds prevoted for it; -1 is none. */
  readonly polRound: number
  readonly proposer: Hex
}

export interface DecidedBlock {
  readonly block: Block
  readonly commit: Commit
}

export type Message =
  | { readonly kind: 'proposal'; readonly proposal: Proposal }
  | { readonly kind: 'vote'; readonly vote: Vote }
  | { readonly kind: 'decided'; readonly decided: DecidedBlock }
  /** The height that a node works on. */
  | { readonly kind: 'status'; readonly height: number }
  | { readonly kind: 'transactions'; readonly raws: readonly Uint8Array[] }

export type Step = 'newHeight' | 'propose' | 'prevote' | 'precommit'
export interface Timeout {
  readonly height: number
  readonly round: number
  readonly step: Step
}

export const addressOf = ({ address }: Validator): Hex => bytesToHex(address)

export const powerOf = (validators: readonly Validator[]): bigint =>
  validators.reduce((sum, { power }) => sum + power, 0n)

/** Counts distinct votes: power by what they are for. */
export const tally = (
  votes: ReadonlyMap<Hex, Vote> | undefined,
  validators: readonly Validator[],
): { readonly any: bigint; readonly majority: { readonly blockHash: Hex | undefined } | undefined } => {
  const powers = new Map<Hex | undefined, bigint>()
  let any = 0n
  for (const validator of validators) {
    const vote = votes?.get(addressOf(validator))
    if (vote === undefined) continue
    any += validator.power
    powers.set(vote.blockHash, (powers.get(vote.blockHash) ?? 0n) + validator.power)
  }
  const total = powerOf(validators)
  for (const [blockHash, power] of powers) if (power * 3n > total * 2n) return { any, majority: { blockHash } }
  return { any, majority: undefined }
}

const verified = new WeakMap<Vote, boolean>()

/** Checks a precommit as CometBFT does before it counts it. The same vote comes to many nodes. */
export const isExtensionSigned = (vote: Vote, { publicKey }: Validator, chainId: string): boolean => {
  const known = verified.get(vote)
  if (known !== undefined) return known
  const { extension, extensionSignature: signature, height, round } = vote
  const isSigned = verifyExtensionSignature({ extension, signature, height, round, chainId, publicKey })
  verified.set(vote, isSigned)
  return isSigned
}

/** The flag that a vote has in a commit for a block. */
const flagOf = (vote: Vote | undefined, blockHash: Hex): ExtendedVote['flag'] =>
  vote === undefined ? 'absent' : vote.blockHash === blockHash ? 'commit' : 'nil'

/** ABCI's local_last_commit. */
export const extendedVotes = (commit: Commit | undefined, validators: readonly Validator[]): readonly ExtendedVote[] =>
  commit === undefined
    ? []
    : validators.map(({ address, power }, index) => {
        const vote = commit.votes[index]
        const flag = flagOf(vote, commit.blockHash)
        const isCommit = flag === 'commit' && vote !== undefined
        return {
          validatorAddress: address,
          power,
          flag,
          extension: isCommit ? vote.extension : EMPTY_BYTES,
          extensionSignature: isCommit ? vote.extensionSignature : EMPTY_BYTES,
        }
      })

/** CometBFT's BFT time: the median of the votes' times by power, and later than the last block. */
export const medianTimeNs = (commit: Commit, validators: readonly Validator[], lastNs: bigint): bigint => {
  const weighed = validators.flatMap(({ power }, index) => {
    const vote = commit.votes[index]
    return vote === undefined ? [] : [{ timeNs: vote.timeNs, power }]
  })
  weighed.sort((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0))
  let half = weighed.reduce((sum, { power }) => sum + power, 0n) / 2n
  for (const { timeNs, power } of weighed) {
    if (half <= power) return timeNs > lastNs ? timeNs : lastNs + 1_000_000n
    half -= power
  }
  return lastNs + 1_000_000n
}

/** What of a commit stands in a block: votes without their extensions. */
export const blockCommit = (votes: readonly ExtendedVote[]): ProposedBlock['lastCommit'] =>
  votes.map(({ validatorAddress, power, flag }) => ({ validatorAddress, power, flag }))

/** Evidence of two votes of one validator in one round: nobody can make it up. */
export const evidenceKey = ({ validatorAddress, height }: Misbehavior): string =>
  `${bytesToHex(validatorAddress)} ${height}`
