/** The only code that touches the fee market's keys. */
import { moduleAddress } from '../../core/address.ts'
import { bytesToUtf8, utf8ToBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import { BASE_FEE_KEY, PARAMS_KEY } from './keys.ts'
import { type FeeMarketGenesis } from './params.ts'
import { formatFeeMarketGenesis, parseFeeMarketGenesis } from './genesis.ts'

export const FEE_MARKET_ADDRESS = moduleAddress('feemarket')

/** Parameters and the base fee of the next block. */
export const readFeeMarket = (state: StateReader): FeeMarketGenesis => {
  const params = state.value(FEE_MARKET_ADDRESS, PARAMS_KEY)
  invariant(params !== undefined, 'the fee market has no parameters: the state has no genesis')
  const baseFeeAnat = readBaseFee(state)
  const members = { ...(JSON.parse(bytesToUtf8(params)) as object), base_fee: baseFeeAnat.toString() }
  return parseFeeMarketGenesis(members)
}

/** Base fee of the block after the state's height, in anat a gas. */
export const readBaseFee = (state: StateReader): bigint => {
  const value = state.value(FEE_MARKET_ADDRESS, BASE_FEE_KEY)
  invariant(value !== undefined, 'the fee market has no base fee: the state has no genesis')
  return BigInt(bytesToUtf8(value))
}

export const writeBaseFee = (state: StateWriter, baseFeeAnat: bigint): void => {
  state.setValue(FEE_MARKET_ADDRESS, BASE_FEE_KEY, utf8ToBytes(baseFeeAnat.toString()))
}

export const writeFeeMarket = (state: StateWriter, genesis: FeeMarketGenesis): void => {
  // The base fee moves and has a key of its own: a chain that begins with an export has the same parameters.
  const { base_fee: _, ...params } = formatFeeMarketGenesis(genesis)
  state.setValue(FEE_MARKET_ADDRESS, PARAMS_KEY, utf8ToBytes(JSON.stringify(params)))
  writeBaseFee(state, genesis.baseFeeAnat)
}
