import type { Asker } from '../../app/ports.ts'

/** Who asked one question, on this side of the stream. */
export class RemoteAsker implements Asker {
  readonly client: string
  readonly connection: string
  /** Most questions are answered before anybody listens. */
  #listeners: Set<() => void> | undefined
  #isGone = false

  constructor(client: string, connection: string) {
    this.client = client
    this.connection = connection
  }

  readonly onGone = (listener: () => void): (() => void) => {
    if (this.#isGone) listener()
    else {
      this.#listeners ??= new Set()
      this.#listeners.add(listener)
    }
    return () => this.#listeners?.delete(listener)
  }

  leave(): void {
    this.#isGone = true
    for (const listener of this.#listeners ?? []) listener()
    this.#listeners?.clear()
  }
}
