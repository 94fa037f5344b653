/**
 * The bytes of questions that wait in a gateway to be sent to the application: all of them have one bound, and where it is
 * reached the connection that has most of it loses what it asked last.
 */
import type { Asker } from '../../app/ports.ts'

interface Share {
  bytes: number
  count: number
  /** In the order in which they were asked, some that do not wait any more among them. */
  ids: number[]
}

interface Waiting {
  readonly key: string
  readonly bytes: number
}

/** Above so many, those that have ended are forgotten: a connection may always have some that wait. */
const MOST_ENDED = 64

const keyOf = ({ client, connection }: Asker): string => `${client} ${connection}`

export class UnsentBytes {
  readonly #most: number
  readonly #shares = new Map<string, Share>()
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
    const key = keyOf(asker)
    while (this.#bytes + bytes > this.#most) {
      const own = (this.#shares.get(key)?.bytes ?? 0) + bytes
      const last = this.#lastOfGreediest(own)
      if (last === undefined) return false
      drop(last)
    }
    return true
  }

  add(asker: Asker, id: number, bytes: number): void {
    const key = keyOf(asker)
    const share = this.#shares.get(key) ?? { bytes: 0, count: 0, ids: [] }
    this.#shares.set(key, share)
    this.#waiting.set(id, { key, bytes })
    this.#bytes += bytes
    share.bytes += bytes
    share.count++
    share.ids.push(id)
    if (share.ids.length > 2 * share.count + MOST_ENDED) share.ids = share.ids.filter((each) => this.#waiting.has(each))
  }

  /** It is sent, or nobody waits for it. */
  end(id: number): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    const { key, bytes } = waiting
    this.#waiting.delete(id)
    this.#bytes -= bytes
    const share = this.#shares.get(key)
    if (share === undefined) return
    share.bytes -= bytes
    share.count--
    if (share.count === 0) this.#shares.delete(key)
  }

  clear(): void {
    this.#shares.clear()
    this.#waiting.clear()
    this.#bytes = 0
  }

  #lastOfGreediest(most: number): number | undefined {
    let greediest: Share | undefined
    for (const share of this.#shares.values()) if (share.bytes > (greediest?.bytes ?? most)) greediest = share
    let last = greediest?.ids.pop()
    while (last !== undefined && !this.#waiting.has(last)) last = greediest?.ids.pop()
    return last
  }
}
