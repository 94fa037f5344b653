/** The modules of the chain in the order of their genesis, each with what it needs of the others. */
import { type Address, FEE_COLLECTOR_ADDRESS, moduleAddress } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { type Decimal, divideByInteger, toDecimal } from '../../core/decimal.ts'
import { createAdmissionModule, mayCreateValidator } from '../../modules/admission/index.ts'
import { createAuthModule, type ModuleAccountInfo } from '../../modules/auth/index.ts'
import { createBankModule, createLedger } from '../../modules/bank/index.ts'
import { createConsensusModule, readConsensusParameters, roomFault } from '../../modules/consensus/index.ts'
import { createDistributionModule } from '../../modules/distribution/index.ts'
import { createEvidenceModule } from '../../modules/evidence/index.ts'
import { createFeeMarketModule } from '../../modules/feemarket/index.ts'
import { createGovModule, type GovDependencies } from '../../modules/gov/index.ts'
import type { Ledger } from '../../modules/ledger.ts'
import { createMintModule } from '../../modules/mint/index.ts'
import type { Module, QueryContext } from '../../modules/module.ts'
import { createSlashingModule } from '../../modules/slashing/index.ts'
import type { StakeReader, StakingHooks } from '../../modules/stake.ts'
import { createStakingModule } from '../../modules/staking/index.ts'
import { createUpgradeModule } from '../../modules/upgrade/index.ts'
import { createWeightModule } from '../../modules/weight/index.ts'
import { scanAccountsAt } from '../../store/scan-at.ts'
import type { StateReader } from '../../store/state.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { routeMessage } from '../native/route-message.ts'
import { type MessageHandlers, messageHandlers } from '../native/module-handlers.ts'
import { accountNumberOf } from '../native/account-number.ts'
import { NATIVE_PRECOMPILE_ADDRESSES, NATIVE_TOKEN } from '../precompiles/index.ts'
import { UPGRADES } from '../upgrades.ts'
import { MODULE_ACCOUNTS, MODULE_NAMES } from './genesis.ts'
import { checkOrder } from './module-order.ts'
import { publicKeyFault } from './public-keys.ts'

const FEE_COLLECTOR = 'fee_collector'

function* accountsAt(
  store: KeyValueStore,
  height: number,
  committedHeight: () => number,
  start: Address | undefined,
): Generator<readonly [Address, bigint]> {
  for (const [address, { balance }] of scanAccountsAt({ store, height, committedHeight }, start)) {
    yield [address, balance]
  }
}

function* addressesOf(accounts: Iterable<readonly [Address, bigint]>): Generator<Address> {
  for (const [address] of accounts) yield address
}

/** Of the SDK: what an account of a module may do with coins beside holding them. */
const PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
  gov: ['burner'],
  mint: ['minter'],
  bonded_tokens_pool: ['burner', 'staking'],
  not_bonded_tokens_pool: ['burner', 'staking'],
}

export interface ModulesOptions {
  readonly store: KeyValueStore
  /** Left out where a context is always that of the head. */
  readonly committedHeight?: (() => number) | undefined
  /** Heights at which a planned upgrade is passed over. */
  readonly skippedUpgrades?: readonly number[]
}

export interface ChainModules {
  /** In the order of their genesis; app/genesis/module-order.ts has that of their hooks. */
  readonly modules: readonly Module[]
  /** Why this software must not execute block `nextHeight`, in words for the operator. */
  haltReason(state: StateReader, nextHeight: number): string | undefined
}

const listModuleAccounts = (): readonly ModuleAccountInfo[] =>
  [...MODULE_ACCOUNTS, FEE_COLLECTOR]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => ({ name, address: moduleAddress(name), permissions: PERMISSIONS[name] ?? [] }))

const bondedRatio = (state: StateReader, stake: StakeReader, ledger: Ledger): Decimal => {
  const supply = ledger.supply(state, stake.bondDenomination(state))
  return supply === 0n ? 0n : divideByInteger(toDecimal(stake.totalBondedTokens(state)), supply)
}

