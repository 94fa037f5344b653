/** What an attack on the open ports of a node is: one client, bounded in time, whose outcomes are counted by a short word. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '../../../core/hex.ts'

/** Where the ports of a node are. */
export interface Target {
  readonly http: string
  readonly ws: string
  readonly rest: string
  readonly comet: string
  /** `host:port` */
  readonly grpc: string
}

/** Blocks that some attacks read: how they came to be is in prepare.ts. */
export interface Prepared {
  /** Transactions that loop until their gas is gone. */
  readonly loops: Hex
  /** Transactions with as many logs as their gas pays for. */
  readonly logs: { readonly block: Hex; readonly hash: Hex }
  /** Transactions of 127 KB. */
  readonly large: { readonly block: Hex; readonly hashes: readonly Hex[] }
}

const MAX_WORDS = 40
const MAX_WORD_LENGTH = 90

/** How often what came of an attack; words beyond the bound are counted together. */
export class Tally {
  readonly counts = new Map<string, number>()

  add(word: string, by = 1): void {
    const short = word.slice(0, MAX_WORD_LENGTH)
    const key = this.counts.has(short) || this.counts.size < MAX_WORDS ? short : 'others'
    this.counts.set(key, (this.counts.get(key) ?? 0) + by)
  }
}

/** What an attack gets. It ends soon after `untilMs` of performance.now, and makes each number smaller by `scale`. */
export interface Assault {
  readonly target: Target
  readonly prepared: Prepared
  readonly untilMs: number
  /** 1 in a soak, less in a test; a count that is scaled is at least one. */
  readonly scale: number
  readonly tally: Tally
}

export interface Attack {
  readonly name: string
  /** The seconds at full scale. */
  readonly seconds: number
  /** What of the node it would use up, and what is bounded there. */
  readonly bounded: string
  /** Whole words that its outcomes may be. Whatever else a node says to it is a surprise, and fails the test. */
  readonly outcomes: RegExp
  /** What is refused before it waits for anything: an outcome that must come, in a short form too. */
  readonly refusal?: RegExp
  /** It reads blocks of {@link Prepared}. */
  readonly needsBlocks?: boolean
  run(assault: Assault): Promise<void>
}

export const nowMs = (): number => performance.now()
export const scaled = ({ scale }: Assault, count: number): number => Math.max(1, Math.round(count * scale))
export const isOver = ({ untilMs }: Assault): boolean => nowMs() >= untilMs
export const leftMs = ({ untilMs }: Assault): number => Math.max(0, untilMs - nowMs())
export const untilEnd = async (assault: Assault): Promise<void> => await sleep(leftMs(assault))

/** Does `work(0)`, `work(1)`, ... `count` times at most, `width` of them at once, and begins none when the time is over. */
export const pump = async (
  assault: Assault,
  { count = Number.POSITIVE_INFINITY, width }: { readonly count?: number; readonly width: number },
  work: (index: number) => Promise<unknown>,
): Promise<void> => {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count && !isOver(assault)) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(width, count) }, worker))
}
