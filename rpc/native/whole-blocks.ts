/**
 * Answers that hold a whole block: megabytes, the same for everybody, and asked for again and again by explorers. Each who
 * asks has its own place at the application; the first answer that comes is that of all who wait for it.
 */
import type { Asker } from '../../app/ports.ts'
import { cometQuery, txService } from '../../proto/index.ts'
import { methodPath } from './services.ts'

/** Shorter ones are made as soon as they are found here. */
const LONG_BYTES = 64 * 1024
/** The bytes of those that are kept for who comes later. */
const KEPT_BYTES = 32 * 1024 * 1024
/** Characters of a request whose answer is shared. */
const MAX_REQUEST = 64

const LATEST_BLOCK = methodPath(cometQuery.Service.method.getLatestBlock)
const WHOLE_BLOCKS: ReadonlySet<string> = new Set([
  LATEST_BLOCK,
  methodPath(cometQuery.Service.method.getBlockByHeight),
  methodPath(txService.Service.method.getBlockWithTxs),
])

/** Names the answer; undefined for one that is not shared. `data` is the request in base64, `head` the height that is shown as the newest. */
export const wholeBlockKey = (path: string, data: string, head: number): string | undefined => {
  if (!WHOLE_BLOCKS.has(path) || data.length > MAX_REQUEST) return undefined
  return path === LATEST_BLOCK ? `${path} ${head}` : `${path} ${data}`
}

interface Waiting {
  resolve(answer: Buffer): void
}

export class WholeBlocks {
  readonly #waiting = new Map<string, Set<Waiting>>()
  /** In the order in which they came. */
  readonly #kept = new Map<string, Buffer>()
  #keptBytes = 0

  /** `ask` is given an asker who also leaves when the answer came to another one. */
  async answer(key: string, asker: Asker, ask: (asker: Asker) => Promise<Buffer>): Promise<Buffer> {
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const elsewhere = new AbortController()
    const shared = Promise.withResolvers<Buffer>()
    const waiting: Waiting = { resolve: shared.resolve }
    const all = this.#join(key, waiting)
    try {
      const own = ask(leavingOn(asker, elsewhere.signal)).then((answer) => {
        this.#keep(key, answer)
        for (const other of all) other.resolve(answer)
        return answer
      })
      return await Promise.race([own, shared.promise])
    } finally {
      this.#leave(key, waiting)
      elsewhere.abort()
    }
  }

  #join(key: string, waiting: Waiting): ReadonlySet<Waiting> {
    const all = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, all.add(waiting))
    return all
  }

  #leave(key: string, waiting: Waiting): void {
    const all = this.#waiting.get(key)
    all?.delete(waiting)
    if (all?.size === 0) this.#waiting.delete(key)
  }

  #keep(key: string, answer: Buffer): void {
    if (answer.length < LONG_BYTES || answer.length > KEPT_BYTES || this.#kept.has(key)) return
    this.#kept.set(key, answer)
    this.#keptBytes += answer.length
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES) return
      this.#kept.delete(oldest)
      this.#keptBytes -= length
    }
  }
}

/** The same one, who leaves with the signal, too. */
const leavingOn = ({ client, connection, onGone }: Asker, signal: AbortSignal): Asker => ({
  client,
  connection,
  onGone: (listener) => {
    let isTold = false
    const tell = (): void => {
      if (isTold) return
      isTold = true
      listener()
    }
    const stop = onGone(tell)
    signal.addEventListener('abort', tell)
    return () => {
      stop()
      signal.removeEventListener('abort', tell)
    }
  },
})
