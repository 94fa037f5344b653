import { stakingQuery, stakingTx } from '../../proto/index.ts'
import type { ModuleContext, ModuleDefinition, ValidatorUpdate } from '../module.ts'
import { continueSlashes, settleRedelegation, settleUnbonding } from './continue-slashes.ts'
import type { StakingDependencies, StakingPorts } from './deps.ts'
import { STAKING_ERRORS } from './errors.ts'
import { exportStaking } from './genesis/export.ts'
import { parseStakingGenesis } from './genesis/parse.ts'
import { initStaking } from './genesis/init.ts'
import { stakingInvariants } from './invariants.ts'
import { BONDED_POOL, NOT_BONDED_POOL } from './keys.ts'
import { createBeginRedelegate } from './messages/begin-redelegate.ts'
import { createCancelUnbonding } from './messages/cancel-unbonding.ts'
import { createCreateValidator } from './messages/create-validator.ts'
import { createDelegate } from './messages/delegate.ts'
import { createEditValidator } from './messages/edit-validator.ts'
import { createUndelegate } from './messages/undelegate.ts'
import { createUpdateParams } from './messages/update-params.ts'
import { STAKING_QUERIES } from './queries.ts'
import { MAX_MATURE, MAX_MATURE_WHILE_SLASHING } from './keeper/queue.ts'
import { completeMatureRedelegations } from './keeper/redelegations.ts'
import { readTasks } from './keeper/slash-tasks.ts'
import { completeMatureUnbondings } from './keeper/unbonding.ts'
import { applyValidatorUpdates, completeMatureValidators } from './keeper/validator-updates.ts'
import { forgetIndexChange, hasIndexChange } from './keeper/validators.ts'

const endBlock = (ports: StakingPorts, context: ModuleContext): readonly ValidatorUpdate[] => {
  continueSlashes(ports, context)
  // Early: with no unbonding time, who leaves the set now is unbonded in this block.
  const updates = applyValidatorUpdates(ports, context)
  completeMatureValidators(ports, context)
  const isSlashing = readTasks(context.state).length > 0
  const most = isSlashing ? MAX_MATURE_WHILE_SLASHING : MAX_MATURE
  completeMatureUnbondings(ports, context, most, (delegator, operator) => {
    if (isSlashing) settleUnbonding(ports, context, delegator, operator)
  })
  completeMatureRedelegations(context, most, (trio) => {
    if (isSlashing) settleRedelegation(ports, context, trio)
  })
  // Also of those removed just now, who had no power.
  if (hasIndexChange(context.state)) forgetIndexChange(context.state)
  return updates
}

export const stakingModule: ModuleDefinition<StakingDependencies> = {
  name: 'staking',
  accounts: [
    { name: BONDED_POOL, permissions: ['burner', 'staking'] },
    { name: NOT_BONDED_POOL, permissions: ['burner', 'staking'] },
  ],
  services: [stakingQuery.Query, stakingTx.Msg],
  errors: STAKING_ERRORS,
  parseGenesis: (genesis) => parseStakingGenesis(genesis),
  create: (dependencies) => ({
    initGenesis: (context, genesis) => initStaking(dependencies, context, genesis),
    exportGenesis: ({ state }) => exportStaking(state),
    hooks: { endBlock: { phase: 'power', run: (context) => endBlock(dependencies, context) } },
    messages: [
      createCreateValidator(dependencies),
      createEditValidator(dependencies),
      createDelegate(dependencies),
      createBeginRedelegate(dependencies),
      createUndelegate(dependencies),
      createCancelUnbonding(dependencies),
      createUpdateParams(dependencies),
    ],
    queries: STAKING_QUERIES,
    invariants: stakingInvariants(dependencies.ledger),
  }),
}
