/** Which part of the code the time of some work goes to: a sampling profile, each sample counted for the innermost part that is named. */
import { Session, type Profiler } from 'node:inspector/promises'

/** The functions that make up a part, by its name: `file:function`, the file without its folder. */
export type Parts = Readonly<Record<string, readonly string[]>>

const SAMPLE_MICROSECONDS = 200
/** The name for samples of no part. */
const REST = 'rest'
/** Lines of the list of functions. */
const SHOWN_FUNCTIONS = 40

const nameOf = ({ callFrame: { url, functionName } }: Profiler.ProfileNode): string =>
  `${url.slice(url.lastIndexOf('/') + 1)}:${functionName}`

/** Collects the profiles of several pieces of work. */
export class ProfiledParts {
  readonly #partOf: ReadonlyMap<string, string>
  readonly #microseconds = new Map<string, number>()
  readonly #own = new Map<string, number>()
  readonly #session = new Session()
  #runs = 0

  constructor(parts: Parts) {
    this.#partOf = new Map(Object.entries(parts).flatMap(([part, names]) => names.map((name) => [name, part] as const)))
    this.#session.connect()
  }

  async open(): Promise<void> {
    await this.#session.post('Profiler.enable')
    await this.#session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS })
  }

  async start(): Promise<void> {
    await this.#session.post('Profiler.start')
  }

  async stop(): Promise<void> {
    const { profile } = await this.#session.post('Profiler.stop')
    this.#add(profile)
    this.#runs++
  }

  close(): void {
    this.#session.disconnect()
  }

  /** Milliseconds a piece of work, by part, largest first. */
  parts(): readonly (readonly [part: string, ms: number])[] {
    return this.#sorted(this.#microseconds)
  }

  /** The functions with the most time of their own. */
  functions(): readonly (readonly [name: string, ms: number])[] {
    return this.#sorted(this.#own).slice(0, SHOWN_FUNCTIONS)
  }

  #sorted(microseconds: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
    return [...microseconds]
      .toSorted((a, b) => b[1] - a[1])
      .map(([name, time]) => [name, time / 1_000 / Math.max(1, this.#runs)])
  }

  #add({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): void {
    const byId = new Map(nodes.map((node) => [node.id, node]))
    const parts = new Map<number, string>()
    const walk = (id: number, outer: string): void => {
      const node = byId.get(id)
      if (node === undefined) return
      const part = this.#partOf.get(nameOf(node)) ?? outer
      parts.set(id, part)
      for (const child of node.children ?? []) walk(child, part)
    }
    const [root] = nodes
    if (root !== undefined) walk(root.id, REST)
    for (const [index, id] of samples.entries()) {
      const node = byId.get(id)
      // The sample ends with the next one.
      const time = timeDeltas[index + 1] ?? SAMPLE_MICROSECONDS
      if (node === undefined || node.callFrame.functionName === '(idle)') continue
      if (node.callFrame.functionName === '(program)') continue
      add(this.#microseconds, parts.get(id) ?? REST, time)
      add(this.#own, nameOf(node), time)
    }
  }
}

const add = (sums: Map<string, number>, name: string, value: number): void =>
  void sums.set(name, (sums.get(name) ?? 0) + value)
