/** Runs state tests over the real overlay, trie and engine. */
import { CodedError } from '../../core/errors.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, type Hash, keccak256 } from '../../core/hash.ts'
import { bytesToHex, bytesToUnprefixedHex } from '../../core/hex.ts'
import { encodeRlp } from '../../core/rlp.ts'
import { computeCommitment } from '../../store/commitment.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import type { StateReader } from '../../store/state.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { writeState } from '../../store/write-state.ts'
import type { Engine, ExecuteOptions, ExecutionOutcome, Log } from '../engine.ts'
import { isEvmError } from '../errors.ts'
import { prepareMessage } from '../transition/prepare-message.ts'
import { checkRawTransaction } from './check-raw-transaction.ts'
import type { PreAccount, StateTest, StateTestCase } from './parse-state-test.ts'
import { statetestError } from './errors.ts'

/** The result as `evm statetest` of geth prints it. */
export interface StateTestResult {
  readonly name: string
  readonly pass: boolean
  /** What was computed, also where it is wrong. */
  readonly stateRoot: string
  readonly fork: string
  readonly error?: string
}

export interface StateTestHooks {
  readonly trace?: Pick<ExecuteOptions, 'onStep' | 'onEnter' | 'onExit'>
  /** Called after every case, with the root that was computed. */
  readonly onCase?: (result: StateTestResult, outcome: ExecutionOutcome) => void
}

/** Entries of the caches over a test's accounts. */
const CACHE_ENTRIES = 10_000

interface Committed {
  readonly store: KeyValueStore
  readonly state: StateReader
  readonly root: Hash
}

const commitAccounts = (accounts: readonly PreAccount[]): Committed => {
  const store = openMemoryStore()
  const empty = new LatestState(store, CACHE_ENTRIES)
  const overlay = new Overlay(empty)
  for (const { address, nonce, balance, code, storage } of accounts) {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : overlay.setCode(code)
    overlay.setAccount(address, { nonce, balance, storageRoot: EMPTY_TRIE_ROOT, codeHash })
    for (const [slot, value] of storage) overlay.setStorage(address, slot, value)
  }
  const commitment = computeCommitment(store, empty, EMPTY_TRIE_ROOT, overlay.changes())
  const batch = store.batch()
  writeState(batch, 0, commitment)
  store.write(batch, { sync: false })
  return { store, state: new LatestState(store, CACHE_ENTRIES), root: commitment.stateRoot }
}

const logsHash = (logs: readonly Log[]): string =>
  bytesToHex(keccak256(encodeRlp(logs.map(({ address, topics, data }) => [address, topics, data]))))

const OPTIONS: ExecuteOptions = { fees: 'burn', checks: 'transaction' }

/** The most blobs of a block (EIP-4844, EIP-7691). A transaction of Osaka may have fewer. */
const MAX_BLOCK_BLOBS = { cancun: 6, prague: 9, osaka: 9 } as const

/** What geth finds once it has taken the gas from the block: later than that the block has too little. */
const isFoundLater = (error: unknown): boolean =>
  isEvmError(error, 'intrinsicGasTooLow') ||
  isEvmError(error, 'floorDataGasTooLow') ||
  isEvmError(error, 'initCodeTooLarge')

const checkBlockGas = (state: StateReader, { block, message }: StateTestCase): void => {
  if (message.gasLimit <= block.gasLimit) return
  try {
    prepareMessage(state, block, message, OPTIONS)
  } catch (error) {
    if (!isFoundLater(error)) throw error
  }
  throw statetestError('gasLimitReached', 'gas limit reached')
}

/** The checks around a transaction, in geth's order and words. */
const refuseEarly = (state: StateReader, test: StateTestCase): CodedError | undefined => {
  const { raw, block, message } = test
  try {
    if (message.blobVersionedHashes.length > MAX_BLOCK_BLOBS[block.hardfork]) {
      throw statetestError('blobGas', 'blob gas exceeds maximum')
    }
    if (raw !== undefined) checkRawTransaction(raw, block.chainId)
    checkBlockGas(state, test)
    return undefined
  } catch (error) {
    if (error instanceof CodedError) return error
    throw error
  }
}

const judge = (test: StateTestCase, outcome: ExecutionOutcome, root: string): string | undefined => {
  const { expectedException } = test
  if (expectedException !== undefined && outcome.valid) return `expected error "${expectedException}", got no error`
  if (expectedException === undefined && !outcome.valid) return `unexpected error: ${outcome.error.message}`
  if (root !== test.stateRoot) {
    return `post state root mismatch: got ${root.slice(2)}, want ${test.stateRoot.slice(2)}`
  }
  const logs = logsHash(outcome.valid ? outcome.result.logs : [])
  return logs === test.logsHash
    ? undefined
    : `post state logs hash mismatch: got ${logs.slice(2)}, want ${test.logsHash.slice(2)}`
}

const runCase = async (
  engine: Engine,
  committed: Committed,
  test: StateTestCase,
  hooks: StateTestHooks,
): Promise<StateTestResult> => {
  const overlay = new Overlay(committed.state)
  const refusal = refuseEarly(overlay, test)
  const outcome: ExecutionOutcome =
    refusal === undefined
      ? await engine.execute(overlay, test.block, test.message, { ...OPTIONS, ...hooks.trace })
      : { valid: false, error: refusal }
  const { stateRoot } = computeCommitment(committed.store, committed.state, committed.root, overlay.changes())
  const root = `0x${bytesToUnprefixedHex(stateRoot)}`
  const error = judge(test, outcome, root)
  const { name, fork } = test
  const result = { name, pass: error === undefined, stateRoot: root, fork, ...(error === undefined ? {} : { error }) }
  hooks.onCase?.(result, outcome)
  return result
}

/** Runs every case of one name, one after another. */
export const runStateTest = async (
  engine: Engine,
  test: StateTest,
  hooks: StateTestHooks = {},
): Promise<StateTestResult[]> => {
  const committed = commitAccounts(test.pre)
  const results: StateTestResult[] = []
  for (const one of test.cases) results.push(await runCase(engine, committed, one, hooks))
  for (const fork of test.unknownForks) {
    const stateRoot = bytesToHex(committed.root)
    results.push({ name: test.name, pass: false, stateRoot, fork, error: `unsupported fork "${fork}"` })
  }
  return results
}
