/** The door of the pool: who may enter, what is journaled, what CometBFT is told, and what a block takes out. */
import { bytesToKey } from '../core/bytes.ts'
import { CodedError } from '../core/errors.ts'
import { type Hash, keccak256, sha256 } from '../core/hash.ts'
import { bytesToHex } from '../core/hex.ts'
import { publicKeyToAddress, type SignatureTask } from '../core/signature.ts'
import { isEvmError } from '../evm/errors.ts'
import { decodeSigned, recoverSender, senderTask } from '../evm/transaction/recover-sender.ts'
import { checkWithState, type TransactionLimits } from '../evm/transaction/validity.ts'
import type { Module } from '../modules/module.ts'
import { SDK_CODES, sdkError } from '../modules/sdk-errors.ts'
import type { StateReader } from '../store/state.ts'
import type { Candidate } from './block/candidate.ts'
import { createPrepare, type Prepare, type PreparedTransaction } from './block/native/prepare.ts'
import type { Decode } from './block/run.ts'
import type { Environment } from './environment.ts'
import { POOL_CODES } from './errors.ts'
import { familyOf, transactionHash } from './families.ts'
import { soleSignatureTask } from './native/verify-signatures.ts'
import type { PoolEntry } from './pool/account-queue.ts'
import { admit, examine, type ExaminedTransaction } from './pool/admit.ts'
import { admitNative, checkFeeFunds, checkPoolSigners } from './pool/admit-native.ts'
import { JournalWriter } from './pool/journal-writer.ts'
import { Pool } from './pool/pool.ts'
import { SignatureQueue } from './pool/signature-queue.ts'
import type { BroadcastCheck, TransactionCheck } from './ports.ts'
import type { ApplicationSettings } from './settings.ts'

/** Blocks between two looks for transactions that waited too long, and for those that CometBFT forgot. */
const POOL_CARE_INTERVAL_BLOCKS = 10
const MAX_OFFERED_AGAIN = 2_000
/**
 * Of a node without peers: gossip would only cost CometBFT's time (half of what it spends on a transaction), so it is
 * told of as many as a page of its unconfirmed_txs shows.
 */
const MAX_GOSSIPED_ALONE = 100
/** Reasons why a transaction of the pool may be invalid in one proposal and valid in another: nonce and funds. */
const TAKEN_BY_ANOTHER = ['nonceTooLow', 'insufficientFunds'] as const
const SDK_TAKEN_BY_ANOTHER: readonly number[] = [SDK_CODES.insufficientFunds[0], SDK_CODES.wrongSequence[0]]

/** What admission depends on: all of it as of the committed head. */
export interface MempoolHead {
  readonly state: StateReader
  readonly limits: TransactionLimits
  /** CometBFT's chain id. */
  readonly nativeChainId: string
  /** Of the next block. */
  readonly height: number
  /** Of the next block, in anat. */
  readonly baseFeePerGas: bigint
}

export interface MempoolOptions {
  readonly settings: ApplicationSettings
  readonly environment: Environment
  readonly modules: readonly Module[]
  /** Throws app/10 before InitChain. */
  head(): MempoolHead
  /** Called for every Ethereum transaction once, when it becomes executable. */
  onExecutable(hash: Hash): void
}

/** A transaction that is decoded, and checked as far as that needs no sender. */
type Examined =
  | { readonly kind: 'ethereum'; readonly examined: ExaminedTransaction }
  | { readonly kind: 'native'; readonly prepared: PreparedTransaction }

/** Who brings it: a wallet through eth_sendRawTransaction, a native client's broadcast, or CometBFT's mempool. */
type Origin = 'wallet' | 'client' | 'network'

export class Mempool {
  readonly pool: Pool
  readonly #options: MempoolOptions
  readonly #environment: Environment
  readonly #prepare: Prepare
  readonly #signatures: SignatureQueue | undefined
  readonly #journal: JournalWriter
  #arrivals = 0
  /** Hashes of the pool's transactions that CometBFT's mempool has taken, with the height when it last asked of them. */
  readonly #gossiped = new Map<string, number>()
  /** After every block CometBFT asks again of all that its mempool holds, unless its operator has switched that off. */
  #isAskedAgain = false
  /** Of the last block that was settled. */
  #height = 0

