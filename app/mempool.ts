/** The door of the pool: who may enter, what is journaled, what CometBFT is told, and what a block takes out. */
import { bytesToKey } from '../core/bytes.ts'
import { CodedError } from '../core/errors.ts'
import { type Hash, sha256 } from '../core/hash.ts'
import { bytesToHex } from '../core/hex.ts'
import { isEvmError } from '../evm/errors.ts'
import type { TransactionLimits } from '../evm/transaction/validity.ts'
import { SDK_CODES, sdkError } from '../modules/sdk-errors.ts'
import { readMaxBlockWeight } from '../modules/weight/index.ts'
import type { Candidate } from './block/candidate.ts'
import type { ProposalPool } from './block/rounds.ts'
import type { Decode, TransactionOutcome } from './block/transaction.ts'
import type { Environment, Log } from './environment.ts'
import { POOL_CODES } from './errors.ts'
import { ethereumFamily } from './families/ethereum/family.ts'
import type { Families } from './families/index.ts'
import { DepartedEntries, type FailedEntry } from './pool/departed.ts'
import { type PoolEntry, poolAccountOf } from './pool/entry.ts'
import type { AdmissionContext, ExaminedTransaction, Origin } from './pool/family.ts'
import { GossipRecord } from './pool/gossip-record.ts'
import { journaledPool, JournalWriter } from './pool/journal-writer.ts'
import type { PriorityCursor, Rank } from './pool/order.ts'
import { Pool } from './pool/pool.ts'
import { SetAside, type SetAsideReason } from './pool/set-aside.ts'
import { SignatureQueue } from './pool/signature-queue.ts'
import { WAIT_TEXTS } from './pool/wait-texts.ts'
import type { BroadcastCheck, TransactionCheck } from './ports.ts'
import type { ApplicationSettings } from './settings.ts'

/** Blocks between two looks for transactions that waited too long, and for those that CometBFT forgot. */
const POOL_CARE_INTERVAL_BLOCKS = 10
/** Reasons why a transaction of the pool may be invalid in one proposal and valid in another: nonce and funds. */
const TAKEN_BY_ANOTHER = ['nonceTooLow', 'insufficientFunds'] as const
const SDK_TAKEN_BY_ANOTHER: readonly number[] = [SDK_CODES.insufficientFunds, SDK_CODES.wrongSequence]

const WAITS_HERE = 'the transaction waits in the pool of this node'
const GOSSIP_FULL = 'the part of the gossip that is not for the order book is full'

/** What admission depends on: all of it as of the committed head. */
export type MempoolHead = Omit<AdmissionContext, 'pool' | 'settings' | 'nowMs' | 'arrival'>

export interface MempoolOptions {
  readonly settings: ApplicationSettings
  readonly environment: Environment
  readonly families: Families
  /** Throws app/10 before InitChain. */
  head(): MempoolHead
  /** Called once for every transaction that eth_subscribe tells of, when it becomes executable. */
  onExecutable(hash: Hash): void
}

export class Mempool implements ProposalPool<PoolEntry> {
  readonly pool: Pool
  readonly #options: MempoolOptions
  readonly #environment: Environment
  readonly #families: Families
  readonly #signatures: SignatureQueue | undefined
  readonly #journal: JournalWriter<PoolEntry>
  readonly #gossip: GossipRecord
  readonly #setAside = new SetAside()
  readonly #departed = new DepartedEntries()
  readonly #log: Log
  #arrivals = 0
  /** Entries that became executable in the running call: CometBFT is offered them at its end. */
  #promoted: PoolEntry[] = []
  /** Where entries are noted that leave for one that is entering. */
  #displaced: PoolEntry[] | undefined
  /** Entries that subscribers were told of. */
  #announced = new WeakSet<PoolEntry>()
  /** Hashes under which the transactions of the block that is being settled are stored. */
  #included: ReadonlySet<string> = new Set()
  /** The head's values as of the last block that was settled. */
  #settled: (Pick<MempoolHead, 'baseFeePerGas' | 'limits'> & { readonly maxBlockWeight: number }) | undefined

