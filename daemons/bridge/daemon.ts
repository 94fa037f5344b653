/** The daemon as one object: rounds of the watcher, and reports to the node. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Endpoint, openEndpoint } from './endpoint.ts'
import { Link } from './link.ts'
import { Pace } from './pace.ts'
import type { FollowMessage } from './protocol.ts'
import { Watcher } from './watcher.ts'

const REPORT_MS = 1_000

export interface DaemonOptions {
  readonly path: string
  say(text: string): void
}

export interface Daemon {
  close(): Promise<void>
}

class RunningDaemon implements Daemon {
  readonly #link: Link
  readonly #stopping = new AbortController()
  #wake = new AbortController()
  #endpoints: readonly Endpoint[] = []
  #urls = ''
  #watcher: Watcher | undefined
  readonly #timer: NodeJS.Timeout
  readonly #ended: Promise<void>

  constructor({ path, say }: DaemonOptions) {
    this.#link = new Link({
      path,
      memory: () => process.memoryUsage.rss(),
      onFollow: (message) => this.#follow(message),
      say,
    })
    this.#timer = setInterval(() => this.#report(), REPORT_MS)
    this.#ended = this.#loop()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort()
    this.#wake.abort()
    this.#link.close()
    for (const endpoint of this.#endpoints) endpoint.close()
    await this.#ended
  }

  #follow({ endpoints, contract, nextId }: FollowMessage): void {
    const urls = endpoints.join(',')
    if (this.#watcher === undefined || this.#urls !== urls) {
      for (const endpoint of this.#endpoints) endpoint.close()
      this.#endpoints = endpoints.map(openEndpoint)
      this.#urls = urls
      this.#watcher = new Watcher(this.#endpoints, () => Date.now() / 1000)
    }
    const { generation, events } = this.#watcher.report()
    this.#watcher.follow(contract, nextId)
    const after = this.#watcher.report()
    if (generation !== after.generation || events.length !== after.events.length) this.#wake.abort()
    this.#report()
  }

  #report(): void {
    if (this.#watcher !== undefined) this.#link.report(this.#watcher.report())
  }

  async #loop(): Promise<void> {
    const pace = new Pace()
    let finalized: number | undefined
    while (!this.#stopping.signal.aborted) {
      const isMore = (await this.#watcher?.round()) ?? false
      this.#report()
      const report = this.#watcher?.report()
      const hasNews = report?.error === undefined && report?.finalized !== finalized
      finalized = report?.finalized
      const waitMs = pace.next(hasNews)
      if (isMore && report?.error === undefined) continue
      if (this.#wake.signal.aborted) this.#wake = new AbortController()
      else await sleep(waitMs, undefined, { signal: this.#wake.signal }).catch(() => undefined)
    }
  }
}

export const startDaemon = (options: DaemonOptions): Daemon => new RunningDaemon(options)
