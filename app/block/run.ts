/** One execution of a block on top of the committed head: begin, apply each transaction, end. */
import { FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { uint64ToBytes } from '../../core/bytes.ts'
import { CodedError, invariant, isFault } from '../../core/errors.ts'
import { type Hash, keccak256, ZERO_HASH } from '../../core/hash.ts'
import type { BlockEnvironment, Engine } from '../../evm/engine.ts'
import type { NativePrecompiles } from '../../evm/native-precompiles.ts'
import { BEACON_ROOTS, HISTORY_STORAGE } from '../../evm/system-contracts.ts'
import type { Attestations } from '../../modules/attestations.ts'
import {
  encodeConsensusParameters,
  readConsensusParameters,
  readValidatorSets,
  rotateSets,
  setsAtStart,
  writeValidatorSets,
  type ConsensusParameters,
} from '../../modules/consensus/index.ts'
import { readBaseFee } from '../../modules/feemarket/index.ts'
import type { BlockContext, Event, ValidatorUpdate } from '../../modules/module.ts'
import { readMaxBlockWeight } from '../../modules/weight/index.ts'
import { Overlay } from '../../store/overlay.ts'
import { carriesExtensions, readAttestations } from '../attestations/injected.ts'
import type { BatchOutcome } from './batch.ts'
import type { Chain } from './chain.ts'
import { hardforkAt } from '../records/chain-parameters.ts'
import { appError } from '../errors.ts'
import { excessWeight, pricedGas } from './priced-gas.ts'
import { beginBlockHooks, endBlockHooks } from '../genesis/module-order.ts'
import { nativePrecompilesAt } from '../precompiles/index.ts'
import type { TransactionResult } from '../ports.ts'
import type { BlockContent } from '../records/content.ts'
import {
  type BlockTransaction,
  type Decode,
  type ExecutionHooks,
  invalid,
  type TransactionOutcome,
  type TransactionScope,
} from './transaction.ts'

const ATTESTATIONS_MISSING = 'the block must begin with the vote extensions of the last commit'

/** Where there is no pool that has it decoded. */
export const decodeAnew =
  ({ families }: Pick<Chain, 'families'>): Decode =>
  (raw) =>
    families.decode(raw)

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

export class BlockRun implements TransactionScope {
  readonly chain: Chain
  readonly content: Omit<BlockContent, 'transactions'>
  readonly nativePrecompiles: NativePrecompiles
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
  readonly #decode: Decode
  readonly #purpose: 'block' | 'preview'
  /** Gas of both families. */
  #gasUsed = 0n
  #ethereumGasUsed = 0n
  #weight = 0
  /** What they weigh above ordinary ones of their gas. */
  #excessWeight = 0
  #logCount = 0
  /** The transaction with the vote extensions, and what it attests or what is wrong with it. */
  #first: Uint8Array | undefined
  #attested: Attestations | string | undefined
  #batch: BatchOutcome | undefined

  /** A `preview` (the pending block) has no votes yet, and so no injected transaction. */
  constructor(
    chain: Chain,
    content: Omit<BlockContent, 'transactions'>,
    decode: Decode,
    purpose: 'block' | 'preview' = 'block',
  ) {
    this.chain = chain
    this.#purpose = purpose
    this.content = content
    this.#decode = decode
    this.overlay = new Overlay(chain.state)
    this.parameters = readConsensusParameters(chain.state)
    this.maxWeight = readMaxBlockWeight(chain.state)
    const { height, timeNs } = content
    const { chainId } = chain.parameters
    this.nativePrecompiles = nativePrecompilesAt(chain.modules, { height, timeNs, chainId })
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

  get ethereumGasUsed(): bigint {
    return this.#ethereumGasUsed
  }
  get logCount(): number {
    return this.#logCount
  }

  /** Whether this block must begin with the injected transaction. */
  get needsInjected(): boolean {
    if (this.#purpose === 'preview') return false
    return carriesExtensions(this.parameters, this.content.height, this.chain.parameters.initialHeight)
  }

  /** The SDK's last attribute of an event of a block tells where it happened. */
  #context(mode: 'BeginBlock' | 'EndBlock'): BlockContext {
    const { height, timeNs, proposerAddress, lastCommit, misbehavior } = this.content
    return {
      state: this.overlay,
      height,
      timeNs,
      chainId: this.chain.parameters.chainId,
      proposerAddress,
      lastCommit,
      misbehavior,
      emit: ({ type, attributes }) => {
        this.events.push({ type, attributes: [...attributes, { key: 'mode', value: mode, index: false }] })
      },
    }
  }

  /**
   * `leading` are the transactions of the block, or those with which its proposer begins it. What the first attests is told to
   * the modules before their hooks, and the batch is executed after these.
   */
  async begin(leading: readonly Uint8Array[]): Promise<void> {
    this.#readAttestations(leading[0])
    const { engine, head } = this.chain
    await runSystemCalls(engine, this.overlay, this.environment, head.record.hash)
    const context = this.#context('BeginBlock')
    const { modules } = this.chain
    const attested = this.#attested
    if (attested !== undefined && typeof attested !== 'string') {
      for (const { hooks } of modules) hooks?.attested?.(context, attested)
    }
    for (const hook of beginBlockHooks(modules)) hook.run(context)
    if (this.#purpose === 'block') this.#runBatch(context, leading)
  }

  /**
   * Applies the next transaction of the block. An invalid one leaves no trace but its outcome. What a hook throws at
   * a frame stops the transaction: it leaves no trace at all. `decoded` saves decoding it.
   */
  apply(
    raw: Uint8Array,
    hooks: ExecutionHooks = {},
    decoded?: BlockTransaction,
  ): TransactionOutcome | Promise<TransactionOutcome> {
    if (this.#mustLead && !this.chain.families.of(raw).isLeading) {
      return this.#record(invalid(appError('invalidInBlock', ATTESTATIONS_MISSING)))
    }
    let transaction: BlockTransaction
    try {
      transaction = decoded ?? this.#decode(raw)
    } catch (error) {
      if (!(error instanceof CodedError) || isFault(error)) throw error
      return this.#record(invalid(error))
    }
    const outcome = transaction.apply(this, hooks)
    return outcome instanceof Promise ? outcome.then((settled) => this.#record(settled)) : this.#record(outcome)
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
      pricedGas: pricedGas(this.#gasUsed, this.#excessWeight, this.environment.gasLimit, this.maxWeight),
      gasLimit: this.environment.gasLimit,
    }
    for (const hook of endBlockHooks(this.chain.modules)) {
      const more = hook.run(context)
      if (more !== undefined) updates.push(...more)
    }
    const { height } = this.content
    const sets = readValidatorSets(this.overlay)
    const { initialHeight } = this.chain.parameters
    const rotated = rotateSets(height === initialHeight ? setsAtStart(sets, height) : sets, height, updates)
    if (updates.length > 0 || rotated.length !== sets.length) writeValidatorSets(this.overlay, rotated)
    this.validatorUpdates = updates
    const parameters = readConsensusParameters(this.overlay)
    if (encodeConsensusParameters(parameters) !== encodeConsensusParameters(this.parameters)) {
      this.parameterUpdates = parameters
    }
  }

  attested(raw: Uint8Array): Attestations | string {
    if (!this.#mustLead) return 'vote extensions stand only first, in a block whose last commit carries them'
    invariant(raw === this.#first && this.#attested !== undefined, 'the block began with its vote extensions')
    return this.#attested
  }

  /** What the batch of this block came to; undefined in a preview. */
  get batch(): BatchOutcome | undefined {
    return this.#batch
  }

  batchResult(): TransactionResult | undefined {
    return this.#batch?.results.get(this.outcomes.length)
  }

  #runBatch({ emit }: BlockContext, leading: readonly Uint8Array[]): void {
    const attestations = typeof this.#attested === 'string' ? undefined : this.#attested
    const scope = { chain: this.chain, content: this.content, state: this.overlay, attestations, emit }
    this.#batch = this.chain.batch.run(scope, leading)
    this.overlay.absorb(this.#batch.changes)
  }

  /** The votes are verified and decoded once, before anything else of the block. */
  #readAttestations(first: Uint8Array | undefined): void {
    if (first === undefined || !this.needsInjected || !this.chain.families.of(first).isLeading) return
    this.#first = first
    this.#attested = readAttestations(this.chain, this.content, first)
  }

  /** Whether the next transaction must be the one with the vote extensions. */
  get #mustLead(): boolean {
    return this.outcomes.length === 0 && this.needsInjected
  }

  #record(outcome: TransactionOutcome): TransactionOutcome {
    this.outcomes.push(outcome)
    if (outcome.kind === 'invalid') return outcome
    this.#gasUsed += outcome.gasUsed
    this.#weight += outcome.weight
    this.#excessWeight += excessWeight(outcome)
    if (outcome.ethereum !== undefined) {
      const { receipt } = outcome.ethereum
      this.#ethereumGasUsed += receipt.gasUsed
      this.#logCount += receipt.logs.length
    }
    return outcome
  }
}
