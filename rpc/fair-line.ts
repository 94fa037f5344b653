/**
 * What waits, in the order in which it is taken: clients have turns, of each its connections, and of a connection what came
 * first. A connection of which one item waits has every second turn of its client before those that have sent ahead: hundreds
 * of those do not keep whoever asks one thing at a time waiting for each of theirs.
 */
import type { Asker } from '../app/ports.ts'

type Who = Pick<Asker, 'client' | 'connection'>

/** The connections of a client, in the order of their turns. None is empty. */
interface Connections<Item> {
  /** Those of which one item waits, and since they had none no other has. */
  readonly modest: Map<string, Item[]>
  readonly others: Map<string, Item[]>
  wasModest: boolean
}

interface Place<Item> {
  readonly client: string
  readonly connections: Connections<Item>
  readonly connection: string
  readonly items: Item[]
}

/** Puts a member behind all others. */
const moveBack = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  map.delete(key)
  map.set(key, value)
}

const itemsOf = <Item>({ modest, others }: Connections<Item>, connection: string): Item[] | undefined =>
  modest.get(connection) ?? others.get(connection)

const isEmpty = <Item>({ modest, others }: Connections<Item>): boolean => modest.size + others.size === 0

export class FairLine<Item> {
  /** In the order of their turns. None is empty. */
  readonly #clients = new Map<string, Connections<Item>>()

  get isEmpty(): boolean {
    return this.#clients.size === 0
  }

  has({ client, connection }: Who): boolean {
    const connections = this.#clients.get(client)
    return connections !== undefined && itemsOf(connections, connection) !== undefined
  }

  add({ client, connection }: Who, item: Item): void {
    const connections = this.#clients.get(client) ?? { modest: new Map(), others: new Map(), wasModest: false }
    this.#clients.set(client, connections)
    const { modest, others } = connections
    const items = itemsOf(connections, connection)
    if (items === undefined) {
      modest.set(connection, [item])
      return
    }
    items.push(item)
    if (modest.delete(connection)) others.set(connection, items)
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
    connections.wasModest = connections.modest.delete(connection)
    if (items.length > 0) moveBack(connections.others, connection, items)
    else connections.others.delete(connection)
    if (isEmpty(connections)) this.#clients.delete(client)
    else moveBack(this.#clients, client, connections)
    return item
  }

  /** Takes out the first of that connection of which `isIt` is true. */
  remove({ client, connection }: Who, isIt: (item: Item) => boolean): Item | undefined {
    const connections = this.#clients.get(client)
    if (connections === undefined) return undefined
    const items = itemsOf(connections, connection)
    const index = items?.findIndex(isIt) ?? -1
    if (items === undefined || index < 0) return undefined
    const [item] = items.splice(index, 1)
    if (items.length === 0) {
      connections.modest.delete(connection)
      connections.others.delete(connection)
    }
    if (isEmpty(connections)) this.#clients.delete(client)
    return item
  }

  clear(): void {
    this.#clients.clear()
  }

  #next(mayHaveTurn: (client: string) => boolean = () => true): Place<Item> | undefined {
    for (const [client, connections] of this.#clients) {
      if (!mayHaveTurn(client)) continue
      const { modest, others, wasModest } = connections
      const isModestDue = others.size === 0 || (modest.size > 0 && !wasModest)
      for (const [connection, items] of isModestDue ? modest : others) return { client, connections, connection, items }
    }
    return undefined
  }
}
