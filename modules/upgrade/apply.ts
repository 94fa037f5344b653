/** What a plan does when its height comes, and why a node must stop before that (x/upgrade/abci.go). */
import { invariant } from '../../core/errors.ts'
import type { StateReader } from '../../store/state.ts'
import type { BlockContext } from '../module.ts'
import type { UpgradeDependencies } from './deps.ts'
import { listApplied, readPlan, writeApplied, writePlan } from './keeper.ts'
import type { Plan } from './plan.ts'

/** The words that operators and their tools wait for. */
export const formatUpgradeNeeded = ({ name, height, info }: Plan): string =>
  `UPGRADE "${name}" NEEDED at height: ${height}: ${info}`

const isDue = (plan: Plan, height: number): boolean => plan.height <= height

/**
 * Runs at the plan's height: migrates with the binary's handler, or passes the plan over. The SDK emits no events here.
 */
export const applyPlan = (context: BlockContext, dependencies: UpgradeDependencies): void => {
  const { knownUpgrades, skipHeights, isReplay = false } = dependencies
  const { state, height } = context
  const plan = readPlan(state)
  if (plan === undefined || !isDue(plan, height)) return
  const migrate = knownUpgrades.get(plan.name)
  // A committed block whose plan this binary does not know was passed over, whatever the settings say by now.
  const isPassedOver = skipHeights.has(height) || (isReplay && migrate === undefined)
  if (!isPassedOver) {
    invariant(migrate !== undefined, formatUpgradeNeeded(plan))
    migrate(context)
    writeApplied(state, plan.name, height)
  }
  writePlan(state, undefined)
}

/** The plan that forbids this binary to run block `nextHeight`. */
export const findPendingUpgrade = (
  state: StateReader,
  nextHeight: number,
  { knownUpgrades, skipHeights }: UpgradeDependencies,
): Plan | undefined => {
  const plan = readPlan(state)
  if (plan === undefined || !isDue(plan, nextHeight)) return undefined
  return skipHeights.has(nextHeight) || knownUpgrades.has(plan.name) ? undefined : plan
}

/** The last plan that was applied, when this binary does not bring it: it is older than the state. */
const findMissingUpgrade = (state: StateReader, { knownUpgrades }: UpgradeDependencies): string | undefined => {
  let last: { readonly name: string; readonly height: number } | undefined
  for (const applied of listApplied(state)) if (last === undefined || applied.height >= last.height) last = applied
  return last === undefined || knownUpgrades.has(last.name) ? undefined : last.name
}

/** Why this binary must not run block `nextHeight`, in the SDK's words; undefined when it may. */
export const findHaltReason = (
  state: StateReader,
  nextHeight: number,
  dependencies: UpgradeDependencies,
): string | undefined => {
  const pending = findPendingUpgrade(state, nextHeight, dependencies)
  if (pending !== undefined) return formatUpgradeNeeded(pending)
  const plan = readPlan(state)
  if (plan !== undefined && !isDue(plan, nextHeight) && dependencies.knownUpgrades.has(plan.name)) {
    return `BINARY UPDATED BEFORE TRIGGER! UPGRADE "${plan.name}" - in binary but not executed on chain. Downgrade your binary`
  }
  // When the plan's migration begins now, the binary is the newer one.
  if (plan !== undefined && isDue(plan, nextHeight) && !dependencies.skipHeights.has(nextHeight)) return undefined
  const missing = findMissingUpgrade(state, dependencies)
  return missing === undefined ? undefined : `wrong binary: upgrade handler is missing for ${missing} upgrade plan`
}
