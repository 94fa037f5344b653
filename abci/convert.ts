/**
 * Converts between the wire types of ABCI and the words of app/ports.ts. What comes in is checked; what goes out is
 * asserted.
 */
import { create } from '@bufbuild/protobuf'
import type { Duration, Timestamp } from '@bufbuild/protobuf/wkt'
import type {
  AbciQueryResponse,
  ConsensusParameters,
  ExtendedVote,
  FinalizeBlockResponse,
  ProposedBlock,
  SnapshotDescription,
  TransactionResult,
} from '../app/ports.ts'
import { invariant } from '../core/errors.ts'
import type { ExecTxResultFields } from '../proto/encode-exec-tx-result.ts'
import { abci, cometCrypto, cometParams, cometProof, cometValidator } from '../proto/index.ts'
import { protocolError } from './errors.ts'

// The port's own words: this folder sees no module.
type Event = FinalizeBlockResponse['events'][number]
type CommitVote = ProposedBlock['lastCommit'][number]
type Misbehavior = ProposedBlock['misbehavior'][number]
type ValidatorUpdate = FinalizeBlockResponse['validatorUpdates'][number]

const ADDRESS_BYTES = 20
const HASH_BYTES = 32
const ED25519_KEY_BYTES = 32
const MAX_INT64 = 2n ** 63n - 1n
const NS_PER_SECOND = 1_000_000_000n
/** Years 1 to 9999, as google.protobuf.Timestamp bounds them. Go's zero time is the lower end. */
const MIN_TIMESTAMP_SECONDS = -62_135_596_800n
const MAX_TIMESTAMP_SECONDS = 253_402_300_799n
/** Each vote is some 100 bytes; CometBFT itself stops at 10,000 validators (types.MaxVotesCount). */
const MAX_VOTES = 10_000

// ---- from the wire ------------------------------------------------------------------------------------------

/** A submessage that CometBFT always sends. Throws abci/5. */
export const required = <Value>(value: Value | undefined, field: string): Value => {
  if (value === undefined) throw protocolError('missingField', `${field} is missing`)
  return value
}

/** An int64 or uint64 that must be a safe integer of at least `least`. Throws abci/6. */
export const readInteger = (value: bigint, field: string, least = 0): number => {
  if (value < BigInt(least) || value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw protocolError('outOfRange', `${field} is ${value}`)
  }
  return Number(value)
}

/** Block heights begin at 1. */
export const readHeight = (value: bigint): number => readInteger(value, 'height', 1)

const readLength = (bytes: Uint8Array, length: number, field: string): Uint8Array => {
  if (bytes.length !== length) throw protocolError('outOfRange', `${field} has ${bytes.length} bytes, not ${length}`)
  return bytes
}

export const readAddress = (bytes: Uint8Array, field: string): Uint8Array => readLength(bytes, ADDRESS_BYTES, field)
export const readHash = (bytes: Uint8Array, field: string): Uint8Array => readLength(bytes, HASH_BYTES, field)

const readPower = (power: bigint): bigint => {
  if (power < 0n) throw protocolError('outOfRange', `a voting power of ${power}`)
  return power
}

/** Nanoseconds since 1970. */
export const readTime = (time: Timestamp | undefined, field: string): bigint => {
  const { seconds, nanos } = required(time, field)
  const inRange = seconds >= MIN_TIMESTAMP_SECONDS && seconds <= MAX_TIMESTAMP_SECONDS
  if (!inRange || nanos < 0 || nanos > 999_999_999) throw protocolError('outOfRange', `${field} is out of range`)
  return seconds * NS_PER_SECOND + BigInt(nanos)
}

const readDuration = ({ seconds, nanos }: Duration): bigint => {
  if (seconds < 0n || nanos < 0 || nanos > 999_999_999) throw protocolError('outOfRange', 'a negative duration')
  return seconds * NS_PER_SECOND + BigInt(nanos)
}

const readFlag = (flag: cometValidator.BlockIDFlag): CommitVote['flag'] => {
  switch (flag) {
    case cometValidator.BlockIDFlag.BLOCK_ID_FLAG_ABSENT:
      return 'absent'
    case cometValidator.BlockIDFlag.BLOCK_ID_FLAG_COMMIT:
      return 'commit'
    case cometValidator.BlockIDFlag.BLOCK_ID_FLAG_NIL:
      return 'nil'
    default:
      throw protocolError('outOfRange', `block_id_flag is ${flag}`)
  }
}

