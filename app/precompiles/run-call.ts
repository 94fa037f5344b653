/** One call of a precompile, from its input to what its frame ends with. */
import { bytesToHex } from '../../core/hex.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { CodedError, isFault } from '../../core/errors.ts'
import type { NativeCall, NativeResult } from '../../evm/native-precompiles.ts'
import { encodeError } from './abi/encode-error.ts'
import { CallGas } from './call-gas.ts'
import { refuseCall } from './errors.ts'
import { QUERY_GAS } from './gas.ts'
import type { Method, Precompile } from './precompile.ts'
import { type NativeBlock, type Routes, Scope } from './scope.ts'

const SELECTOR_BYTES = 4
const UNKNOWN_METHOD = 'unknown method'

/** Throws where there is none; finding out has a price. */
const findMethod = ({ input }: NativeCall, precompile: Precompile, gas: CallGas): Method => {
  const method = precompile.method(input)
  if (method !== undefined) return method
  gas.consume(QUERY_GAS, UNKNOWN_METHOD)
  // In the words of go-ethereum, which has none of its own for input that is too short to name a method.
  if (input.length < SELECTOR_BYTES) throw refuseCall('execution reverted')
  throw refuseCall(`no method with id: ${bytesToHex(input.slice(0, SELECTOR_BYTES))}`)
}

const checkCall = ({ isDelegated, isStatic, value }: NativeCall, { json, writes }: Method): void => {
  if (isDelegated) throw refuseCall('precompiles cannot be reached by delegatecall or callcode')
  if (writes && isStatic) throw refuseCall('write protection')
  if (value > 0n) throw refuseCall(`method ${json.name} is not payable`)
}

/** In the words of a client of gRPC, as cosmos/evm passes them on. */
const GRPC_NAMES: Readonly<Record<number, string>> = { 3: 'InvalidArgument', 5: 'NotFound', 12: 'Unimplemented' }

const reasonOf = ({ codespace, code, message }: CodedError): string =>
  codespace === 'grpc' ? `rpc error: code = ${GRPC_NAMES[code] ?? 'Unknown'} desc = ${message}` : message

const failed = (error: unknown, { gas: given }: NativeCall, gas: CallGas): NativeResult => {
  if (gas.isExhausted) {
    const failure = { kind: 'other', message: 'out of gas' } as const
    return { gasUsed: given, output: EMPTY_BYTES, logs: [], events: [], failure }
  }
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
  const gas = new CallGas(call.gas)
  try {
    const method = findMethod(call, precompile, gas)
    gas.consume(method.gas(call.input.length), method.json.name)
    checkCall(call, method)
    const scope = new Scope(call, gas, block, routes)
    const output = method.run(scope, call.input.subarray(SELECTOR_BYTES))
    return { gasUsed: gas.used, output, logs: scope.logs, events: scope.events, failure: undefined }
  } catch (error) {
    return failed(error, call, gas)
  }
}
