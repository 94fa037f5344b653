import type { StateReader } from '../../store/state.ts'
import { upgrade, upgradeQuery, upgradeTx } from '../../proto/index.ts'
import type { ModuleDefinition, ModuleParts } from '../module.ts'
import { applyPlan, findHaltReason, findPendingUpgrade } from './apply.ts'
import type { UpgradeDependencies } from './deps.ts'
import { exportUpgradeGenesis, initUpgradeGenesis, parseUpgradeGenesis } from './genesis.ts'
import { readAppliedHeight, readPlan } from './keeper.ts'
import { cancelUpgrade } from './messages/cancel-upgrade.ts'
import { softwareUpgrade } from './messages/software-upgrade.ts'
import { type Plan, planFault } from './plan.ts'
import { upgradeQueries } from './queries.ts'

export interface UpgradeParts extends ModuleParts {
  /** The plan that forbids this binary to run block `nextHeight`. To be asked after Commit and at start. */
  pendingUpgrade(state: StateReader, nextHeight: number): Plan | undefined
  /**
   * Why this binary must not run block `nextHeight`, in the SDK's words: it lacks the plan that is due or the last one
   * that was applied, or brings one whose height has not come. To be asked after Commit and at start.
   */
  haltReason(state: StateReader, nextHeight: number): string | undefined
}

export const upgradeModule: ModuleDefinition<UpgradeDependencies, UpgradeParts> = {
  name: 'upgrade',
  services: [upgradeQuery.Query, upgradeTx.Msg],
  packed: [upgrade.file_cosmos_upgrade_v1beta1_upgrade],
  parseGenesis: (genesis) => parseUpgradeGenesis(genesis),
  create: (dependencies) => ({
    pendingUpgrade: (state, nextHeight) => findPendingUpgrade(state, nextHeight, dependencies),
    haltReason: (state, nextHeight) => findHaltReason(state, nextHeight, dependencies),
    initGenesis: ({ state }, genesis) => initUpgradeGenesis(state, parseUpgradeGenesis(genesis)),
    exportGenesis: ({ state }) => exportUpgradeGenesis(state),
    hooks: { beginBlock: { phase: 'upgrade', run: (context) => applyPlan(context, dependencies) } },
    messages: [softwareUpgrade, cancelUpgrade],
    queries: upgradeQueries(dependencies),
    invariants: [
      {
        name: 'upgrade/plan-is-valid-and-to-come',
        check: ({ state, height }) => {
          const plan = readPlan(state)
          if (plan === undefined) return undefined
          if (readAppliedHeight(state, plan.name) !== undefined) return `plan ${plan.name} was applied already`
          if (plan.height < height) return `plan ${plan.name} of height ${plan.height} was passed over`
          return planFault(plan)
        },
      },
    ],
  }),
}
