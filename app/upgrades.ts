/**
 * The upgrades that this software can run, by the names of their plans: what a plan decided by governance does to the
 * state at its height. Software without the name of a plan halts before that height; software with it takes over there.
 */
import type { BlockContext } from '../modules/module.ts'

export type UpgradeHandler = (context: BlockContext) => void

/** None yet: the chain is at its first version. */
export const UPGRADES: ReadonlyMap<string, UpgradeHandler> = new Map()
