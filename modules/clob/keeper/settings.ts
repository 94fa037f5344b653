/** Parameters, the time of the newest block and the next order_seq. A state from before the order book has none of them. */
import { encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import type { ClobParameters } from '../domain/settings.ts'
import { CLOB_ACCOUNT, NEXT_KEY, PARAMS_KEY, TIME_KEY } from '../keys.ts'
import { DEFAULT_CLOB_PARAMETERS, PARAMETER_BOUNDS, PARAMETER_NAMES } from '../params.ts'
import { RlpReader } from './rlp-reader.ts'
import { uint } from './rlp-writer.ts'

export const readParameters = (state: StateReader): ClobParameters => {
  const value = state.value(CLOB_ACCOUNT, PARAMS_KEY)
  if (value === undefined) return DEFAULT_CLOB_PARAMETERS
  return RlpReader.list(value, 'parameters').whole((fields) => {
    const entries = PARAMETER_NAMES.map((name) => [name, fields.uint(PARAMETER_BOUNDS[name].most)])
    return Object.fromEntries(entries) as { [Name in keyof ClobParameters]: number }
  })
}

/** False where governance never said any, and the defaults hold. */
export const hasParameters = (state: StateReader): boolean => state.value(CLOB_ACCOUNT, PARAMS_KEY) !== undefined

export const writeParameters = (state: StateWriter, parameters: ClobParameters): void =>
  state.setValue(CLOB_ACCOUNT, PARAMS_KEY, encodeRlp(PARAMETER_NAMES.map((name) => uint(parameters[name]))))

const readNumber = (state: StateReader, key: Uint8Array, what: string, fallback: number): number => {
  const value = state.value(CLOB_ACCOUNT, key)
  if (value === undefined) return fallback
  return RlpReader.item(value, what).uint(Number.MAX_SAFE_INTEGER)
}

/** Time of the newest block that ran a CLOB step, in milliseconds since 1970; 0 before the first. */
export const readTimeMs = (state: StateReader): number => readNumber(state, TIME_KEY, 'time', 0)

export const writeTimeMs = (state: StateWriter, timeMs: number): void =>
  state.setValue(CLOB_ACCOUNT, TIME_KEY, timeMs === 0 ? undefined : encodeRlp(uint(timeMs)))

/** order_seq of the next Place that is accepted, from 1. */
export const readNextSeq = (state: StateReader): number => readNumber(state, NEXT_KEY, 'next order_seq', 1)

/** The first one is no value: so whatever writes it leaves the same state. */
export const writeNextSeq = (state: StateWriter, seq: number): void =>
  state.setValue(CLOB_ACCOUNT, NEXT_KEY, seq === 1 ? undefined : encodeRlp(uint(seq)))