  constructor(options: MempoolOptions) {
    this.#options = options
    this.#environment = options.environment
    this.#prepare = createPrepare(options.modules)
    const { signatures } = options.environment
    this.#signatures = signatures && new SignatureQueue(signatures)
    this.pool = new Pool(options.settings.pool, (entry) => {
      if (entry.kind === 'ethereum') options.onExecutable(entry.hash)
    })
    this.#journal = new JournalWriter(options.environment, this.pool)
  }

  /** The pool has most transactions of a block: their signatures need not be looked at again. */
  readonly decode: Decode = {
    ethereum: (raw) => this.pool.ethereum(keccak256(raw))?.signed ?? decodeSigned(raw),
    native: (raw) => {
      const held = this.pool.get(sha256(raw))
      return held?.kind === 'native' ? held.prepared : this.#prepare(raw)
    },
  }

  /** Takes in what the last run left in the journal. */
  load(): void {
    for (const raw of this.#environment.journal.load()) {
      try {
        this.#admit(raw, 'network')
      } catch (error) {
        // Included or outdated meanwhile: the reason of a refusal is of no use to anyone here.
        if (!(error instanceof CodedError)) throw error
      }
    }
    this.#journal.rewrite()
  }

  /** CometBFT's mempool or a peer of it brings a transaction. */
  check(raw: Uint8Array, recheck: boolean): TransactionCheck {
    const known = this.pool.get(transactionHash(raw))
    if (recheck) this.#isAskedAgain = true
    if (known !== undefined) return this.#accepted(known)
    if (recheck) return refusal(new CodedError('pool', POOL_CODES.gone, 'no longer in the pool'))
    try {
      const entry = this.#admit(raw, 'network')
      this.#journal.tryWrite(entry)
      return this.#accepted(entry)
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return refusal(error)
    }
  }

