/**
 * Follows one contract of the external chain at its finalized blocks. Everything that it knows it reads again after a restart.
 * Each round asks what is finalized, makes sure that what was finalized before still is, and reads some ranges of logs.
 */
import { type BridgeContract, type BridgeEvent } from '../../core/bridge-event.ts'
import { equalBytes } from '../../core/bytes.ts'
import { errorText } from '../../core/errors.ts'
import { bytesToHex } from '../../core/hex.ts'
import type { BlockName } from './chain-answers.ts'
import { ChainReader, type Finality } from './chain-reader.ts'
import type { Endpoint } from './endpoint.ts'
import { daemonError, isFault } from './errors.ts'
import { EventChain } from './event-chain.ts'
import { Window } from './window.ts'

/** Then what is finalized is asked again, and the health is told. */
const RANGES_A_ROUND = 8
/** A finalized block this old is worth a word: the chain does not finalize, or the endpoint has stopped. */
const OLD_SECONDS = 3_600

export interface WatchReport {
  readonly contract: BridgeContract | undefined
  /** Another number means: what was reported before is void. */
  readonly generation: number
  /** Events that the node has not acknowledged, without a gap. */
  readonly events: readonly BridgeEvent[]
  /** Error of the newest round; undefined where all went well. */
  readonly error: string | undefined
  readonly warnings: readonly string[]
  /** Newest finalized block; undefined before the first round. */
  readonly finalized: number | undefined
  /** The blocks below were read. */
  readonly scanned: number | undefined
}

interface ScanFault {
  readonly text: string
  /** Height on the external chain. */
  readonly height: number
}

/** How far one contract was read. */
class Scan {
  readonly contract: BridgeContract
  readonly chain: EventChain
  /** The next block to read; undefined until the first block of the contract is known. */
  cursor: number | undefined
  /** Why it was begun anew; it holds until the block at which that was found is behind. */
  readonly fault: ScanFault | undefined

  constructor(contract: BridgeContract, nextId: number, fault?: ScanFault) {
    this.contract = contract
    this.chain = new EventChain(nextId)
    this.fault = fault
  }

  get standingFault(): string | undefined {
    return this.fault !== undefined && (this.cursor ?? 0) <= this.fault.height ? this.fault.text : undefined
  }
}

const isSame = (a: BridgeContract | undefined, b: BridgeContract | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.chainId === b.chainId && equalBytes(a.address, b.address))

export class Watcher {
  readonly #reader: ChainReader
  readonly #wallSeconds: () => number
  readonly #window = new Window()
  #scan: Scan | undefined
  /** Newest finalized block of the contract's chain: it must stay what it is. */
  #finalized: (BlockName & { readonly chainId: bigint }) | undefined
  #generation = 0
  #error: string | undefined
  #warnings: readonly string[] = []

  /** `lateMs` is what those who are slow get once a majority agrees. */
  constructor(endpoints: readonly Endpoint[], wallSeconds: () => number, lateMs?: number) {
    this.#reader = new ChainReader(endpoints, lateMs)
    this.#wallSeconds = wallSeconds
  }

  /** Begins anew where another contract or older events are wanted than before. */
  follow(contract: BridgeContract | undefined, nextId: number): void {
    const scan = this.#scan
    if (isSame(scan?.contract, contract) && scan?.chain.acknowledge(nextId) !== false) return
    this.#begin(contract === undefined ? undefined : new Scan(contract, nextId))
  }

  report(): WatchReport {
    const scan = this.#scan
    return {
      contract: scan?.contract,
      generation: this.#generation,
      events: scan?.chain.events ?? [],
      error: this.#error ?? scan?.standingFault,
      warnings: this.#warnings,
      finalized: this.#finalized?.number,
      scanned: scan?.cursor,
    }
  }