  constructor(options: MempoolOptions) {
    this.#options = options
    this.#environment = options.environment
    this.#families = options.families
    this.#log = options.environment.log.of?.('pool') ?? options.environment.log
    const { signatures } = options.environment
    this.#signatures = signatures && new SignatureQueue(signatures, options.environment)
    this.pool = new Pool(options.settings.pool, {
      executable: (entry) => this.#noteExecutable(entry),
      left: (entry) => this.#noteLeft(entry),
    })
    this.#gossip = new GossipRecord(this.pool, options.environment)
    this.#journal = new JournalWriter(journaledPool(this.pool, options.environment.journal), this.#log)
  }

  /** The pool has most transactions of a block: their signatures need not be looked at again. */
  readonly decode: Decode = (raw) => {
    const family = this.#families.of(raw)
    return this.pool.get(family.hash(raw))?.transaction ?? family.decode(raw)
  }

  /** Executable transactions, best first. */
  candidates(baseFeePerGas: bigint, rank: Rank): PriorityCursor {
    return this.pool.byPriority(baseFeePerGas, rank)
  }

  /** Takes in what the last run left in the journal. */
  load(): void {
    for (const raw of this.#environment.journal.load()) {
      try {
        this.#admit(raw, 'journal')
      } catch (error) {
        // Included or outdated meanwhile: the reason of a refusal is of no use to anyone here.
        if (!(error instanceof CodedError)) throw error
      }
    }
    // CometBFT may not run yet: it is offered all in time.
    this.#promoted = []
    this.#journal.rewrite()
  }

  /**
   * CometBFT's mempool or a peer of it brings a transaction. It may keep, and gossip, what can execute: what has to wait is
   * taken into the pool, and refused with pool/16.
   */
  check(raw: Uint8Array, recheck: boolean): TransactionCheck {
    const hash = this.#families.hash(raw)
    const known = this.pool.get(hash)
    if (known !== undefined) return this.#answerComet(known)
    if (recheck) {
      const gone = new CodedError('pool', POOL_CODES.gone, 'no longer in the pool')
      return refusal(this.#setAside.refusal(hash, this.#environment.clock.nowMs()) ?? gone)
    }
    const end = this.#environment.witness?.arrived('transactions', 'network')
    try {
      const entry = this.#admit(raw, 'network')
      this.#journal.tryWrite(entry)
      const answer = this.#answerComet(entry)
      this.#offer(this.#takePromoted())
      end?.(entry.hash)
      return answer
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      end?.(error)
      return refusal(error)
    }
  }

  /** A native client's broadcast, as {@link submit}; a refusal is a code. */
  async broadcast(raw: Uint8Array): Promise<BroadcastCheck> {
    try {
      const entry = await this.#submit(raw, 'client')
      return { ...accepted(entry), nativeHash: sha256(raw) }
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return { ...refusal(error), nativeHash: sha256(raw) }
    }
  }

  /** eth_sendRawTransaction: journaled before it is answered. Throws pool, evm and rlp errors. */
  async submit(raw: Uint8Array): Promise<Hash> {
    return (await this.#submit(raw, 'wallet')).hash
  }

  /** Takes transactions in the order of the calls, also where signatures are checked elsewhere. */
  async #submit(raw: Uint8Array, origin: Origin): Promise<PoolEntry> {
    const end = this.#environment.witness?.arrived('transactions', origin)
    try {
      const entry = await this.#take(raw, origin)
      end?.(entry.hash)
      return entry
    } catch (error) {
      if (error instanceof CodedError) end?.(error)
      throw error
    }
  }

  async #take(raw: Uint8Array, origin: Origin): Promise<PoolEntry> {
    const examined = this.#examine(raw, origin)
    const answer = this.#signatures && (await this.#signatures.check(examined.signatureTask()))
    const displaced: PoolEntry[] = []
    const entry = this.#enter(examined, answer, displaced)
    // It goes before those that waited for it.
    const promoted = [entry, ...this.#takePromoted()]
    try {
      await this.#journal.write(entry)
    } catch (error) {
      this.#putBack(displaced)
      throw error
    }
    this.#offer(promoted)
    return entry
  }

  /** `displaced` gets what leaves for it. */
  #enter(examined: ExaminedTransaction, answer: Uint8Array | undefined, displaced: PoolEntry[]): PoolEntry {
    this.#displaced = displaced
    try {
      return examined.enter(answer, this.#context())
    } finally {
      this.#displaced = undefined
    }
  }

  /** What left for a transaction that was refused after all, because the disk did not take it: its senders were told that it is here. */
  #putBack(displaced: readonly PoolEntry[]): void {
    const { state, baseFeePerGas } = this.#options.head()
    for (const entry of displaced) {
      const account = poolAccountOf(state.account(entry.sender))
      if (entry.nonce < account.nonce) continue
      try {
        this.pool.insert(entry, account, baseFeePerGas)
        this.#departed.delete(bytesToKey(entry.hash))
      } catch (error) {
        if (!(error instanceof CodedError)) throw error
        // Something else has its place by now.
      }
    }
    this.#offer(this.#takePromoted())
  }

