/** What CometBFT's validators sign: its CanonicalVote and CanonicalProposal, each with its length in front. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

const PROPOSAL = 32

export interface BlockId {
  readonly hash: Uint8Array
  readonly parts: { readonly total: number; readonly hash: Uint8Array }
}

export interface Timestamp {
  readonly seconds: bigint
  readonly nanos: number
}

export interface CanonicalVote {
  /** 1 for a prevote, 2 for a precommit. */
  readonly type: number
  readonly height: number
  readonly round: number
  /** Undefined for nil. */
  readonly blockId: BlockId | undefined
  readonly time: Timestamp
  readonly chainId: string
}

export interface CanonicalProposal extends Omit<CanonicalVote, 'type'> {
  /** -1 without a proof of lock. */
  readonly polRound: number
}

const blockIdBytes = ({ hash, parts }: BlockId): Uint8Array => {
  const header = new BinaryWriter().tag(1, WireType.Varint).uint32(parts.total)
  header.tag(2, WireType.LengthDelimited).bytes(parts.hash)
  const id = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(hash)
  return id.tag(2, WireType.LengthDelimited).bytes(header.finish()).finish()
}

const timeBytes = ({ seconds, nanos }: Timestamp): Uint8Array => {
  const time = new BinaryWriter()
  if (seconds !== 0n) time.tag(1, WireType.Varint).int64(seconds)
  if (nanos !== 0) time.tag(2, WireType.Varint).int32(nanos)
  return time.finish()
}

const begin = (type: number, height: number, round: number): BinaryWriter => {
  const writer = new BinaryWriter().tag(1, WireType.Varint).int32(type).tag(2, WireType.Bit64).sfixed64(height)
  return round === 0 ? writer : writer.tag(3, WireType.Bit64).sfixed64(round)
}

/** The block, the time and the chain, in fields that follow each other from `field` on. */
const end = (writer: BinaryWriter, field: number, { blockId, time, chainId }: Omit<CanonicalVote, 'type'>) => {
  if (blockId !== undefined) writer.tag(field, WireType.LengthDelimited).bytes(blockIdBytes(blockId))
  writer.tag(field + 1, WireType.LengthDelimited).bytes(timeBytes(time))
  writer.tag(field + 2, WireType.LengthDelimited).string(chainId)
  return new BinaryWriter().bytes(writer.finish()).finish()
}

export const voteSignBytes = (vote: CanonicalVote): Uint8Array =>
  end(begin(vote.type, vote.height, vote.round), 4, vote)

export const proposalSignBytes = (proposal: CanonicalProposal): Uint8Array => {
  const writer = begin(PROPOSAL, proposal.height, proposal.round)
  if (proposal.polRound !== 0) writer.tag(4, WireType.Varint).int64(proposal.polRound)
  return end(writer, 5, proposal)
}
