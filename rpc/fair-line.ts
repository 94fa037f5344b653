/** What waits, in the order in which it is taken: clients have turns, of each its connections, and of a connection what came first. */
import type { Asker } from '../app/ports.ts'

type Who = Pick<Asker, 'client' | 'connection'>

interface Place<Item> {
  readonly client: string
  readonly connections: Map<string, Item[]>
  readonly connection: string
  readonly items: Item[]
}

/** Puts a member behind all others. */
const moveBack = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  map.delete(key)
  map.set(key, value)
}

export class FairLine<Item> {
  /** The items of each client and connection, in the order of its turns. None is empty. */
  readonly #clients = new Map<string, Map<string, Item[]>>()

  get isEmpty(): boolean {
    return this.#clients.size === 0
  }

  has({ client, connection }: Who): boolean {
    return this.#clients.get(client)?.has(connection) === true
  }

  add({ client, connection }: Who, item: Item): void {
    const connections = this.#clients.get(client) ?? new Map<string, Item[]>()
    this.#clients.set(client, connections)
    const items = connections.get(connection)
    if (items === undefined) connections.set(connection, [item])
    else items.push(item)
  }

  /** What {@link take} takes. */
  peek(mayHaveTurn?: (client: string) => boolean): Item | undefined {
    return this.#next(mayHaveTurn)?.items[0]
  }

  /** Undefined where none waits, or none whose client may have a turn. */
  take(mayHaveTurn?: (client: string) => boolean): Item | undefined {
    const next = this.#next(mayHaveTurn)
    if (next === undefined) return undefined
    const { client, connections, connection, items } = next
    const item = items.shift()
    if (items.length > 0) moveBack(connections, connection, items)
    else connections.delete(connection)
    if (connections.size > 0) moveBack(this.#clients, client, connections)
    else this.#clients.delete(client)
    return item
  }

  /** Takes out the first of that connection of which `isIt` is true. */
  remove({ client, connection }: Who, isIt: (item: Item) => boolean): Item | undefined {
    const connections = this.#clients.get(client)
    const items = connections?.get(connection)
    const index = items?.findIndex(isIt) ?? -1
    if (connections === undefined || items === undefined || index < 0) return undefined
    const [item] = items.splice(index, 1)
    if (items.length === 0) connections.delete(connection)
    if (connections.size === 0) this.#clients.delete(client)
    return item
  }

  clear(): void {
    this.#clients.clear()
  }

  #next(mayHaveTurn: (client: string) => boolean = () => true): Place<Item> | undefined {
    for (const [client, connections] of this.#clients) {
      if (!mayHaveTurn(client)) continue
      for (const [connection, items] of connections) return { client, connections, connection, items }
    }
    return undefined
  }
}
