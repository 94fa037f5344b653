/** One call of a precompile, from its input to what its frame ends with. */
import { bytesToHex } from '../../core/hex.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { CodedError, isFault } from '../../core/errors.ts'
import type { NativeCall, NativeResult } from '../../evm/native-precompiles.ts'
import { encodeError } from './abi/encode-error.ts'
import { CallGas } from './call-gas.ts'
import { SubcallContracts } from './contract-calls.ts'
import { refuseCall } from './errors.ts'
import { QUERY_GAS } from './gas.ts'
import type { Method, Precompile } from './precompile.ts'
import { type NativeBlock, type Routes, Scope } from './scope.ts'

const SELECTOR_BYTES = 4
const UNKNOWN_METHOD = 'unknown method'

/** Throws, where there is none. */
const requireMethod = (method: Method | undefined, { input }: NativeCall): Method => {
  if (method !== undefined) return method
  // The text is that of go-ethereum, which has none of its own for input that is too short to name a method.
  if (input.length < SELECTOR_BYTES) throw refuseCall('execution reverted')
  throw refuseCall(`no method with id: ${bytesToHex(input.slice(0, SELECTOR_BYTES))}`)
}

const checkCall = ({ isDelegated, isStatic, value }: NativeCall, { json, writes }: Method): void => {
  if (isDelegated) throw refuseCall('precompiles cannot be reached by delegatecall or callcode')
  if (writes && isStatic) throw refuseCall('write protection')
  if (value > 0n) throw refuseCall(`method ${json.name} is not payable`)
}

/** The names of a client of gRPC, as cosmos/evm passes them on. */
const GRPC_NAMES: Readonly<Record<number, string>> = { 3: 'InvalidArgument', 5: 'NotFound', 12: 'Unimplemented' }

const reasonOf = ({ codespace, code, message }: CodedError): string =>
  codespace === 'grpc' ? `rpc error: code = ${GRPC_NAMES[code] ?? 'Unknown'} desc = ${message}` : message

const OUT_OF_GAS = { kind: 'other', message: 'out of gas' } as const

const outOfGas = ({ gas }: NativeCall): NativeResult => ({
  gasUsed: gas,
  output: EMPTY_BYTES,
  logs: [],
  events: [],
  failure: OUT_OF_GAS,
})

const failed = (error: unknown, call: NativeCall, gas: CallGas): NativeResult => {
  if (gas.isExhausted) return outOfGas(call)
  if (!(error instanceof CodedError) || isFault(error)) throw error
  return {
    gasUsed: gas.used,
    output: encodeError(reasonOf(error)),
    logs: [],
    events: [],
    failure: { kind: 'revert', message: 'execution reverted' },
  }
}

/** Throws what is no refusal: a fault of the node. What a failed call has written is the caller's to undo. */
export const runCall = (call: NativeCall, precompile: Precompile, block: NativeBlock, routes: Routes): NativeResult => {
  const known = precompile.method(call.input)
  // Finding out that there is none has a price.
  const price = known === undefined ? QUERY_GAS : known.gas(call.input.length)
  // Answered, not thrown: a call without gas costs a hundred of it, and to throw takes longer than that pays for.
  if (price > call.gas) return outOfGas(call)
  const gas = new CallGas(call.gas)
  const contracts = new SubcallContracts(call, gas)
  try {
    gas.consume(price, known?.json.name ?? UNKNOWN_METHOD)
    const method = requireMethod(known, call)
    checkCall(call, method)
    const scope = new Scope(call, gas, block, routes, contracts)
    const output = method.run(scope, call.input.subarray(SELECTOR_BYTES))
    return { gasUsed: gas.used, output, logs: scope.logs, events: scope.events, failure: undefined }
  } catch (error) {
    if (contracts.fault !== undefined) throw contracts.fault
    return failed(error, call, gas)
  }
}
