/** A block executed but not decided: everything that its commit will write, except CometBFT's hash. */
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import type { Hash } from '../../core/hash.ts'
import { type Commitment, computeCommitment } from '../../store/commitment.ts'
import { orderedTrieRoot } from '../../store/trie/ordered-root.ts'
import type { Chain } from './chain.ts'
import type { HeaderRecord } from '../records/records.ts'
import type { FinalizeBlockResponse, TransactionResult } from '../ports.ts'
import type { BlockContent } from '../records/content.ts'
import { encodeHeader, type Header, hashHeader } from '../records/header.ts'
import { countLogBytes, encodeReceipt, logsBloom, mergeBlooms } from '../records/receipt.ts'
import { blockSizeBytes } from '../records/block-size.ts'
import type { BatchOutcome } from './batch.ts'
import type { BlockRun } from './run.ts'
import { type EthereumOutcome, NO_RESULT, type TransactionOutcome } from './transaction.ts'

export interface Candidate {
  readonly content: BlockContent
  /** One a transaction of the block. */
  readonly outcomes: readonly TransactionOutcome[]
  /** Those that are in the Ethereum block. */
  readonly ethereum: readonly EthereumOutcome[]
  readonly commitment: Commitment
  /** The header with empty extraData. */
  readonly unsealedHeader: Header
  readonly logCount: number
  /** What the orders of the block came to; undefined in a preview. */
  readonly batch: BatchOutcome | undefined
  /** An empty block where the vote extensions of the last commit must stand first. */
  readonly missesInjected: boolean
  /** Everything but appHash, which the seal decides. */
  readonly response: Omit<FinalizeBlockResponse, 'appHash'>
}

/** A candidate that carries CometBFT's hash of its block, and so has its own. */
export interface SealedBlock {
  readonly candidate: Candidate
  readonly record: HeaderRecord
}

const transactionResults = (outcomes: readonly TransactionOutcome[]): readonly TransactionResult[] => {
  let ethereumIndex = 0
  return outcomes.map((outcome) => {
    if (outcome.kind === 'invalid') {
      const { code, codespace, message } = outcome.error
      return { ...NO_RESULT, code, codespace, log: message }
    }
    return outcome.result(outcome.ethereum === undefined ? ethereumIndex : ethereumIndex++)
  })
}

/** Those that are in the Ethereum block. */
const ethereumOutcomes = (outcomes: readonly TransactionOutcome[]): readonly EthereumOutcome[] =>
  outcomes.flatMap((outcome) =>
    outcome.kind === 'applied' && outcome.ethereum !== undefined ? [outcome.ethereum] : [],
  )

/** Takes the roots of a finished run. */
export const buildCandidate = (chain: Chain, content: BlockContent, run: BlockRun): Candidate => {
  const ethereum = ethereumOutcomes(run.outcomes)
  const blooms = ethereum.map(({ receipt }) => logsBloom(receipt.logs))
  const commitment = computeCommitment(
    chain.store,
    chain.state,
    chain.head.record.header.stateRoot,
    run.overlay.changes(),
    chain.trieNodes,
  )
  const { environment } = run
  return {
    content,
    outcomes: run.outcomes,
    ethereum,
    commitment,
    logCount: run.logCount,
    batch: run.batch,
    missesInjected: run.needsInjected && run.outcomes.length === 0,
    unsealedHeader: {
      parentHash: chain.head.record.hash,
      miner: FEE_COLLECTOR_ADDRESS,
      stateRoot: commitment.stateRoot,
      transactionsRoot: orderedTrieRoot(ethereum.map(({ signed }) => signed.raw)),
      receiptsRoot: orderedTrieRoot(
        ethereum.map(({ receipt }, index) => encodeReceipt(receipt, blooms[index] as Uint8Array)),
      ),
      logsBloom: mergeBlooms(blooms),
      number: content.height,
      gasLimit: environment.gasLimit,
      gasUsed: run.ethereumGasUsed,
      timestamp: environment.timestamp,
      extraData: EMPTY_BYTES,
      mixHash: environment.prevRandao,
      baseFeePerGas: environment.baseFeePerGas,
    },
    response: {
      transactionResults: transactionResults(run.outcomes),
      events: run.events,
      validatorUpdates: run.validatorUpdates,
      consensusParameterUpdates: run.parameterUpdates,
    },
  }
}

/** Puts CometBFT's hash into the header: the hash of the result is the app hash. */
export const sealCandidate = (candidate: Candidate, cometHash: Hash): SealedBlock => {
  const header: Header = { ...candidate.unsealedHeader, extraData: cometHash }
  const encoded = encodeHeader(header)
  const raws = candidate.ethereum.map(({ signed }) => signed.raw)
  return {
    candidate,
    record: {
      header,
      hash: hashHeader(encoded),
      timeNs: candidate.content.timeNs,
      sizeBytes: blockSizeBytes(encoded, raws),
      transactionCount: raws.length,
      logCount: candidate.logCount,
      logBytes: countLogBytes(candidate.ethereum.map(({ receipt }) => receipt)),
    },
  }
}
