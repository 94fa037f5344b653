/** The member `consensus` of app_state: empty in a new chain; an export brings the validator sets. */
import { bytesToBase64 } from '../../core/bytes.ts'
import { consensusKeyFault } from '../../core/ed25519.ts'
import { failAt, parseAmount, parseArray, parseInteger, parseObject, parseString } from '../../core/parse.ts'
import type { StateWriter } from '../../store/state.ts'
import type { ValidatorUpdate } from '../module.ts'
import type { ConsensusDependencies } from './deps.ts'
import { mostValidators, readConsensusParameters, readValidatorSets, writeValidatorSets } from './keeper.ts'
import { checkRoom } from './update.ts'
import type { ValidatorSetEntry } from './validator-sets.ts'

export interface ConsensusGenesis {
  /** Undefined: the validators of InitChain from the first block on. Else never empty, ascending. */
  readonly validatorSets: readonly ValidatorSetEntry[] | undefined
}

/** Sets that one state holds: those of the last votes, of the next block and of the one after it, and some more. */
const MAX_SETS = 16
const MAX_VALIDATORS = 10_000

const parseValidator = (value: unknown, path: string): ValidatorUpdate => {
  const object = parseObject(value, path, ['pub_key', 'power'])
  const publicKey = Uint8Array.from(Buffer.from(parseString(object['pub_key'], `${path}.pub_key`), 'base64'))
  const fault = consensusKeyFault(publicKey)
  if (fault !== undefined) failAt(`${path}.pub_key`, fault)
  const power = parseAmount(object['power'], `${path}.power`)
  return power > 0n ? { publicKey, power } : failAt(`${path}.power`, 'must be positive')
}

const parseSet = (value: unknown, path: string): ValidatorSetEntry => {
  const object = parseObject(value, path, ['from_height', 'validators'])
  const validators = parseArray(object['validators'], `${path}.validators`, MAX_VALIDATORS).map((item, index) =>
    parseValidator(item, `${path}.validators[${index}]`),
  )
  if (validators.length === 0) failAt(`${path}.validators`, 'must not be empty')
  for (const [index, { publicKey }] of validators.entries()) {
    const previous = validators[index - 1]
    if (previous !== undefined && Buffer.compare(previous.publicKey, publicKey) >= 0) {
      failAt(`${path}.validators[${index}].pub_key`, 'the keys must ascend')
    }
  }
  return { fromHeight: parseInteger(object['from_height'], `${path}.from_height`), validators }
}

/** Throws genesis/1 with the member at fault. */
export const parseConsensusGenesis = (genesis: unknown, path = 'app_state.consensus'): ConsensusGenesis => {
  const object = parseObject(genesis ?? {}, path, ['validator_sets'])
  if (object['validator_sets'] === undefined) return { validatorSets: undefined }
  const at = `${path}.validator_sets`
  const validatorSets = parseArray(object['validator_sets'], at, MAX_SETS).map((item, index) =>
    parseSet(item, `${at}[${index}]`),
  )
  if (validatorSets.length === 0) failAt(at, 'must not be empty')
  for (const [index, { fromHeight }] of validatorSets.entries()) {
    const previous = validatorSets[index - 1]
    if (previous !== undefined && previous.fromHeight >= fromHeight)
      failAt(`${at}[${index}]`, 'the heights must ascend')
  }
  return { validatorSets }
}

/** The inverse of {@link parseConsensusGenesis}. */
export const formatConsensusGenesis = (validatorSets: readonly ValidatorSetEntry[]): unknown => ({
  validator_sets: validatorSets.map(({ fromHeight, validators }) => ({
    from_height: fromHeight.toString(),
    validators: validators.map(({ publicKey, power }) => ({
      pub_key: bytesToBase64(publicKey),
      power: power.toString(),
    })),
  })),
})

/** True when both have the same keys with the same powers, in the same order. */
export const sameValidators = (a: readonly ValidatorUpdate[], b: readonly ValidatorUpdate[]): boolean =>
  a.length === b.length &&
  a.every(({ publicKey, power }, index) => {
    const other = b[index]
    return other !== undefined && power === other.power && Buffer.compare(publicKey, other.publicKey) === 0
  })

/** Throws genesis/1 for other validators than those of the genesis file, and consensus/1 where votes have no room. */
export const initConsensus = (
  { stake }: ConsensusDependencies,
  state: StateWriter,
  { validatorSets }: ConsensusGenesis,
): void => {
  if (validatorSets !== undefined) {
    const [given, newest] = [readValidatorSets(state).at(-1), validatorSets.at(-1)]
    if (!sameValidators(given?.validators ?? [], newest?.validators ?? [])) {
      failAt('app_state.consensus.validator_sets', 'the newest set must be the validators of the genesis file')
    }
    writeValidatorSets(state, validatorSets)
  }
  checkRoom(readConsensusParameters(state), mostValidators(state, stake.maxValidators(state)))
}