  /** A native client's broadcast, as {@link submit}; a refusal is a code. */
  async broadcast(raw: Uint8Array): Promise<BroadcastCheck> {
    try {
      const entry = await this.#submit(raw, 'client')
      return { ...this.#accepted(entry, false), nativeHash: entry.kind === 'native' ? entry.hash : sha256(raw) }
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return { ...refusal(error), nativeHash: sha256(raw) }
    }
  }

  /** eth_sendRawTransaction: journaled before it is answered. Throws pool, evm and rlp errors. */
  async submit(raw: Uint8Array): Promise<Hash> {
    return (await this.#submit(raw, 'wallet')).hash
  }

  /** In the order of the calls, also where signatures are checked elsewhere. */
  async #submit(raw: Uint8Array, origin: Origin): Promise<PoolEntry> {
    const examined = this.#examine(raw, origin)
    const answer = this.#signatures && (await this.#signatures.check(this.#taskOf(examined)))
    const entry = this.#enter(examined, answer)
    await this.#journal.write(entry)
    if (this.#gossipRoom() > 0) this.#environment.gossip.offer([entry.raw])
    return entry
  }

  /** Another chain begins. */
  clear(): void {
    this.pool.clear()
    this.#gossiped.clear()
  }

  /** CometBFT forgot what it had: it was restarted. */
  forgetGossip(): void {
    this.#gossiped.clear()
    this.#isAskedAgain = false
  }

  /** Offers to CometBFT what it does not have: its mempool may have been full or lost, or the first peer has come. */
  offerAgain(): void {
    const missing: Uint8Array[] = []
    const most = Math.min(MAX_OFFERED_AGAIN, this.#gossipRoom())
    for (const { hash, raw } of this.pool.entries()) {
      if (missing.length >= most) break
      if (!this.#gossiped.has(bytesToKey(hash))) missing.push(raw)
    }
    if (missing.length > 0) this.#environment.gossip.offer(missing)
  }

  /** Takes out what a committed block included or made invalid. */
  settle({ outcomes, commitment, content }: Candidate): void {
    for (const outcome of outcomes) {
      if (outcome.kind === 'ethereum') this.#gossiped.delete(bytesToKey(outcome.signed.hash))
      if (outcome.kind === 'native') this.#gossiped.delete(bytesToKey(outcome.prepared.transaction.hash))
    }
    for (const { address, after } of commitment.accounts) this.pool.advance(address, after?.nonce ?? 0n)
    this.#height = content.height
    if (content.height % POOL_CARE_INTERVAL_BLOCKS !== 0) return
    this.pool.expire(this.#environment.clock.nowMs())
    this.#journal.rewriteIfOutdated()
    this.#forgetLeft()
    this.offerAgain()
  }

  /** Forgets as gossiped what left the pool, and what CometBFT took and dropped: when its mempool ran full meanwhile. */
  #forgetLeft(): void {
    const askedSince = this.#isAskedAgain ? this.#height - POOL_CARE_INTERVAL_BLOCKS : 0
    for (const [key, askedAt] of this.#gossiped) {
      if (askedAt < askedSince || !this.pool.has(key)) this.#gossiped.delete(key)
    }
  }

  /** A proposer found an entry invalid at its place. */
  dropInvalid(entry: PoolEntry, error: CodedError): void {
    // Another transaction of the proposal took its nonce or its funds: that counts once the block is decided.
    if (isTakenByAnother(error) && this.#standsInState(entry)) return
    this.#environment.log.info('transaction dropped', { hash: bytesToHex(entry.hash), reason: error.message })
    this.pool.remove(entry)
  }

  /** A proposer would hold the chain up with it. */
  dropSlow(entry: PoolEntry): void {
    this.#environment.log.warn('transaction dropped', { hash: bytesToHex(entry.hash), reason: 'takes too long' })
    this.pool.remove(entry)
  }

  #standsInState(entry: PoolEntry): boolean {
    const { state, nativeChainId } = this.#options.head()
    try {
      if (entry.kind === 'ethereum') {
        checkWithState(state, entry.sender, entry.signed.transaction)
      } else {
        checkPoolSigners(entry.prepared, state, this.pool, nativeChainId)
        checkFeeFunds(state, entry.sender, entry.costAnat)
      }
      return true
    } catch (error) {
      if (error instanceof CodedError) return false
      throw error
    }
  }

  /** How many transactions more CometBFT is to be told of. */
  #gossipRoom(): number {
    const isAlone = this.#environment.consensusStatus().peers === 0
    return isAlone ? MAX_GOSSIPED_ALONE - this.#gossiped.size : Number.POSITIVE_INFINITY
  }

  #context() {
    return {
      ...this.#options.head(),
      pool: this.pool,
      settings: this.#options.settings,
      nowMs: this.#environment.clock.nowMs(),
      arrival: this.#arrivals++,
    }
  }

  #admit(raw: Uint8Array, origin: Origin): PoolEntry {
    return this.#enter(this.#examine(raw, origin))
  }

  #examine(raw: Uint8Array, origin: Origin): Examined {
    // A wallet's question is Ethereum's: whatever it sends is refused in geth's words. Of the others bytes that are
    // of no family are refused in the SDK's.
    if (origin !== 'wallet' && ['native', 'unknown'].includes(familyOf(raw))) {
      return { kind: 'native', prepared: this.#prepare(raw) }
    }
    const examined = examine(raw, origin === 'wallet' ? 'wallet' : 'network', this.#context())
    return { kind: 'ethereum', examined }
  }

  /** What is left of its signature for another thread; undefined where it is checked with the rest. */
  #taskOf(examined: Examined): SignatureTask | undefined {
    if (examined.kind === 'ethereum') return senderTask(examined.examined.transaction)
    const { transaction, signers } = examined.prepared
    return soleSignatureTask(transaction, signers, this.#options.head().nativeChainId)
  }

  /** `answer` is that of the task: without one, or where the signature does not hold, it is looked at here. */
  #enter(examined: Examined, answer?: Uint8Array): PoolEntry {
    if (examined.kind === 'native') {
      return admitNative({ ...examined.prepared, isVerified: answer !== undefined }, this.#context())
    }
    const { transaction } = examined.examined
    const sender = answer === undefined ? recoverSender(transaction) : publicKeyToAddress(answer)
    return admit(examined.examined, sender, this.#context())
  }

  #accepted({ hash, gasLimit }: PoolEntry, isGossiped = true): TransactionCheck {
    if (isGossiped) this.#gossiped.set(bytesToKey(hash), this.#height)
    return { code: 0, codespace: '', log: '', gasWanted: gasLimit }
  }
}

const isTakenByAnother = (error: CodedError): boolean =>
  TAKEN_BY_ANOTHER.some((name) => isEvmError(error, name)) ||
  (error.codespace === 'sdk' && SDK_TAKEN_BY_ANOTHER.includes(error.code))

/** For CometBFT and native clients, to whom bytes that are no transaction are one thing, whichever family they look like. */
const refusal = (error: CodedError): TransactionCheck => {
  const { code, codespace, message: log } = error.codespace === 'rlp' ? sdkError('parse', error.message) : error
  return { code, codespace, log, gasWanted: 0n }
}