  /** Never rejects. True where more can be read at once. */
  async round(): Promise<boolean> {
    const scan = this.#scan
    if (scan === undefined) {
      this.#error = undefined
      this.#warnings = []
      return false
    }
    const warnings: string[] = []
    let isMore = false
    let failure: string | undefined
    try {
      isMore = await this.#read(scan, warnings)
    } catch (error) {
      failure = errorText(error)
    }
    warnings.push(...this.#reader.takeComplaints())
    // The contract is another one by now.
    if (this.#scan?.contract !== scan.contract) return true
    this.#error = failure
    this.#warnings = warnings
    return isMore
  }

  #begin(scan: Scan | undefined): void {
    this.#scan = scan
    this.#generation++
  }

  async #read(scan: Scan, warnings: string[]): Promise<boolean> {
    const finality = await this.#reader.finality(scan.contract.chainId)
    const { block } = finality
    await this.#requireFinality(scan, finality)
    const ageSeconds = this.#wallSeconds() - block.timestamp
    if (ageSeconds > OLD_SECONDS) warnings.push(`the finalized block ${block.number} is more than an hour old`)
    if (scan.cursor === undefined) {
      scan.cursor = await this.#firstBlock(scan, finality)
      if (scan.cursor === undefined) {
        const address = bytesToHex(scan.contract.address)
        warnings.push(`no contract at ${address} as of finalized block ${block.number}: it is waited for`)
        return false
      }
    }
    for (let ranges = 0; ranges < RANGES_A_ROUND && !scan.chain.isFull; ranges++) {
      if (scan.cursor > block.number) break
      await this.#readRange(scan, finality)
      if (this.#scan !== scan) return true
    }
    if (scan.chain.isFull) return false
    if (scan.cursor <= block.number) return true
    const { expected, nextId } = scan.chain
    if (expected < nextId) {
      throw daemonError('behind', `the chain has ${expected} finalized events, though ${nextId} are acknowledged`)
    }
    return false
  }

  /** What was finalized must stay: else nothing is read, and what was read is forgotten. */
  async #requireFinality(scan: Scan, finality: Finality): Promise<void> {
    const { block } = finality
    const { chainId } = scan.contract
    const before = this.#finalized
    if (before !== undefined && before.chainId === chainId) {
      if (block.number < before.number) {
        throw daemonError('behind', `finalized is block ${block.number}, though block ${before.number} was`)
      }
      const hash = block.number === before.number ? block.hash : await this.#reader.hashAt(finality, before.number)
      if (hash !== before.hash) {
        if (this.#scan === scan) this.#begin(new Scan(scan.contract, scan.chain.nextId))
        throw daemonError(
          'reorganised',
          `the external chain was re-organised below finality: block ${before.number} was ${before.hash}, and is ${hash}`,
        )
      }
    }
    this.#finalized = { ...block, chainId }
  }

  /** Undefined where there is no contract. Endpoints without old states have the chain read from its beginning. */
  async #firstBlock({ contract }: Scan, finality: Finality): Promise<number | undefined> {
    if (!(await this.#reader.hasCode(finality, contract, finality.block.number))) return undefined
    let without = -1
    let withCode = finality.block.number
    try {
      while (withCode - without > 1) {
        const middle = Math.floor((without + withCode) / 2)
        if (await this.#reader.hasCode(finality, contract, middle)) withCode = middle
        else without = middle
      }
    } catch (error) {
      if (isFault(error, 'limited')) return 0
      throw error
    }
    return withCode
  }

  async #readRange(scan: Scan, finality: Finality): Promise<void> {
    const from = scan.cursor ?? 0
    const to = Math.min(from + this.#window.blocks - 1, finality.block.number)
    try {
      const logs = await this.#reader.logs(finality, scan.contract, from, to)
      const full = scan.chain.take(logs)
      scan.cursor = full ?? to + 1
      if (to - from + 1 === this.#window.blocks) this.#window.answered()
    } catch (error) {
      if (isFault(error, 'skippedId') && this.#scan === scan) {
        // Logs may have been left out before: all is read again.
        this.#begin(new Scan(scan.contract, scan.chain.nextId, { text: errorText(error), height: to }))
      }
      if (isFault(error, 'limited', 'tooLarge', 'unreachable') && this.#window.refused(to - from + 1)) return
      throw error
    }
  }
}
