/** Times and durations: nanoseconds in state, protobuf on the wire, its JSON in the genesis file. */
import { create, fromJson, toJson } from '@bufbuild/protobuf'
import { type Duration, DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { failAt, parseString } from '../../core/parse.ts'

const NS_PER_SECOND = 1_000_000_000n

interface Seconds {
  readonly seconds: bigint
  readonly nanos: number
}

/** For Timestamp and Duration alike; not negative. */
export const toSeconds = (ns: bigint): Seconds => ({ seconds: ns / NS_PER_SECOND, nanos: Number(ns % NS_PER_SECOND) })

const toNs = ({ seconds, nanos }: Seconds): bigint => seconds * NS_PER_SECOND + BigInt(nanos)

/** Zero when it is absent. */
export const durationNs = (duration: Duration | undefined): bigint => (duration === undefined ? 0n : toNs(duration))

/** RFC 3339. */
export const formatTime = (ns: bigint): string => toJson(TimestampSchema, create(TimestampSchema, toSeconds(ns)))

/** Such as `600s`. */
export const formatDuration = (ns: bigint): string => toJson(DurationSchema, create(DurationSchema, toSeconds(ns)))

const located = (path: string, read: () => bigint): bigint => {
  try {
    return read()
  } catch (error) {
    return failAt(path, (error as Error).message)
  }
}

/** Not before 1970. Throws genesis/1. */
export const parseTime = (value: unknown, path: string): bigint => {
  const text = parseString(value, path)
  const ns = located(path, () => toNs(fromJson(TimestampSchema, text)))
  return ns >= 0n ? ns : failAt(path, 'must not be before 1970')
}

/** Throws genesis/1. */
export const parseDuration = (value: unknown, path: string): bigint => {
  const text = parseString(value, path)
  return located(path, () => toNs(fromJson(DurationSchema, text)))
}
