/** The door of the pool: who may enter, what is journaled, what CometBFT is told, and what a block takes out. */
import { bytesToKey } from '../core/bytes.ts'
import { CodedError } from '../core/errors.ts'
import { type Hash, keccak256 } from '../core/hash.ts'
import { bytesToHex } from '../core/hex.ts'
import { isEvmError } from '../evm/errors.ts'
import { decodeSigned } from '../evm/transaction/recover-sender.ts'
import type { SignedTransaction } from '../evm/transaction/transaction.ts'
import { checkWithState, type TransactionLimits } from '../evm/transaction/validity.ts'
import type { StateReader } from '../store/state.ts'
import type { Candidate } from './block/candidate.ts'
import type { Environment } from './environment.ts'
import { POOL_CODES, poolError } from './errors.ts'
import type { PoolEntry } from './pool/account-queue.ts'
import { admit } from './pool/admit.ts'
import { Pool } from './pool/pool.ts'
import type { TransactionCheck } from './ports.ts'
import type { ApplicationSettings } from './settings.ts'

/** Blocks between two looks for transactions that waited too long, and for those that CometBFT forgot. */
const POOL_CARE_INTERVAL_BLOCKS = 10
const MAX_OFFERED_AGAIN = 2_000
/** The journal is rewritten when most of it is outdated and it is at least this long. */
const MIN_JOURNAL_ENTRIES = 10_000
/** Reasons why a transaction of the pool may be invalid in one proposal and valid in another. */
const TAKEN_BY_ANOTHER = ['nonceTooLow', 'insufficientFunds'] as const

/** What admission depends on: all of it as of the committed head. */
export interface MempoolHead {
  readonly state: StateReader
  readonly limits: TransactionLimits
  /** Of the next block, in anat. */
  readonly baseFeePerGas: bigint
}

export interface MempoolOptions {
  readonly settings: ApplicationSettings
  readonly environment: Environment
  /** Throws app/outOfOrder before InitChain. */
  head(): MempoolHead
  /** Called for every transaction once, when it becomes executable. */
  onExecutable(hash: Hash): void
}

type Origin = 'wallet' | 'network'

export class Mempool {
  readonly pool: Pool
  readonly #options: MempoolOptions
  readonly #environment: Environment
  #sequence = 0
  /** Entries of the journal. */
  #journaled = 0
  /** A full disk: said once, until it is over. */
  #journalFails = false
  /** Hashes of the pool's transactions that CometBFT's mempool has taken. */
  readonly #gossiped = new Set<string>()

  constructor(options: MempoolOptions) {
    this.#options = options
    this.#environment = options.environment
    this.pool = new Pool(options.settings.pool, (entry) => options.onExecutable(entry.signed.hash))
  }

