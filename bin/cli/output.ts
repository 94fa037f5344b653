/** Results on standard output: JSON, or the same as readable lines. */
import { escapeJson } from '../node/runtime/printable.ts'

export const OUTPUTS = ['json', 'text'] as const
export type Output = (typeof OUTPUTS)[number]

const INDENT = '  '

const isBranch = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Texts that YAML reads as they stand; others are quoted. */
const PLAIN = /^(?!(?:true|false|null|yes|no)$)[A-Za-z/_](?:[A-Za-z0-9 _./:@+-]*[A-Za-z0-9/])?$/i

/** Names, memos and reasons are chosen by anybody, and a terminal may show them. What is escaped reads the same. */
const quote = (value: unknown): string => escapeJson(JSON.stringify(value))

const leaf = (value: unknown): string =>
  typeof value === 'string' && PLAIN.test(value) && !value.includes(': ') ? value : quote(value)

const lines = (value: object): readonly string[] =>
  Array.isArray(value)
    ? value.flatMap((item: unknown) => {
        if (!isBranch(item)) return [`- ${leaf(item)}`]
        return lines(item).map((line, index) => `${index === 0 ? '- ' : INDENT}${line}`)
      })
    : Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
        isBranch(member)
          ? [`${leaf(name)}:`, ...lines(member).map((line) => INDENT + line)]
          : [`${leaf(name)}: ${leaf(member)}`],
      )

/** Members one a line, lists with dashes: what YAML reads. */
export const formatText = (value: unknown): string => (isBranch(value) ? lines(value).join('\n') : leaf(value))

/** JSON is on one line, unless a terminal shows it. */
const formatJson = (value: unknown): string =>
  escapeJson(JSON.stringify(value, undefined, process.stdout.isTTY ? INDENT.length : 0))

export const printResult = (value: unknown, output: Output): void => {
  process.stdout.write(`${output === 'text' ? formatText(value) : formatJson(value)}\n`)
}
