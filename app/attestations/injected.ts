/**
 * The injected first transaction: every COMMIT vote's extension and signature. Pure functions of the block and of
 * the state before it, so that every honest node accepts every honest proposal. Who proposes takes votes by the same
 * function by which all judge them.
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { bytesToKey, concatBytes, equalBytes } from '../../core/bytes.ts'
import { ED25519_SIGNATURE_BYTES } from '../../core/ed25519.ts'
import { proposalBytes } from '../../core/proposal-bytes.ts'
import { consensusAddress } from '../../core/signature.ts'
import type { AttestedVote, Attestations } from '../../modules/attestations.ts'
import type { CommitVote, ValidatorUpdate } from '../../modules/module.ts'
import { type ConsensusParameters, readValidators } from '../../modules/consensus/index.ts'
import {
  type InjectedExtensions,
  InjectedExtensionsSchema,
  InjectedVoteSchema,
} from '../../proto/gen/nat/clob/v1/vote_extensions_pb.ts'
import type { ExtendedVote } from '../ports.ts'
import type { AttestedChain } from './chain.ts'
import type { BlockContent } from '../records/content.ts'
import { extensionCapBytes } from './cap.ts'
import type { VerifyExtension } from './verified-memo.ts'
import { decodeExtension } from './envelope.ts'
import { fitVotes } from './fit-votes.ts'

/** Marks the list of vote extensions on the wire. */
export const INJECTED_BYTE = 0x71
const VERSION = 1
/** The votes begin behind the byte of the family and the version. */
const VOTES_AT = 3
const VERSION_TAG = 0x08
const VOTE_TAG = 0x12
/** The bits of a length of up to four bytes: longer ones pass any block. */
const MAX_LENGTH_BITS = 28
/** The bytes of tags and lengths: of the fields of an injected vote, of the vote, and of the message. */
const VOTE_OVERHEAD_BYTES = 16

/** Why an extension is not taken, or undefined: by its length alone, so that a late vote loses nothing else. */
export const extensionFault = (extension: Uint8Array, capBytes: number): string | undefined =>
  extension.length <= capBytes ? undefined : `it has ${extension.length} bytes, more than ${capBytes}`

/** True when the commit of `height - 1` carries extensions, so that block `height` must begin with them. */
export const carriesExtensions = (parameters: ConsensusParameters, height: number, initialHeight: number): boolean => {
  const enabledFrom = parameters.abci.voteExtensionsEnableHeight
  return enabledFrom > 0 && height > enabledFrom && height > initialHeight
}

/** What an extension's signature is checked against. */
export interface ExtensionContext {
  readonly chainId: string
  /** Height of the block that carries the transaction; the votes are of the height before. */
  readonly height: number
  readonly lastCommitRound: number
  /** The set whose votes these are. */
  readonly validators: readonly ValidatorUpdate[]
  /** What state says of the votes for their height. */
  readonly capBytes: number
  readonly verify: VerifyExtension
}

interface SignedVote {
  readonly extension: Uint8Array
  readonly signature: Uint8Array
}

/** Both empty: the vote is left out. */
const isLeftOut = ({ extension, signature }: SignedVote): boolean => extension.length === 0 && signature.length === 0

/** Why a vote cannot be injected, or undefined: the one judge of proposers and of all others. */
const createVoteJudge = ({ chainId, height, lastCommitRound, validators, capBytes, verify }: ExtensionContext) => {
  const keys = new Map(validators.map(({ publicKey }) => [bytesToKey(consensusAddress(publicKey)), publicKey]))
  return ({ extension, signature }: SignedVote, { validatorAddress }: CommitVote): string | undefined => {
    if (extension.length > capBytes) return `has more than ${capBytes} bytes`
    const publicKey = keys.get(bytesToKey(validatorAddress))
    if (publicKey === undefined) return `is of no validator of height ${height - 1}`
    const signed = { extension, height: height - 1, round: lastCommitRound, chainId }
    return verify({ ...signed, publicKey, signature }) ? undefined : 'has a wrong signature'
  }
}

const encode = (message: InjectedExtensions): Uint8Array =>
  concatBytes(Uint8Array.of(INJECTED_BYTE), toBinary(InjectedExtensionsSchema, message, { writeUnknownFields: false }))

const totalPower = (votes: readonly CommitVote[]): bigint => votes.reduce((sum, { power }) => sum + power, 0n)

export interface InjectedProposal {
  readonly raw: Uint8Array
  /** Votes that are injected empty: their signatures do not hold, or there is no room for them. */
  readonly leftOut: number
}

/**
 * The transaction that the proposer puts first. A vote that others would refuse is left out, for some come unverified: late
 * ones, and those of a commit that block sync brought. Undefined where max_tx_bytes has no room even for empty votes.
 */