/** Decodes what a proposal carries, by the handlers of all modules: those are known once the modules are made. */
const routeTo = (modules: () => readonly Module[]): GovDependencies['prepareMessage'] => {
  let handlers: MessageHandlers | undefined
  return (packed) => {
    handlers ??= messageHandlers(modules())
    const { handler, message, signers } = routeMessage(handlers, packed)
    return {
      signers,
      checkStateless: () => void handler.prepare(message),
      execute: (context) => handler.execute(context, handler.prepare(message)),
    }
  }
}

const ADMISSION_REFUSAL =
  'governance must approve the operator first (nat.admission.v1.MsgApproveOperator); anyone may run a full node'

/** Staking tells the others what happens to stakes: each holds what it needs of the rest. */
const createStakeModules = (ledger: Ledger, govHooks: () => StakingHooks) => {
  const staking = createStakingModule({
    ledger,
    hooks: () => [distribution.hooks, slashing.hooks, govHooks()],
    mayCreateValidator,
    maxValidatorsFault: (state, maxValidators) => roomFault(readConsensusParameters(state), maxValidators),
    admissionRefusal: ADMISSION_REFUSAL,
  })
  const { stake } = staking
  const distribution = createDistributionModule({ ledger, stake, feeCollector: FEE_COLLECTOR_ADDRESS })
  const slashing = createSlashingModule({ stake, punisher: stake })
  const mint = createMintModule({
    ledger,
    bondedRatio: (state) => bondedRatio(state, stake, ledger),
    feeCollector: FEE_COLLECTOR_ADDRESS,
  })
  const evidence = createEvidenceModule({
    stake,
    doubleSigns: slashing.doubleSigns,
    evidenceMaxAge: (state) => {
      const { maxAgeNumBlocks, maxAgeDurationNs } = readConsensusParameters(state).evidence
      return { blocks: maxAgeNumBlocks, durationNs: maxAgeDurationNs }
    },
  })
  return { staking, stake, distribution, slashing, mint, evidence }
}

export const createChainModules = ({ store, committedHeight, skippedUpgrades = [] }: ModulesOptions): ChainModules => {
  const moduleAccounts = listModuleAccounts()
  const blocked = new Set(
    [...moduleAccounts.map(({ address }) => address), ...NATIVE_PRECOMPILE_ADDRESSES, NATIVE_TOKEN].map(bytesToKey),
  )
  const isBlockedReceiver = (address: Address): boolean => blocked.has(bytesToKey(address))
  const accounts = ({ height }: QueryContext, start?: Address) =>
    accountsAt(store, height, committedHeight ?? (() => height), start)
  const ledger = createLedger({ isBlockedReceiver })
  const { staking, stake, distribution, slashing, mint, evidence } = createStakeModules(ledger, () => gov.hooks)
  const upgrade = createUpgradeModule({
    knownUpgrades: UPGRADES,
    skipHeights: new Set(skippedUpgrades),
    moduleNames: MODULE_NAMES.toSorted((a, b) => (a < b ? -1 : 1)),
  })
  const gov = createGovModule({
    ledger,
    stake,
    prepareMessage: routeTo(() => modules),
    fundCommunityPool: (context, from, coins) => distribution.fundCommunityPool(context, from, coins),
  })
  const modules: readonly Module[] = [
    createAuthModule({
      moduleAccounts,
      accountNumber: accountNumberOf,
      accounts: (context, start) => addressesOf(accounts(context, start)),
      checkKey: publicKeyFault,
    }),
    createBankModule({ accounts, isBlockedReceiver }),
    distribution,
    staking,
    slashing,
    gov,
    mint,
    evidence,
    upgrade,
    createAdmissionModule(),
    createFeeMarketModule(),
    createWeightModule(),
    createConsensusModule(stake),
  ]
  checkOrder(modules)
  return { modules, haltReason: (state, nextHeight) => upgrade.haltReason(state, nextHeight) }
}

/** `committedHeight` is left out where a context is always that of the head. */
export const createModules = (store: KeyValueStore, committedHeight?: () => number): readonly Module[] =>
  createChainModules({ store, committedHeight }).modules
