/**
 * Pairing curves of the precompiles in WebAssembly. In JavaScript a transaction of 16,777,216 gas could compute for
 * half a minute (EIP-2537 prices native code), and no proposer would finish its block.
 */
import { MCLBLS, RustBN254, type EVMBLSInterface, type EVMBN254Interface } from '@ethereumjs/evm'
import mcl from 'mcl-wasm'
import { initRustBN } from 'rustbn-wasm'

export interface Curves {
  readonly bls: EVMBLSInterface
  readonly bn254: EVMBN254Interface
}

let curves: Promise<Curves> | undefined

const load = async (): Promise<Curves> => {
  await mcl.init(mcl.BLS12_381)
  return { bls: new MCLBLS(mcl), bn254: new RustBN254(await initRustBN()) }
}

/** Loaded once a thread. */
export const loadCurves = (): Promise<Curves> => (curves ??= load())
