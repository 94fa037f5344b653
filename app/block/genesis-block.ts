/** Block 0: the state that the genesis file describes, under a real header. */
import { ZERO_ADDRESS } from '../../core/address.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { EMPTY_TRIE_ROOT, ZERO_HASH } from '../../core/hash.ts'
import {
  checkConsensusParameters,
  DEFAULT_CONSENSUS_PARAMETERS,
  writeConsensusParameters,
  writeValidatorSets,
} from '../../modules/consensus/index.ts'
import { readBaseFee } from '../../modules/feemarket/index.ts'
import type { Module } from '../../modules/module.ts'
import { type Commitment, computeCommitment } from '../../store/commitment.ts'
import { Overlay } from '../../store/overlay.ts'
import type { StateReader } from '../../store/state.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { appError } from '../errors.ts'
import { type Genesis, writeGenesisAccounts } from '../genesis/genesis.ts'
import type { HeaderRecord } from '../index/records.ts'
import type { InitChainRequest } from '../ports.ts'
import { blockSizeBytes } from './candidate.ts'
import { EMPTY_BLOOM, encodeHeader, hashHeader, type Header } from './header.ts'

export interface GenesisBlock {
  readonly record: HeaderRecord
  readonly commitment: Commitment
}

export interface GenesisInput {
  readonly store: KeyValueStore
  readonly state: StateReader
  readonly modules: readonly Module[]
  readonly genesis: Genesis
  readonly request: InitChainRequest
}

const sortedByKey = (request: InitChainRequest) =>
  [...request.validators].sort((a, b) => Buffer.compare(a.publicKey, b.publicKey))

/** The times that fit into 64 bits, from 1970 to 2262: execution mixes them into PREVRANDAO. */
const MAX_TIME_NS = 2n ** 63n - 1n

/** Stands at the height before the initial one. Throws genesis and consensus errors; writes nothing. */
export const buildGenesisBlock = ({ store, state, modules, genesis, request }: GenesisInput): GenesisBlock => {
  const { chainId, timeNs, initialHeight } = request
  const height = initialHeight - 1
  if (timeNs < 0n || timeNs > MAX_TIME_NS) throw appError('genesis', 'genesis_time must be from 1970 to 2262')
  const overlay = new Overlay(state)
  const parameters = request.consensusParameters ?? DEFAULT_CONSENSUS_PARAMETERS
  checkConsensusParameters(parameters)
  writeConsensusParameters(overlay, parameters)
  writeValidatorSets(overlay, [{ fromHeight: initialHeight, validators: sortedByKey(request) }])
  const context = { state: overlay, height, timeNs, chainId, emit: () => undefined }
  for (const module of modules) module.initGenesis(context, genesis.modules[module.name])
  writeGenesisAccounts(overlay, genesis)
  const commitment = computeCommitment(store, state, EMPTY_TRIE_ROOT, overlay.changes())
  const header: Header = {
    parentHash: ZERO_HASH,
    miner: ZERO_ADDRESS,
    stateRoot: commitment.stateRoot,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: EMPTY_BLOOM,
    number: height,
    gasLimit: BigInt(parameters.block.maxGas),
    gasUsed: 0n,
    timestamp: Number(timeNs / 1_000_000_000n),
    extraData: EMPTY_BYTES,
    mixHash: ZERO_HASH,
    baseFeePerGas: readBaseFee(overlay),
  }
  const encoded = encodeHeader(header)
  return {
    commitment,
    record: {
      header,
      hash: hashHeader(encoded),
      timeNs,
      sizeBytes: blockSizeBytes(encoded, []),
      transactionCount: 0,
      logCount: 0,
    },
  }
}
