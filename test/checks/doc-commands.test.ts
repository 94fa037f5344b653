/** Commands in the documents: each is one that the command line has, with flags that it takes. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { createClobProgram } from '../../bin/cli/clob/clob-program.ts'
import { createBridgeProgram } from '../../bin/cli/commands/bridge-program.ts'
import { createDebugProgram } from '../../bin/cli/commands/debug-program.ts'
import { createGenesisProgram } from '../../bin/cli/commands/genesis-program.ts'
import { createKeysProgram } from '../../bin/cli/commands/keys-program.ts'
import { createQueryProgram } from '../../bin/cli/query/query-program.ts'
import { createTxProgram } from '../../bin/cli/tx/tx-program.ts'
import { createProgram } from '../../bin/program.ts'
import { describeParameters, staleReferenceDocs } from '../../scripts/reference-docs.ts'

const repository = join(import.meta.dirname, '..', '..')
const GROUPS: Readonly<Record<string, () => Command>> = {
  bridge: createBridgeProgram,
  clob: createClobProgram,
  debug: createDebugProgram,
  genesis: createGenesisProgram,
  keys: createKeysProgram,
  query: createQueryProgram,
  tx: createTxProgram,
}
const FILES = ['README.md', ...globSync('docs/**/*.md', { cwd: repository }).filter((file) => !file.includes('adr'))]
const CHECKOUT_PAGES = [...FILES, 'CONTRIBUTING.md', ...globSync('packages/*/README.md', { cwd: repository })]

/** Lines of blocks of code, with those that go on in the next one. */
const codeLines = (text: string): readonly string[] =>
  [...text.matchAll(/^```[a-z]*\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, '').split('\n'),
  )

/** What follows `chain` in them. */
const commandsOf = (text: string): readonly string[] =>
  codeLines(text)
    .flatMap((line) => line.split(/\s#|\s&&\s|\s\|\s|;/))
    .flatMap((part) => /^\s*(?:sudo \S+ \S+ )?(?:\.\/|\/opt\/nat-chain\/)?chain\s+(.+)$/.exec(part)?.[1] ?? [])

/** What stands in sentences and tables between code marks, where a line may end within. */
const inlineCode = (text: string): readonly string[] =>
  [...text.replaceAll(/^[ \t]*```.*?^[ \t]*```/gms, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) =>
    code.replaceAll(/\s+/g, ' '),
  )

/** What is wrong with a command. */
const faultOf = (words: readonly string[]): string | undefined => {
  let command = createProgram()
  const left = [...words]
  const [group = ''] = left
  const load = GROUPS[group]
  if (load !== undefined) {
    command = load()
    left.shift()
  }
  while (left[0] !== undefined) {
    const next = command.commands.find((each) => each.name() === left[0] || each.aliases().includes(left[0] ?? ''))
    if (next === undefined) break
    command = next
    left.shift()
  }
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0
  if (isGroup && left[0]?.startsWith('-') !== true) return `no command ${words.join(' ')}`
  const named = command.name() === 'start' || command.name() === 'run' ? 'application' : command.name()
  const all = createProgram().commands.find(
    (each) => each.name() === (named === 'devnet' ? 'devnet-application' : named),
  )
  const options = [...command.options, ...(all?.options ?? [])]
  const known = new Set(options.flatMap(({ long, short }) => [long, short]))
  const unknown = left
    .map((word) => word.replaceAll(/[[\]]/g, '').split('=')[0] ?? '')
    .filter((word) => /^--?[a-z]/.test(word) && word !== '--help' && !known.has(word))
  return unknown.length === 0 ? undefined : `${words.join(' ')}: no ${unknown.join(', ')}`
}

const TARGETS = new Set(
  Array.from(readFileSync(join(repository, 'Makefile'), 'utf8').matchAll(/^([a-z-]+):/gm), ([, name = '']) => name),
)
const PLACES: Readonly<Record<string, (name: string) => string>> = {
  BENCH: (name) => `test/bench/${name}.ts`,
  SOAK: (name) => `test/soak/${name}.soak.ts`,
}

/** Files and targets that a command of the checkout names and that are not there. */
const absentOf = (code: string): readonly string[] => {
  const [program = '', ...words] = code.split(' ').filter((word) => !/^[A-Z_]+=/.test(word))
  if (program === 'make') {
    const places = Array.from(
      code.matchAll(/\b([A-Z]+)=([\w-]+)/g),
      ([, key = '', name = '']) => PLACES[key]?.(name) ?? '',
    )
    const targets = words.filter((word) => !word.startsWith('-') && !TARGETS.has(word))
    return [...targets, ...places.filter((place) => place !== '' && !existsSync(join(repository, place)))]
  }
  if (program !== 'scripts/run.sh' && program !== 'docker') return []
  return words.filter((word) => /^[\w.-]+\//.test(word) && !existsSync(join(repository, word)))
}

describe('commands in the documents', () => {
  it.each(FILES)('of %s are those of the command line', (file) => {
    const commands = commandsOf(readFileSync(join(repository, file), 'utf8'))
    const faults = commands.flatMap((command) => faultOf(command.trim().split(/\s+/)) ?? [])
    expect(faults).toEqual([])
  })

  it.each(CHECKOUT_PAGES)('of %s in its sentences name what there is', (file) => {
    const codes = inlineCode(readFileSync(join(repository, file), 'utf8'))
    expect(codes.flatMap(absentOf)).toEqual([])
    // A sentence may speak of a group of commands, or leave open which command of it is meant.
    const own = codes.flatMap((code) => /^(?:\.\/)?chain (\S+ (?!<|\.\.\.).+)$/.exec(code)?.[1] ?? [])
    expect(own.flatMap((command) => faultOf(command.split(' ')) ?? [])).toEqual([])
  })

  it('are found at all', () => {
    expect(commandsOf('```\n./chain start --home x   # says\nchain join a && chain start\n```\n')).toEqual([
      'start --home x  ',
      'join a',
      'start',
    ])
    expect(inlineCode('a `make\n  test` b\n```sh\nmake check\n```\n')).toEqual(['make test'])
    expect(absentOf('make tset')).toEqual(['tset'])
    expect(absentOf('make bench BENCH=nothing')).toEqual(['test/bench/nothing.ts'])
    expect(absentOf('docker compose --file docker/none.yml up')).toEqual(['docker/none.yml'])
    expect(faultOf(['strat'])).toBe('no command strat')
    expect(faultOf(['start', '--hom', 'x'])).toBe('start --hom x: no --hom')
    expect(faultOf(['tx', 'bank', 'sent'])).toBe('no command tx bank sent')
  })
})

describe('pages that are made from the code', () => {
  it('are not stale', () => {
    expect(staleReferenceDocs()).toEqual([])
    expect(describeParameters()).toContain('| `json-rpc.rate-limit` | `0` | `500` |')
  })
})
