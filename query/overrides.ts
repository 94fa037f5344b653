/** State and block overrides of eth_call and eth_estimateGas, applied to a scratch state. */
import { bytesToHex, hexToBigint, hexToBytes } from '../core/hex.ts'
import { padLeft, trimLeadingZeros } from '../core/bytes.ts'
import { type Address, checksumAddress } from '../core/address.ts'
import type { BlockEnvironment, Hardfork, PrecompileMove } from '../evm/engine.ts'
import { isPrecompile } from '../evm/precompile-addresses.ts'
import { EMPTY_ACCOUNT, type StateWriter } from '../store/state.ts'
import { invalidParameters, queryFailed } from '../app/errors.ts'
import { isNativePrecompile } from '../app/precompiles/index.ts'
import type { AccountOverride, BlockOverrides, StateOverrides } from '../app/ports.ts'

const applyAccount = (state: StateWriter, address: Uint8Array, override: AccountOverride): void => {
  if (override.state !== undefined && override.stateDiff !== undefined) {
    throw queryFailed(`account ${checksumAddress(address)} has both 'state' and 'stateDiff'`)
  }
  const { nonce, balance, code } = override
  const slots = Object.entries(override.state ?? override.stateDiff ?? {})
  // What changes nothing makes no account either: state roots of simulated blocks would show it.
  if ((nonce ?? balance ?? code ?? override.state) === undefined && slots.length === 0) return
  const account = state.account(address) ?? EMPTY_ACCOUNT
  state.setAccount(address, {
    ...account,
    ...(nonce === undefined ? {} : { nonce: hexToBigint(nonce) }),
    ...(balance === undefined ? {} : { balance: hexToBigint(balance) }),
    ...(code === undefined ? {} : { codeHash: state.setCode(hexToBytes(code)) }),
  })
  if (override.state !== undefined) state.clearStorage(address)
  for (const [slot, value] of slots) {
    state.setStorage(address, padLeft(hexToBytes(slot), 32), trimLeadingZeros(hexToBytes(value)))
  }
}

/** An override of a precompile takes it away from its address, whatever it changes. Throws query/1. */
const precompileMove = (
  isMovable: (address: Address) => boolean,
  from: Address,
  { movePrecompileToAddress }: AccountOverride,
  overrides: StateOverrides,
): PrecompileMove | undefined => {
  const to = movePrecompileToAddress === undefined ? undefined : hexToBytes(movePrecompileToAddress)
  if (isMovable(from)) {
    if (to !== undefined && bytesToHex(to) in overrides) {
      throw queryFailed(`account ${checksumAddress(to)} is already overridden`)
    }
    return { from, to }
  }
  if (to !== undefined) throw queryFailed(`account ${checksumAddress(from)} is not a precompile`)
  return undefined
}

/** Returns the precompiles (`isMovable`) that the overrides move or remove. Throws query/1 with geth's texts. */
export const applyStateOverrides = (
  state: StateWriter,
  hardfork: Hardfork,
  overrides: StateOverrides = {},
  isMovable = (address: Address): boolean => isPrecompile(hardfork, address) || isNativePrecompile(address),
): readonly PrecompileMove[] => {
  const moves: PrecompileMove[] = []
  for (const [hex, override] of Object.entries(overrides)) {
    const address = hexToBytes(hex)
    const move = precompileMove(isMovable, address, override, overrides)
    if (move !== undefined) moves.push(move)
    applyAccount(state, address, override)
  }
  // What overrides wrote is the original value of its slots.
  state.beginTransaction()
  return moves
}

/** Reads a quantity as a number. Throws query/2 for one that this node does not count to. */
export const toNumber = (hex: string, name: string): number => {
  const value = hexToBigint(hex)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw invalidParameters(`block override "${name}" is too large`)
  return Number(value)
}

export const applyBlockOverrides = (
  environment: BlockEnvironment,
  overrides: BlockOverrides | undefined,
): BlockEnvironment => {
  if (overrides === undefined) return environment
  const { number, time, gasLimit, feeRecipient, prevRandao, baseFeePerGas, blobBaseFee } = overrides
  return {
    ...environment,
    ...(number === undefined ? {} : { number: toNumber(number, 'number') }),
    ...(time === undefined ? {} : { timestamp: toNumber(time, 'time') }),
    ...(gasLimit === undefined ? {} : { gasLimit: hexToBigint(gasLimit) }),
    ...(feeRecipient === undefined ? {} : { coinbase: hexToBytes(feeRecipient) }),
    ...(prevRandao === undefined ? {} : { prevRandao: hexToBytes(prevRandao) }),
    ...(baseFeePerGas === undefined ? {} : { baseFeePerGas: hexToBigint(baseFeePerGas) }),
    ...(blobBaseFee === undefined ? {} : { blobBaseFee: hexToBigint(blobBaseFee) }),
    blockHash: (height) => environment.blockHash(height),
  }
}
