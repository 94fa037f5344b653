/** One execution of a block on top of the committed head: begin, apply each transaction, end. */
import { FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { uint64ToBytes } from '../../core/bytes.ts'
import { CodedError, invariant, isFault } from '../../core/errors.ts'
import { type Hash, keccak256, ZERO_HASH } from '../../core/hash.ts'
import type { BlockEnvironment, Engine, ExecuteOptions, ExecutionOutcome, ExecutionResult } from '../../evm/engine.ts'
import type { NativePrecompiles } from '../../evm/native-precompiles.ts'
import { typeNotSupported } from '../../evm/errors.ts'
import { BEACON_ROOTS, HISTORY_STORAGE } from '../../evm/system-contracts.ts'
import { decodeSigned } from '../../evm/transaction/recover-sender.ts'
import type { SignedTransaction } from '../../evm/transaction/transaction.ts'
import { toMessage } from '../../evm/transaction/validity.ts'
import { overWeight } from '../../evm/weight.ts'
import { noteBurntByEvm } from '../../modules/bank/index.ts'
import {
  encodeConsensusParameters,
  readConsensusParameters,
  readValidators,
  readValidatorSets,
  rotateSets,
  setsAtStart,
  writeValidatorSets,
  type ConsensusParameters,
} from '../../modules/consensus/index.ts'
import { readBaseFee } from '../../modules/feemarket/index.ts'
import type { BlockContext, Event, Module, ValidatorUpdate } from '../../modules/module.ts'
import { readMaxBlockWeight } from '../../modules/weight/index.ts'
import { Overlay } from '../../store/overlay.ts'
import { type Chain, hardforkAt } from '../chain.ts'
import { appError, wrongChainText } from '../errors.ts'
import { familyOf } from '../families.ts'
import { BEGIN_BLOCK_ORDER, END_BLOCK_ORDER, inOrder } from '../genesis/module-order.ts'
import type { TransactionResult } from '../ports.ts'
import type { BlockContent } from './content.ts'
import { carriesExtensions, checkInjected } from './extensions.ts'
import { nativePrecompilesAt } from '../precompiles/index.ts'
import { executeNative } from './native/execute.ts'
import { createPrepare, type PreparedTransaction } from './native/prepare.ts'
import { mostNativeWeight } from './native/weight.ts'
import type { Receipt } from './receipt.ts'

export interface EthereumOutcome {
  readonly kind: 'ethereum'
  readonly signed: SignedTransaction
  readonly result: ExecutionResult
  readonly receipt: Receipt
}
/** A native transaction that was valid at its place; its messages may have failed. */
export interface NativeOutcome {
  readonly kind: 'native'
  readonly prepared: PreparedTransaction
  readonly result: TransactionResult
}
/** The list of vote extensions: valid, without gas. */
export interface InjectedOutcome {
  readonly kind: 'injected'
}
/** Not valid at its place: it changed nothing and is not in the Ethereum block. */
export interface InvalidOutcome {
  readonly kind: 'invalid'
  readonly error: CodedError
}
export type TransactionOutcome = EthereumOutcome | NativeOutcome | InjectedOutcome | InvalidOutcome

/** Of the engine: what it tells while it executes an Ethereum transaction. */
export type ExecutionHooks = Omit<ExecuteOptions, 'fees' | 'checks' | 'precompileMoves' | 'nativePrecompiles'>

/** Decodes; the pool's copy is taken where it has one, so that a sender is recovered and signatures verified once. */
export interface Decode {
  ethereum(raw: Uint8Array): SignedTransaction
  native(raw: Uint8Array): PreparedTransaction
}

/** Where there is no pool. */
export const decodeAnew = (modules: readonly Module[]): Decode => ({
  ethereum: decodeSigned,
  native: createPrepare(modules),
})

/** PREVRANDAO: known when proposing, so a proposer can bias it. */
export const mixHash = (parentHash: Hash, timeNs: bigint): Hash => keccak256(parentHash, uint64ToBytes(timeNs))

const blockEnvironment = (
  chain: Chain,
  height: number,
  timeNs: bigint,
  baseFeePerGas: bigint,
  gasLimit: bigint,
): BlockEnvironment => {
  const timestamp = Number(timeNs / 1_000_000_000n)
  return {
    number: height,
    timestamp,
    coinbase: FEE_COLLECTOR_ADDRESS,
    gasLimit,
    baseFeePerGas,
    blobBaseFee: 1n,
    prevRandao: mixHash(chain.head.record.hash, timeNs),
    chainId: chain.parameters.evmChainId,
    hardfork: hardforkAt(chain.parameters, timestamp),
    blockHash: (number) => chain.blockHash(number),
  }
}

/** Parent hash (EIP-2935) and beacon root, zero on this chain (EIP-4788), for contracts to read. */
export const runSystemCalls = async (
  engine: Engine,
  state: Overlay,
  environment: BlockEnvironment,
  parentHash: Hash,
  beaconRoot: Hash = ZERO_HASH,
): Promise<void> => {
  await engine.systemCall(state, environment, HISTORY_STORAGE.address, parentHash)
  await engine.systemCall(state, environment, BEACON_ROOTS.address, beaconRoot)
}

export class BlockRun {
  readonly overlay: Overlay
  readonly environment: BlockEnvironment
  readonly parameters: ConsensusParameters
  /** Most that the transactions may weigh together (evm/weight.ts), in nanoseconds. */
  readonly maxWeight: number
  readonly outcomes: TransactionOutcome[] = []
  readonly events: Event[] = []
  validatorUpdates: readonly ValidatorUpdate[] = []
  /** All groups, when a message has changed one: CometBFT uses them from the next height on. */
  parameterUpdates: ConsensusParameters | undefined
  readonly #chain: Chain
  readonly #content: Omit<BlockContent, 'transactions'>
  readonly #decode: Decode
  readonly #purpose: 'block' | 'preview'
  readonly #nativePrecompiles: NativePrecompiles
  /** Gas of both families. */
  #gasUsed = 0n
  #cumulativeGasUsed = 0n
  #weight = 0
  #logCount = 0

  /** A `preview` (the pending block) has no votes yet, and so no injected transaction. */
  constructor(
    chain: Chain,
    content: Omit<BlockContent, 'transactions'>,
    decode: Decode,
    purpose: 'block' | 'preview' = 'block',
  ) {
    this.#chain = chain
    this.#purpose = purpose
    this.#content = content
    this.#decode = decode
    this.overlay = new Overlay(chain.state)
    this.parameters = readConsensusParameters(chain.state)
    this.maxWeight = readMaxBlockWeight(chain.state)
    const { height, timeNs } = content
    const { chainId } = chain.parameters
    this.#nativePrecompiles = nativePrecompilesAt(chain.modules, { height, timeNs, chainId })
    const gasLimit = BigInt(this.parameters.block.maxGas)
    this.environment = blockEnvironment(chain, content.height, content.timeNs, readBaseFee(chain.state), gasLimit)
  }

  get gasLeft(): bigint {
    return this.environment.gasLimit - this.#gasUsed
  }

  /** What is left for further transactions, in nanoseconds. */
  get weightLeft(): number {
    return this.maxWeight - this.#weight
  }

  /** Gas of the Ethereum transactions, and how many logs they made. */
  get ethereumGasUsed(): bigint {
    return this.#cumulativeGasUsed
  }
  get logCount(): number {
    return this.#logCount
  }

  /** Whether this block must begin with the injected transaction. */
  get needsInjected(): boolean {
    if (this.#purpose === 'preview') return false
    return carriesExtensions(this.parameters, this.#content.height, this.#chain.parameters.initialHeight)
  }

  /** The SDK's last attribute of an event of a block tells where it happened. */
  #context(mode: 'BeginBlock' | 'EndBlock'): BlockContext {
    const { height, timeNs, proposerAddress, lastCommit, misbehavior } = this.#content
    return {
      state: this.overlay,
      height,
      timeNs,
      chainId: this.#chain.parameters.chainId,
      proposerAddress,
      lastCommit,
      misbehavior,
      emit: ({ type, attributes }) => {
        this.events.push({ type, attributes: [...attributes, { key: 'mode', value: mode, index: false }] })
      },
    }
  }

  async begin(): Promise<void> {
    const { engine, head } = this.#chain
    await runSystemCalls(engine, this.overlay, this.environment, head.record.hash)
    const context = this.#context('BeginBlock')
    for (const module of inOrder(this.#chain.modules, BEGIN_BLOCK_ORDER)) module.beginBlock?.(context)
  }

  /**
   * Applies the next transaction of the block. An invalid one leaves no trace but its outcome. What a hook throws at
   * a frame stops the transaction: it leaves no trace at all.
   */
  apply(raw: Uint8Array, hooks: ExecutionHooks = {}): TransactionOutcome | Promise<TransactionOutcome> {
    const family = familyOf(raw)
    const isFirst = this.outcomes.length === 0
    if (isFirst && this.needsInjected) return this.#applyInjected(raw, family === 'injected')
    if (family === 'ethereum') return this.#applyEthereum(raw, hooks)
    if (family === 'native') return this.#applyNative(raw)
    const reason =
      family === 'injected'
        ? 'vote extensions stand only first, in a block whose last commit carries them'
        : family === 'unknown'
          ? 'transaction type not supported'
          : `transactions of the ${family} family are not supported yet`
    return this.#record({ kind: 'invalid', error: appError('familyNotSupported', reason) })
  }

  /** Undoes the bookkeeping of an invalid transaction that a proposer leaves out. */
  dropLast(): void {
    const dropped = this.outcomes.pop()
    invariant(dropped?.kind === 'invalid', 'only an invalid transaction can be left out')
  }

  end(): void {
    const updates: ValidatorUpdate[] = []
    const context = {
      ...this.#context('EndBlock'),
      gasUsed: this.#gasUsed,
      gasLimit: this.environment.gasLimit,
    }
    for (const module of inOrder(this.#chain.modules, END_BLOCK_ORDER)) {
      const more = module.endBlock?.(context)
      if (more !== undefined) updates.push(...more)
    }
    const { height } = this.#content
    const sets = readValidatorSets(this.overlay)
    const { initialHeight } = this.#chain.parameters
    const rotated = rotateSets(height === initialHeight ? setsAtStart(sets, height) : sets, height, updates)
    if (updates.length > 0 || rotated.length !== sets.length) writeValidatorSets(this.overlay, rotated)
    this.validatorUpdates = updates
    const parameters = readConsensusParameters(this.overlay)
    if (encodeConsensusParameters(parameters) !== encodeConsensusParameters(this.parameters)) {
      this.parameterUpdates = parameters
    }
  }

  #applyInjected(raw: Uint8Array, isInjected: boolean): TransactionOutcome {
    const { height, lastCommitRound, lastCommit } = this.#content
    const problem = isInjected
      ? checkInjected(raw, {
          chainId: this.#chain.parameters.chainId,
          height,
          lastCommitRound,
          lastCommit,
          validators: readValidators(this.#chain.state, height - 1),
          verify: this.#chain.verifyExtension,
        })
      : 'the block must begin with the vote extensions of the last commit'
    return this.#record(
      problem === undefined ? { kind: 'injected' } : { kind: 'invalid', error: appError('invalidInBlock', problem) },
    )
  }

  #applyEthereum(raw: Uint8Array, hooks: ExecutionHooks): TransactionOutcome | Promise<TransactionOutcome> {
    let signed: SignedTransaction
    try {
      signed = this.#decode.ethereum(raw)
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return this.#record({ kind: 'invalid', error })
    }
    const { transaction } = signed
    const { chainId } = transaction
    if (chainId !== undefined && chainId !== this.environment.chainId) {
      return this.#record({
        kind: 'invalid',
        error: appError('invalidInBlock', wrongChainText(chainId, this.environment.chainId)),
      })
    }
    if (transaction.type === 4 && this.environment.hardfork === 'cancun') {
      return this.#record({ kind: 'invalid', error: typeNotSupported() })
    }
    if (transaction.gasLimit > this.gasLeft) {
      const message = `gas limit reached: the block has ${this.gasLeft} gas left, the transaction asks for ${transaction.gasLimit}`
      return this.#record({ kind: 'invalid', error: appError('outOfGas', message) })
    }
    this.overlay.beginTransaction()
    const outcome = this.#chain.engine.execute(this.overlay, this.environment, toMessage(signed), {
      fees: 'collect',
      checks: 'transaction',
      nativePrecompiles: this.#nativePrecompiles,
      ...hooks,
      weightLimit: Math.min(this.weightLeft, hooks.weightLimit ?? Number.POSITIVE_INFINITY),
    })
    return outcome instanceof Promise
      ? outcome.then((settled) => this.#finishEthereum(signed, settled))
      : this.#finishEthereum(signed, outcome)
  }

  #finishEthereum(signed: SignedTransaction, outcome: ExecutionOutcome): TransactionOutcome {
    if (!outcome.valid) return this.#record({ kind: 'invalid', error: outcome.error })
    const { result } = outcome
    noteBurntByEvm(this.overlay, result.burntAnat)
    this.#weight += result.weight
    this.#gasUsed += result.gasUsed
    this.#cumulativeGasUsed += result.gasUsed
    const receipt: Receipt = {
      type: signed.transaction.type,
      succeeded: result.failure === undefined,
      gasUsed: result.gasUsed,
      cumulativeGasUsed: this.#cumulativeGasUsed,
      effectiveGasPrice: result.effectiveGasPrice,
      contractAddress: signed.transaction.to === undefined ? result.createdAddress : undefined,
      firstLogIndex: this.#logCount,
      logs: result.logs,
    }
    this.#logCount += result.logs.length
    return this.#record({ kind: 'ethereum', signed, result, receipt })
  }

  #applyNative(raw: Uint8Array): TransactionOutcome {
    const { height, timeNs } = this.#content
    try {
      const prepared = this.#decode.native(raw)
      if (mostNativeWeight(prepared) > this.weightLeft) throw overWeight()
      const { result, weight } = executeNative(prepared, {
        state: this.overlay,
        height,
        timeNs,
        chainId: this.#chain.parameters.chainId,
        evmChainId: this.#chain.parameters.evmChainId,
        baseFeePerGas: this.environment.baseFeePerGas,
        gasLeft: this.gasLeft,
      })
      this.#gasUsed += result.gasUsed
      this.#weight += weight
      return this.#record({ kind: 'native', prepared, result })
    } catch (error) {
      if (!(error instanceof CodedError) || isFault(error)) throw error
      return this.#record({ kind: 'invalid', error })
    }
  }

  #record<Outcome extends TransactionOutcome>(outcome: Outcome): Outcome {
    this.outcomes.push(outcome)
    return outcome
  }
}
