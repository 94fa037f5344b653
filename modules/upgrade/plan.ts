/** A plan: from a height on, the chain runs by the rules of another binary. */
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { bytesToBigint, bytesToUtf8, utf8ToBytes, bigintToBytes } from '../../core/bytes.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import type { upgrade } from '../../proto/index.ts'
import { sdkError } from '../sdk-errors.ts'

export interface Plan {
  readonly name: string
  /** Height of the first block of the new rules. */
  readonly height: number
  /** Tells operators and their tools where the binary is. */
  readonly info: string
}

/** Characters: the name is a key of state, and every node keeps both. */
const MAX_NAME = 140
const MAX_INFO = 10_000

/** Go's zero time, 0001-01-01T00:00:00Z, which the SDK writes where there is none. */
const ZERO_TIME_SECONDS = -62_135_596_800n

const isZeroTime = (time: Timestamp | undefined): boolean =>
  time === undefined || (time.seconds === ZERO_TIME_SECONDS && time.nanos === 0)

/** What is wrong, in the SDK's words where it has them. */
export const planFault = ({ name, height, info }: Plan): string | undefined => {
  if (name === '') return 'name cannot be empty'
  if (name.length > MAX_NAME) return `name has more than ${MAX_NAME} characters`
  if (info.length > MAX_INFO) return `info has more than ${MAX_INFO} characters`
  if (height <= 0) return 'height must be greater than 0'
  return Number.isSafeInteger(height) ? undefined : 'height must be below 2^53'
}

/** Throws sdk/18. */
export const parsePlan = (message: upgrade.Plan | undefined): Plan => {
  if (!isZeroTime(message?.time)) {
    throw sdkError('invalidRequest', 'time-based upgrades have been deprecated in the SDK')
  }
  if (message?.upgradedClientState !== undefined) {
    throw sdkError('invalidRequest', 'upgrade logic for IBC has been moved to the IBC module')
  }
  const plan = { name: message?.name ?? '', height: Number(message?.height ?? 0n), info: message?.info ?? '' }
  const fault = planFault(plan)
  if (fault !== undefined) throw sdkError('invalidRequest', fault)
  return plan
}

export const printPlan = ({ name, height, info }: Plan): MessageInitShape<typeof upgrade.PlanSchema> => ({
  name,
  height: BigInt(height),
  info,
  time: create(TimestampSchema, { seconds: ZERO_TIME_SECONDS }),
})

/** RLP [name, height, info]. */
export const encodePlan = ({ name, height, info }: Plan): Uint8Array =>
  encodeRlp([utf8ToBytes(name), bigintToBytes(BigInt(height)), utf8ToBytes(info)])

export const decodePlan = (bytes: Uint8Array): Plan => {
  const [name, height, info] = decodeRlp(bytes) as [Uint8Array, Uint8Array, Uint8Array]
  return { name: bytesToUtf8(name), height: Number(bytesToBigint(height)), info: bytesToUtf8(info) }
}
