/** The options of traces: geth's tracers.TraceConfig and tracers.TraceCallConfig. */
import type { TraceOptions, TracerChoice } from '../../app/ports.ts'
import { CodedError } from '../../core/errors.ts'
import { parseGoDuration } from '../go-duration.ts'
import {
  decodeBoolean,
  decodeString,
  decodeInt,
  decodeUint64Number,
  isObject,
  type Members,
  mismatch,
  optional,
  structDecoder,
  type Decode,
} from './go-json.ts'
import { decodeIndex } from './hex.ts'
import {
  type BlockOverridesRead,
  decodeBlockOverrides,
  decodeStateOverrides,
  type StateOverridesRead,
} from './overrides.ts'
import { readTracer } from './tracer.ts'

const DEFAULT_TIMEOUT_MS = 5_000

interface LoggerMembers {
  readonly enableMemory: boolean
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableReturnData: boolean
  readonly limit: number
}

interface TraceMembers extends LoggerMembers {
  readonly overrides: unknown
  readonly tracer: string | undefined
  readonly timeout: string | undefined
  /** It has no effect: every state that is kept can be read. */
  readonly reexec: number | undefined
  readonly tracerConfig: unknown
}

interface TraceCallMembers extends TraceMembers {
  readonly stateOverrides: StateOverridesRead | undefined
  readonly blockOverrides: BlockOverridesRead | undefined
  readonly txIndex: number | undefined
}

export type TraceConfig = Partial<TraceMembers>
export type TraceCallConfig = Partial<TraceCallMembers>

/** Forks cannot be changed: geth's own traces leave this unused, too. */
const decodeChainConfig: Decode<unknown> = (value, place) => {
  if (!isObject(value)) throw mismatch(value, place, 'params.ChainConfig')
  return undefined
}

/** Go names members of embedded structs by the way to them. */
const at =
  <Value>(place: string, decode: Decode<Value>): Decode<Value> =>
  (value) =>
    decode(value, place)

const traceMembers = (place: string): Members<TraceMembers> => ({
  enableMemory: at(`${place}.Config.EnableMemory`, decodeBoolean),
  disableStack: at(`${place}.Config.DisableStack`, decodeBoolean),
  disableStorage: at(`${place}.Config.DisableStorage`, decodeBoolean),
  enableReturnData: at(`${place}.Config.EnableReturnData`, decodeBoolean),
  limit: at(`${place}.Config.Limit`, decodeInt),
  overrides: at(`${place}.Config.overrides`, optional(decodeChainConfig)),
  tracer: at(`${place}.Tracer`, optional(decodeString)),
  timeout: at(`${place}.Timeout`, optional(decodeString)),
  reexec: at(`${place}.Reexec`, optional(decodeUint64Number)),
  tracerConfig: (value) => value,
})

export const decodeTraceConfig: Decode<TraceConfig> = structDecoder<TraceMembers>({
  type: 'tracers.TraceConfig',
  name: 'TraceConfig',
  members: traceMembers('TraceConfig'),
})

export const decodeTraceCallConfig: Decode<TraceCallConfig> = structDecoder<TraceCallMembers>({
  type: 'tracers.TraceCallConfig',
  name: 'TraceCallConfig',
  capitalized: true,
  members: {
    ...traceMembers('TraceCallConfig.TraceConfig'),
    stateOverrides: optional(decodeStateOverrides),
    blockOverrides: optional(decodeBlockOverrides),
    txIndex: optional(decodeIndex),
  },
})

const structLogger = (config: TraceConfig): TracerChoice => ({
  name: 'structLogger',
  enableMemory: config.enableMemory ?? false,
  disableStack: config.disableStack ?? false,
  disableStorage: config.disableStorage ?? false,
  enableReturnData: config.enableReturnData ?? false,
  limit: config.limit ?? 0,
})

/** A wrong timeout is refused when the tracer has been made. */
export const toTraceOptions = (config: TraceConfig = {}): TraceOptions => {
  const { tracer: name, timeout, tracerConfig = null } = config
  const tracer = name === undefined ? structLogger(config) : readTracer(name, tracerConfig)
  if (timeout === undefined || tracer.name === 'refused') return { tracer, timeoutMs: DEFAULT_TIMEOUT_MS }
  try {
    return { tracer, timeoutMs: parseGoDuration(timeout) }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return { tracer: { name: 'refused', message: error.message }, timeoutMs: DEFAULT_TIMEOUT_MS }
  }
}
