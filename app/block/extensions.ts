/**
 * The injected first transaction: every COMMIT vote's extension and signature. Pure functions of the block and of
 * the state before it, so that every honest node accepts every honest proposal.
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { bytesToKey, concatBytes, EMPTY_BYTES } from '../../core/bytes.ts'
import { consensusAddress, ed25519PublicKey } from '../../core/signature.ts'
import { verifyExtensionSignature } from '../../core/vote-extension.ts'
import type { CommitVote, ValidatorUpdate } from '../../modules/module.ts'
import type { ConsensusParameters } from '../../modules/consensus/index.ts'
import { InjectedExtensionsSchema, InjectedVoteSchema } from '../../proto/gen/nat/clob/v1/vote_extensions_pb.ts'
import { INJECTED_BYTE } from '../families.ts'
import type { ExtendedVote } from '../ports.ts'

const VERSION = 1
const EXTENSION_BUDGET_BYTES = 512 * 1024
const MIN_EXTENSION_BYTES = 6 * 1024
const MAX_EXTENSION_BYTES = 128 * 1024

/** Longest extension of one validator: a budget for the height shared by the set, clamped. */
const extensionCapBytes = (validatorCount: number): number =>
  Math.min(
    MAX_EXTENSION_BYTES,
    Math.max(MIN_EXTENSION_BYTES, Math.floor(EXTENSION_BUDGET_BYTES / Math.max(1, validatorCount))),
  )

/** Why an extension is not taken, or undefined: by its length alone, so that a late vote loses nothing else. */
export const extensionFault = (extension: Uint8Array, validatorCount: number): string | undefined => {
  const cap = extensionCapBytes(validatorCount)
  return extension.length <= cap ? undefined : `it has ${extension.length} bytes, more than ${cap}`
}

/** True when the commit of `height - 1` carries extensions, so that block `height` must begin with them. */
export const carriesExtensions = (parameters: ConsensusParameters, height: number, initialHeight: number): boolean => {
  const enabledFrom = parameters.abci.voteExtensionsEnableHeight
  return enabledFrom > 0 && height > enabledFrom && height > initialHeight
}

/** The transaction that the proposer puts first. Votes over the cap are skipped, for they came unverified. */
export const encodeInjected = (votes: readonly ExtendedVote[]): Uint8Array => {
  const cap = extensionCapBytes(votes.length)
  const message = create(InjectedExtensionsSchema, {
    version: VERSION,
    votes: votes
      .filter((vote) => vote.flag === 'commit')
      .map(({ extension, extensionSignature }) =>
        create(
          InjectedVoteSchema,
          extension.length > cap
            ? { extension: EMPTY_BYTES, signature: EMPTY_BYTES }
            : { extension, signature: extensionSignature },
        ),
      ),
  })
  return concatBytes(Uint8Array.of(INJECTED_BYTE), toBinary(InjectedExtensionsSchema, message))
}

export interface InjectedContext {
  readonly chainId: string
  /** Height of the block that carries the transaction; the votes are of the height before. */
  readonly height: number
  readonly lastCommitRound: number
  readonly lastCommit: readonly CommitVote[]
  /** The set whose votes these are. */
  readonly validators: readonly ValidatorUpdate[]
}

/**
 * What is wrong with an injected transaction, or undefined: all COMMIT votes in order, every signature that is there
 * valid, and those with one over two thirds of the total power.
 */
export const checkInjected = (raw: Uint8Array, context: InjectedContext): string | undefined => {
  let votes: readonly { readonly extension: Uint8Array; readonly signature: Uint8Array }[]
  try {
    const message = fromBinary(InjectedExtensionsSchema, raw.subarray(1))
    if (message.version !== VERSION) return `vote extensions of version ${message.version}, not ${VERSION}`
    votes = message.votes
  } catch (error) {
    return `vote extensions do not decode: ${(error as Error).message}`
  }
  const commits = context.lastCommit.filter((vote) => vote.flag === 'commit')
  if (votes.length !== commits.length) return `${votes.length} vote extensions for ${commits.length} votes`
  const keys = new Map(context.validators.map((v) => [bytesToKey(consensusAddress(v.publicKey)), v]))
  let total = 0n
  for (const vote of context.lastCommit) total += vote.power
  const cap = extensionCapBytes(context.lastCommit.length)
  let signed = 0n
  for (const [index, commit] of commits.entries()) {
    const vote = votes[index]
    if (vote === undefined) return 'a vote extension is missing'
    if (vote.extension.length === 0 && vote.signature.length === 0) continue
    if (vote.extension.length > cap) return `the extension of vote ${index} has more than ${cap} bytes`
    const validator = keys.get(bytesToKey(commit.validatorAddress))
    if (validator === undefined) return `vote ${index} is of no validator of height ${context.height - 1}`
    const valid = verifyExtensionSignature({
      publicKey: ed25519PublicKey(validator.publicKey),
      extension: vote.extension,
      signature: vote.signature,
      height: context.height - 1,
      round: context.lastCommitRound,
      chainId: context.chainId,
    })
    if (!valid) return `the signature of vote extension ${index} is wrong`
    signed += commit.power
  }
  return signed * 3n > total * 2n ? undefined : `vote extensions of ${signed} of ${total} power, two thirds are needed`
}
