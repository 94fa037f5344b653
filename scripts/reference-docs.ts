/** Writes docs/json-rpc.md and docs/parameters.md from the code: `node scripts/reference-docs.ts`. Needs no network. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PUBLIC_VALUES } from '../bin/node/config/public.ts'
import { environmentName, SETTING_KEYS, type SettingKey, settingOf } from '../bin/node/config/settings.ts'
import { createGenesis } from '../bin/node/genesis/document.ts'
import type { Method } from '../rpc/method.ts'
import { selectMethods } from '../rpc/methods.ts'
import { NAMESPACES } from '../rpc/namespaces.ts'
import { kindOf } from '../rpc/parameters/kinds.ts'
import type { Violation } from './check-imports.ts'

const docs = join(import.meta.dirname, '..', 'docs')
const MADE = '<!-- Written by "node scripts/reference-docs.ts" from the code. Do not edit it by hand. -->'

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const head = (...titles: readonly string[]): string => `${row(...titles)}\n|${'---|'.repeat(titles.length)}`

const parameterOf = ({ name, required, reader, type }: Method['description']['parameters'][number]): string => {
  const word = name ?? kindOf(reader)?.name ?? 'value'
  const text = type === undefined ? word : `${word} (${type.typeName})`
  return required ? text : `[${text}]`
}

const describeMethod = ({ name, cost, description }: Method): string => {
  const parameters = description.parameters.map(parameterOf).join(', ')
  const result = description.result === undefined ? '' : `\`${description.result.typeName}\``
  return row(`\`${name}\``, parameters === '' ? '' : `\`${cell(parameters)}\``, result, String(cost))
}

const describeKinds = (methods: readonly Method[]): readonly string[] => {
  const kinds = methods
    .flatMap(({ description }) => description.parameters.map(({ reader }) => kindOf(reader)))
    .filter((kind) => kind !== undefined)
  const rows = new Set(kinds.map(({ name, words }) => row(`\`${name}\``, words)))
  return [...rows].sort((a, b) => (a < b ? -1 : 1))
}

/** The whole page. */
export const describeJsonRpc = (): string => {
  const methods = [...selectMethods([...NAMESPACES]).values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const namespaceOf = ({ name }: Method): string => name.slice(0, name.indexOf('_'))
  const namespaces = [...new Set(methods.map(namespaceOf))]
  const sections = namespaces.map((namespace) =>
    [
      `## ${namespace}\n`,
      head('Method', 'Parameters', 'Result', 'Cost'),
      ...methods.filter((method) => namespaceOf(method) === namespace).map(describeMethod),
    ].join('\n'),
  )
  return `${[
    `# JSON-RPC\n\n${MADE}`,
    `Every method that a node can serve, at \`json-rpc.address\` over HTTP and at \`json-rpc.ws-address\` over WebSocket. \`json-rpc.api\` chooses the
namespaces. Parameters are given by position; those in brackets may be left out. \`rpc_discover\` gives the same as an OpenRPC document with
schemas, and those of the order book (\`clob\`) are messages of \`proto/\`. Results of \`eth\`, \`debug\`, \`txpool\`, \`net\` and \`web3\` are geth's;
\`rpc/README.md\` says what differs. The cost is what a call takes of \`json-rpc.rate-limit\`; long requests and answers cost more. Errors
are in [errors.md](errors.md), subscriptions (\`eth_subscribe\`, \`clob_subscribe\`) in [clients.md](clients.md).`,
    [head('Parameter', ''), ...describeKinds(methods)].join('\n'),
    ...sections,
  ].join('\n\n')}\n`
}

const describeSetting = (key: SettingKey): string => {
  const { comment, kind, fallback } = settingOf(key)
  const value = (given: unknown): string => `\`${cell(kind.toToml(given))}\``
  const publicly = Object.hasOwn(PUBLIC_VALUES, key) ? value(PUBLIC_VALUES[key]) : ''
  return row(`\`${key}\``, value(fallback), publicly, cell(`${comment}. Allowed: ${kind.allowed}`))
}

/** Leaves of a JSON document by their path. */
const leaves = (value: unknown, path: string): readonly (readonly [string, string])[] => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, JSON.stringify(value)]]
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, `${path}.${name}`))
}

const describeChain = (): readonly string[] => {
  const document = createGenesis('localnat-1', 2_517n, '2026-01-01T00:00:00Z') as unknown as {
    readonly consensus_params: unknown
    readonly app_state: Readonly<Record<string, unknown>>
  }
  const { feemarket, ...modules } = document.app_state
  const params = Object.entries(modules).flatMap(([name, state]) => {
    const own = (state as { readonly params?: unknown } | null)?.params
    return own === undefined ? [] : leaves(own, `app_state.${name}.params`)
  })
  const all = [
    ...leaves(document.consensus_params, 'consensus_params'),
    ...leaves(feemarket, 'app_state.feemarket'),
    ...params,
  ]
  return all.map(([path, value]) => row(`\`${path}\``, `\`${cell(value)}\``))
}

/** The whole page. */
export const describeParameters = (): string => `# Parameters

${MADE}

## Of a node

The settings of \`config/app.toml\`. None of them changes what a block does. Each is also a flag (\`--json-rpc.address\`) and a variable
(\`${environmentName('json-rpc.address')}\`): the flag goes over the variable, and that over the file. The third column is what \`--public\` has in the
place of a default that nobody has changed.

${head('Setting', 'Default', '`--public`', '')}
${SETTING_KEYS.map(describeSetting).join('\n')}

## Of a chain

What \`chain init\` writes into \`config/genesis.json\`. All nodes of a chain have the same, and governance changes them by messages such as
\`MsgUpdateParams\`. Modules that are not named begin with the defaults of their code, which \`chain query <module> params\` prints of a
running chain.

${head('Member', 'Value')}
${describeChain().join('\n')}
`

const PAGES = [
  { file: 'json-rpc.md', describe: describeJsonRpc },
  { file: 'parameters.md', describe: describeParameters },
] as const

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** What is wrong with the pages as they lie there. */
export const staleReferenceDocs = (): readonly Violation[] =>
  PAGES.filter(({ file, describe }) => read(join(docs, file)) !== describe()).map(({ file }) => ({
    file: `docs/${file}`,
    line: 1,
    message: 'stale: run "node scripts/reference-docs.ts"',
  }))

if (import.meta.main) for (const { file, describe } of PAGES) writeFileSync(join(docs, file), describe())
