/** Durations as Go's time package prints and reads them: `100ms`, `1.5s`, `2m30s`. */
import { rpcError } from './errors.ts'

const SECOND = 1_000_000_000n
const MINUTE = 60n * SECOND
const BELOW_SECOND = [
  ['ms', 1_000_000n],
  ['\u00b5s', 1_000n],
] as const

/** Prints without zeros at the end of the fraction. */
const withFraction = (value: bigint, unit: bigint): string => {
  const digits = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '')
  return `${value / unit}${digits === '' ? '' : '.'}${digits}`
}

export const formatGoDuration = (nanoseconds: bigint): string => {
  if (nanoseconds === 0n) return '0s'
  if (nanoseconds < 0n) return `-${formatGoDuration(-nanoseconds)}`
  if (nanoseconds < SECOND) {
    const [name, unit] = BELOW_SECOND.find(([, least]) => nanoseconds >= least) ?? ['ns', 1n]
    return `${withFraction(nanoseconds, unit)}${name}`
  }
  const minutes = nanoseconds / MINUTE
  const seconds = `${withFraction(nanoseconds % MINUTE, SECOND)}s`
  if (minutes === 0n) return seconds
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`
}

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
])
/** Characters. Go takes any number of them; what means a time has few. */
const MAX_LENGTH = 256
/** Go counts nanoseconds in 64 bits. */
const MAX_MS = 2 ** 63 / 1e6

/** Milliseconds (time.ParseDuration). Throws rpc/failed in Go's words. */
export const parseGoDuration = (text: string): number => {
  const fail = (reason: string): never => {
    throw rpcError('failed', `time: ${reason} ${JSON.stringify(text.slice(0, MAX_LENGTH))}`)
  }
  if (text.length > MAX_LENGTH) return fail('invalid duration')
  const sign = text.startsWith('-') ? -1 : 1
  let rest = text.replace(/^[-+]/, '')
  if (rest === '0') return 0
  if (rest === '') return fail('invalid duration')
  let total = 0
  while (rest !== '') {
    const number = /^(?:[0-9]+\.?[0-9]*|\.[0-9]+)/.exec(rest)?.[0]
    if (number === undefined) return fail('invalid duration')
    rest = rest.slice(number.length)
    const unit = /^[^.0-9]*/.exec(rest)?.[0] ?? ''
    if (unit === '') return fail('missing unit in duration')
    const milliseconds = UNITS_MS.get(unit)
    if (milliseconds === undefined) return fail(`unknown unit ${JSON.stringify(unit)} in duration`)
    total += Number(number) * milliseconds
    if (total > MAX_MS) return fail('invalid duration')
    rest = rest.slice(unit.length)
  }
  return sign * total
}
