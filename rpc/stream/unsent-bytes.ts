/**
 * The bytes of questions that wait in a gateway to be sent to the application: all of them have one bound, and where it is
 * reached the connection that has most of it loses what it asked last.
 */
import type { Asker } from '../../app/ports.ts'

interface Share {
  bytes: number
  /** In the order in which they were asked. */
  readonly ids: Set<number>
}

interface Waiting {
  readonly key: string
  readonly bytes: number
}

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
    const share = this.#shares.get(key) ?? { bytes: 0, ids: new Set() }
    this.#shares.set(key, share)
    share.bytes += bytes
    share.ids.add(id)
    this.#waiting.set(id, { key, bytes })
    this.#bytes += bytes
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
    share.ids.delete(id)
    if (share.ids.size === 0) this.#shares.delete(key)
  }

  clear(): void {
    this.#shares.clear()
    this.#waiting.clear()
    this.#bytes = 0
  }

  #lastOfGreediest(most: number): number | undefined {
    let greediest: Share | undefined
    for (const share of this.#shares.values()) if (share.bytes > (greediest?.bytes ?? most)) greediest = share
    return greediest === undefined ? undefined : [...greediest.ids].at(-1)
  }
}
