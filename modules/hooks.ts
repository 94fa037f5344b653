/**
 * When a module acts in a block beside its messages. A hook says its phase, and knows of no other module: phases are run
 * in the order of these lists, and within one the modules in the order of their genesis.
 */
import type { Attestations } from './attestations.ts'
import type { BlockContext, EndBlockContext, ValidatorUpdate } from './module.ts'
import type { StakingHooks } from './stake.ts'

/**
 * - `upgrade`: the rules of the block change, before all that follows them
 * - `issue`: coins are made
 * - `share`: fees and new coins are shared out among those who earned them
 * - `punish`: stakes change, once those who leave have their share
 */
export const BEGIN_PHASES = ['upgrade', 'issue', 'share', 'punish'] as const
export type BeginPhase = (typeof BEGIN_PHASES)[number]

/**
 * - `decide`: what was decided is executed, and may change stakes
 * - `power`: stakes become voting power
 * - `price`: prices of the next block, from what this one used
 */
export const END_PHASES = ['decide', 'power', 'price'] as const
export type EndPhase = (typeof END_PHASES)[number]

export interface BeginBlockHook {
  readonly phase: BeginPhase
  run(context: BlockContext): void
}

export interface EndBlockHook {
  readonly phase: EndPhase
  run(context: EndBlockContext): readonly ValidatorUpdate[] | void
}

export interface ModuleHooks {
  /**
   * Called before all beginBlock hooks, in a block whose last commit carries vote extensions; in the order of the
   * genesis.
   */
  attested?(context: BlockContext, attestations: Attestations): void
  readonly beginBlock?: BeginBlockHook
  readonly endBlock?: EndBlockHook
  /** What happens to stakes, told at once; in the order of the genesis. */
  readonly staking?: StakingHooks
}
