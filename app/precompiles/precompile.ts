/** A precompile as a set of methods with Solidity's selectors. */
import type { Address } from '../../core/address.ts'
import { bytesToKey, utf8ToBytes } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import { precompileAddress } from '../../evm/precompile-addresses.ts'
import type { AbiEvent, EventDefinition } from './abi/event.ts'
import { AbiReader } from './abi/reader.ts'
import { type AbiParameter, type Fields, parametersOf, tuple, type Values } from './abi/types.ts'
import { QUERY_BYTE_GAS, QUERY_GAS, TRANSACTION_BYTE_GAS, TRANSACTION_GAS } from './gas.ts'
import type { Scope } from './scope.ts'

export interface AbiFunction {
  readonly type: 'function'
  readonly name: string
  readonly inputs: readonly AbiParameter[]
  readonly outputs: readonly AbiParameter[]
  readonly stateMutability: 'nonpayable' | 'view'
}

export interface Method {
  readonly json: AbiFunction
  /** Four bytes. */
  readonly selector: Uint8Array
  readonly writes: boolean
  gas(inputBytes: number): bigint
  /** Takes the arguments and gives what is returned, both encoded. */
  run(scope: Scope, parameters: Uint8Array): Uint8Array
}

interface Cost {
  readonly flat: bigint
  readonly perByte: bigint
}

const defineMethod = <Inputs extends Fields, Outputs extends Fields>(
  json: AbiFunction,
  inputs: Inputs,
  outputs: Outputs,
  writes: boolean,
  { flat, perByte }: Cost,
  run: (scope: Scope, values: Values<Inputs>) => Values<Outputs>,
): Method => {
  const [input, output] = [tuple(inputs), tuple(outputs)]
  return {
    json,
    selector: keccak256(utf8ToBytes(`${json.name}${input.canonical}`)).slice(0, 4),
    writes,
    gas: (inputBytes) => flat + perByte * BigInt(inputBytes),
    run: (scope, parameters) => output.write(run(scope, input.read(new AbiReader(parameters), 0))),
  }
}

const describe = (
  name: string,
  inputs: Fields,
  outputs: Fields,
  stateMutability: AbiFunction['stateMutability'],
): AbiFunction => ({
  type: 'function',
  name,
  inputs: parametersOf(inputs),
  outputs: parametersOf(outputs),
  stateMutability,
})

/** A method that writes: refused in a static call. */
export const transaction = <Inputs extends Fields, Outputs extends Fields>(
  name: string,
  inputs: Inputs,
  outputs: Outputs,
  run: (scope: Scope, values: Values<Inputs>) => Values<Outputs>,
): Method =>
  defineMethod(
    describe(name, inputs, outputs, 'nonpayable'),
    inputs,
    outputs,
    true,
    { flat: TRANSACTION_GAS, perByte: TRANSACTION_BYTE_GAS },
    run,
  )

/** A method that reads. */
export const query = <Inputs extends Fields, Outputs extends Fields>(
  name: string,
  inputs: Inputs,
  outputs: Outputs,
  run: (scope: Scope, values: Values<Inputs>) => Values<Outputs>,
): Method =>
  defineMethod(
    describe(name, inputs, outputs, 'view'),
    inputs,
    outputs,
    false,
    { flat: QUERY_GAS, perByte: QUERY_BYTE_GAS },
    run,
  )

/** A method that computes, at a flat price. Its ABI is that of a function that may write: others made it so. */
export const conversion = <Inputs extends Fields, Outputs extends Fields>(
  name: string,
  inputs: Inputs,
  outputs: Outputs,
  gas: bigint,
  run: (values: Values<Inputs>) => Values<Outputs>,
): Method =>
  defineMethod(
    describe(name, inputs, outputs, 'nonpayable'),
    inputs,
    outputs,
    false,
    { flat: gas, perByte: QUERY_BYTE_GAS },
    (_, values) => run(values),
  )

export interface Precompile {
  /** The name of the module behind it, where there is one. */
  readonly name: string
  readonly address: Address
  readonly abi: readonly (AbiEvent | AbiFunction)[]
  readonly methods: readonly Method[]
  /** Undefined for a selector that it does not know. */
  method(input: Uint8Array): Method | undefined
}

/** `number` is its address: one of cosmos/evm (x/vm/types/precompiles.go), or from 0x900 on one of this chain alone. */
export const definePrecompile = (
  name: string,
  number: number,
  events: readonly Pick<EventDefinition<Fields, Fields>, 'json'>[],
  methods: readonly Method[],
): Precompile => {
  const bySelector = new Map(methods.map((method) => [bytesToKey(method.selector), method]))
  return {
    name,
    address: precompileAddress(number),
    abi: [...events.map(({ json }) => json), ...methods.map(({ json }) => json)],
    methods,
    method: (input) => bySelector.get(bytesToKey(input.subarray(0, 4))),
  }
}
