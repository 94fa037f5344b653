/** The read-only gRPC methods of cosmos.upgrade.v1beta1.Query. */
import { encodeBech32 } from '../../core/bech32.ts'
import { upgradeQuery } from '../../proto/index.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryHandler } from '../module.ts'
import { queryRefusal } from '../sdk-errors.ts'
import type { UpgradeDependencies } from './deps.ts'
import { readAppliedHeight, readPlan } from './keeper.ts'
import { printPlan } from './plan.ts'

/** The version of every module: none has changed its state's form yet. */
const MODULE_VERSION = 1n

const { method } = upgradeQuery.Query

export const upgradeQueries = ({ moduleNames }: UpgradeDependencies): readonly QueryHandler[] => [
  handleQuery(method.currentPlan, ({ state }) => {
    const plan = readPlan(state)
    return plan === undefined ? {} : { plan: printPlan(plan) }
  }),
  // 0 for a name that was not applied.
  handleQuery(method.appliedPlan, ({ state }, { name }) => ({ height: BigInt(readAppliedHeight(state, name) ?? 0) })),
  // There is no IBC, so that no plan carries one.
  handleQuery(method.upgradedConsensusState, () => ({})),
  handleQuery(method.moduleVersions, (_, { moduleName }) => {
    if (moduleName !== '' && !moduleNames.includes(moduleName)) {
      const name = moduleName.slice(0, 128)
      throw queryRefusal(
        'notFound',
        `x/upgrade: QueryModuleVersions module ${name} not found: module version not found`,
      )
    }
    const names = moduleName === '' ? moduleNames : [moduleName]
    return { moduleVersions: names.map((name) => ({ name, version: MODULE_VERSION })) }
  }),
  handleQuery(method.authority, () => ({ address: encodeBech32(GOVERNANCE_ADDRESS) })),
]
