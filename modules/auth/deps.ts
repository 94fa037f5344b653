/** What auth needs of the rest of the node. */
import type { Address } from '../../core/address.ts'
import type { QueryContext } from '../module.ts'
import type { PackedPublicKey } from './keeper.ts'

/** An account that a module owns. */
export interface ModuleAccountInfo {
  readonly name: string
  readonly address: Address
  /** The SDK's permissions: `minter`, `burner`, `staking`. */
  readonly permissions: readonly string[]
}

export interface AuthDependencies {
  /** The module accounts in the order of their names. */
  readonly moduleAccounts: readonly ModuleAccountInfo[]
  accountNumber(address: Address): bigint
  /** Addresses of every account in order, from `start` (inclusive) on; not in a block. */
  addresses(context: QueryContext, start?: Address): Iterable<Address>
  /** What is wrong with the public key of an account, in words. */
  checkKey(address: Address, key: PackedPublicKey): string | undefined
}
