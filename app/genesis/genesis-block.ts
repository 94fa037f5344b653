/** Block 0: the state that the genesis file describes, under a real header. After an export it stands at its height. */
import { ZERO_ADDRESS } from '../../core/address.ts'
import { EMPTY_BYTES, equalBytes } from '../../core/bytes.ts'
import { EMPTY_TRIE_ROOT, type Hash, ZERO_HASH } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import {
  checkConsensusParameters,
  DEFAULT_CONSENSUS_PARAMETERS,
  sameValidators,
  writeConsensusParameters,
  writeValidatorSets,
} from '../../modules/consensus/index.ts'
import { readBaseFee } from '../../modules/feemarket/index.ts'
import type { Module, QueryContext, ValidatorUpdate } from '../../modules/module.ts'
import { GenesisState } from '../../store/genesis-state.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { appError } from '../errors.ts'
import { type Genesis, writeGenesisAccounts } from './genesis.ts'
import type { HeaderRecord } from '../records/records.ts'
import type { InitChainRequest } from '../ports.ts'
import { blockSizeBytes } from '../records/block-size.ts'
import { EMPTY_BLOOM, encodeHeader, hashHeader, type Header } from '../records/header.ts'

export interface GenesisInput {
  /** The store, which is empty. */
  readonly store: KeyValueStore
  readonly modules: readonly Module[]
  readonly genesis: Genesis
  readonly request: InitChainRequest
}

const sortedByKey = (validators: readonly ValidatorUpdate[]) =>
  [...validators].sort((a, b) => Buffer.compare(a.publicKey, b.publicKey))

/** Those whom CometBFT begins with must be those with a stake, with their powers. Throws app/11. */
const checkValidators = (given: readonly ValidatorUpdate[], staked: readonly ValidatorUpdate[]): void => {
  if (sameValidators(sortedByKey(given), sortedByKey(staked))) return
  throw appError(
    'genesis',
    staked.length === 0
      ? 'the validators have no stake: a file of an earlier version must be made anew with "chain genesis add-validator"'
      : 'the validators of the file differ from those that app_state.staking has bonded',
  )
}

/**
 * What each module's parser cannot see: records of one module that another one needs. A node that stopped later at such
 * a record would take all others with it. Throws app/11.
 */
const checkInvariants = (modules: readonly Module[], context: QueryContext): void => {
  for (const { name, isNotOfGenesis, check } of modules.flatMap(({ invariants }) => invariants)) {
    if (isNotOfGenesis === true) continue
    const fault = check(context)
    if (fault !== undefined) throw appError('genesis', `app_state contradicts itself (${name}): ${fault}`)
  }
}

/** The times that fit into 64 bits, from 1970 to 2262: execution mixes them into PREVRANDAO. */
const MAX_TIME_NS = 2n ** 63n - 1n

/** An export says what must come out. Throws app/11. */
const checkExport = ({ provenance }: Genesis, height: number, stateRoot: Hash): void => {
  if (provenance === undefined) return
  if (provenance.height !== height) {
    throw appError('genesis', `initial_height must be ${provenance.height + 1}, after the height of the export`)
  }
  if (equalBytes(provenance.stateRoot, stateRoot)) return
  const [is, wanted] = [bytesToHex(stateRoot), bytesToHex(provenance.stateRoot)]
  throw appError('genesis', `the state root is ${is}, the export's is ${wanted}: the file was changed or cut short`)
}

/**
 * Stands at the height before the initial one. Writes the state, and nothing that makes it a chain: after an error the
 * database must be emptied. Throws genesis, consensus and app errors.
 */
export const writeGenesisBlock = ({ store, modules, genesis, request }: GenesisInput): HeaderRecord => {
  const { chainId, timeNs, initialHeight } = request
  const height = initialHeight - 1
  if (timeNs < 0n || timeNs > MAX_TIME_NS) throw appError('genesis', 'genesis_time must be from 1970 to 2262')
  const state = new GenesisState(store)
  const parameters = request.consensusParameters ?? DEFAULT_CONSENSUS_PARAMETERS
  checkConsensusParameters(parameters)
  writeConsensusParameters(state, parameters)
  const context = { state, height, timeNs, chainId, emit: () => undefined }
  writeValidatorSets(state, [{ fromHeight: initialHeight, validators: sortedByKey(request.validators) }])
  let staked: readonly ValidatorUpdate[] = []
  for (const module of modules) {
    const validators = module.initGenesis(context, genesis.modules[module.name])
    if (validators !== undefined) staked = validators
  }
  checkValidators(request.validators, staked)
  writeGenesisAccounts(state, genesis)
  checkInvariants(modules, context)
  const baseFeePerGas = readBaseFee(state)
  const stateRoot = state.finish()
  checkExport(genesis, height, stateRoot)
  const header: Header = {
    parentHash: ZERO_HASH,
    miner: ZERO_ADDRESS,
    stateRoot,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: EMPTY_BLOOM,
    number: height,
    gasLimit: BigInt(parameters.block.maxGas),
    gasUsed: 0n,
    timestamp: Number(timeNs / 1_000_000_000n),
    extraData: EMPTY_BYTES,
    mixHash: ZERO_HASH,
    baseFeePerGas,
  }
  const encoded = encodeHeader(header)
  return {
    header,
    hash: hashHeader(encoded),
    timeNs,
    sizeBytes: blockSizeBytes(encoded, []),
    transactionCount: 0,
    logCount: 0,
    logBytes: 0,
  }
}
