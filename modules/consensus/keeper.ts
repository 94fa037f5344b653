/** The only code that touches the consensus module's keys. */
import { moduleAddress } from '../../core/address.ts'
import { bigintToBytes, bytesToBigint, bytesToUtf8, uint64ToBytes, readUint64, utf8ToBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import type { ValidatorUpdate } from '../module.ts'
import { type ConsensusParameters, decodeConsensusParameters, encodeConsensusParameters } from './params.ts'
import { setAt, type ValidatorSetEntry } from './validator-sets.ts'

export const CONSENSUS_ADDRESS = moduleAddress('consensus')

/** JSON of the parameters. */
const PARAMS_KEY = utf8ToBytes('params')
/** RLP list of [from height, [[public key, power], ...]]. Written only when it changes. */
const VALIDATOR_SETS_KEY = utf8ToBytes('validator_sets')

export const readConsensusParameters = (state: StateReader): ConsensusParameters => {
  const value = state.value(CONSENSUS_ADDRESS, PARAMS_KEY)
  invariant(value !== undefined, 'there are no consensus parameters: the state has no genesis')
  return decodeConsensusParameters(bytesToUtf8(value))
}

export const writeConsensusParameters = (state: StateWriter, parameters: ConsensusParameters): void => {
  state.setValue(CONSENSUS_ADDRESS, PARAMS_KEY, utf8ToBytes(encodeConsensusParameters(parameters)))
}

export const readValidatorSets = (state: StateReader): readonly ValidatorSetEntry[] => {
  const value = state.value(CONSENSUS_ADDRESS, VALIDATOR_SETS_KEY)
  invariant(value !== undefined, 'there are no validator sets: the state has no genesis')
  return (decodeRlp(value) as [Uint8Array, [Uint8Array, Uint8Array][]][]).map(([fromHeight, validators]) => ({
    fromHeight: readUint64(fromHeight),
    validators: validators.map(([publicKey, power]) => ({
      publicKey: publicKey.slice(),
      power: bytesToBigint(power),
    })),
  }))
}

export const writeValidatorSets = (state: StateWriter, entries: readonly ValidatorSetEntry[]): void => {
  const items: RlpItem[] = entries.map((entry) => [
    uint64ToBytes(entry.fromHeight),
    entry.validators.map(({ publicKey, power }) => [publicKey, bigintToBytes(power)]),
  ])
  state.setValue(CONSENSUS_ADDRESS, VALIDATOR_SETS_KEY, encodeRlp(items))
}

/** The size of the largest set that is in force or will be, if no more than `maxValidators` come in. */
export const mostValidators = (state: StateReader, maxValidators: number): number =>
  Math.max(maxValidators, ...readValidatorSets(state).map(({ validators }) => validators.length))

/** Validators whose votes decide block `height`, sorted by public key. */
export const readValidators = (state: StateReader, height: number): readonly ValidatorUpdate[] =>
  setAt(readValidatorSets(state), height)
