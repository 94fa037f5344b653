/** Ethereum's precompiled contracts of each fork, by number. */
import type { Hardfork } from '../engine.ts'
import { numberOfPrecompile, PRECOMPILE_ADDRESSES } from '../precompile-addresses.ts'
import { invariant } from '../../core/errors.ts'
import { blake2f } from './blake2f.ts'
import { bls12Precompiles } from './bls12.ts'
import { bn254Precompiles } from './bn254.ts'
import { FRONTIER_PRECOMPILES } from './hashes.ts'
import { CURVES, Mcl } from './mcl.ts'
import { createModexp } from './modexp.ts'
import { p256Verify } from './p256-verify.ts'
import { pointEvaluation } from './point-evaluation.ts'
import type { Precompile } from './precompile.ts'

export type PrecompileTable = ReadonlyMap<number, Precompile>

const load = async (): Promise<Readonly<Record<Hardfork, PrecompileTable>>> => {
  const [bls12, bn254] = [await Mcl.load(CURVES.bls12), await Mcl.load(CURVES.bn254)]
  const all = new Map<number, Precompile>([
    ...FRONTIER_PRECOMPILES,
    ...bn254Precompiles(bn254),
    [0x09, blake2f],
    [0x0a, pointEvaluation(bls12)],
    ...bls12Precompiles(bls12),
    [0x1_00, p256Verify],
  ])
  const of = (hardfork: Hardfork): PrecompileTable => {
    const forked = new Map(all).set(0x05, createModexp(hardfork === 'osaka'))
    return new Map(
      PRECOMPILE_ADDRESSES[hardfork].map((address) => {
        const number = numberOfPrecompile(address)
        const precompile = forked.get(number)
        invariant(precompile !== undefined, 'a precompile of the fork is missing')
        return [number, precompile]
      }),
    )
  }
  return { cancun: of('cancun'), prague: of('prague'), osaka: of('osaka') }
}

let tables: ReturnType<typeof load> | undefined

/** Loads the curves once a thread. */
export const loadPrecompiles = (): Promise<Readonly<Record<Hardfork, PrecompileTable>>> => (tables ??= load())
