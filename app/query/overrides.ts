/** State and block overrides of eth_call and eth_estimateGas, applied to a scratch state. */
import { bytesToHex, hexToBigint, hexToBytes } from '../../core/hex.ts'
import { padLeft, trimLeadingZeros } from '../../core/bytes.ts'
import type { BlockEnvironment } from '../../evm/engine.ts'
import { EMPTY_ACCOUNT, type StateWriter } from '../../store/state.ts'
import { invalidParameters, queryFailed } from '../errors.ts'
import type { AccountOverride, BlockOverrides, StateOverrides } from '../ports.ts'

const applyAccount = (state: StateWriter, address: Uint8Array, override: AccountOverride): void => {
  const hex = bytesToHex(address)
  if (override.movePrecompileToAddress !== undefined) {
    throw queryFailed(`account ${hex}: movePrecompileToAddress is not supported by this node`)
  }
  if (override.state !== undefined && override.stateDiff !== undefined) {
    throw queryFailed(`account ${hex} has both 'state' and 'stateDiff'`)
  }
  const account = state.account(address) ?? EMPTY_ACCOUNT
  state.setAccount(address, {
    ...account,
    ...(override.nonce === undefined ? {} : { nonce: hexToBigint(override.nonce) }),
    ...(override.balance === undefined ? {} : { balance: hexToBigint(override.balance) }),
    ...(override.code === undefined ? {} : { codeHash: state.setCode(hexToBytes(override.code)) }),
  })
  if (override.state !== undefined) state.clearStorage(address)
  for (const [slot, value] of Object.entries(override.state ?? override.stateDiff ?? {})) {
    state.setStorage(address, padLeft(hexToBytes(slot), 32), trimLeadingZeros(hexToBytes(value)))
  }
}

/** Throws query/1 with geth's texts. */
export const applyStateOverrides = (state: StateWriter, overrides: StateOverrides | undefined): void => {
  for (const [address, override] of Object.entries(overrides ?? {})) applyAccount(state, hexToBytes(address), override)
  // What overrides wrote is the original value of its slots.
  state.beginTransaction()
}

const toNumber = (hex: string, name: string): number => {
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
