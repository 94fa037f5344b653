/** The modules of the chain. A new one is a folder in modules/ and a line here: all else follows from its object. */
import { admissionModule } from '../modules/admission/index.ts'
import { authModule } from '../modules/auth/index.ts'
import { bankModule } from '../modules/bank/index.ts'
import { bridgeModule } from '../modules/bridge/index.ts'
import { clobModule } from '../modules/clob/index.ts'
import { consensusModule } from '../modules/consensus/index.ts'
import { distributionModule } from '../modules/distribution/index.ts'
import { erc20Module } from '../modules/erc20/index.ts'
import { evidenceModule } from '../modules/evidence/index.ts'
import { feeMarketModule } from '../modules/feemarket/index.ts'
import { govModule } from '../modules/gov/index.ts'
import { mintModule } from '../modules/mint/index.ts'
import type { ModuleDefinition } from '../modules/module.ts'
import { slashingModule } from '../modules/slashing/index.ts'
import { stakingModule } from '../modules/staking/index.ts'
import { upgradeModule } from '../modules/upgrade/index.ts'
import { weightModule } from '../modules/weight/index.ts'

/** The modules in the order of their genesis: each finds there what it needs. */
const LIST = [
  authModule,
  bankModule,
  distributionModule,
  stakingModule,
  slashingModule,
  govModule,
  mintModule,
  evidenceModule,
  upgradeModule,
  admissionModule,
  feeMarketModule,
  weightModule,
  consensusModule,
  clobModule,
  erc20Module,
  bridgeModule,
] as const

type Taker<Definition> = Definition extends ModuleDefinition<infer Needs> ? (needs: Needs) => void : never

/** What the modules need of each other and of the node, all of them together: module-ports.ts has it. */
export type ModulePorts = Taker<(typeof LIST)[number]> extends (needs: infer All) => void ? All : never

export const MODULES: readonly ModuleDefinition<ModulePorts>[] = LIST
