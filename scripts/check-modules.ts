/**
 * The shape of modules: each job is done in the part of its name, a file or a folder, and nowhere else. Beside that, nobody
 * lists modules but `app/module-list.ts`: what stands in two lists is forgotten in one.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { isTest, type Violation } from './check-imports.ts'
import { listSources } from './list-sources.ts'
import { scanImports } from './scan-imports.ts'

/** What every module has. */
const REQUIRED = ['README.md', 'index.ts', 'module.ts', 'genesis', 'keeper']

interface Job {
  /** A module whose file has this outside of the part does the part's job elsewhere. */
  readonly sign: RegExp
  readonly part: string
}

const JOBS: readonly Job[] = [
  { part: 'messages', sign: /\bhandle(?:Message|Parsed)\(/ },
  { part: 'queries', sign: /\bhandleQuery\(/ },
  { part: 'events', sign: /\bmakeEvent\(/ },
  { part: 'keeper', sign: /\bstate\.(?:value|values|setValue)\(/ },
  { part: 'genesis', sign: /\bfrom '[./]*\/core\/parse\.ts'/ },
  { part: 'module', sign: /\bModuleDefinition</ },
]

/** The part that a file of a module belongs to: the name of its folder, or its own. */
const partOf = (file: string): string => (file.split('/')[2] ?? '').replace(/\.ts$/, '')

const lineOf = (source: string, index: number): number => source.slice(0, index).split('\n').length

const checkJobs = (file: string, source: string): readonly Violation[] =>
  JOBS.flatMap(({ part, sign }) => {
    const found = sign.exec(source)
    if (found === null || partOf(file) === part) return []
    return [
      { file, line: lineOf(source, found.index), message: `this is the job of the module's ${part}: ${found[0]}` },
    ]
  })

/** Folders of modules/ that have a module. */
const moduleNames = (root: string): readonly string[] =>
  readdirSync(posix.join(root, 'modules'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort((a, b) => (a < b ? -1 : 1))

const hasPart = (folder: string, part: string): boolean =>
  [part, `${part}.ts`].some((name) => existsSync(posix.join(folder, name)))

const checkParts = (root: string, name: string): readonly Violation[] =>
  REQUIRED.filter((part) => !hasPart(posix.join(root, 'modules', name), part)).map((part) => ({
    file: `modules/${name}`,
    line: 1,
    message: `a module has ${part}`,
  }))

const LISTS = new Set(['app/module-list.ts', 'app/genesis/module-ports.ts'])
/** So many names of modules one after the other are a list of them. */
const A_LIST = 3
/** Code that knows so many modules wires them. */
const MANY_IMPORTED = 6
const LITERALS = /(?:'[a-z_]+'\s*[,|]?\s*){3,}/g

const checkLiterals = (file: string, source: string, names: ReadonlySet<string>): readonly Violation[] =>
  [...source.matchAll(LITERALS)].flatMap((run) => {
    const listed = [...run[0].matchAll(/'([a-z_]+)'/g)].map(([, name = '']) => name).filter((name) => names.has(name))
    if (listed.length < A_LIST) return []
    return [
      {
        file,
        line: lineOf(source, run.index),
        message: `${listed.join(', ')}: modules are listed in app/module-list.ts alone`,
      },
    ]
  })

const checkImported = (file: string, source: string): readonly Violation[] => {
  const modules = new Set(
    scanImports(source).flatMap(({ specifier = '' }) => /\/modules\/([a-z]+)\/index\.ts$/.exec(specifier)?.[1] ?? []),
  )
  if (modules.size < MANY_IMPORTED) return []
  return [{ file, line: 1, message: `it imports ${modules.size} modules: what follows from all of them is derived` }]
}

/** All violations below `root`. */
export const checkModules = (root: string): readonly Violation[] => {
  const names = moduleNames(root)
  const known = new Set(names)
  return [
    ...names.flatMap((name) => checkParts(root, name)),
    ...listSources(root).flatMap((file) => {
      if (isTest(file) || file.startsWith('scripts/')) return []
      const source = readFileSync(posix.join(root, file), 'utf8')
      if (/^modules\/[a-z]+\//.test(file)) return checkJobs(file, source)
      return LISTS.has(file) ? [] : [...checkLiterals(file, source, known), ...checkImported(file, source)]
    }),
  ]
}
