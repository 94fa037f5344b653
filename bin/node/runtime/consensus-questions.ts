/**
 * What clients have this node ask its CometBFT: a few questions at once, so that thousands of them take turns with blocks and
 * with what is asked of the application itself. Connections are served one after the other.
 */
import { limitExceeded } from '../../../app/errors.ts'
import type { Asker } from '../../../app/ports.ts'
import { currentAsker } from './current-asker.ts'

const AT_ONCE = 8
/** All that gateways may have on their way, and one of their clients. */
const MAX_WAITING = 20_000
const MAX_OF_CLIENT = 2_000

interface Waiting {
  readonly client: string
  begin(): void
}

export class ConsensusQuestions {
  /** The lines by connection, in the order of their turns. */
  readonly #lines = new Map<string, Waiting[]>()
  /** How many of each client wait. */
  readonly #clients = new Map<string, number>()
  readonly #atOnce: number
  #waiting = 0
  #underway = 0

  constructor(atOnce = AT_ONCE) {
    this.#atOnce = atOnce
  }

  /** Rejects with query/5 where too many wait, or nobody does any more. */
  async run<Result>(ask: () => Promise<Result>): Promise<Result> {
    await this.#turn(currentAsker())
    try {
      return await ask()
    } finally {
      this.#underway--
      this.#next()
    }
  }

  #turn(asker: Asker): Promise<void> | undefined {
    if (this.#underway < this.#atOnce) {
      this.#underway++
      return undefined
    }
    const { client } = asker
    const ofClient = this.#clients.get(client) ?? 0
    if (this.#waiting >= MAX_WAITING || ofClient >= MAX_OF_CLIENT)
      throw limitExceeded('too many questions wait for CometBFT; try again')
    return new Promise((resolve, reject) => {
      const key = `${client} ${asker.connection}`
      let stopListening = (): void => undefined
      const waiting: Waiting = {
        client,
        begin: () => {
          stopListening()
          resolve()
        },
      }
      const line = this.#lines.get(key)
      if (line === undefined) this.#lines.set(key, [waiting])
      else line.push(waiting)
      this.#count(client, 1)
      stopListening = asker.onGone(() => {
        if (this.#leave(key, waiting)) reject(limitExceeded('nobody waits for the answer any more'))
      })
    })
  }

  #count(client: string, change: number): void {
    this.#waiting += change
    const count = (this.#clients.get(client) ?? 0) + change
    if (count === 0) this.#clients.delete(client)
    else this.#clients.set(client, count)
  }

  /** False where its turn has come already. */
  #leave(key: string, waiting: Waiting): boolean {
    const line = this.#lines.get(key)
    const index = line?.indexOf(waiting) ?? -1
    if (line === undefined || index < 0) return false
    line.splice(index, 1)
    if (line.length === 0) this.#lines.delete(key)
    this.#count(waiting.client, -1)
    return true
  }

  #next(): void {
    const [first] = this.#lines
    if (first === undefined || this.#underway >= this.#atOnce) return
    const [key, line] = first
    const waiting = line.shift()
    this.#lines.delete(key)
    if (line.length > 0) this.#lines.set(key, line)
    if (waiting === undefined) return
    this.#count(waiting.client, -1)
    this.#underway++
    waiting.begin()
  }
}