  /** The pool has most transactions of a block: their senders need not be recovered again. */
  readonly decode = (raw: Uint8Array): SignedTransaction => this.pool.get(keccak256(raw))?.signed ?? decodeSigned(raw)

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
    this.#rewriteJournal()
  }

  /** CometBFT's mempool or a peer of it brings a transaction. */
  check(raw: Uint8Array, recheck: boolean): TransactionCheck {
    const known = this.pool.get(keccak256(raw))
    if (known !== undefined) return this.#accepted(known.signed)
    if (recheck) return refusal(new CodedError('pool', POOL_CODES.gone, 'no longer in the pool'))
    try {
      const { signed } = this.#admit(raw, 'network')
      this.#append(signed.raw)
      return this.#accepted(signed)
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return refusal(error)
    }
  }

  /** eth_sendRawTransaction: journaled before it is answered. Throws pool, evm and rlp errors. */
  submit(raw: Uint8Array): Hash {
    const entry = this.#admit(raw, 'wallet')
    if (!this.#append(entry.signed.raw)) {
      this.pool.remove(entry)
      throw poolError('full', 'the transaction cannot be stored: the disk of the node does not take it')
    }
    this.#environment.gossip.offer([entry.signed.raw])
    return entry.signed.hash
  }

  /** Another chain begins. */
  clear(): void {
    this.pool.clear()
    this.#gossiped.clear()
  }

  /** CometBFT forgot what it had: it was restarted. */
  forgetGossip(): void {
    this.#gossiped.clear()
  }

  /** Offers to CometBFT what it does not have: its mempool may have been full, or may have been lost. */
  offerAgain(): void {
    const missing: Uint8Array[] = []
    for (const { signed } of this.pool.entries()) {
      if (missing.length >= MAX_OFFERED_AGAIN) break
      if (!this.#gossiped.has(bytesToKey(signed.hash))) missing.push(signed.raw)
    }
    if (missing.length > 0) this.#environment.gossip.offer(missing)
  }

  /** Takes out what a committed block included or made invalid. */
  settle({ ethereum, commitment, content }: Candidate): void {
    for (const { signed } of ethereum) this.#gossiped.delete(bytesToKey(signed.hash))
    for (const { address, after } of commitment.accounts) this.pool.advance(address, after?.nonce ?? 0n)
    if (content.height % POOL_CARE_INTERVAL_BLOCKS !== 0) return
    this.pool.expire(this.#environment.clock.nowMs())
    if (this.#journaled > 2 * this.pool.size + MIN_JOURNAL_ENTRIES) this.#rewriteJournal()
    for (const key of this.#gossiped) if (!this.pool.has(key)) this.#gossiped.delete(key)
    this.offerAgain()
  }

  /** A proposer found an entry invalid at its place. */
  dropInvalid(entry: PoolEntry, error: CodedError): void {
    // Another transaction of the proposal took its nonce or its funds: that counts once the block is decided.
    if (TAKEN_BY_ANOTHER.some((name) => isEvmError(error, name)) && this.#standsInState(entry)) return
    this.#environment.log.info('transaction dropped', { hash: bytesToHex(entry.signed.hash), reason: error.message })
    this.pool.remove(entry)
  }

  /** A proposer would hold the chain up with it. */
  dropSlow(entry: PoolEntry): void {
    this.#environment.log.warn('transaction dropped', { hash: bytesToHex(entry.signed.hash), reason: 'takes too long' })
    this.pool.remove(entry)
  }

  #standsInState({ signed }: PoolEntry): boolean {
    try {
      checkWithState(this.#options.head().state, signed.sender, signed.transaction)
      return true
    } catch (error) {
      if (error instanceof CodedError) return false
      throw error
    }
  }

  #admit(raw: Uint8Array, origin: Origin): PoolEntry {
    return admit(raw, origin, {
      ...this.#options.head(),
      pool: this.pool,
      settings: this.#options.settings,
      nowMs: this.#environment.clock.nowMs(),
      sequence: this.#sequence++,
    })
  }

  /** False when it could not be written: the node goes on without it, for peers have what they sent. */
  #append(raw: Uint8Array): boolean {
    return this.#guardJournal(() => {
      this.#environment.journal.append(raw)
      this.#journaled++
    })
  }

  /** Leaves out what was included, replaced or evicted since the last time. */
  #rewriteJournal(): void {
    this.#guardJournal(() => {
      this.#environment.journal.rewrite([...this.pool.entries()].map(({ signed }) => signed.raw))
      this.#journaled = this.pool.size
    })
  }

  #guardJournal(write: () => void): boolean {
    try {
      write()
      this.#journalFails = false
      return true
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!this.#journalFails) this.#environment.log.error('the journal of the pool cannot be written', { reason })
      this.#journalFails = true
      return false
    }
  }

  #accepted(signed: SignedTransaction): TransactionCheck {
    this.#gossiped.add(bytesToKey(signed.hash))
    return { code: 0, codespace: '', log: '', gasWanted: signed.transaction.gasLimit }
  }
}

const refusal = (error: CodedError): TransactionCheck => ({
  code: error.code,
  codespace: error.codespace,
  log: error.message,
  gasWanted: 0n,
})
