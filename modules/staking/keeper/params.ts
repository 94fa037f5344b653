/** The parameters in the state. */
import { bigintToBytes, bytesToBigint, bytesToUtf8, utf8ToBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { PARAMS_KEY, STAKING_ADDRESS } from '../keys.ts'
import type { StakingParams } from '../params.ts'

export const readStakingParams = (state: StateReader): StakingParams => {
  const value = state.value(STAKING_ADDRESS, PARAMS_KEY)
  invariant(value !== undefined, 'there are no staking parameters: the state has no genesis')
  const [unbonding, validators, entries, historical, denomination, rate] = decodeRlp(value) as Uint8Array[]
  const integer = (bytes: Uint8Array | undefined): bigint => bytesToBigint(bytes ?? new Uint8Array(0))
  return {
    unbondingTimeNs: integer(unbonding),
    maxValidators: Number(integer(validators)),
    maxEntries: Number(integer(entries)),
    historicalEntries: Number(integer(historical)),
    bondDenomination: bytesToUtf8(denomination ?? new Uint8Array(0)),
    minCommissionRate: integer(rate),
  }
}

export const writeStakingParams = (state: StateWriter, params: StakingParams): void => {
  const integers = [params.unbondingTimeNs, params.maxValidators, params.maxEntries, params.historicalEntries]
  const value = encodeRlp([
    ...integers.map((integer) => bigintToBytes(BigInt(integer))),
    utf8ToBytes(params.bondDenomination),
    bigintToBytes(params.minCommissionRate),
  ])
  state.setValue(STAKING_ADDRESS, PARAMS_KEY, value)
}
