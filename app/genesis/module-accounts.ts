/** Accounts of the chain itself: of its modules, and where fees are collected. Nobody has a key of them. */
import { type Address, FEE_COLLECTOR_ADDRESS, moduleAddress } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import type { ModuleAccountInfo } from '../../modules/auth/index.ts'
import type { ModuleAccount } from '../../modules/module.ts'
import { MODULES } from '../module-list.ts'

const FEE_COLLECTOR: ModuleAccount = { name: 'fee_collector', permissions: [] }

const ACCOUNTS: readonly ModuleAccount[] = [
  ...MODULES.map(({ name, permissions = [] }) => ({ name, permissions })),
  ...MODULES.flatMap(({ accounts = [] }) => accounts),
]

/** Names of those that exist from the first block: of the modules, then where modules keep coins beside. */
export const MODULE_ACCOUNTS: readonly string[] = ACCOUNTS.map(({ name }) => name)

/** The module accounts in the order of their names. */
export const listModuleAccounts = (): readonly ModuleAccountInfo[] =>
  [...ACCOUNTS, FEE_COLLECTOR]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, permissions }) => ({ name, address: moduleAddress(name), permissions }))

/** Made by every genesis, as they stand. */
export const SYSTEM_ADDRESSES: readonly Address[] = [...MODULE_ACCOUNTS.map(moduleAddress), FEE_COLLECTOR_ADDRESS]

const OWNERS: ReadonlyMap<string, string> = new Map(
  listModuleAccounts().map(({ name, address }) => [bytesToKey(address), name]),
)

/** The name of a system account. */
export const moduleAccountName = (address: Address): string | undefined => OWNERS.get(bytesToKey(address))

/** Whether an address is of a module, and so keeps values and no storage slots. */
export const isModuleAddress = (address: Address): boolean => OWNERS.has(bytesToKey(address))
