/** The modules of the chain in the order in which their hooks run, each with what it needs of the others. */
import { type Address, moduleAddress } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { type AuthParameters, createAuthModule } from '../../modules/auth/index.ts'
import { createBankModule } from '../../modules/bank/index.ts'
import { createConsensusModule, readConsensusParameters } from '../../modules/consensus/index.ts'
import { createFeeMarketModule } from '../../modules/feemarket/index.ts'
import type { Module, QueryContext } from '../../modules/module.ts'
import { scanAccountsAt } from '../../store/scan-at.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { accountNumberOf } from '../native/account-number.ts'
import { GAS_PER_BYTE, GAS_PER_SIGNATURE } from '../native/gas.ts'
import { MAX_MEMO_BYTES, MAX_SIGNATURES } from '../native/limits.ts'
import { MODULE_ACCOUNTS } from './genesis.ts'
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

const AUTH_PARAMETERS: AuthParameters = {
  maxMemoCharacters: BigInt(MAX_MEMO_BYTES),
  txSigLimit: BigInt(MAX_SIGNATURES),
  txSizeCostPerByte: GAS_PER_BYTE,
  // Such keys do not sign here; the SDK's default.
  sigVerifyCostEd25519: 590n,
  sigVerifyCostSecp256k1: GAS_PER_SIGNATURE.secp256k1,
}

/** `committedHeight` is left out where a context is always that of the head. */
export const createModules = (store: KeyValueStore, committedHeight?: () => number): readonly Module[] => {
  const moduleAccounts = [...MODULE_ACCOUNTS, FEE_COLLECTOR]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => ({ name, address: moduleAddress(name), permissions: [] }))
  const blocked = new Set(moduleAccounts.map(({ address }) => bytesToKey(address)))
  const accounts = ({ height }: QueryContext, start?: Address) =>
    accountsAt(store, height, committedHeight ?? (() => height), start)
  return [
    createConsensusModule(),
    createBankModule({ accounts, isBlockedReceiver: (address) => blocked.has(bytesToKey(address)) }),
    createFeeMarketModule({ blockGasLimit: (state) => BigInt(readConsensusParameters(state).block.maxGas) }),
    createAuthModule({
      parameters: AUTH_PARAMETERS,
      moduleAccounts,
      accountNumber: accountNumberOf,
      accounts: (context, start) => addressesOf(accounts(context, start)),
      checkKey: publicKeyFault,
    }),
  ]
}
