/** A line of the log for people: time, level, message, fields as key=value, and the part of the node that says it. */
import { escapeControls, escapeHidden } from './printable.ts'

/** Nothing that a terminal would act upon: it is a client that has sent some of the values. */
const PLAIN = /^[^\s"=\p{Cc}\p{Cf}\p{Cs}]+$/u

const formatValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return PLAIN.test(text) ? text : escapeHidden(JSON.stringify(text))
}

interface Line {
  readonly level: string
  readonly time: string
  readonly module?: string
  readonly msg: string
  readonly [field: string]: unknown
}

/** `json` is what the logger has made. */
export const plainLine = (json: string): string => {
  const { level, time, module, msg, ...fields } = JSON.parse(json) as Line
  const all = module === undefined ? fields : { ...fields, module }
  const tail = Object.entries(all).map(([key, value]) => ` ${key}=${formatValue(value)}`)
  return `${time} ${level.padEnd(5)} ${escapeControls(msg)}${tail.join('')}\n`
}
