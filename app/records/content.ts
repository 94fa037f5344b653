/** What decides the outcome of a block, and the key of a candidate: CometBFT's hash of the block is not part of it. */
import { bigintToBytes, bytesToKey, uint64ToBytes, utf8ToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { encodeRlp } from '../../core/rlp.ts'
import { Room } from '../../core/room.ts'
import type { CommitVote, Misbehavior } from '../../modules/module.ts'
import { encodeItems } from './records.ts'

export interface BlockContent {
  readonly height: number
  readonly timeNs: bigint
  readonly proposerAddress: Uint8Array
  readonly nextValidatorsHash: Uint8Array
  readonly lastCommitRound: number
  readonly lastCommit: readonly CommitVote[]
  readonly misbehavior: readonly Misbehavior[]
  readonly transactions: readonly Uint8Array[]
}

/** RLP of everything but the transactions. */
export const encodeBlockMeta = (content: Omit<BlockContent, 'transactions'>): Uint8Array =>
  encodeRlp([
    uint64ToBytes(content.height),
    bigintToBytes(content.timeNs),
    content.proposerAddress,
    content.nextValidatorsHash,
    uint64ToBytes(content.lastCommitRound),
    content.lastCommit.map((vote) => [vote.validatorAddress, bigintToBytes(vote.power), utf8ToBytes(vote.flag)]),
    content.misbehavior.map((item) => [
      utf8ToBytes(item.type),
      item.validatorAddress,
      bigintToBytes(item.power),
      uint64ToBytes(item.height),
      bigintToBytes(item.timeNs),
      bigintToBytes(item.totalPower),
    ]),
  ])

/** Transactions stand in it side by side while they are hashed. */
const room = new Room(2 * 1024 * 1024)

/** Two proposals with the same key execute to the same candidate. */
export const contentKey = (content: BlockContent): string =>
  // All is hashed in one buffer: a digest of each transaction would take longer than all the rest. The list before says
  // where it ends.
  bytesToKey(sha256(encodeBlockMeta(content), encodeItems(content.transactions, room)))
