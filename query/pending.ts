/** The pending block: what would be the next one if its proposer took the pool as it is. */
import { EMPTY_BYTES } from '../core/bytes.ts'
import type { Hash } from '../core/hash.ts'
import { verifyExtensionSignature } from '../core/vote-extension.ts'
import { buildCandidate, type Candidate } from '../app/block/candidate.ts'
import { blockSizeBytes } from '../app/records/block-size.ts'
import { encodeHeader, type Header, hashHeader } from '../app/records/header.ts'
import type { Receipt } from '../app/records/receipt.ts'
import { readBaseFee } from '../modules/feemarket/index.ts'
import { BlockRun, decodeAnew } from '../app/block/run.ts'
import { StoredBatch } from '../app/orders/stored-batch.ts'
import type { Chain } from '../app/block/chain.ts'
import type { BlockEnvironment } from '../evm/engine.ts'
import type { SignedTransaction } from '../evm/transaction/transaction.ts'
import { readHistoryHash } from '../evm/system-contracts.ts'
import type { Overlay } from '../store/overlay.ts'
import { LayeredNodes } from '../store/trie/layered-nodes.ts'
import { requireHeader, type ChainView } from './chain-view.ts'
import { blockJson, type Json, type Placement, receiptJson, transactionJson } from './ethereum-json.ts'
import { bytesToHex } from '../core/hex.ts'

const ONE_SECOND_NS = 1_000_000_000n

/** The chain at the view's head, for executing on top of it. */
export const chainOf = (view: ChainView, height: number): Chain => {
  const state = view.stateAt(height)
  return {
    parameters: view.parameters,
    head: { height, record: requireHeader(view, height) },
    state,
    store: view.reader.store,
    trieNodes: view.trieNodesAt(height),
    engine: view.engine,
    modules: view.modules,
    families: view.families,
    verifyExtension: verifyExtensionSignature,
    batch: new StoredBatch(view.reader.store, view.families),
    blockHash: (number) => view.reader.hashAt(number) ?? readHistoryHash(state, number),
  }
}

interface PendingRun {
  readonly run: BlockRun
  readonly chain: Chain
  readonly content: Parameters<typeof buildCandidate>[1]
}

/** Describes what a block on top of the head would be, but for its transactions. */
export const pendingMeta = (view: ChainView, { head }: Chain): Omit<PendingRun['content'], 'transactions'> => ({
  height: view.head + 1,
  timeNs: head.record.timeNs + ONE_SECOND_NS,
  proposerAddress: EMPTY_BYTES,
  nextValidatorsHash: EMPTY_BYTES,
  lastCommitRound: 0,
  lastCommit: [],
  misbehavior: [],
})

const runPending = async (view: ChainView): Promise<PendingRun> => {
  const chain = chainOf(view, view.head)
  const meta = pendingMeta(view, chain)
  const run = new BlockRun(chain, meta, decodeAnew(chain), 'preview')
  await run.begin([])
  const transactions: Uint8Array[] = []
  for (const raw of view.pending) {
    const outcome = await run.apply(raw)
    if (outcome.kind === 'invalid') run.dropLast()
    else transactions.push(raw)
  }
  return { run, chain, content: { ...meta, transactions } }
}

/** State, environment and time (nanoseconds) on top of the pool. */
export const pendingState = async (
  view: ChainView,
): Promise<{ readonly state: Overlay; readonly environment: BlockEnvironment; readonly timeNs: bigint }> => {
  const { run, content } = await runPending(view)
  return { state: run.overlay, environment: run.environment, timeNs: content.timeNs }
}

/** The block and the state after it. */
export const pendingCandidate = async (
  view: ChainView,
): Promise<{ readonly candidate: Candidate; readonly state: Overlay }> => {
  const { run, chain, content } = await runPending(view)
  run.end()
  return { candidate: buildCandidate(chain, content, run), state: run.overlay }
}

/** The state trie of the pending block: what it would change over the nodes of the head. */
export const pendingTrie = async (view: ChainView): Promise<{ readonly root: Hash; readonly nodes: LayeredNodes }> => {
  const { commitment } = (await pendingCandidate(view)).candidate
  const nodes = new LayeredNodes(view.trieNodesAt(view.head))
  nodes.add(commitment.nodes)
  return { root: commitment.stateRoot, nodes }
}

/** Its transactions name the block by a hash that it will not have, as in geth. */
const placementIn = ({ unsealedHeader }: Candidate, index: number): Placement => ({
  blockHash: bytesToHex(hashHeader(encodeHeader(unsealedHeader))),
  height: unsealedHeader.number,
  index,
  baseFeePerGas: unsealedHeader.baseFeePerGas,
})

/** The pending block; its roots are computed as for a real one. */
export const pendingBlock = async (view: ChainView, full: boolean): Promise<Json> => {
  const { candidate } = await pendingCandidate(view)
  const header = candidate.unsealedHeader
  const signed = candidate.ethereum.map((outcome) => outcome.signed)
  const size = blockSizeBytes(
    encodeHeader(header),
    signed.map(({ raw }) => raw),
  )
  const placement = placementIn(candidate, 0)
  const transactions = signed.map((one, index) =>
    full ? transactionJson(one, { ...placement, index }) : bytesToHex(one.hash),
  )
  return blockJson(header, null, size, transactions)
}

export const pendingCount = async (view: ChainView): Promise<number> => {
  const { run } = await runPending(view)
  return run.outcomes.filter((outcome) => outcome.kind === 'applied' && outcome.ethereum !== undefined).length
}

export const pendingTransactionAt = async (view: ChainView, index: number): Promise<Json | null> => {
  const { candidate } = await pendingCandidate(view)
  const outcome = candidate.ethereum[index]
  return outcome === undefined ? null : transactionJson(outcome.signed, placementIn(candidate, index))
}

export const pendingSignedAt = async (view: ChainView, index: number): Promise<SignedTransaction | undefined> =>
  (await pendingCandidate(view)).candidate.ethereum[index]?.signed

/** Tells what fees a block on top of the pool would have, and the base fee after it. */
export const pendingFees = async (
  view: ChainView,
): Promise<{ readonly header: Header; readonly receipts: readonly Receipt[]; readonly nextBaseFee: bigint }> => {
  const { run, chain, content } = await runPending(view)
  run.end()
  const { unsealedHeader: header, ethereum } = buildCandidate(chain, content, run)
  return { header, receipts: ethereum.map(({ receipt }) => receipt), nextBaseFee: readBaseFee(run.overlay) }
}

/** geth knows no effective price before the block is sealed. */
export const pendingReceipts = async (view: ChainView): Promise<readonly Json[]> => {
  const { candidate } = await pendingCandidate(view)
  const { unsealedHeader: header, ethereum, logCount } = candidate
  const hash = hashHeader(encodeHeader(header))
  const record = { header, hash, timeNs: 0n, sizeBytes: 0, transactionCount: ethereum.length, logCount, logBytes: 0 }
  return ethereum.map(({ signed, receipt }, index) => {
    const { hash: transactionHash, sender: from, transaction } = signed
    const shown = receiptJson(receipt, { record, index, transactionHash, from, to: transaction.to })
    return { ...shown, effectiveGasPrice: null }
  })
}
