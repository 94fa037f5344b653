/**
 * The bytes of questions that wait in a gateway to be sent to the application. All of them have one bound, and where it is
 * reached the greediest loses: of the clients the one that has most waiting, of its connections the one that has most, what
 * that one asked last.
 */
import type { Asker } from '../../app/ports.ts'

/** A connection may always have some that wait: above so many, those that have ended are forgotten. */
const MOST_ENDED = 64

interface Share {
  bytes: number
  count: number
  /** In the order in which they were asked, some that do not wait any more among them. */
  ids: number[]
}

interface Holder {
  bytes: number
  readonly shares: Map<string, Share>
}

interface Waiting {
  readonly client: string
  readonly connection: string
  readonly bytes: number
}

export class UnsentBytes {
  readonly #most: number
  /** Clients that have something waiting. */
  readonly #holders = new Map<string, Holder>()
  readonly #waiting = new Map<number, Waiting>()
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  get bytes(): number {
    return this.#bytes
  }

  /** `drop` takes a question out, and {@link end}s it. False where nobody has more than the asker would have. */
  makeRoom(asker: Asker, bytes: number, drop: (id: number) => void): boolean {
    while (this.#bytes + bytes > this.#most) {
      const last = this.#lastOfGreediest(asker, bytes)
      if (last === undefined) return false
      drop(last)
    }
    return true
  }

  add({ client, connection }: Asker, id: number, bytes: number): void {
    const holder = this.#holders.get(client) ?? { bytes: 0, shares: new Map<string, Share>() }
    this.#holders.set(client, holder)
    const share = holder.shares.get(connection) ?? { bytes: 0, count: 0, ids: [] }
    holder.shares.set(connection, share)
    this.#waiting.set(id, { client, connection, bytes })
    this.#bytes += bytes
    holder.bytes += bytes
    share.bytes += bytes
    share.count++
    share.ids.push(id)
    if (share.ids.length > 2 * share.count + MOST_ENDED) share.ids = share.ids.filter((each) => this.#waiting.has(each))
  }

  /** It is sent, or nobody waits for it. */
  end(id: number): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    const { client, connection, bytes } = waiting
    this.#waiting.delete(id)
    this.#bytes -= bytes
    const holder = this.#holders.get(client)
    const share = holder?.shares.get(connection)
    if (holder === undefined || share === undefined) return
    holder.bytes -= bytes
    share.bytes -= bytes
    share.count--
    if (share.count === 0) holder.shares.delete(connection)
    if (holder.shares.size === 0) this.#holders.delete(client)
  }

  clear(): void {
    this.#holders.clear()
    this.#waiting.clear()
    this.#bytes = 0
  }

  /** Undefined where the asker would be the greediest with so much more; of equals it is. */
  #lastOfGreediest({ client, connection }: Asker, more: number): number | undefined {
    const own = this.#holders.get(client)
    const greediest = most(this.#holders.values(), (own?.bytes ?? 0) + more, own)
    // Among its own connections it is one of them.
    const least = greediest === own ? (own?.shares.get(connection)?.bytes ?? 0) + more : 0
    const share = most(greediest?.shares.values() ?? [], least, undefined)
    let last = share?.ids.pop()
    while (last !== undefined && !this.#waiting.has(last)) last = share?.ids.pop()
    return last
  }
}

/** The one that has most, and more than `least`; without any `otherwise`. */
const most = <Each extends { readonly bytes: number }>(
  all: Iterable<Each>,
  least: number,
  otherwise: Each | undefined,
): Each | undefined => {
  let found = otherwise
  let bytes = least
  for (const each of all) {
    if (each.bytes <= bytes) continue
    found = each
    bytes = each.bytes
  }
  return found
}
