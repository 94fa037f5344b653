/** The FinalizeBlock request of a block as stored: with it, replay and traces never depend on CometBFT's pruned store. */
import { bytesToBigint, bytesToUtf8, readUint64 } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../core/rlp.ts'
import type { CommitVote, Misbehavior } from '../../modules/module.ts'
import { bodyKey, finalizeRequestKey } from '../../store/keys.ts'
import type { KeyValueStore } from '../../store/store.ts'
import type { SealedBlock } from '../block/candidate.ts'
import { type BlockContent, encodeBlockMeta } from '../records/content.ts'
import { bodyItem, itemCount } from '../records/records.ts'

/**
 * RLP [meta, transactions], where a transaction of the Ethereum block is an empty list (its bytes stand in the body, in
 * the same order) and any other one is its wire form.
 */
export const encodeFinalizeRequest = ({ candidate }: SealedBlock): Uint8Array =>
  encodeRlp([
    encodeBlockMeta(candidate.content),
    candidate.outcomes.map((outcome, index) => {
      const raw = candidate.content.transactions[index]
      invariant(raw !== undefined, 'a block has an outcome for each of its transactions')
      return outcome.kind === 'applied' && outcome.ethereum !== undefined ? [] : raw
    }),
  ])

type Bytes = Uint8Array
type Meta = [Bytes, Bytes, Bytes, Bytes, Bytes, [Bytes, Bytes, Bytes][], [Bytes, Bytes, Bytes, Bytes, Bytes, Bytes][]]

/** The inverse of encodeBlockMeta. */
const decodeBlockMeta = (bytes: Uint8Array): Omit<BlockContent, 'transactions'> => {
  const [height, timeNs, proposerAddress, nextValidatorsHash, round, votes, misbehavior] = decodeRlp(
    bytes,
  ) as unknown as Meta
  return {
    height: readUint64(height),
    timeNs: bytesToBigint(timeNs),
    proposerAddress,
    nextValidatorsHash,
    lastCommitRound: readUint64(round),
    lastCommit: votes.map(([validatorAddress, power, flag]) => ({
      validatorAddress,
      power: bytesToBigint(power),
      flag: bytesToUtf8(flag) as CommitVote['flag'],
    })),
    misbehavior: misbehavior.map(([type, validatorAddress, power, at, time, total]) => ({
      type: bytesToUtf8(type) as Misbehavior['type'],
      validatorAddress,
      power: bytesToBigint(power),
      height: readUint64(at),
      timeNs: bytesToBigint(time),
      totalPower: bytesToBigint(total),
    })),
  }
}

export interface StoredTransaction {
  readonly raw: Uint8Array
  /** Place in the Ethereum block, of one that is there. */
  readonly ethereumIndex?: number
}

interface StoredRequest {
  readonly meta: Uint8Array
  readonly transactions: readonly StoredTransaction[]
}

const readRequest = (store: KeyValueStore, height: number): StoredRequest | undefined => {
  const bytes = store.get('blocks', finalizeRequestKey(height))
  if (bytes === undefined) return undefined
  const body = store.get('blocks', bodyKey(height)) ?? new Uint8Array(0)
  const [meta, items] = decodeRlp(bytes) as unknown as [Uint8Array, RlpItem[]]
  let next = 0
  const transactions = items.map((item) => {
    if (item instanceof Uint8Array) return { raw: item }
    const ethereumIndex = next++
    return { raw: bodyItem(body, ethereumIndex).raw, ethereumIndex }
  })
  invariant(next === itemCount(body), `the stored request of block ${height} does not fit to its body`)
  return { meta, transactions }
}

/** Undefined when the block is not here. */
export const readTransactions = (store: KeyValueStore, height: number): readonly StoredTransaction[] | undefined =>
  readRequest(store, height)?.transactions

/** What decided a block, CometBFT's hash apart: that is its header's extraData. Undefined when it is not here. */
export const readBlockContent = (store: KeyValueStore, height: number): BlockContent | undefined => {
  const request = readRequest(store, height)
  if (request === undefined) return undefined
  return { ...decodeBlockMeta(request.meta), transactions: request.transactions.map(({ raw }) => raw) }
}