const readVote = (vote: abci.VoteInfo | abci.ExtendedVoteInfo): CommitVote => {
  const validator = required(vote.validator, 'vote.validator')
  return {
    validatorAddress: readAddress(validator.address, 'vote.validator.address'),
    power: readPower(validator.power),
    flag: readFlag(vote.blockIdFlag),
  }
}

interface Commit<Vote> {
  readonly round: number
  readonly votes: readonly Vote[]
}

const readRound = (round: number): number => {
  if (round < 0) throw protocolError('outOfRange', `round is ${round}`)
  return round
}

const checkVoteCount = (votes: readonly unknown[]): void => {
  if (votes.length > MAX_VOTES) throw protocolError('outOfRange', `a commit of ${votes.length} votes`)
}

export const readCommit = (commit: abci.CommitInfo | undefined, field: string): Commit<CommitVote> => {
  const { round, votes } = required(commit, field)
  checkVoteCount(votes)
  return { round: readRound(round), votes: votes.map(readVote) }
}

export const readExtendedCommit = (commit: abci.ExtendedCommitInfo | undefined): Commit<ExtendedVote> => {
  const { round, votes } = required(commit, 'local_last_commit')
  checkVoteCount(votes)
  const readExtended = (vote: abci.ExtendedVoteInfo): ExtendedVote => ({
    ...readVote(vote),
    extension: vote.voteExtension,
    extensionSignature: vote.extensionSignature,
  })
  return { round: readRound(round), votes: votes.map(readExtended) }
}

const readMisbehaviorType = (type: abci.MisbehaviorType): Misbehavior['type'] => {
  if (type === abci.MisbehaviorType.DUPLICATE_VOTE) return 'duplicate-vote'
  if (type === abci.MisbehaviorType.LIGHT_CLIENT_ATTACK) return 'light-client-attack'
  return 'unknown'
}

export const readMisbehavior = (misbehavior: abci.Misbehavior): Misbehavior => {
  const validator = required(misbehavior.validator, 'misbehavior.validator')
  return {
    type: readMisbehaviorType(misbehavior.type),
    validatorAddress: readAddress(validator.address, 'misbehavior.validator.address'),
    power: readPower(validator.power),
    height: readHeight(misbehavior.height),
    timeNs: readTime(misbehavior.time, 'misbehavior.time'),
    totalPower: readPower(misbehavior.totalVotingPower),
  }
}

export const readValidatorUpdate = ({ pubKey, power }: abci.ValidatorUpdate): ValidatorUpdate => {
  const key = required(pubKey, 'validator.pub_key').sum
  if (key.case !== 'ed25519') {
    throw protocolError(
      'unsupportedKeyType',
      `a validator key of type ${key.case ?? 'none'}: only ed25519 is supported`,
    )
  }
  return { publicKey: readLength(key.value, ED25519_KEY_BYTES, 'validator.pub_key'), power: readPower(power) }
}

export const readConsensusParameters = (parameters: cometParams.ConsensusParams): ConsensusParameters => {
  const block = required(parameters.block, 'consensus_params.block')
  const evidence = required(parameters.evidence, 'consensus_params.evidence')
  const maxAge = required(evidence.maxAgeDuration, 'consensus_params.evidence.max_age_duration')
  const validator = required(parameters.validator, 'consensus_params.validator')
  return {
    // -1 stands for "no limit" in both.
    block: {
      maxBytes: readInteger(block.maxBytes, 'block.max_bytes', -1),
      maxGas: readInteger(block.maxGas, 'block.max_gas', -1),
    },
    evidence: {
      maxAgeNumBlocks: readInteger(evidence.maxAgeNumBlocks, 'evidence.max_age_num_blocks'),
      maxAgeDurationNs: readDuration(maxAge),
      maxBytes: readInteger(evidence.maxBytes, 'evidence.max_bytes'),
    },
    validator: { pubKeyTypes: validator.pubKeyTypes },
    // Optional on the wire, and zero when left out.
    version: { app: readInteger(parameters.version?.app ?? 0n, 'version.app') },
    abci: {
      voteExtensionsEnableHeight: readInteger(
        parameters.abci?.voteExtensionsEnableHeight ?? 0n,
        'abci.vote_extensions_enable_height',
      ),
    },
  }
}

