/** Kinds of settings: how each is read from TOML, from text (flags, environment), and written. */
import { DENOMINATION } from '../../../core/amounts.ts'
import { formatHostPort, type HostPort, parseHostPort } from '../../../core/host-port.ts'

export interface Kind<T> {
  /** Undefined when the value is not allowed. Text stands for itself, so that flags and TOML read alike. */
  parse(value: unknown): T | undefined
  /** What is allowed, in words. */
  readonly allowed: string
  toToml(value: T): string
}

/** Text of a flag or the environment as the value that TOML would have given. */
const fromText = (value: unknown): unknown => {
  if (typeof value !== 'string') return value
  if (value === 'true') return true
  if (value === 'false') return false
  return /^-?[0-9]{1,15}$/.test(value) ? Number(value) : value
}

const quote = (value: string): string => JSON.stringify(value)

export const flag: Kind<boolean> = {
  parse: (value) => {
    const read = fromText(value)
    return typeof read === 'boolean' ? read : undefined
  },
  allowed: 'true or false',
  toToml: String,
}

export const integer = (min: number, max: number = Number.MAX_SAFE_INTEGER): Kind<number> => ({
  parse: (value) => {
    const read = fromText(value)
    return typeof read === 'number' && Number.isSafeInteger(read) && read >= min && read <= max ? read : undefined
  },
  allowed: `an integer from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
  toToml: String,
})

/** An amount of NAT with up to 18 decimals, in anat. */
export const natAmount: Kind<bigint> = {
  parse: (value) => {
    const match = /^([0-9]{1,30})(?:\.([0-9]{1,18}))?$/.exec(String(value))
    return match === null ? undefined : BigInt(match[1] ?? '0') * 10n ** 18n + BigInt((match[2] ?? '').padEnd(18, '0'))
  },
  allowed: 'an amount of NAT such as 1 or 0.5 (0 is no limit)',
  toToml: (anat) => {
    const fraction = (anat % 10n ** 18n).toString().padStart(18, '0').replace(/0+$/, '')
    return `${anat / 10n ** 18n}${fraction === '' ? '' : `.${fraction}`}`
  },
}

/** A price a gas such as 2000000000anat. */
export const gasPrice: Kind<bigint> = {
  parse: (value) => {
    const match = typeof value === 'string' ? /^([0-9]{1,30})([a-zA-Z]+)$/.exec(value) : null
    return match?.[2] === DENOMINATION ? BigInt(match[1] ?? '0') : undefined
  },
  allowed: `an amount in ${DENOMINATION} such as "2000000000${DENOMINATION}"`,
  toToml: (price) => quote(`${price}${DENOMINATION}`),
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of a duration such as 5s, 250ms, 1h30m. */
export const parseDurationMs = (text: string): number | undefined => {
  if (!/^(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/([0-9.]+)(ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS_MS[unit ?? ''] ?? 0)
  }
  return Math.round(total)
}

export const formatDurationMs = (ms: number): string => {
  for (const unit of ['h', 'm', 's']) {
    const size = UNITS_MS[unit] ?? 1
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`
  }
  return `${ms}ms`
}

export const duration = (minMs = 0, maxMs = 365 * 24 * 3_600_000): Kind<number> => ({
  parse: (value) => {
    const ms = value === 0 || value === '0' ? 0 : typeof value === 'string' ? parseDurationMs(value) : undefined
    return ms !== undefined && ms >= minMs && ms <= maxMs ? ms : undefined
  },
  allowed: `a duration such as "5s" or "250ms", from ${formatDurationMs(minMs)} to ${formatDurationMs(maxMs)}`,
  toToml: (ms) => quote(formatDurationMs(ms)),
})

/** The longest span of a timer with room for a margin: Node.js takes one beyond 2^31 ms for the shortest. */
const MAX_TIMER_MS = 500 * 3_600_000

/** A duration for which a timer runs. */
export const timeout = (minMs: number): Kind<number> => duration(minMs, MAX_TIMER_MS)

export const address: Kind<HostPort> = {
  parse: (value) => (typeof value === 'string' ? parseHostPort(value) : undefined),
  allowed: 'host:port such as "127.0.0.1:8545"',
  toToml: (value) => quote(formatHostPort(value)),
}

export const text: Kind<string> = {
  parse: (value) => (typeof value === 'string' ? value : undefined),
  allowed: 'text',
  toToml: quote,
}

/** Where a Redis server is; it may be left empty. */
export const redisUrl: Kind<string> = {
  parse: (value) => {
    if (value === '') return value
    const isRedis = typeof value === 'string' && /^rediss?:\/\//.test(value) && URL.canParse(value)
    return isRedis && new URL(value).hostname !== '' ? value : undefined
  },
  allowed: 'a URL such as "redis://127.0.0.1:6379", rediss:// over TLS, or nothing',
  toToml: quote,
}

const isUrl = (value: string): boolean => /^https?:\/\/[^/]/.test(value) && URL.canParse(value)

/** An address of http or https, or none. */
export const url: Kind<string> = {
  parse: (value) => (typeof value === 'string' && (value === '' || isUrl(value)) ? value : undefined),
  allowed: 'empty, or an URL such as "http://127.0.0.1:4318"',
  toToml: quote,
}

/** Nothing else is taken; `reason` says why. */
export const empty = (reason: string): Kind<''> => ({
  parse: (value) => (value === '' ? '' : undefined),
  allowed: `empty: ${reason}`,
  toToml: quote,
})

export const choice = <const T extends string>(...choices: readonly T[]): Kind<T> => ({
  parse: (value) => choices.find((item) => item === value),
  allowed: `one of ${choices.map((item) => `"${item}"`).join(', ')}`,
  toToml: quote,
})

const splitList = (value: unknown): readonly string[] | undefined => {
  const items: unknown = typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) return undefined
  return items.filter((item) => item !== '')
}

/** Names separated by commas, or an array of them. */
export const list = (known?: readonly string[]): Kind<readonly string[]> => ({
  parse: (value) => {
    const items = splitList(value)
    return items?.every((item) => known === undefined || known.includes(item)) === true ? items : undefined
  },
  allowed: known === undefined ? 'text separated by commas' : `names separated by commas, of ${known.join(', ')}`,
  toToml: (items) => quote(items.join(',')),
})

/** Heights separated by commas, or an array of texts. */
export const heights: Kind<readonly number[]> = {
  parse: (value) => {
    const items = splitList(value)
    return items?.every((item) => /^[1-9][0-9]{0,14}$/.test(item)) === true ? items.map(Number) : undefined
  },
  allowed: 'heights separated by commas',
  toToml: (items) => quote(items.join(',')),
}
