/** What the subscriptions of a gateway take of its memory, by client. */
import { rpcError } from '../errors.ts'
import type { SubscriptionKind } from './subscription.ts'

/** Bytes, about: of a subscription, and of one address, topic or hash that it names, as text and in a set. */
const SUBSCRIPTION_BYTES = 512
const CHOICE_BYTES = 160

const choicesOf = (kind: SubscriptionKind): number => {
  if (kind.type === 'transactionReceipts') return kind.hashes.size
  if (kind.type !== 'logs') return 0
  const { addresses, topics } = kind.criteria
  return topics.reduce((sum, choices) => sum + choices.length, addresses.length)
}

export const subscriptionBytes = (kind: SubscriptionKind): number => SUBSCRIPTION_BYTES + CHOICE_BYTES * choicesOf(kind)

export interface OwnerBounds {
  readonly bytes: number
  readonly bytesOfClient: number
}

interface Owner<Item> {
  readonly client: string
  /** Oldest first. */
  readonly items: Map<Item, number>
  bytes: number
}

export class Owners<Item> {
  readonly #owners = new Map<string, Owner<Item>>()
  readonly #bounds: OwnerBounds
  #bytes = 0

  constructor(bounds: OwnerBounds) {
    this.#bounds = bounds
  }

  /**
   * Throws rpc/rateLimited when the client has used up its own. Returns what must end for it: where those of all clients
   * are too many, the oldest of whoever has most.
   */
  add(client: string, item: Item, bytes: number): readonly Item[] {
    const owner = this.#owners.get(client) ?? { client, items: new Map<Item, number>(), bytes: 0 }
    const { bytes: allBytes, bytesOfClient } = this.#bounds
    if (owner.bytes + bytes > bytesOfClient) {
      throw rpcError('rateLimited', `too many subscriptions: those of a client may take ${bytesOfClient} bytes`)
    }
    const ended: Item[] = []
    while (this.#bytes + bytes > allBytes && this.#owners.size > 0) ended.push(...this.#dropOfGreediest())
    this.#owners.set(client, owner)
    owner.items.set(item, bytes)
    owner.bytes += bytes
    this.#bytes += bytes
    return ended
  }

  remove(client: string, item: Item): void {
    const owner = this.#owners.get(client)
    const bytes = owner?.items.get(item)
    if (owner === undefined || bytes === undefined) return
    owner.items.delete(item)
    owner.bytes -= bytes
    this.#bytes -= bytes
    if (owner.items.size === 0) this.#owners.delete(client)
  }

  #dropOfGreediest(): readonly Item[] {
    let greediest: Owner<Item> | undefined
    for (const owner of this.#owners.values()) if (owner.bytes > (greediest?.bytes ?? 0)) greediest = owner
    const oldest = [...(greediest?.items.keys() ?? [])].slice(0, 1)
    for (const item of oldest) this.remove(greediest?.client ?? '', item)
    return oldest
  }
}
