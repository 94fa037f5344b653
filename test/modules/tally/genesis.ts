/** The member `tally` of app_state. */
import { failAt, parseInteger, parseObject } from '../../../core/parse.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { readMaxStep, readTotal, type Total, writeMaxStep, writeTotal } from './keeper.ts'
import { DEFAULT_MAX_STEP, maxStepFault } from './params.ts'

interface TallyGenesis extends Total {
  readonly maxStep: bigint
}

/** Members left out take their defaults. Throws genesis/1. */
export const parseTallyGenesis = (genesis: unknown, path = 'app_state.tally'): TallyGenesis => {
  const object = parseObject(genesis ?? {}, path, ['params', 'total', 'blocks'])
  const params = parseObject(object['params'] ?? {}, `${path}.params`, ['max_step'])
  const integer = (value: unknown, at: string, fallback: bigint): bigint =>
    value === undefined ? fallback : BigInt(parseInteger(value, at))
  const maxStep = integer(params['max_step'], `${path}.params.max_step`, DEFAULT_MAX_STEP)
  const fault = maxStepFault(maxStep)
  if (fault !== undefined) failAt(`${path}.params.max_step`, fault)
  return {
    maxStep,
    total: integer(object['total'], `${path}.total`, 0n),
    blocks: integer(object['blocks'], `${path}.blocks`, 0n),
  }
}

export const initTally = (state: StateWriter, { maxStep, ...total }: TallyGenesis): void => {
  writeMaxStep(state, maxStep)
  writeTotal(state, total)
}

/** The inverse. */
export const exportTally = (state: StateReader) => {
  const { total, blocks } = readTotal(state)
  return { params: { max_step: readMaxStep(state).toString() }, total: total.toString(), blocks: blocks.toString() }
}
