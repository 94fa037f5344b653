/** One call of a simulated block: its defaults, its limits, and why it is refused. */
import { ZERO_ADDRESS } from '../../core/address.ts'
import { CodedError } from '../../core/errors.ts'
import { hexToBigint, hexToBytes, quantityToHex } from '../../core/hex.ts'
import type { ExecuteOptions, Message } from '../../evm/engine.ts'
import { EVM_CODESPACE, EVM_ERROR, type EvmErrorName } from '../../evm/errors.ts'
import { prepareMessage } from '../../evm/transition/prepare-message.ts'
import type { BlockEnvironment } from '../../evm/engine.ts'
import type { Overlay } from '../../store/overlay.ts'
import { invalidParameters, type SIMULATION_CODES, simulationError } from '../../app/errors.ts'
import type { CallRequest } from '../../app/ports.ts'
import { toCallMessage } from '../message.ts'

/** Gas of all calls of a request together. */
export interface GasPool {
  gas: bigint
}

export interface PreparedCall {
  readonly call: CallRequest
  readonly message: Message
}

/** Gives a call its defaults. Throws simulation/15 and query/1. A call that names no gas gets what is left of its block and of the pool. */
export const prepareCall = (
  given: CallRequest,
  state: Overlay,
  environment: BlockEnvironment,
  blockGasUsed: bigint,
  pool: GasPool,
): PreparedCall => {
  const { gasLimit } = environment
  const sender = given.from === undefined ? ZERO_ADDRESS : hexToBytes(given.from)
  const nonce = given.nonce ?? quantityToHex(state.account(sender)?.nonce ?? 0n)
  // Geth's difference and sum wrap around: a sum that did so lets a call use more than the block has.
  const wanted = given.gas === undefined ? BigInt.asUintN(64, gasLimit - blockGasUsed) : hexToBigint(given.gas)
  if (BigInt.asUintN(64, blockGasUsed + wanted) > gasLimit) {
    throw simulationError('blockGasLimitReached', `block gas limit reached: ${blockGasUsed} >= ${gasLimit}`)
  }
  const capped = pool.gas > 0n && pool.gas < wanted ? pool.gas : wanted
  const call = { ...given, nonce }
  return { call, message: toCallMessage(call, environment.chainId, capped) }
}

const CODES: Readonly<Partial<Record<EvmErrorName, keyof typeof SIMULATION_CODES | 'parameters'>>> = {
  nonceTooHigh: 'nonceTooHigh',
  nonceTooLow: 'nonceTooLow',
  feeCapVeryHigh: 'parameters',
  tipVeryHigh: 'parameters',
  tipAboveFeeCap: 'parameters',
  feeCapTooLow: 'parameters',
  insufficientFunds: 'insufficientFunds',
  insufficientFundsForTransfer: 'insufficientFunds',
  intrinsicGasTooLow: 'intrinsicGas',
  initCodeTooLarge: 'initCodeTooLarge',
}

const NAMES = new Map(Object.entries(EVM_ERROR).map(([name, code]) => [code as number, name as EvmErrorName]))

const suppliedText = (message: string, gasLimit: bigint): string => `err: ${message} (supplied gas ${gasLimit})`

/** The error of a call that cannot stand at its place. */
export const refusalOf = (error: CodedError, gasLimit: bigint): CodedError => {
  const text = suppliedText(error.message, gasLimit)
  const name = NAMES.get(error.code)
  const code = name === undefined ? undefined : CODES[name]
  return code === 'parameters' ? invalidParameters(text) : simulationError(code ?? 'invalidCall', text)
}

/** What geth looks at behind the pool's gas. */
const BEHIND_POOL: ReadonlySet<number> = new Set([
  EVM_ERROR.intrinsicGasTooLow,
  EVM_ERROR.floorDataGasTooLow,
  EVM_ERROR.initCodeTooLarge,
])

/** Throws when the pool is used up, or what is wrong with the call before that counts. */
export const requirePoolGas = (
  message: Message,
  state: Overlay,
  environment: BlockEnvironment,
  options: ExecuteOptions,
  pool: GasPool,
): void => {
  const { gasLimit } = message
  if (gasLimit <= pool.gas) return
  try {
    prepareMessage(state, environment, message, options)
  } catch (error) {
    if (!(error instanceof CodedError) || error.codespace !== EVM_CODESPACE) throw error
    if (!BEHIND_POOL.has(error.code)) throw refusalOf(error, gasLimit)
  }
  throw simulationError('invalidCall', suppliedText('gas limit reached', gasLimit))
}
