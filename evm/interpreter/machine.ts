/** Everything that the frames of one execution share. Used again for the next one. */
import { type Address, ZERO_ADDRESS } from '../../core/address.ts'
import { EMPTY_BYTES, equalBytes } from '../../core/bytes.ts'
import { InvariantError, invariant } from '../../core/errors.ts'
import { EMPTY_CODE_HASH, type Hash } from '../../core/hash.ts'
import { type AccountState, EMPTY_ACCOUNT, type StateWriter } from '../../store/state.ts'
import type { BlockEnvironment, ExecutionPace } from '../engine.ts'
import type { NativePrecompiles } from '../native-precompiles.ts'
import { STACK_LIMIT } from '../opcodes.ts'
import type { PrecompileTable } from '../precompiles/table.ts'
import { overWeight, WEIGHT } from '../weight.ts'
import { isEmptyAccount, withMore } from '../transition/fees.ts'
import { type Code, type CodeCache, NO_CODE } from './code.ts'
import { Frame } from './frame.ts'
import { Memory } from './memory.ts'
import { RULES, type Rules } from './rules.ts'
import { type AccountEntry, Substate } from './substate.ts'
import type { Tracer } from './tracer.ts'
import { type Limbs, setBigint, setBytes, setNumber, WORD } from './words.ts'

/** Places in {@link Machine.context} of what is the same in every frame. */
export const CONTEXT = {
  origin: 0,
  gasPrice: WORD,
  coinbase: 2 * WORD,
  timestamp: 3 * WORD,
  number: 4 * WORD,
  prevRandao: 5 * WORD,
  gasLimit: 6 * WORD,
  chainId: 7 * WORD,
  baseFee: 8 * WORD,
  blobBaseFee: 9 * WORD,
} as const

/** A frame to enter, filled in by the instruction that asks for it. */
export interface FrameRequest {
  /** Opcode of the instruction; CALL or CREATE for the outermost frame. */
  kind: number
  /** Whose code runs, or the account to create. */
  target: AccountEntry | undefined
  gas: number
  valueAnat: bigint
  /** Call data or init code. */
  input: Uint8Array
  outputOffset: number
  outputSize: number
}

/** Said by {@link Machine.look}: the execution gives way. */
export const PAUSE = Number.POSITIVE_INFINITY

/** The stacks of all open frames lie behind each other. */
const INITIAL_STACK_LIMBS = 4 * STACK_LIMIT * WORD

export class Machine {
  rules: Rules = RULES.osaka
  readonly memory = new Memory()
  readonly substate = new Substate()
  readonly codes: CodeCache
  /** Gas between two looks whether the execution shall go on. */
  readonly gasALook: number
  readonly context: Limbs = new Int32Array(Object.keys(CONTEXT).length * WORD)
  readonly request: FrameRequest = {
    kind: 0,
    target: undefined,
    gas: 0,
    valueAnat: 0n,
    input: EMPTY_BYTES,
    outputOffset: 0,
    outputSize: 0,
  }
  stack: Limbs = new Int32Array(INITIAL_STACK_LIMBS)
  /** The frames by depth. */
  readonly frames: Frame[] = []
  /** Depth of the running frame; -1 when none runs. */
  depth = -1
  origin: Address = ZERO_ADDRESS
  blobVersionedHashes: readonly Uint8Array[] = []
  precompiles: PrecompileTable = new Map()
  nativePrecompiles: NativePrecompiles | undefined
  tracer: Tracer | undefined
  /** See {@link ExecuteOptions.interrupt}. */
  interrupt: (() => void) | undefined
  /** See {@link ExecuteOptions.pace}. */
  pace: ExecutionPace | undefined
  /** What the execution weighs so far, without what its gas covers; it never falls, whatever is reverted. */
  weight = 0
  weightLimit = Number.POSITIVE_INFINITY
  #checkpoints = 0
  #state: StateWriter | undefined
  #block: BlockEnvironment | undefined
  /** The hashes of the blocks before it that were asked for, absent ones too: at most the 256 that the instruction reaches. */
  readonly #blockHashes = new Map<number, Hash | undefined>()

  constructor(codes: CodeCache, gasALook: number) {
    this.codes = codes
    this.gasALook = gasALook
  }

