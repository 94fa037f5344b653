/** The events that the daemon has told, as the application asks for them: by id, without a gap, and bounded. */
import type { BridgeContract, BridgeEvent } from '../../../core/bridge-event.ts'
import { bridgeEventHash } from '../../../core/bridge-event.ts'
import { equalBytes } from '../../../core/bytes.ts'
import { daemonError } from '../../../daemons/bridge/errors.ts'
import { MOST_EVENTS } from '../../../daemons/bridge/event-chain.ts'

export const isSameContract = (a: BridgeContract | undefined, b: BridgeContract | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.chainId === b.chainId && equalBytes(a.address, b.address))

export class EventRing {
  #contract: BridgeContract | undefined
  #nextId = 0
  #events: readonly BridgeEvent[] = []
  /** Hashes of what was told, while the application has not acknowledged it: a daemon that starts anew must say the same. */
  #hashes = new Map<number, Uint8Array>()
  #contradiction: Error | undefined

  get contract(): BridgeContract | undefined {
    return this.#contract
  }

  get nextId(): number {
    return this.#nextId
  }

  /** What the daemon has told otherwise before: nothing is answered any more then. */
  get contradiction(): Error | undefined {
    return this.#contradiction
  }

  /** False where nothing changes. */
  follow(contract: BridgeContract | undefined, nextId: number): boolean {
    const isSame = isSameContract(this.#contract, contract)
    if (isSame && nextId === this.#nextId) return false
    if (!isSame) {
      this.#contract = contract
      this.#events = []
      this.#hashes = new Map()
      this.#contradiction = undefined
    }
    this.#nextId = nextId
    this.#events = this.#events.filter(({ id }) => id >= nextId)
    for (const id of this.#hashes.keys()) if (id < nextId) this.#hashes.delete(id)
    return true
  }

  /** Events that follow the last ones, or the first ones of a daemon. Throws where there is a gap, too many, or others than before. */
  take(contract: BridgeContract, isFirst: boolean, told: readonly BridgeEvent[]): void {
    // The events are of a contract that was watched until now.
    if (!isSameContract(this.#contract, contract) || this.#contradiction !== undefined) return
    const events = isFirst ? [] : [...this.#events]
    for (const event of told) {
      if (event.id < this.#nextId) continue
      const last = events.at(-1)
      if (last !== undefined && event.id !== last.id + 1) {
        throw daemonError('protocol', `event ${event.id} was told after event ${last.id}`)
      }
      if (events.length >= MOST_EVENTS) throw daemonError('protocol', `more than ${MOST_EVENTS} events were told`)
      this.#requireSame(contract, event)
      events.push(event)
    }
    this.#events = this.#contradiction === undefined ? events : []
  }

  events(contract: BridgeContract, from: number, max: number): readonly BridgeEvent[] {
    const [first] = this.#events
    if (first === undefined || from < first.id || !isSameContract(this.#contract, contract)) return []
    return this.#events.slice(from - first.id, from - first.id + max)
  }

  #requireSame(contract: BridgeContract, event: BridgeEvent): void {
    const hash = bridgeEventHash(contract, event)
    const before = this.#hashes.get(event.id)
    if (before === undefined && this.#hashes.size < 2 * MOST_EVENTS) this.#hashes.set(event.id, hash)
    if (before === undefined || equalBytes(before, hash)) return
    this.#contradiction = daemonError(
      'reorganised',
      `the external chain was re-organised below finality: event ${event.id} is another one than before`,
    )
  }
}
