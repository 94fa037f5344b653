/** Which transactions a full pool drops for one that comes: of those that wait the greediest account's, then the cheapest. */
import type { AccountQueue } from './account-queue.ts'
import { effectiveTip, type PoolEntry } from './entry.ts'
import { Heap } from './heap.ts'

/** The last transaction of an account, that leaves first. */
interface Candidate {
  readonly queue: AccountQueue
  readonly entry: PoolEntry
  /** How many of the account wait; 0 for a candidate that executes. */
  readonly crowd: number
  readonly tip: bigint
  /** Revision of the queue when it was looked at: the choice is outdated once the queue has changed. */
  readonly revision: number
  /** Where others of the queue are chosen already: it counts for this choice only. */
  readonly choice?: Choice
}

interface Choice {
  isOpen: boolean
}

const leavesBefore = (a: Candidate, b: Candidate): boolean => {
  if (a.crowd !== b.crowd) return a.crowd > b.crowd
  return a.tip === b.tip ? a.entry.arrival > b.entry.arrival : a.tip < b.tip
}

/** A queue holds several outdated candidates at most: more than this for each queue, and all are looked at anew. */
const MOST_OUTDATED = 4
const LEAST_REBUILT = 1_000

/** What the limits of the pool are passed by. */
export interface Shortage {
  readonly places: number
  /** Places for what waits. */
  readonly waitingPlaces: number
  readonly bytes: number
}

/** The arrival that needs room. */
export interface Arrival {
  readonly entry: PoolEntry
  readonly queue: AccountQueue
  readonly canExecute: boolean
  readonly baseFeePerGas: bigint
  readonly shortage: Shortage
}

/** What is chosen to leave, until it makes up for a shortage. */
class Victims {
  readonly entries: PoolEntry[] = []
  #places: number
  #waitingPlaces: number
  #bytes: number

  constructor({ places, waitingPlaces, bytes }: Shortage) {
    this.#places = places
    this.#waitingPlaces = waitingPlaces
    this.#bytes = bytes
  }

  get areEnough(): boolean {
    return this.#places <= 0 && this.#waitingPlaces <= 0 && this.#bytes <= 0
  }

  add(entry: PoolEntry): void {
    this.entries.push(entry)
    this.#places--
    // What executes leaves for what executes, and that takes no place behind a gap.
    this.#waitingPlaces--
    this.#bytes -= entry.memoryBytes
  }
}

/** What of a queue is a candidate. `chosen` of its entries are chosen already. */
type Look = (queue: AccountQueue, chosen: number) => Omit<Candidate, 'queue' | 'revision'> | undefined

/** The queues by what leaves first. Costs nothing until the pool has been full. */
class Ranking {
  readonly #look: Look
  #heap: Heap<Candidate> | undefined

  constructor(look: Look) {
    this.#look = look
  }

  forget(): void {
    this.#heap = undefined
  }

  /** A queue has changed: its candidates before are outdated. */
  note(queue: AccountQueue, queueCount: number): void {
    if (this.#heap === undefined) return
    if (this.#heap.size > MOST_OUTDATED * queueCount + LEAST_REBUILT) this.#heap = undefined
    else this.#push(this.#heap, queue, 0)
  }

  /**
   * Chooses until it is enough, or until `accepts` refuses the one that would leave next. Nothing is removed, and what
   * the ranking knows is as before.
   */
  choose(queues: Iterable<AccountQueue>, victims: Victims, accepts: (next: Candidate) => boolean): void {
    this.#heap ??= this.#build(queues)
    const heap = this.#heap
    const choice: Choice = { isOpen: true }
    const chosen = new Map<AccountQueue, number>()
    const taken: Candidate[] = []
    while (!victims.areEnough) {
      const next = this.#next(heap)
      if (next === undefined || !accepts(next)) break
      heap.pop()
      if (next.choice === undefined) taken.push(next)
      victims.add(next.entry)
      const count = (chosen.get(next.queue) ?? 0) + 1
      chosen.set(next.queue, count)
      this.#push(heap, next.queue, count, choice)
    }
    choice.isOpen = false
    for (const candidate of taken) heap.push(candidate)
  }

  #build(queues: Iterable<AccountQueue>): Heap<Candidate> {
    const heap = new Heap(leavesBefore)
    for (const queue of queues) this.#push(heap, queue, 0)
    return heap
  }

  #push(heap: Heap<Candidate>, queue: AccountQueue, chosen: number, choice?: Choice): void {
    const look = this.#look(queue, chosen)
    if (look !== undefined) heap.push({ ...look, queue, revision: queue.revision, ...(choice && { choice }) })
  }

