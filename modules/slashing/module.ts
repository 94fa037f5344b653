import type { Module } from '../module.ts'
import type { StakingHooks } from '../stake.ts'
import type { SlashingDependencies } from './deps.ts'
import { createDoubleSignPunisher, type DoubleSignPunisher } from './double-sign.ts'
import { exportSlashingGenesis, initSlashingGenesis, parseSlashingGenesis } from './genesis.ts'
import { createHooks } from './hooks.ts'
import { slashingInvariants } from './invariants.ts'
import { createUnjail } from './messages/unjail.ts'
import { updateParams } from './messages/update-params.ts'
import { slashingQueries } from './queries.ts'
import { countVotes } from './votes.ts'

export interface SlashingModule extends Module {
  readonly hooks: StakingHooks
  /** For the evidence module. */
  readonly doubleSigns: DoubleSignPunisher
}

export const createSlashingModule = (dependencies: SlashingDependencies): SlashingModule => ({
  name: 'slashing',
  hooks: createHooks(dependencies),
  doubleSigns: createDoubleSignPunisher(dependencies),
  initGenesis: ({ state }, genesis) => initSlashingGenesis(state, parseSlashingGenesis(genesis)),
  exportGenesis: exportSlashingGenesis,
  beginBlock: (context) => countVotes(context, dependencies),
  messages: [createUnjail(dependencies), updateParams],
  queries: slashingQueries,
  invariants: slashingInvariants(dependencies),
})
