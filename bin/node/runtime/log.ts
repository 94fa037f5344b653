/** One line a message: time, level, message, fields as key=value. */
import type { Log } from '../../../app/environment.ts'
import { escapeControls, escapeHidden } from './printable.ts'

export type Level = 'info' | 'warn' | 'error'
export interface NodeLog extends Log {}

const ORDER: readonly Level[] = ['info', 'warn', 'error']

/** Nothing that a terminal would act upon: it is a client that has sent some of the values. */
const PLAIN = /^[^\s"=\p{Cc}\p{Cf}\p{Cs}]+$/u

const toText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)

const formatValue = (value: unknown): string => {
  const text =
    typeof value === 'string' || typeof value === 'bigint' ? value.toString() : (JSON.stringify(value, toText) ?? '')
  return PLAIN.test(text) ? text : escapeHidden(JSON.stringify(text))
}

const formatLine = (level: Level, message: string, fields: Readonly<Record<string, unknown>>): string => {
  const tail = Object.entries(fields).map(([key, value]) => ` ${key}=${formatValue(value)}`)
  return `${new Date().toISOString()} ${level.padEnd(5)} ${escapeControls(message)}${tail.join('')}\n`
}

export interface LogOptions {
  /** Where lines go; standard error when left out. */
  readonly write?: (line: string) => void
  /** The least level written. */
  readonly level?: Level
}

export const createLog = ({ write, level = 'info' }: LogOptions = {}): NodeLog => {
  const put = write ?? ((line: string) => process.stderr.write(line))
  const from = ORDER.indexOf(level)
  const writer =
    (own: Level) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      if (ORDER.indexOf(own) >= from) put(formatLine(own, message, fields))
    }
  return { info: writer('info'), warn: writer('warn'), error: writer('error') }
}