  #next(heap: Heap<Candidate>): Candidate | undefined {
    for (let next = heap.peek(); next !== undefined; next = heap.peek()) {
      if (next.revision === next.queue.revision && next.choice?.isOpen !== false) return next
      heap.pop()
    }
    return undefined
  }
}

export class Evictions {
  readonly #queues: ReadonlyMap<string, AccountQueue>
  #baseFeePerGas = 0n
  /** The entries of the queue that was looked at last, with its revision then. */
  #sorted:
    | { readonly queue: AccountQueue; readonly revision: number; readonly entries: readonly PoolEntry[] }
    | undefined
  readonly #waiting = new Ranking((queue, chosen) => {
    const entry = chosen === 0 ? queue.lastWaiting() : this.#waitingFromLast(queue)[chosen]
    return entry && { entry, crowd: queue.waitingCount - chosen, tip: effectiveTip(entry, this.#baseFeePerGas) }
  })
  readonly #executable = new Ranking((queue, chosen) => {
    const entry = queue.lastExecutable(chosen)
    return entry && { entry, crowd: 0, tip: queue.tipAt(entry, this.#baseFeePerGas) }
  })

  /** `queues` are those of the pool, as they change. */
  constructor(queues: ReadonlyMap<string, AccountQueue>) {
    this.#queues = queues
  }

  /** A queue has changed. */
  note(queue: AccountQueue): void {
    this.#waiting.note(queue, this.#queues.size)
    this.#executable.note(queue, this.#queues.size)
  }

  forget(): void {
    this.#waiting.forget()
    this.#executable.forget()
  }

  /**
   * What leaves for an arrival, or undefined when it finds no room. What can execute displaces all that waits, and what
   * pays less. What waits displaces only what waits, of accounts of which more does: its price is one that nobody pays.
   */
  forArrival(arrival: Arrival): readonly PoolEntry[] | undefined {
    const { entry, queue, canExecute, baseFeePerGas, shortage } = arrival
    if (baseFeePerGas !== this.#baseFeePerGas) {
      this.#baseFeePerGas = baseFeePerGas
      this.forget()
    }
    const victims = new Victims(shortage)
    const queues = (): Iterable<AccountQueue> => this.#queues.values()
    if (canExecute) {
      this.#waiting.choose(queues(), victims, (next) => next.entry.nonce !== entry.nonce || next.queue !== queue)
      const tip = queue.tipAt(entry, baseFeePerGas)
      this.#executable.choose(queues(), victims, (next) => next.tip < tip && next.queue !== queue)
    } else {
      const crowd = queue.waitingCount + (queue.get(entry.nonce) === undefined ? 1 : 0)
      const tip = effectiveTip(entry, baseFeePerGas)
      this.#waiting.choose(
        queues(),
        victims,
        (next) => next.queue !== queue && (next.crowd > crowd || (next.crowd === crowd && next.tip < tip)),
      )
    }
    return victims.areEnough ? victims.entries : undefined
  }

  /** The last waiting transaction of the greediest account. */
  greediest(): PoolEntry | undefined {
    const victims = new Victims({ places: 1, waitingPlaces: 1, bytes: 0 })
    this.#waiting.choose(this.#queues.values(), victims, () => true)
    return victims.entries[0]
  }

  #waitingFromLast(queue: AccountQueue): readonly PoolEntry[] {
    const { revision } = queue
    if (this.#sorted?.queue !== queue || this.#sorted.revision !== revision) {
      this.#sorted = { queue, revision, entries: queue.waitingFromLast() }
    }
    return this.#sorted.entries
  }
}
