/** The member `weight` of app_state. */
import { failAt, parseInteger, parseObject } from '../../core/parse.ts'
import { DEFAULT_MAX_BLOCK_WEIGHT, maxBlockWeightFault } from './params.ts'

export interface WeightGenesis {
  /** Nanoseconds. */
  readonly maxBlockWeight: number
}

/** The default when nothing is said. Throws genesis/1. */
export const parseWeightGenesis = (genesis: unknown, path = 'app_state.weight'): WeightGenesis => {
  const object = parseObject(genesis ?? {}, path, ['params'])
  const params = parseObject(object['params'] ?? {}, `${path}.params`, ['max_block_weight'])
  const given = params['max_block_weight']
  if (given === undefined) return { maxBlockWeight: DEFAULT_MAX_BLOCK_WEIGHT }
  const maxBlockWeight = parseInteger(given, `${path}.params.max_block_weight`)
  const fault = maxBlockWeightFault(maxBlockWeight)
  return fault === undefined ? { maxBlockWeight } : failAt(`${path}.params.max_block_weight`, fault)
}