export const encodeInjected = (
  votes: readonly ExtendedVote[],
  context: ExtensionContext & { readonly maxTxBytes: number },
): InjectedProposal | undefined => {
  const faultOf = createVoteJudge(context)
  const commits = votes
    .filter(({ flag }) => flag === 'commit')
    .map((vote) => {
      const signed = { extension: vote.extension, signature: vote.extensionSignature }
      const bytes = proposalBytes(toBinary(InjectedVoteSchema, create(InjectedVoteSchema, signed)).length)
      return { signed, power: vote.power, bytes, isTaken: faultOf(signed, vote) === undefined }
    })
  const version = create(InjectedExtensionsSchema, { version: VERSION })
  const taken = fitVotes(commits, {
    bytes: roomBytes(context.maxTxBytes) - encode(version).length,
    emptyBytes: proposalBytes(0),
    totalPower: totalPower(votes),
  })
  if (taken === undefined) return undefined
  const message = create(InjectedExtensionsSchema, {
    version: VERSION,
    votes: commits.map(({ signed }, index) => create(InjectedVoteSchema, taken[index] === true ? signed : {})),
  })
  return { raw: encode(message), leftOut: taken.filter((isTaken) => !isTaken).length }
}

/** The longest transaction that takes no more than `maxTxBytes` of a block; below zero where there is none. */
const roomBytes = (maxTxBytes: number): number => {
  let room = maxTxBytes - proposalBytes(0)
  while (proposalBytes(room) > maxTxBytes && room >= 0) room--
  return room
}

const NOT_CANONICAL = 'vote extensions are not in their canonical encoding'

/**
 * Looks, before anything is decoded, for the version and then votes alone, no more than there are. Otherwise its text
 * says why not.
 */
const shapeFault = (raw: Uint8Array, most: number): string | undefined => {
  if (raw[1] !== VERSION_TAG) return NOT_CANONICAL
  let at = VOTES_AT
  for (let votes = 0; at < raw.length; votes++) {
    if (raw[at++] !== VOTE_TAG) return NOT_CANONICAL
    if (votes === most) return `vote extensions for more than ${most} votes`
    let [length, shift] = [0, 0]
    for (let byte = 0x80; byte >= 0x80 && shift < MAX_LENGTH_BITS; shift += 7) {
      byte = raw[at++] ?? 0
      length |= (byte & 0x7f) << shift
    }
    at += length
  }
  return undefined
}

/** Decodes; its text says why not. Only the encoding that this node would make is one: a proposer has no choice in it. */
const decodeInjected = (raw: Uint8Array, commitCount: number, cap: number): InjectedExtensions | string => {
  const most = (commitCount + 1) * (cap + ED25519_SIGNATURE_BYTES + VOTE_OVERHEAD_BYTES)
  if (raw.length > most) return `vote extensions of ${raw.length} bytes, more than ${most}`
  // Votes of two bytes would be a third of a million objects.
  const fault = shapeFault(raw, commitCount)
  if (fault !== undefined) return fault
  let message: InjectedExtensions
  try {
    message = fromBinary(InjectedExtensionsSchema, raw.subarray(1), { readUnknownFields: false })
  } catch (error) {
    return `vote extensions do not decode: ${(error as Error).message}`
  }
  if (message.version !== VERSION) return `vote extensions of version ${message.version}, not ${VERSION}`
  return equalBytes(encode(message), raw) ? message : NOT_CANONICAL
}

/**
 * What the injected transaction attests, or what is wrong with it: all COMMIT votes in order, every signature that is there
 * valid, and those with one over two thirds of the total power.
 */
export const readInjected = (
  raw: Uint8Array,
  context: ExtensionContext & { readonly lastCommit: readonly CommitVote[] },
): Attestations | string => {
  const { lastCommit, height } = context
  const commits = lastCommit.filter((vote) => vote.flag === 'commit')
  const message = decodeInjected(raw, commits.length, context.capBytes)
  if (typeof message === 'string') return message
  if (message.votes.length !== commits.length) {
    return `${message.votes.length} vote extensions for ${commits.length} votes`
  }
  const votes = commits.map((commit, index) => {
    const vote = message.votes[index]
    return { commit, vote: vote === undefined || isLeftOut(vote) ? undefined : vote }
  })
  const signed = totalPower(votes.flatMap(({ commit, vote }) => (vote === undefined ? [] : commit)))
  const total = totalPower(lastCommit)
  // The power is counted before the signatures, which cost more.
  if (signed * 3n <= total * 2n) return `vote extensions of ${signed} of ${total} power, two thirds are needed`
  const faultOf = createVoteJudge(context)
  const attested: AttestedVote[] = []
  for (const [index, { commit, vote }] of votes.entries()) {
    const fault = vote === undefined ? undefined : faultOf(vote, commit)
    if (fault !== undefined) return `vote extension ${index} ${fault}`
    const extension = vote === undefined ? undefined : decodeExtension(vote.extension)
    const { validatorAddress, power, flag } = commit
    attested.push({ validatorAddress, power, flag, isSigned: vote !== undefined, extension })
  }
  return { height: height - 1, votes: attested, totalPower: total }
}

/** {@link readInjected} with what the state below the block says of the set, its caps and their keys. */
export const readAttestations = (
  { parameters, state, verifyExtension }: AttestedChain,
  { height, lastCommitRound, lastCommit }: Pick<BlockContent, 'height' | 'lastCommitRound' | 'lastCommit'>,
  raw: Uint8Array,
): Attestations | string =>
  readInjected(raw, {
    chainId: parameters.chainId,
    height,
    lastCommitRound,
    lastCommit,
    validators: readValidators(state, height - 1),
    capBytes: extensionCapBytes(state, height - 1),
    verify: verifyExtension,
  })
