/** Rule 1: headers, commits, validators and results as CometBFT hashes and signs them. Each fault is a text, and undefined is none. */
import { bytesToKey, bytesToUnprefixedHex, concatBytes, equalBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { verifyEd25519 } from '../../../core/ed25519.ts'
import { type Hash, sha256 } from '../../../core/hash.ts'
import { consensusAddress } from '../../../core/signature.ts'
import type { Block, Commit, Header, Member, Result, SignedHeader } from './audit-node.ts'
import { bytesField, intField, merkleRoot, messageField, sfixed64Field, timestamp, uvarint } from './audit-wire.ts'

export const COMMIT_FLAG = 2
const PRECOMMIT = 2

type BlockId = Commit['block_id']

const partSet = ({ parts }: BlockId): Uint8Array => concatBytes(intField(1, parts.total), bytesField(2, parts.hash))

const encodeBlockId = (id: BlockId): Uint8Array => concatBytes(bytesField(1, id.hash), messageField(2, partSet(id)))

export const headerHash = (header: Header): Hash =>
  merkleRoot([
    concatBytes(intField(1, header.version.block), intField(2, header.version.app)),
    bytesField(1, utf8ToBytes(header.chain_id)),
    intField(1, header.height),
    timestamp(header.time),
    encodeBlockId(header.last_block_id),
    ...[
      header.last_commit_hash,
      header.data_hash,
      header.validators_hash,
      header.next_validators_hash,
      header.consensus_hash,
      header.app_hash,
      header.last_results_hash,
      header.evidence_hash,
      header.proposer_address,
    ].map((hash) => bytesField(1, hash)),
  ])

export const validatorsHash = (members: readonly Member[]): Hash =>
  merkleRoot(
    members.map(({ publicKey, power }) => concatBytes(messageField(1, messageField(1, publicKey)), intField(2, power))),
  )

const commitHash = ({ signatures }: Commit): Hash =>
  merkleRoot(
    signatures.map((vote) =>
      concatBytes(
        intField(1, vote.block_id_flag),
        bytesField(2, vote.validator_address),
        messageField(3, timestamp(vote.timestamp)),
        bytesField(4, vote.signature),
      ),
    ),
  )

const resultsHash = (results: readonly Result[]): Hash =>
  merkleRoot(
    results.map(({ code, data, gas_wanted, gas_used }) =>
      concatBytes(intField(1, code), bytesField(2, data), intField(5, gas_wanted), intField(6, gas_used)),
    ),
  )

export const totalPower = (members: readonly Member[]): bigint => members.reduce((sum, { power }) => sum + power, 0n)

type Vote = Commit['signatures'][number]

/** Makes the check whether a key signed a vote of the commit, by ZIP-215. */
const createVoteCheck = ({ commit, header }: SignedHeader): ((publicKey: Uint8Array, vote: Vote) => boolean) => {
  const start = concatBytes(
    intField(1, PRECOMMIT),
    sfixed64Field(2, header.height),
    sfixed64Field(3, commit.round),
    messageField(4, encodeBlockId(commit.block_id)),
  )
  const end = bytesField(6, utf8ToBytes(header.chain_id))
  return (publicKey, vote) => {
    const body = concatBytes(start, messageField(5, timestamp(vote.timestamp)), end)
    return verifyEd25519(publicKey, concatBytes(uvarint(body.length), body), vote.signature)
  }
}

/** Says why not more than two thirds of the set signed this header, or which signature is wrong. */
const commitFault = (signedHeader: SignedHeader, hash: Hash, members: readonly Member[]): string | undefined => {
  const { commit, header } = signedHeader
  const { height } = header
  if (commit.height !== height || !equalBytes(commit.block_id.hash, hash))
    return `the commit is not of header ${height}`
  if (commit.signatures.length !== members.length) {
    return `the commit has ${commit.signatures.length} votes of ${members.length} validators`
  }
  const holds = createVoteCheck(signedHeader)
  let signed = 0n
  for (const [index, { publicKey, power }] of members.entries()) {
    const vote = commit.signatures[index]
    if (vote?.block_id_flag !== COMMIT_FLAG) continue
    const address = consensusAddress(publicKey)
    if (!equalBytes(vote.validator_address, address)) return 'a vote of the commit is of another validator'
    if (!holds(publicKey, vote)) {
      return `the signature of validator ${bytesToUnprefixedHex(address)} under header ${height} does not hold`
    }
    signed += power
  }
  const total = totalPower(members)
  return 3n * signed > 2n * total ? undefined : `${signed} of ${total} power signed header ${height}`
}

/**
 * Whether more than two thirds of a verified set signed a header that does not follow: then the validators forked the chain, and the
 * node that shows it does not lie. Nobody can make such signatures without their keys.
 */
export const isFork = (signedHeader: SignedHeader, before: Header, members: readonly Member[]): boolean => {
  const { commit, header } = signedHeader
  if (header.chain_id !== before.chain_id || header.height !== before.height + 1) return false
  if (commit.height !== header.height || !equalBytes(commit.block_id.hash, headerHash(header))) return false
  const holds = createVoteCheck(signedHeader)
  const votes = new Map(commit.signatures.map((vote) => [bytesToKey(vote.validator_address), vote]))
  let signed = 0n
  for (const { publicKey, power } of members) {
    const vote = votes.get(bytesToKey(consensusAddress(publicKey)))
    if (vote?.block_id_flag === COMMIT_FLAG && holds(publicKey, vote)) signed += power
  }
  return 3n * signed > 2n * totalPower(members)
}

/** What is wrong with a header, its commit and its set. */
export const signedFault = (signed: SignedHeader, members: readonly Member[]): string | undefined => {
  if (!equalBytes(validatorsHash(members), signed.header.validators_hash)) {
    return `the validators of ${signed.header.height} are not those of its header`
  }
  return commitFault(signed, headerHash(signed.header), members)
}

/** Why a header does not follow the one before it. */
export const followFault = (header: Header, before: Header): string | undefined => {
  const height = before.height + 1
  if (header.height !== height || header.chain_id !== before.chain_id) {
    return `header ${height} is of another height or chain`
  }
  if (!equalBytes(header.last_block_id.hash, headerHash(before))) {
    return `header ${height} does not follow header ${height - 1}`
  }
  if (!equalBytes(header.validators_hash, before.next_validators_hash)) {
    return `the validators of ${height} are not those that header ${height - 1} announced`
  }
  return header.time > before.time ? undefined : `header ${height} is not later than header ${height - 1}`
}

/** Why block and results are not those of two verified headers, that of the block and the next. */
export const blockFault = (
  { header, data, last_commit }: Block,
  results: readonly Result[],
  verified: Header,
  next: Header,
): string | undefined => {
  const txs = data.txs ?? []
  if (!equalBytes(headerHash(header), headerHash(verified))) return 'the block is not of the verified header'
  if (!equalBytes(merkleRoot(txs.map((tx) => sha256(tx))), verified.data_hash)) {
    return 'the transactions of the block are not those of data_hash'
  }
  if (!equalBytes(commitHash(last_commit), verified.last_commit_hash)) {
    return 'the last commit of the block is not that of last_commit_hash'
  }
  if (!equalBytes(resultsHash(results), next.last_results_hash)) {
    return `the results are not those of last_results_hash of header ${next.height}`
  }
  return results.length === txs.length ? undefined : 'the block has more transactions than results, or less'
}
