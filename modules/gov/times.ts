/** Times and durations of protobuf and of JSON as nanoseconds. */
import { create, fromJson, toJson } from '@bufbuild/protobuf'
import { type Duration, DurationSchema, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { failAt, parseString } from '../../core/parse.ts'

const NS_PER_SECOND = 1_000_000_000n
/** 292 years, the longest duration of the SDK: a time of this century and it fit into 64 bits. */
const MAX_DURATION_NS = (1n << 63n) - 1n

interface Split {
  readonly seconds: bigint
  readonly nanos: number
}

const split = (ns: bigint): Split => ({ seconds: ns / NS_PER_SECOND, nanos: Number(ns % NS_PER_SECOND) })
const join = ({ seconds, nanos }: Split): bigint => seconds * NS_PER_SECOND + BigInt(nanos)

export const toTimestamp = (ns: bigint): Timestamp => create(TimestampSchema, split(ns))
export const fromTimestamp = (timestamp: Timestamp): bigint => join(timestamp)

export const toDuration = (ns: bigint): Duration => create(DurationSchema, split(ns))

/** Undefined when it is longer than any that the SDK knows. */
export const fromDuration = (duration: Duration): bigint | undefined => {
  const ns = join(duration)
  return ns > MAX_DURATION_NS || ns < -MAX_DURATION_NS ? undefined : ns
}

/** `2026-01-02T03:04:05.000000006Z`. */
export const formatTime = (ns: bigint): string => toJson(TimestampSchema, toTimestamp(ns))

/** `172800s`. */
export const formatDuration = (ns: bigint): string => toJson(DurationSchema, toDuration(ns))

/** Throws genesis/1. */
export const parseTime = (value: unknown, path: string): bigint => {
  const text = parseString(value, path)
  let ns: bigint
  try {
    ns = fromTimestamp(fromJson(TimestampSchema, text))
  } catch {
    return failAt(path, 'must be a time such as 2026-01-02T03:04:05Z')
  }
  return ns < 0n || ns > MAX_DURATION_NS ? failAt(path, 'must be between 1970 and 2262') : ns
}

/** Throws genesis/1. */
export const parseDuration = (value: unknown, path: string): bigint => {
  const text = parseString(value, path)
  let ns: bigint | undefined
  try {
    ns = fromDuration(fromJson(DurationSchema, text))
  } catch {
    return failAt(path, 'must be a duration such as 172800s')
  }
  return ns ?? failAt(path, 'must be shorter than 292 years')
}
