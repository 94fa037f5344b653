/** The only code that touches mint's keys. */
import { moduleAddress } from '../../core/address.ts'
import { bigintToBytes, bytesToBigint, bytesToUtf8, utf8ToBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import { MINTER_KEY, PARAMS_KEY } from './keys.ts'
import { IDLE_MINTER, type Minter } from './minter.ts'
import type { MintParams } from './params.ts'

export const MINT_ADDRESS = moduleAddress('mint')

const decodeFlat = (bytes: Uint8Array): readonly Uint8Array[] => {
  const list = decodeRlp(bytes)
  invariant(Array.isArray(list), 'a value of mint is malformed')
  return list.map((item) => {
    invariant(item instanceof Uint8Array, 'a value of mint is malformed')
    return item
  })
}

export const readParams = (state: StateReader): MintParams => {
  const value = state.value(MINT_ADDRESS, PARAMS_KEY)
  invariant(value !== undefined, 'mint has no parameters: the state has no genesis')
  const [denom, ...rest] = decodeFlat(value)
  const [change, max, min, goal, blocks, supply] = rest.map(bytesToBigint)
  return {
    mintDenom: bytesToUtf8(denom ?? new Uint8Array(0)),
    inflationRateChange: change ?? 0n,
    inflationMax: max ?? 0n,
    inflationMin: min ?? 0n,
    goalBonded: goal ?? 0n,
    blocksPerYear: blocks ?? 0n,
    maxSupply: supply ?? 0n,
  }
}

export const writeParams = (state: StateWriter, params: MintParams): void => {
  const { inflationRateChange, inflationMax, inflationMin, goalBonded, blocksPerYear, maxSupply } = params
  const numbers = [inflationRateChange, inflationMax, inflationMin, goalBonded, blocksPerYear, maxSupply]
  const value = encodeRlp([utf8ToBytes(params.mintDenom), ...numbers.map(bigintToBytes)])
  state.setValue(MINT_ADDRESS, PARAMS_KEY, value)
}

export const readMinter = (state: StateReader): Minter => {
  const value = state.value(MINT_ADDRESS, MINTER_KEY)
  if (value === undefined) return IDLE_MINTER
  const [inflation, annualProvisions] = decodeFlat(value).map(bytesToBigint)
  return { inflation: inflation ?? 0n, annualProvisions: annualProvisions ?? 0n }
}

export const writeMinter = (state: StateWriter, { inflation, annualProvisions }: Minter): void => {
  const idle = inflation === 0n && annualProvisions === 0n
  const value = idle ? undefined : encodeRlp([bigintToBytes(inflation), bigintToBytes(annualProvisions)])
  state.setValue(MINT_ADDRESS, MINTER_KEY, value)
}
