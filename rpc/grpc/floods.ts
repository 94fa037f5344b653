/** Clients whose connections were closed for resetting streams without end: their next connections wait. */

/** What a new connection of such a client waits, so that its handshake and first streams are no way around the bound. */
const WAIT_MS = 1_000
/** Clients that are remembered: each for no longer than it waits. */
const MAX_CLIENTS = 10_000

export class Floods {
  readonly #untilMs = new Map<string, number>()

  note(client: string): void {
    this.#untilMs.delete(client)
    this.#untilMs.set(client, performance.now() + WAIT_MS)
    if (this.#untilMs.size <= MAX_CLIENTS) return
    const [oldest] = this.#untilMs.keys()
    if (oldest !== undefined) this.#untilMs.delete(oldest)
  }

  /** 0 for a client that floods nobody. */
  waitMs(client: string): number {
    const untilMs = this.#untilMs.get(client)
    if (untilMs === undefined) return 0
    const waitMs = Math.ceil(untilMs - performance.now())
    if (waitMs > 0) return waitMs
    this.#untilMs.delete(client)
    return 0
  }
}
