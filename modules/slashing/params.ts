/** Parameters of slashing: defaults, validity, and their forms in state and on the wire. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { bigintToBytes, bytesToBigint, bytesToUtf8, utf8ToBytes } from '../../core/bytes.ts'
import { type Decimal, formatDecimal, ONE, parseScaledDecimal, round } from '../../core/decimal.ts'
import { CodedError } from '../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import { toNanoseconds, toSecondsAndNanos } from '../../core/time.ts'
import type { slashing } from '../../proto/index.ts'
import { sdkError } from '../sdk-errors.ts'

export interface SlashingParams {
  /** Blocks. */
  readonly signedBlocksWindow: number
  /** The share of the window, from 0 to 1. */
  readonly minSignedPerWindow: Decimal
  readonly downtimeJailDurationNs: bigint
  readonly slashFractionDoubleSign: Decimal
  readonly slashFractionDowntime: Decimal
}

/** The SDK's defaults, but for the window: 10,000 blocks are about 2.8 hours, where its 100 would be 100 seconds. */
export const DEFAULT_PARAMS: SlashingParams = {
  signedBlocksWindow: 10_000,
  minSignedPerWindow: ONE / 2n,
  downtimeJailDurationNs: 600_000_000_000n,
  slashFractionDoubleSign: ONE / 20n,
  slashFractionDowntime: ONE / 100n,
}

/** About a day. A change of the window reads every bit of every validator in one message. */
const MAX_WINDOW = 100_000
/** Go's longest duration, about 292 years: times stay before the year 9999. */
const MAX_DURATION_NS = 2n ** 63n - 1n

const fractionFault = (name: string, value: Decimal): string | undefined => {
  if (value < 0n) return `${name} cannot be negative: ${formatDecimal(value)}`
  return value > ONE ? `${name} too large: ${formatDecimal(value)}` : undefined
}

const windowFault = (window: number): string | undefined => {
  if (window <= 0) return `signed blocks window must be positive: ${window}`
  return window > MAX_WINDOW ? `signed blocks window too large: ${window}, at most ${MAX_WINDOW}` : undefined
}

const durationFault = (ns: bigint): string | undefined => {
  if (ns <= 0n) return `downtime jail duration must be positive: ${ns}ns`
  return ns > MAX_DURATION_NS ? 'downtime jail duration too large: at most 292 years' : undefined
}

/** What is wrong, in the SDK's words and order (x/slashing/types/params.go). */
export const paramsFault = (params: SlashingParams): string | undefined =>
  windowFault(params.signedBlocksWindow) ??
  fractionFault('min signed per window', params.minSignedPerWindow) ??
  durationFault(params.downtimeJailDurationNs) ??
  fractionFault('double sign slash fraction', params.slashFractionDoubleSign) ??
  fractionFault('downtime slash fraction', params.slashFractionDowntime)

/** Most blocks of a window that may be missed; the least that must be signed is rounded half to even. */
export const maxMissed = ({ signedBlocksWindow, minSignedPerWindow }: SlashingParams): number =>
  signedBlocksWindow - Number(round(minSignedPerWindow * BigInt(signedBlocksWindow)))

const readFraction = (name: string, bytes: Uint8Array): Decimal => {
  if (bytes.length === 0) throw sdkError('invalidRequest', `${name} cannot be nil`)
  try {
    return parseScaledDecimal(bytesToUtf8(bytes))
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidRequest', `${name}: ${error.message}`)
  }
}

/** Throws sdk/18. */
export const parseParams = (message: slashing.Params | undefined): SlashingParams => {
  const fault = windowFault(Number(message?.signedBlocksWindow ?? 0n))
  if (message === undefined || fault !== undefined) throw sdkError('invalidRequest', fault)
  const params = {
    signedBlocksWindow: Number(message.signedBlocksWindow),
    minSignedPerWindow: readFraction('min signed per window', message.minSignedPerWindow),
    downtimeJailDurationNs: toNanoseconds(message.downtimeJailDuration ?? { seconds: 0n, nanos: 0 }),
    slashFractionDoubleSign: readFraction('double sign slash fraction', message.slashFractionDoubleSign),
    slashFractionDowntime: readFraction('downtime slash fraction', message.slashFractionDowntime),
  }
  const invalid = paramsFault(params)
  if (invalid !== undefined) throw sdkError('invalidRequest', invalid)
  return params
}

/** gRPC carries the fractions as the text of an integer, in bytes. */
export const printParams = (params: SlashingParams): MessageInitShape<typeof slashing.ParamsSchema> => ({
  signedBlocksWindow: BigInt(params.signedBlocksWindow),
  minSignedPerWindow: utf8ToBytes(params.minSignedPerWindow.toString()),
  downtimeJailDuration: toSecondsAndNanos(params.downtimeJailDurationNs),
  slashFractionDoubleSign: utf8ToBytes(params.slashFractionDoubleSign.toString()),
  slashFractionDowntime: utf8ToBytes(params.slashFractionDowntime.toString()),
})

export const encodeParams = (params: SlashingParams): Uint8Array =>
  encodeRlp(
    [
      BigInt(params.signedBlocksWindow),
      params.minSignedPerWindow,
      params.downtimeJailDurationNs,
      params.slashFractionDoubleSign,
      params.slashFractionDowntime,
    ].map(bigintToBytes),
  )

export const decodeParams = (bytes: Uint8Array): SlashingParams => {
  const [window = 0n, minSigned = 0n, jail = 0n, doubleSign = 0n, downtime = 0n] = (
    decodeRlp(bytes) as Uint8Array[]
  ).map(bytesToBigint)
  return {
    signedBlocksWindow: Number(window),
    minSignedPerWindow: minSigned,
    downtimeJailDurationNs: jail,
    slashFractionDoubleSign: doubleSign,
    slashFractionDowntime: downtime,
  }
}
