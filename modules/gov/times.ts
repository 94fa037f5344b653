/** Times and durations of protobuf as nanoseconds. */
import { create } from '@bufbuild/protobuf'
import { type Duration, DurationSchema, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { MAX_DURATION_NS, toNanoseconds, toSecondsAndNanos } from '../../core/time.ts'

export const toTimestamp = (ns: bigint): Timestamp => create(TimestampSchema, toSecondsAndNanos(ns))
export const fromTimestamp = (timestamp: Timestamp): bigint => toNanoseconds(timestamp)

export const toDuration = (ns: bigint): Duration => create(DurationSchema, toSecondsAndNanos(ns))

/** Undefined when it is longer than any that the SDK knows. */
export const fromDuration = (duration: Duration): bigint | undefined => {
  const ns = toNanoseconds(duration)
  return ns > MAX_DURATION_NS || ns < -MAX_DURATION_NS ? undefined : ns
}
