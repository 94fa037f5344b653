/** What the upgrade module needs of the rest of the node: what this binary can do, and what its operator decided. */
import type { BlockContext } from '../module.ts'

export interface UpgradeDependencies {
  /** Migrations that this binary brings, by the name of their plan. A handler runs in the first block of the new rules. */
  readonly knownUpgrades: ReadonlyMap<string, (context: BlockContext) => void>
  /** Heights at which the operators agreed to pass a plan over (--unsafe-skip-upgrades). */
  readonly skipHeights: ReadonlySet<number>
  /** Blocks that are committed are executed once more: the node that executed them first has stopped where it had to. */
  readonly isReplay?: boolean
  /** Names of all modules of the node, sorted. */
  readonly moduleNames: readonly string[]
}
