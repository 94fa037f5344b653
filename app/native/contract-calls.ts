/** Calls of contracts by messages of a native transaction. */
import type { CodedError } from '../../core/errors.ts'
import { bytesToHex } from '../../core/hex.ts'
import type { BlockEnvironment, ContractCallResult, Engine, Log } from '../../evm/engine.ts'
import { isEvmError } from '../../evm/errors.ts'
import type { NativePrecompiles } from '../../evm/native-precompiles.ts'
import { WEIGHT } from '../../evm/weight.ts'
import { noteBurntByEvm } from '../../modules/bank/index.ts'
import type { ContractCall, ContractCalls } from '../../modules/contracts.ts'
import type { Event } from '../../modules/module.ts'
import type { StateWriter } from '../../store/state.ts'

/** What runs them in a block. */
export interface ContractScene {
  readonly engine: Pick<Engine, 'callContract'>
  readonly environment: BlockEnvironment
  readonly nativePrecompiles: NativePrecompiles
}

/** The gas of one native transaction. */
export interface ContractMeter {
  readonly left: bigint
  consume(amount: bigint, what: string): void
  /** A call used `gas` of the EVM for what is consumed as `charged`. */
  noteContract(gas: bigint, charged: bigint): void
  /** What is thrown where everything is used up. */
  exhaust(what: string): CodedError
}

const WHAT = 'call of a contract'
const NANOSECONDS_A_GAS = BigInt(WEIGHT.nativeGas)

/**
 * Counts in gas of the native transaction: what the call weighs, at the nanoseconds that a unit of that gas stands for.
 * So the gas limit bounds the weight of the whole transaction, as it does without contracts.
 */
export const contractGas = ({ gasUsed, weight }: Pick<ContractCallResult, 'gasUsed' | 'weight'>): bigint => {
  const weighed = (BigInt(weight) + NANOSECONDS_A_GAS - 1n) / NANOSECONDS_A_GAS
  return weighed > gasUsed ? weighed : gasUsed
}

/** Native transactions have no receipt in the Ethereum block: their logs are events, so that none is lost. */
const logEvent = ({ address, topics, data }: Log): Event => ({
  type: 'evm_log',
  attributes: [
    { key: 'address', value: bytesToHex(address), index: true },
    { key: 'topics', value: topics.map(bytesToHex).join(','), index: false },
    { key: 'data', value: bytesToHex(data), index: false },
  ],
})

/**
 * The gas of each letter of the text that keeps a log: Ethereum's price of a byte of a log is 8, which is two letters
 * here.
 */
const LOG_LETTER_GAS = 4n

const emitLogs = (logs: readonly Log[], meter: ContractMeter, emit: (event: Event) => void): void => {
  for (const log of logs) {
    const event = logEvent(log)
    let letters = 0
    for (const { value } of event.attributes) letters += value.length
    meter.consume(LOG_LETTER_GAS * BigInt(letters), WHAT)
    emit(event)
  }
}

export const contractCallsOf = (
  { engine, environment, nativePrecompiles }: ContractScene,
  state: StateWriter,
  meter: ContractMeter,
  emit: (event: Event) => void,
): ContractCalls => {
  const run = (call: ContractCall, left: bigint): ContractCallResult => {
    const gas = call.gas < left ? call.gas : left
    try {
      const weightLimit = Number(left) * WEIGHT.nativeGas
      return engine.callContract(state, environment, { ...call, gas, weightLimit, nativePrecompiles })
    } catch (error) {
      if (!isEvmError(error, 'overWeight')) throw error
      // Nobody knows how much of it was gas of the EVM.
      meter.noteContract(0n, left)
      throw meter.exhaust(WHAT)
    }
  }
  return {
    spender: undefined,
    call: (call) => {
      const { left } = meter
      const result = run(call, left)
      const charged = contractGas(result)
      meter.noteContract(result.gasUsed, charged)
      meter.consume(charged, WHAT)
      noteBurntByEvm(state, result.burntAnat)
      const isSuccess = result.failure === undefined
      if (isSuccess) {
        emitLogs(result.logs, meter, emit)
        for (const { type, attributes } of result.nativeEvents)
          emit({ type, attributes: attributes.map((each) => ({ ...each })) })
      }
      return { isSuccess, output: result.output, isGasShort: left < call.gas }
    },
  }
}
