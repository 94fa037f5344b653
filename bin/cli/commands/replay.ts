/** `chain replay`: executes stored blocks once more, beside the database, and compares every result. */
import { type Difference, replayBlocks } from '../../../app/replay.ts'
import { createInterpreterEngine } from '../../../evm/interpreter/create-engine.ts'
import { readBaseHeight } from '../../../store/base-height.ts'
import { firstKeptFrom, isKept, readKeptRange } from '../../../store/kept-range.ts'
import type { Home } from '../../node/config/home.ts'
import { cliError } from '../../errors.ts'
import { type HomeChain, withHomeChain } from '../../node/open-home-chain.ts'
import { Work } from '../../node/progress.ts'

export interface ReplayOptions {
  readonly home: Home
  /** The first that can be replayed when left out. */
  readonly from?: number
  /** The head when left out. */
  readonly to?: number
  say(line: string): void
}

interface Range {
  readonly from: number
  readonly to: number
}

/** Throws cli/1 when the blocks, or the state before the first, are not here. */
const chooseRange = ({ store, parameters, height: head }: HomeChain, wanted: Partial<Range>): Range => {
  const kept = readKeptRange(store)
  const base = Math.max(parameters.initialHeight - 1, readBaseHeight(store))
  const first = firstKeptFrom(kept, base) + 1
  if (first > head) throw cliError('usage', `nothing can be replayed: the state of height ${first - 1} is the newest`)
  const { from = first, to = head } = wanted
  if (from < first || to > head || from > to) {
    throw cliError('usage', `--from ${from} --to ${to}: blocks ${first} to ${head} can be replayed`)
  }
  if (!isKept(kept, from - 1)) {
    const next = firstKeptFrom(kept, from) + 1
    throw cliError('usage', `--from ${from}: the state of height ${from - 1} was pruned; the next is --from ${next}`)
  }
  return { from, to }
}

/** Returns the first difference. Throws cli errors. */
export const replayCommand = async ({ home, say, ...wanted }: ReplayOptions): Promise<Difference | undefined> =>
  await withHomeChain(home, async (chain) => {
    const { from, to } = chooseRange(chain, wanted)
    const { store, parameters, height: head } = chain
    const startedMs = performance.now()
    const work = new Work({ unit: 'blocks', total: to - from + 1, nowMs: () => performance.now(), say })
    const difference = await replayBlocks({
      store,
      parameters,
      head,
      from,
      to,
      engine: await createInterpreterEngine(),
      environment: {
        clock: { nowMs: () => performance.now(), wallMs: () => Date.now() },
        yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
      },
      onBlock: (height) => {
        if (height < to) work.done(height - from + 1)
      },
    })
    if (difference === undefined) {
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
      say(`blocks ${from} to ${to} are the same: roots, receipts, gas, blooms and app hashes (${seconds} s)`)
    } else {
      const { height, what, stored, replayed } = difference
      say(`block ${height} differs: ${what} is ${stored}, executed again it is ${replayed}`)
    }
    return difference
  })
