/** Which lines of the log are written: a level for all parts, and others for some, as CometBFT names them. */
import type { Kind } from '../config/kinds.ts'

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

/** Parts of the node that say under which name they write. */
export const LOG_PARTS = [
  'node',
  'supervisor',
  'consensus',
  'pool',
  'orders',
  'gossip',
  'abci',
  'questions',
  'database',
  'snapshots',
  'history',
  'bridge',
  'telemetry',
  'gateway',
] as const
export type LogPart = (typeof LOG_PARTS)[number]

export interface LogLevels {
  readonly all: Level
  readonly parts: Readonly<Partial<Record<string, Level>>>
}

export const levelOf = ({ all, parts }: LogLevels, part: string | undefined): Level =>
  (part === undefined ? undefined : parts[part]) ?? all

const isLevel = (text: string | undefined): text is Level => LEVELS.some((level) => level === text)

/** `info`, or `info,consensus:debug,pool:error`, or with `*:info` for the rest. Undefined for other texts. */
export const parseLogLevels = (text: string): LogLevels | undefined => {
  const parts: Partial<Record<string, Level>> = {}
  let all: Level | undefined
  for (const item of text.split(',')) {
    const [name, level, ...rest] = item.trim().split(':')
    if (rest.length > 0) return undefined
    if (level === undefined || name === '*') {
      const own = level ?? name
      if (!isLevel(own) || all !== undefined) return undefined
      all = own
    } else {
      if (!LOG_PARTS.some((part) => part === name) || name === undefined || !isLevel(level)) return undefined
      parts[name] = level
    }
  }
  return { all: all ?? 'info', parts }
}

const describe = ({ all, parts }: LogLevels): string =>
  [all, ...Object.entries(parts).map(([part, level]) => `${part}:${level}`)].join(',')

export const logLevels: Kind<LogLevels> = {
  parse: (value) => (typeof value === 'string' ? parseLogLevels(value) : undefined),
  allowed: `a level (${LEVELS.join(', ')}), with others for some parts such as "info,consensus:debug"; parts are ${LOG_PARTS.join(', ')}`,
  toToml: (levels) => JSON.stringify(describe(levels)),
}
