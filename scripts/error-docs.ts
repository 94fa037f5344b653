/** Writes docs/errors.md from the list of errors: `node scripts/error-docs.ts`. Needs no network. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorTable } from '../core/error-table.ts'
import { CodedError } from '../core/errors.ts'
import { GRPC_ERRORS } from '../core/grpc-status.ts'
import { jsonRpcCode } from '../rpc/errors.ts'
import { SILENT_LOG } from '../rpc/log.ts'
import { toGrpcStatus } from '../rpc/native/status.ts'
import type { Violation } from './check-imports.ts'
import { ERROR_LIST } from './error-list.ts'

export const ERROR_DOCS = join(import.meta.dirname, '..', 'docs', 'errors.md')

const INTRODUCTION = `# Errors

<!-- Written by "node scripts/error-docs.ts" from the tables in the code. Do not edit it by hand. -->

Every refusal has a *codespace* (the part of the node that speaks), a *code* (a number that never changes its meaning)
and a text. This page lists all of them. Programs should compare codespace and code, or the number of JSON-RPC or gRPC;
texts may get more details.

| Where | What is shown |
|---|---|
| Ethereum JSON-RPC | \`error.code\` is the number in the column *JSON-RPC* below, \`error.message\` the text |
| CheckTx (\`broadcast_tx_*\`), results of transactions, \`abci_query\` | \`codespace\`, \`code\`, and the text as \`log\`; code 0 is success |
| gRPC, gRPC-Web | the status in the column *gRPC*; a refusal without a status of its own is \`UNKNOWN\` with \`codespace ... code ...\` in its message |
| REST | \`code\` is the number of the gRPC status, and the HTTP status follows from it as in grpc-gateway |
| command line | \`Error:\` and the text; the exit status is 2 for wrong usage, else 1 |
| log | the text, on the ABCI connection with \`codespace/code\` |

In the texts \`...\` stands for details, which may also follow a text after a colon, and \`|\` separates texts that share
a code. A failure of the node itself has no code: clients are told \`internal error\`, and the log has the whole of it.`

/** Codespaces whose errors reach clients in that way. */
const OVER_JSON_RPC: ReadonlySet<string> = new Set(['evm', 'pool', 'query', 'simulation', 'rpc'])
const OVER_GRPC: ReadonlySet<string> = new Set(['query', 'rpc', 'sdk'])

const GRPC_NAMES = new Map(Object.entries(GRPC_ERRORS.codes).map(([name, code]) => [code as number, name]))

/** The name as grpc.io writes it: INVALID_ARGUMENT. */
const grpcName = (error: CodedError): string => {
  const { code } = toGrpcStatus(error, '', SILENT_LOG)
  const name = GRPC_NAMES.get(code) ?? 'unknown'
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
const codeCell = (text: string): string =>
  text
    .split(' | ')
    .map((part) => (part === '...' ? 'other texts' : `\`${part}\``))
    .join(' \\| ')

interface Column {
  readonly title: string
  cell(name: string, entry: ErrorTable['entries'][string], error: CodedError): string
}

const columnsOf = (codespace: string): readonly Column[] => [
  { title: 'Code', cell: (_, { code }) => String(code) },
  { title: 'Name', cell: (name) => `\`${name}\`` },
  ...(OVER_JSON_RPC.has(codespace)
    ? [{ title: 'JSON-RPC', cell: (_: string, __: unknown, error: CodedError) => String(jsonRpcCode(error)) }]
    : []),
  ...(OVER_GRPC.has(codespace)
    ? [{ title: 'gRPC', cell: (_: string, __: unknown, error: CodedError) => grpcName(error) }]
    : []),
  { title: 'Text', cell: (_, { text }) => (text === '...' ? 'differs' : codeCell(text)) },
  { title: 'Cause', cell: (_, { cause }) => escapeCell(cause) },
  { title: 'What to do', cell: (_, { action }) => escapeCell(action) },
]

const describeTable = ({ codespace, about, entries, retired }: ErrorTable): string => {
  const columns = columnsOf(codespace)
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rows = Object.entries(entries)
    .toSorted(([, a], [, b]) => a.code - b.code)
    .map(([name, entry]) => {
      const error = new CodedError(codespace, entry.code, '')
      return row(columns.map(({ cell }) => cell(name, entry, error)))
    })
  const unused = retired.length === 0 ? '' : `\n\nNot used any more: ${retired.join(', ')}.`
  return [
    `## ${codespace}\n`,
    `${about}${unused}\n`,
    row(columns.map(({ title }) => title)),
    `|${'---|'.repeat(columns.length)}`,
    ...rows,
  ].join('\n')
}

/** The whole page. */
export const describeErrors = (): string => `${[INTRODUCTION, ...ERROR_LIST.map(describeTable)].join('\n\n')}\n`

/** What is wrong with the page as it lies there. */
export const staleErrorDocs = (): readonly Violation[] =>
  readFileSync(ERROR_DOCS, 'utf8') === describeErrors()
    ? []
    : [{ file: 'docs/errors.md', line: 1, message: 'stale: run "node scripts/error-docs.ts"' }]

if (import.meta.main) writeFileSync(ERROR_DOCS, describeErrors())
