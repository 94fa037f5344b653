/** What the modules need of each other and of the node. Modules know ports alone: here is what stands behind each. */
import { type Address, FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { DENOMINATION } from '../../core/amounts.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { type Decimal, divideByInteger, toDecimal } from '../../core/decimal.ts'
import { mayCreateValidator } from '../../modules/admission/index.ts'
import { createLedger, describeDenom, forgetDenom, readBalances } from '../../modules/bank/index.ts'
import { mostValidators, readConsensusParameters, readValidators, roomFault } from '../../modules/consensus/index.ts'
import { fundCommunityPool } from '../../modules/distribution/index.ts'
import { consensusAddress } from '../../core/signature.ts'
import type { Coin, Ledger } from '../../modules/ledger.ts'
import type { Module, QueryContext } from '../../modules/module.ts'
import { createDoubleSignPunisher } from '../../modules/slashing/index.ts'
import type { StakeReader, StakingHooks } from '../../modules/stake.ts'
import { createStake } from '../../modules/staking/index.ts'
import { scanAccountsAt } from '../../store/scan-at.ts'
import type { StateReader } from '../../store/state.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { accountNumberOf } from '../native/account-number.ts'
import { type MessageHandlers, messageHandlers } from '../native/module-handlers.ts'
import { routeMessage } from '../native/route-message.ts'
import { NATIVE_PRECOMPILE_ADDRESSES, NATIVE_TOKEN, VIEW_CODE } from '../precompiles/index.ts'
import { UPGRADES } from '../upgrades.ts'
import { listModuleAccounts } from './module-accounts.ts'
import { MODULES, type ModulePorts } from '../module-list.ts'
import { publicKeyFault } from './public-keys.ts'

export interface PortsOptions {
  readonly store: KeyValueStore
  /** Left out where a context is always that of the head. */
  readonly committedHeight?: (() => number) | undefined
  /** Heights at which a planned upgrade is passed over. */
  readonly skippedUpgrades?: readonly number[]
  /** The modules execute blocks that are committed already. */
  readonly isReplay?: boolean
}

/** Asked while a block runs, never while modules are made. */
type ModulesLater = () => readonly Module[]

function* accountsAt(
  { store, committedHeight }: PortsOptions,
  { height }: QueryContext,
  start: Address | undefined,
): Generator<readonly [Address, bigint]> {
  const head = committedHeight ?? (() => height)
  for (const [address, { balance }] of scanAccountsAt({ store, height, committedHeight: head }, start)) {
    yield [address, balance]
  }
}

function* addressesOf(accounts: Iterable<readonly [Address, bigint]>): Generator<Address> {
  for (const [address] of accounts) yield address
}

const bondedRatio = (state: StateReader, stake: StakeReader, ledger: Ledger): Decimal => {
  const supply = ledger.supply(state, stake.bondDenomination(state))
  return supply === 0n ? 0n : divideByInteger(toDecimal(stake.totalBondedTokens(state)), supply)
}

/** Only markets bring any, of which there are 256 at most. */
const MOST_OTHER_FEES = 257

const otherFees = (state: StateReader): readonly Coin[] =>
  readBalances(state, FEE_COLLECTOR_ADDRESS, MOST_OTHER_FEES).filter(({ denom }) => denom !== DENOMINATION)

/** Those who listen to staking. They are called at every change of a stake, and never change. */
const listeners = (modules: ModulesLater): (() => readonly StakingHooks[]) => {
  let hooks: readonly StakingHooks[] | undefined
  return () => (hooks ??= modules().flatMap((module) => module.hooks?.staking ?? []))
}

/** Decodes what a proposal carries, by the handlers of all modules. */
const routeTo = (modules: ModulesLater): ModulePorts['prepareMessage'] => {
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

/** Nobody has a key of these: coins that a message sent there would be lost. */
const blockedReceivers = (): ReadonlySet<string> =>
  new Set(
    [...listModuleAccounts().map(({ address }) => address), ...NATIVE_PRECOMPILE_ADDRESSES, NATIVE_TOKEN].map(
      bytesToKey,
    ),
  )

export const createPorts = (options: PortsOptions, modules: ModulesLater): ModulePorts => {
  const blocked = blockedReceivers()
  const isBlockedReceiver = (address: Address): boolean => blocked.has(bytesToKey(address))
  const accounts: ModulePorts['accounts'] = (context, start) => accountsAt(options, context, start)
  const ledger = createLedger({ isBlockedReceiver })
  const feeCollector = FEE_COLLECTOR_ADDRESS
  const stakingHooks = listeners(modules)
  const stake = createStake({ ledger, stakingHooks })
  return {
    moduleAccounts: listModuleAccounts(),
    accountNumber: accountNumberOf,
    accounts,
    addresses: (context, start) => addressesOf(accounts(context, start)),
    checkKey: publicKeyFault,
    isBlockedReceiver,
    ledger,
    feeCollector,
    otherFees,
    stake,
    punisher: stake,
    stakingHooks,
    mayCreateValidator,
    maxValidatorsFault: (state, maxValidators) => roomFault(readConsensusParameters(state), maxValidators),
    blockRoomFault: (state) =>
      roomFault(readConsensusParameters(state), mostValidators(state, stake.maxValidators(state))),
    votingPowers: (state, height) =>
      readValidators(state, height).map(({ publicKey, power }) => ({ address: consensusAddress(publicKey), power })),
    validatorCount: (state, height) => readValidators(state, height).length,
    admissionRefusal: ADMISSION_REFUSAL,
    bondedRatio: (state) => bondedRatio(state, stake, ledger),
    doubleSigns: createDoubleSignPunisher({ stake, punisher: stake }),
    evidenceMaxAge: (state) => {
      const { maxAgeNumBlocks, maxAgeDurationNs } = readConsensusParameters(state).evidence
      return { blocks: maxAgeNumBlocks, durationNs: maxAgeDurationNs }
    },
    prepareMessage: routeTo(modules),
    fundCommunityPool: (context, from, coins) =>
      fundCommunityPool(context, { ledger, stake, feeCollector, otherFees }, from, coins),
    describeDenom,
    forgetDenom,
    viewCode: VIEW_CODE,
    knownUpgrades: UPGRADES,
    skipHeights: new Set(options.skippedUpgrades),
    isReplay: options.isReplay === true,
    moduleNames: MODULES.map(({ name }) => name).sort((a, b) => (a < b ? -1 : 1)),
  }
}
