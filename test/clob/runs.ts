/** Runs of the model by itself: blocks from a seed, each made for the book that the ones before it leave. */
import { Random } from '../sim/random.ts'
import { runModel, type ModelOutcome } from './model/step.ts'
import { copyWorld, type World } from './model/world.ts'
import { applyChange, makeBlock, makeWorld, type TrafficBlock } from './traffic.ts'

export interface Run {
  readonly seed: number
  readonly world: World
  readonly blocks: readonly TrafficBlock[]
}

const FIRST_HEIGHT = 2

/** Blocks that know the book which the ones before leave. */
export const makeRun = (seed: number, count: number): Run => {
  const random = new Random(seed)
  const world = makeWorld(random)
  const blocks: TrafficBlock[] = []
  let now = world
  for (let height = FIRST_HEIGHT; height < FIRST_HEIGHT + count; height++) {
    const block = makeBlock(random, now, height)
    blocks.push(block)
    now = modelStep(now, block).outcome.world
  }
  return { seed, world, blocks }
}

/** The world as the changes before the block leave it, and what the block's step makes of that. */
export const modelStep = (
  world: World,
  block: TrafficBlock,
): { readonly start: World; readonly outcome: ModelOutcome } => {
  const start = copyWorld(world)
  for (const change of block.changes) applyChange(start, change)
  return {
    start,
    outcome: runModel(start, { height: block.height, timeMs: BigInt(block.timeMs) }, block.batch, block.queue),
  }
}