/** Heights, formats and counts are bounded; what the application does not know it refuses itself. */
export const readSnapshot = (snapshot: abci.Snapshot | undefined): SnapshotDescription => {
  const { height, format, chunks, hash, metadata } = required(snapshot, 'snapshot')
  return { height: readInteger(height, 'snapshot.height'), format, chunks, hash, metadata }
}

// ---- to the wire --------------------------------------------------------------------------------------------

/** Text that came from users may hold lone surrogates, which protobuf strings cannot. */
export const writeText = (text: string): string => text.toWellFormed()

export const writeInteger = (value: number, field: string): bigint => {
  invariant(Number.isSafeInteger(value), `${field} is ${value}`)
  return BigInt(value)
}

export const writeGas = (gas: bigint): bigint => {
  invariant(gas >= 0n && gas <= MAX_INT64, `gas of ${gas} does not fit into int64`)
  return gas
}

export const writeProofOps = (ops: AbciQueryResponse['proofOps']): { proofOps?: cometProof.ProofOps } =>
  ops === undefined || ops.length === 0 ? {} : { proofOps: create(cometProof.ProofOpsSchema, { ops: [...ops] }) }

/** Literals: a block has tens of thousands of attributes, and `create` looks at every field of each. */
export const writeEvent = (event: Event): abci.Event => ({
  $typeName: abci.EventSchema.typeName,
  type: writeText(event.type),
  attributes: event.attributes.map(({ key, value, index }) => ({
    $typeName: abci.EventAttributeSchema.typeName,
    key: writeText(key),
    value: writeText(value),
    index,
  })),
})

export const writeTransactionResult = (result: TransactionResult): ExecTxResultFields => ({
  ...result,
  log: writeText(result.log),
  gasWanted: writeGas(result.gasWanted),
  gasUsed: writeGas(result.gasUsed),
})

export const writeValidatorUpdate = ({ publicKey, power }: ValidatorUpdate): abci.ValidatorUpdate => {
  invariant(publicKey.length === ED25519_KEY_BYTES, `a validator key of ${publicKey.length} bytes`)
  invariant(power >= 0n && power <= MAX_INT64 / 8n, `a validator power of ${power}`)
  return create(abci.ValidatorUpdateSchema, {
    pubKey: create(cometCrypto.PublicKeySchema, { sum: { case: 'ed25519', value: publicKey } }),
    power,
  })
}

/** Every group whole: CometBFT replaces a returned group by what it finds in it. */
export const writeConsensusParameters = (parameters: ConsensusParameters): cometParams.ConsensusParams => {
  const { block, evidence, validator, version } = parameters
  return create(cometParams.ConsensusParamsSchema, {
    block: {
      maxBytes: writeInteger(block.maxBytes, 'block.max_bytes'),
      maxGas: writeInteger(block.maxGas, 'block.max_gas'),
    },
    evidence: {
      maxAgeNumBlocks: writeInteger(evidence.maxAgeNumBlocks, 'evidence.max_age_num_blocks'),
      maxAgeDuration: {
        seconds: evidence.maxAgeDurationNs / NS_PER_SECOND,
        nanos: Number(evidence.maxAgeDurationNs % NS_PER_SECOND),
      },
      maxBytes: writeInteger(evidence.maxBytes, 'evidence.max_bytes'),
    },
    validator: { pubKeyTypes: [...validator.pubKeyTypes] },
    version: { app: writeInteger(version.app, 'version.app') },
    abci: {
      voteExtensionsEnableHeight: writeInteger(
        parameters.abci.voteExtensionsEnableHeight,
        'abci.vote_extensions_enable_height',
      ),
    },
  })
}

export const writeSnapshot = ({ height, format, chunks, hash, metadata }: SnapshotDescription): abci.Snapshot =>
  create(abci.SnapshotSchema, { height: writeInteger(height, 'snapshot.height'), format, chunks, hash, metadata })
