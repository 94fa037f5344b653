/**
 * The log of a process, over pino: a line a message, as JSON for machines or plain for people. Lines are written before the
 * call returns, so that the last one before an end is there.
 */
import { type Logger, pino } from 'pino'
import type { Log } from '../../../app/environment.ts'
import { type Level, levelOf, type LogLevels, type LogPart } from './log-level.ts'
import { escapeJson } from './printable.ts'
import { plainLine } from './plain-line.ts'

export type { Level } from './log-level.ts'

export type LogFormat = 'json' | 'plain'

/** What most parts need of the log. */
export interface NodeLog extends Log {}

export interface PartLog extends Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  /** The same log, its lines under the name of a part, at the level of that part. */
  of(part: LogPart): PartLog
  /** Whether {@link debug} writes anything. */
  readonly isDebug: boolean
}

/** One whose format and levels are known later: when the settings are read. */
export interface ConfigurableLog extends PartLog {
  configure(options: { readonly levels: LogLevels; readonly format: LogFormat }): void
}

export interface LogOptions {
  /** Where lines go; standard error when left out. */
  readonly write?: (line: string) => void
  /** The least level written. */
  readonly level?: Level
  readonly format?: LogFormat
}

type Fields = Readonly<Record<string, unknown>>

const toText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)

/** The names that every line has. */
const OWN_NAMES: ReadonlySet<string> = new Set(['level', 'time', 'module', 'msg'])

/** Characters of a message, and of a value: what others have said may be as long as an answer of theirs. */
const MAX_CHARACTERS = 16_384

const shorten = (text: string): string =>
  text.length <= MAX_CHARACTERS
    ? text
    : `${text.slice(0, MAX_CHARACTERS)}... (${text.length - MAX_CHARACTERS} characters more)`

const printValue = (value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string') return shorten(value)
  if (typeof value !== 'object' || value === null) return value
  const json = JSON.stringify(value, toText)
  return json.length > MAX_CHARACTERS ? shorten(json) : (JSON.parse(json) as unknown)
}

/** Writes numbers of any size as texts, for what reads JSON has 53 bits for them. */
const printable = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([given, value]) => [OWN_NAMES.has(given) ? `${given}_` : given, printValue(value)]),
  )

interface Shared {
  levels: LogLevels
  format: LogFormat
  readonly loggers: { readonly part: string | undefined; readonly logger: Logger }[]
}

class PinoLog implements ConfigurableLog {
  readonly #shared: Shared
  readonly #logger: Logger

  constructor(shared: Shared, logger: Logger, part: string | undefined) {
    this.#shared = shared
    this.#logger = logger
    logger.level = levelOf(shared.levels, part)
    shared.loggers.push({ part, logger })
  }

  get isDebug(): boolean {
    return this.#logger.isLevelEnabled('debug')
  }

  readonly debug = (message: string, fields: Fields = {}): void => this.#write('debug', message, fields)
  readonly info = (message: string, fields: Fields = {}): void => this.#write('info', message, fields)
  readonly warn = (message: string, fields: Fields = {}): void => this.#write('warn', message, fields)
  readonly error = (message: string, fields: Fields = {}): void => this.#write('error', message, fields)

  of(part: LogPart): PartLog {
    return new PinoLog(this.#shared, this.#logger.child({ module: part }), part)
  }

  configure({ levels, format }: { readonly levels: LogLevels; readonly format: LogFormat }): void {
    this.#shared.levels = levels
    this.#shared.format = format
    for (const { part, logger } of this.#shared.loggers) logger.level = levelOf(levels, part)
  }

  #write(level: Level, message: string, fields: Fields): void {
    if (this.#logger.isLevelEnabled(level)) this.#logger[level](printable(fields), shorten(message))
  }
}

/** Node waits until the line is written, be it to a file, a terminal or a pipe. */
const writeToError = (line: string): void => void process.stderr.write(line)

/** The log is plain while nothing else is said. */
export const createLog = ({ write, level = 'info', format = 'plain' }: LogOptions = {}): ConfigurableLog => {
  const put = write ?? writeToError
  const shared: Shared = { levels: { all: level, parts: {} }, format, loggers: [] }
  const stream = {
    write: (line: string): void => put(shared.format === 'json' ? escapeJson(line) : plainLine(line)),
  }
  const logger = pino(
    {
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {},
    },
    stream,
  )
  return new PinoLog(shared, logger, undefined)
}