  /** Another chain begins. */
  clear(): void {
    this.pool.clear()
    this.#gossip.clear()
    this.#departed.clear()
    this.#settled = undefined
  }

  /** CometBFT asks again of what its mempool holds. */
  askedAgain(): void {
    this.#gossip.askedAgain()
  }

  /** CometBFT forgot what it had: it was restarted. */
  forgetGossip(): void {
    this.#gossip.clear()
  }

  /** Offers to CometBFT what it does not have: its mempool may have been full or lost, or the first peer has come. */
  offerAgain(): void {
    this.#gossip.offerMissing(this.#options.head().baseFeePerGas)
  }

  /** Takes out what a committed block included or made invalid, and looks anew at the accounts that it changed. */
  settle({ outcomes, commitment, content }: Candidate): void {
    const { baseFeePerGas, limits, height, state } = this.#options.head()
    const maxBlockWeight = readMaxBlockWeight(state)
    this.#included = new Set(outcomes.flatMap(storedKey))
    for (const { address, after } of commitment.accounts) this.pool.update(address, poolAccountOf(after))
    for (const key of this.#included) this.#departed.delete(key)
    this.#included = new Set()
    this.pool.expireTerms(height)
    const before = this.#settled
    this.#settled = { baseFeePerGas, limits, maxBlockWeight }
    // What was there before the first block after a start is not known.
    const isSame = before?.maxBlockWeight === maxBlockWeight && isSameLimits(before.limits, limits)
    if (!isSame) this.#dropUnfit(maxBlockWeight)
    this.#gossip.settle(content.height)
    this.#offer(this.#takePromoted())
    if (before !== undefined && baseFeePerGas < before.baseFeePerGas) this.offerAgain()
    if (content.height % POOL_CARE_INTERVAL_BLOCKS !== 0) return
    this.pool.expire(this.#environment.clock.nowMs())
    this.#journal.rewriteIfOutdated()
    this.#gossip.forgetDropped()
    this.offerAgain()
  }

  /** Why a native transaction that left the pool cannot be in a block any more; `hash` is of one that is in none. */
  failedNative(hash: Hash): FailedEntry | undefined {
    const { state, height } = this.#options.head()
    return this.#departed.failure(hash, state, height)
  }

  /** A proposer found an entry invalid at its place. */
  dropInvalid(entry: PoolEntry, error: CodedError): void {
    // Another transaction of the proposal took its nonce or its funds: that counts once the block is decided.
    if (isTakenByAnother(error) && this.#standsInState(entry)) return
    this.#log.info('transaction dropped', { hash: bytesToHex(entry.hash), reason: error.message })
    this.pool.remove(entry)
  }

  /** A proposer would hold the chain up with it: it is not taken again for a while. */
  dropTooHeavy(entry: PoolEntry): void {
    this.#drop(entry.hash, 'slow')
  }

  /** The engine failed at it, in a proposal of this node or of another: it is not taken again for a while. */
  dropFaulty(raw: Uint8Array): void {
    this.#drop(this.#families.hash(raw), 'faulty')
  }

  #drop(hash: Hash, reason: SetAsideReason): void {
    this.#log.warn('transaction dropped', { hash: bytesToHex(hash), reason })
    this.#setAside.add(hash, reason, this.#environment.clock.nowMs())
    const entry = this.pool.get(hash)
    if (entry === undefined) return
    this.pool.remove(entry)
    this.#journal.outdate()
  }

  /** What no block may hold under the limits of the next one. */
  #dropUnfit(maxBlockWeight: number): void {
    const { limits } = this.#options.head()
    for (const entry of [...this.pool.entries()]) {
      try {
        entry.checkLimits(limits, maxBlockWeight)
      } catch (error) {
        if (!(error instanceof CodedError)) throw error
        this.pool.remove(entry)
      }
    }
  }

  #noteExecutable(entry: PoolEntry): void {
    this.#promoted.push(entry)
    if (!entry.isAnnounced || this.#announced.has(entry)) return
    this.#announced.add(entry)
    this.#options.onExecutable(entry.hash)
  }

  #noteLeft(entry: PoolEntry): void {
    const isIncluded = this.#included.has(bytesToKey(entry.hash))
    this.#gossip.delete(entry, isIncluded)
    this.#displaced?.push(entry)
    if (!isIncluded) this.#departed.add(entry)
  }

