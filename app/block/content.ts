/** What decides the outcome of a block, and the key of a candidate: CometBFT's hash of the block is not part of it. */
import { bigintToBytes, bytesToKey, uint32ToBytes, uint64ToBytes, utf8ToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { encodeRlp } from '../../core/rlp.ts'
import type { CommitVote, Misbehavior } from '../../modules/module.ts'

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

/** Two proposals with the same key execute to the same candidate. */
export const contentKey = (content: BlockContent): string => {
  // One buffer, each transaction behind its length: a digest of each would take longer than all the rest.
  const meta = encodeBlockMeta(content)
  const parts = content.transactions.flatMap((transaction) => [uint32ToBytes(transaction.length), transaction])
  return bytesToKey(sha256(Buffer.concat([uint32ToBytes(meta.length), meta, ...parts])))
}
