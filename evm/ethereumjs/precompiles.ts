/** Ethereum's precompiled contracts as plain functions, for the interpreter: the library's, made synchronous. */
import { EVMError, type ExecResult } from '@ethereumjs/evm'
import type { Address } from '../../core/address.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { bytesToUnprefixedHex } from '../../core/hex.ts'
import type { Hardfork } from '../engine.ts'
import { numberOfPrecompile, PRECOMPILE_ADDRESSES } from '../precompile-addresses.ts'
import { blake2f } from './blake2f.ts'
import { curvePrecompiles } from './curve-precompiles.ts'
import { type Curves, loadCurves } from './curves.ts'
import { describePrecompile } from './failure.ts'
import { createLibraryEvm } from './machine.ts'
import { p256Verify } from './p256-verify.ts'
import { precompileFailure } from './precompile-failure.ts'

export interface PrecompileResult {
  /** All that was given where it failed. */
  readonly gasUsed: number
  readonly output: Uint8Array
  /** In geth's words; undefined on success. */
  readonly failure: string | undefined
}

export type Precompile = (input: Uint8Array, gas: number) => PrecompileResult

const IDENTITY = 0x04
/** Faster than the library's, to which they leave what they refuse. */
const FAST: ReadonlyMap<number, (input: Uint8Array, gas: number) => PrecompileResult | undefined> = new Map([
  [0x09, blake2f],
  [0x100, p256Verify],
])

const failed = (address: Address, input: Uint8Array, gas: number, error: string, curves: Curves): PrecompileResult => {
  const failure = precompileFailure(address, input, BigInt(gas), describePrecompile(error), curves)
  return { gasUsed: gas, output: EMPTY_BYTES, failure }
}

const identity: Precompile = (input, gas) => {
  const gasUsed = 15 + 3 * Math.ceil(input.length / 32)
  if (gas < gasUsed) return { gasUsed: gas, output: EMPTY_BYTES, failure: EVMError.errorMessages.OUT_OF_GAS }
  return { gasUsed, output: input.slice(), failure: undefined }
}

/** The precompiles of a fork by number. */
export const loadPrecompiles = async (hardfork: Hardfork): Promise<ReadonlyMap<number, Precompile>> => {
  const { evm, common } = await createLibraryEvm(hardfork, 1n)
  const curves = await loadCurves()
  const curved = curvePrecompiles(curves.bls)
  const fromCurve = (address: Address): Precompile | undefined => {
    const compute = curved.get(numberOfPrecompile(address))
    if (compute === undefined) return undefined
    return (input, gas) => {
      const result = compute(input, gas)
      if (typeof result.output === 'string') return failed(address, input, gas, result.output, curves)
      return { gasUsed: result.gas, output: result.output, failure: undefined }
    }
  }
  const fromLibrary = (address: Address): Precompile => {
    const compute = evm.precompiles.get(bytesToUnprefixedHex(address))
    invariant(compute !== undefined, 'the library lacks a precompile of the fork')
    const fast = FAST.get(numberOfPrecompile(address))
    return (input, gas) => {
      const done = fast?.(input, gas)
      if (done !== undefined) return done
      const result = compute({ data: input, gasLimit: BigInt(gas), common, _EVM: evm })
      invariant(!(result instanceof Promise), 'a precompile of the library has become asynchronous')
      return toResult(address, input, gas, result)
    }
  }
  const toResult = (address: Address, input: Uint8Array, gas: number, result: ExecResult): PrecompileResult => {
    const { exceptionError, executionGasUsed, returnValue } = result
    if (exceptionError !== undefined) return failed(address, input, gas, exceptionError.error, curves)
    return { gasUsed: Number(executionGasUsed), output: returnValue, failure: undefined }
  }
  return new Map(
    PRECOMPILE_ADDRESSES[hardfork].map((address) => {
      const number = numberOfPrecompile(address)
      return [number, number === IDENTITY ? identity : (fromCurve(address) ?? fromLibrary(address))]
    }),
  )
}