  begin(state: StateWriter, block: BlockEnvironment): void {
    invariant(this.#state === undefined, 'a machine is used for two executions at once')
    this.#state = state
    this.weight = 0
    this.weightLimit = Number.POSITIVE_INFINITY
    this.rules = RULES[block.hardfork]
    if (this.#block !== block) this.#setBlock(block)
  }

  #setBlock(block: BlockEnvironment): void {
    this.#block = block
    this.#blockHashes.clear()
    const { context } = this
    setBytes(context, CONTEXT.coinbase, block.coinbase)
    setNumber(context, CONTEXT.timestamp, block.timestamp)
    setNumber(context, CONTEXT.number, block.number)
    setBytes(context, CONTEXT.prevRandao, block.prevRandao)
    setBigint(context, CONTEXT.gasLimit, block.gasLimit)
    setBigint(context, CONTEXT.chainId, block.chainId)
    setBigint(context, CONTEXT.baseFee, block.baseFeePerGas)
    setBigint(context, CONTEXT.blobBaseFee, block.blobBaseFee)
  }

  /** `shownOrigin` is another one where a caller without a transaction acts for whoever signed. */
  setTransaction(
    origin: Address,
    gasPrice: bigint,
    blobVersionedHashes: readonly Uint8Array[],
    shownOrigin: Address = origin,
  ): void {
    this.origin = origin
    setBytes(this.context, CONTEXT.origin, shownOrigin)
    setBigint(this.context, CONTEXT.gasPrice, gasPrice)
    this.blobVersionedHashes = blobVersionedHashes
  }

  end(): void {
    this.#state = undefined
    this.nativePrecompiles = undefined
    this.tracer = undefined
    this.interrupt = undefined
    this.pace = undefined
    this.substate.end()
    this.memory.release()
  }

  /** Somebody wants to be asked now and then whether the execution shall go on. */
  get isWatched(): boolean {
    return this.interrupt !== undefined || this.pace !== undefined
  }

  /** Throws where the execution shall not go on; tells the gas below which to look again, or that it must pause. */
  look(gas: number): number {
    this.interrupt?.()
    return this.pace?.isYieldDue === true ? PAUSE : gas - this.gasALook
  }

  /** Counts work before it is done. Throws evm/29 where the execution has no room for it. */
  weigh(nanoseconds: number): void {
    this.weight += nanoseconds
    if (this.weight > this.weightLimit) throw overWeight()
  }

  /** A slot of the account changes: its path in the account's trie, and with the first one of them that trie. */
  weighChange(owner: AccountEntry, isNew: boolean): void {
    this.weigh((isNew ? 0 : WEIGHT.changedSlot) + (owner.isStorageWeighed ? 0 : WEIGHT.changedStorage))
    owner.isStorageWeighed = true
  }

  /** The first use of a code in an execution: it is loaded, and analysed for jumps. */
  weighCode(entry: AccountEntry, code: Code): Code {
    if (!entry.isCodeWeighed) {
      entry.isCodeWeighed = true
      this.weigh(code.length * WEIGHT.codeByte)
    }
    return code
  }

  get state(): StateWriter {
    if (this.#state === undefined) throw new InvariantError('invariant broken: the machine runs without a state')
    return this.#state
  }

  get block(): BlockEnvironment {
    if (this.#block === undefined) throw new InvariantError('invariant broken: the machine runs without a block')
    return this.#block
  }

  /** Undefined where there is none. `number` is one that BLOCKHASH reaches. */
  blockHash(number: number): Hash | undefined {
    const known = this.#blockHashes.get(number)
    if (known !== undefined || this.#blockHashes.has(number)) return known
    const hash = this.block.blockHash(number)
    this.#blockHashes.set(number, hash)
    return hash
  }

  /** The frame of a depth, with a stack of its own behind `stackBase`. */
  frameAt(depth: number, stackBase: number): Frame {
    let frame = this.frames[depth]
    if (frame === undefined) {
      frame = new Frame(depth)
      this.frames.push(frame)
    }
    const end = stackBase + STACK_LIMIT * WORD
    if (end > this.stack.length) {
      const larger = new Int32Array(Math.max(end, this.stack.length * 2))
      larger.set(this.stack)
      this.stack = larger
    }
    return frame
  }

  checkpoint(): void {
    this.#checkpoints++
    this.state.checkpoint()
  }

  commit(): void {
    this.#checkpoints--
    this.state.commit()
  }

  revert(): void {
    this.#checkpoints--
    this.state.revert()
  }

  /** Undoes what an execution that broke off left open. */
  revertAll(): void {
    while (this.#checkpoints > 0) this.revert()
  }

  /** Adds to a balance. Adding nothing still touches (EIP-161). */
  credit(entry: AccountEntry, amountAnat: bigint): void {
    const account = this.state.account(entry.address)
    if (amountAnat > 0n) {
      const richer = withMore(account ?? EMPTY_ACCOUNT, amountAnat)
      this.state.setAccount(entry.address, richer)
      if (isEmptyAccount(richer)) this.substate.touch(entry)
    } else if (account !== undefined && isEmptyAccount(account)) this.substate.touch(entry)
  }

  /** The code of an account, its delegation not followed. */
  codeOf(entry: AccountEntry, account: AccountState | undefined): Code {
    if (account === undefined) return NO_CODE
    const { codeHash } = account
    if (codeHash === entry.codeHash) return entry.code
    entry.code = equalBytes(codeHash, EMPTY_CODE_HASH) ? NO_CODE : this.codes.get(this.state, codeHash)
    entry.codeHash = codeHash
    return entry.code
  }
}
