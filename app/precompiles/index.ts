/** The native modules as precompiled contracts, at the addresses and with the ABIs of cosmos/evm. */
import type { Address } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { NativePrecompiles } from '../../evm/native-precompiles.ts'
import type { Module } from '../../modules/module.ts'
import { messageHandlers, queryHandlers } from '../native/module-handlers.ts'
import { encodeError } from './abi/encode-error.ts'
import { bankPrecompile } from './bank.ts'
import { bech32Precompile } from './bech32.ts'
import { bridgePrecompile } from './bridge.ts'
import { clobPrecompile } from './clob.ts'
import { erc20Precompile } from './erc20.ts'
import { erc20ViewPrecompile } from './erc20-view.ts'
import { distributionPrecompile } from './distribution/index.ts'
import { govPrecompile } from './gov/index.ts'
import { NATIVE_TOKEN, NATIVE_TOKEN_CODE, NATIVE_TOKEN_REFUSAL } from './native-token.ts'
import type { Precompile } from './precompile.ts'
import { VIEW_CODE } from './view-code.ts'
import { runCall } from './run-call.ts'
import type { NativeBlock, Routes } from './scope.ts'
import { slashingPrecompile } from './slashing.ts'
import { stakingPrecompile } from './staking/index.ts'

/** A new one is a file or folder here, and a line. */
export const PRECOMPILES: readonly Precompile[] = [
  bech32Precompile,
  stakingPrecompile,
  distributionPrecompile,
  bankPrecompile,
  govPrecompile,
  slashingPrecompile,
  clobPrecompile,
  erc20Precompile,
  erc20ViewPrecompile,
  bridgePrecompile,
]

export const NATIVE_PRECOMPILE_ADDRESSES = PRECOMPILES.map(({ address }) => address)

/**
 * What the genesis gives each of these accounts, beside nonce 1: INVALID, which never runs. Compilers before Solidity
 * 0.8.10 and many libraries ask whether there is code before they call.
 */
export const PRECOMPILE_CODE = Uint8Array.of(0xfe)

export { NATIVE_TOKEN, NATIVE_TOKEN_CODE, VIEW_CODE }

const byAddress = new Map(PRECOMPILES.map((precompile) => [bytesToKey(precompile.address), precompile]))

export const isNativePrecompile = (address: Address): boolean => byAddress.has(bytesToKey(address))

const PRECOMPILE_REFUSAL = encodeError('a precompile takes no coins')
/** Calls with value revert at all of these. */
const heirRefusals = new Map([
  [bytesToKey(NATIVE_TOKEN), NATIVE_TOKEN_REFUSAL],
  ...NATIVE_PRECOMPILE_ADDRESSES.map((address) => [bytesToKey(address), PRECOMPILE_REFUSAL] as const),
])

/** The modules of a chain never change: their handlers are looked up once. */
const routesByModules = new WeakMap<readonly Module[], Routes>()

const routesFor = (modules: readonly Module[]): Routes => {
  const known = routesByModules.get(modules)
  if (known !== undefined) return known
  const routes = { messages: messageHandlers(modules), queries: queryHandlers(modules) }
  routesByModules.set(modules, routes)
  return routes
}

/** The native precompiles for the executions of one block. */
export const nativePrecompilesAt = (modules: readonly Module[], block: NativeBlock): NativePrecompiles => {
  const routes = routesFor(modules)
  return {
    addresses: NATIVE_PRECOMPILE_ADDRESSES,
    heirRefusal: (heir) => heirRefusals.get(bytesToKey(heir)),
    run: (call) => {
      const precompile = byAddress.get(bytesToKey(call.precompile))
      invariant(precompile !== undefined, 'a precompile is called that is none')
      return runCall(call, precompile, block, routes)
    },
  }
}
