/**
 * Openings of streams that are being made: each once for all who ask for the same, few at once, in turns by client and connection. What nobody
 * waits for any more is not begun, and not gone on with.
 */
import type { Asker } from '../../../app/ports.ts'
import { rpcError } from '../../errors.ts'
import { FairLine } from '../../fair-line.ts'

/** Openings for which the application is asked at once. */
const AT_ONCE = 4

/** Throws where nobody waits any more: called before each question. */
export type RequireWanted = () => void

interface Opening<Value> {
  /** Those who wait; where one is not known it never goes. */
  waiting: number
  isBegun: boolean
  readonly begin: (countsAsRunning: boolean) => void
  readonly made: Promise<Value>
}

const gone = () => rpcError('failed', 'nobody waits for this any more')

export class OpeningLine<Value> {
  readonly #openings = new Map<string, Opening<Value>>()
  readonly #line = new FairLine<Opening<Value>>()
  #running = 0

  /** `make` is called when it is the turn of one of those who wait; without an asker that is at once. Rejects once the asker has gone. */
  open(key: string, asker: Asker | undefined, make: (requireWanted: RequireWanted) => Promise<Value>): Promise<Value> {
    const opening = this.#openings.get(key) ?? this.#add(key, make)
    opening.waiting++
    if (asker === undefined) {
      opening.begin(false)
      return opening.made
    }
    return new Promise((resolve, reject) => {
      let stop = (): void => undefined
      const leave = (): void => {
        this.#line.remove(asker, (each) => each === opening)
        stop()
      }
      opening.made.then(resolve, reject).finally(leave)
      if (!opening.isBegun) this.#line.add(asker, opening)
      stop = asker.onGone(() => {
        leave()
        opening.waiting--
        // Whoever asks for the same from now on has it made anew.
        if (opening.waiting === 0 && this.#openings.get(key) === opening) this.#openings.delete(key)
        reject(gone())
      })
      this.#serve()
    })
  }

  #add(key: string, make: (requireWanted: RequireWanted) => Promise<Value>): Opening<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    // Those who waited may all have gone; then nobody handles the rejection.
    promise.catch(() => undefined)
    const requireWanted: RequireWanted = () => {
      if (opening.waiting === 0) throw gone()
    }
    const run = async (countsAsRunning: boolean): Promise<void> => {
      try {
        requireWanted()
        resolve(await make(requireWanted))
      } catch (error) {
        reject(error as Error)
      } finally {
        if (this.#openings.get(key) === opening) this.#openings.delete(key)
        if (countsAsRunning) {
          this.#running--
          this.#serve()
        }
      }
    }
    const opening: Opening<Value> = {
      ...{ waiting: 0, isBegun: false, made: promise },
      begin: (countsAsRunning) => {
        if (opening.isBegun) return
        opening.isBegun = true
        if (countsAsRunning) this.#running++
        void run(countsAsRunning)
      },
    }
    this.#openings.set(key, opening)
    return opening
  }

  #serve(): void {
    while (this.#running < AT_ONCE) {
      const opening = this.#line.take()
      if (opening === undefined) return
      opening.begin(true)
    }
  }
}