  #takePromoted(): readonly PoolEntry[] {
    const promoted = this.#promoted
    if (promoted.length > 0) this.#promoted = []
    return promoted
  }

  #offer(entries: readonly PoolEntry[]): void {
    if (entries.length > 0) this.#gossip.offer(entries, this.#options.head().baseFeePerGas)
  }

  #standsInState(entry: PoolEntry): boolean {
    try {
      entry.checkState({ ...this.#options.head(), pool: this.pool })
      return true
    } catch (error) {
      if (error instanceof CodedError) return false
      throw error
    }
  }

  #context(): AdmissionContext {
    return {
      ...this.#options.head(),
      pool: this.pool,
      settings: this.#options.settings,
      nowMs: this.#environment.clock.nowMs(),
      arrival: this.#arrivals++,
    }
  }

  #admit(raw: Uint8Array, origin: Origin): PoolEntry {
    return this.#examine(raw, origin).enter(undefined, this.#context())
  }

  #examine(raw: Uint8Array, origin: Origin): ExaminedTransaction {
    if (this.#setAside.size > 0) {
      const refused = this.#setAside.refusal(this.#families.hash(raw), this.#environment.clock.nowMs())
      if (refused !== undefined) throw refused
    }
    // A wallet's question is Ethereum's: whatever it sends is refused in geth's words.
    const family = origin === 'wallet' ? ethereumFamily : this.#families.of(raw)
    return family.examine(raw, origin, this.#context())
  }

  /** CometBFT keeps what the next block could hold. */
  #answerComet(entry: PoolEntry): TransactionCheck {
    const { baseFeePerGas, state } = this.#options.head()
    if (this.#gossip.isDue(entry, baseFeePerGas)) {
      if (!this.#gossip.hasRoom(entry)) {
        return refusal(new CodedError('pool', POOL_CODES.waiting, `${GOSSIP_FULL}: ${WAITS_HERE}`))
      }
      this.#gossip.keep(entry)
      return accepted(entry)
    }
    this.#gossip.giveBack(entry)
    const reason = this.pool.waitReason(entry, poolAccountOf(state.account(entry.sender)))
    const text = reason === undefined ? 'the base fee is above what it pays' : WAIT_TEXTS[reason]
    return refusal(new CodedError('pool', POOL_CODES.waiting, `${text}: ${WAITS_HERE}`))
  }
}

const storedKey = (outcome: TransactionOutcome): readonly string[] => {
  const hash = outcome.kind === 'applied' ? outcome.storedHash() : undefined
  return hash === undefined ? [] : [bytesToKey(hash)]
}

const accepted = ({ gasLimit }: PoolEntry): TransactionCheck => ({
  code: 0,
  codespace: '',
  log: '',
  gasWanted: gasLimit,
})

const isSameLimits = (a: TransactionLimits, b: TransactionLimits): boolean =>
  a.hardfork === b.hardfork && a.blockGasLimit === b.blockGasLimit

const isTakenByAnother = (error: CodedError): boolean =>
  TAKEN_BY_ANOTHER.some((name) => isEvmError(error, name)) ||
  (error.codespace === 'sdk' && SDK_TAKEN_BY_ANOTHER.includes(error.code))

/**
 * The refusal for CometBFT and native clients, to whom bytes that are no transaction are one thing, whichever family
 * they look like.
 */
const refusal = (error: CodedError): TransactionCheck => {
  const { code, codespace, message: log } = error.codespace === 'rlp' ? sdkError('parse', error.message) : error
  return { code, codespace, log, gasWanted: 0n }
}
