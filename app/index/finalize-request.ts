/** The FinalizeBlock request of a block as stored: with it, replay and traces never depend on CometBFT's pruned store. */
import type { Address } from '../../core/address.ts'
import { bytesToBigint, bytesToUtf8, readUint64 } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../core/rlp.ts'
import type { CommitVote, Misbehavior } from '../../modules/module.ts'
import { bodyKey, finalizeRequestKey } from '../../store/keys.ts'
import type { KeyValueStore } from '../../store/store.ts'
import type { SealedBlock } from '../block/candidate.ts'
import { type BlockContent, encodeBlockMeta } from '../records/content.ts'
import { readItems } from '../records/paged-items.ts'
import { decodeBodyItem } from '../records/records.ts'

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

/** A transaction of a block as it is stored. */
export interface StoredTransaction {
  readonly raw: Uint8Array
  /** Place and sender in the Ethereum block; undefined for a transaction that is not in it. */
  readonly ethereum: { readonly index: number; readonly sender: Address } | undefined
}

export interface StoredContent extends Omit<BlockContent, 'transactions'> {
  readonly transactions: readonly StoredTransaction[]
}

/** Reads what {@link readBlockContent} reads, with the place of each transaction in the Ethereum block. */
export const readStoredContent = (store: KeyValueStore, height: number): StoredContent | undefined => {
  const bytes = store.get('blocks', finalizeRequestKey(height))
  if (bytes === undefined) return undefined
  const body = readItems(store, bodyKey(height))
  const [meta, items] = decodeRlp(bytes) as unknown as [Uint8Array, RlpItem[]]
  const fault = `the stored request of block ${height} does not fit to its body`
  let next = 0
  const transactions = items.map((item): StoredTransaction => {
    if (item instanceof Uint8Array) return { raw: item, ethereum: undefined }
    const index = next++
    const stored = body.next()
    invariant(stored.done !== true, fault)
    const { raw, sender } = decodeBodyItem(stored.value)
    return { raw, ethereum: { index, sender } }
  })
  invariant(body.next().done === true, fault)
  return { ...decodeBlockMeta(meta), transactions }
}

/** What decided a block, CometBFT's hash apart: that is its header's extraData. Undefined when it is not here. */
export const readBlockContent = (store: KeyValueStore, height: number): BlockContent | undefined => {
  const content = readStoredContent(store, height)
  return content && { ...content, transactions: content.transactions.map(({ raw }) => raw) }
}
