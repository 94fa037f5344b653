/** `make check`: runs every check, also after one failed, and leaves the counts for the summary. */
import { existsSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { checkComments } from './check-comments.ts'
import { checkDocs } from './check-docs.ts'
import { checkErrors } from './check-errors.ts'
import { checkImports, type Violation } from './check-imports.ts'
import { checkModules } from './check-modules.ts'
import { staleErrorDocs } from './error-docs.ts'
import { staleReferenceDocs } from './reference-docs.ts'
import { writeReport } from './summary.ts'

const root = join(import.meta.dirname, '..')

interface Check {
  readonly name: string
  /** True passes; it prints what is wrong. */
  run(): boolean
}

const command = (name: string, binary: string, args: readonly string[]): Check => ({
  name,
  run: () => spawnSync(binary, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0,
})

const ofFiles = (name: string, violationsOf: () => readonly Violation[]): Check => ({
  name,
  run: () => {
    const violations = violationsOf()
    for (const { file, line, message } of violations) console.error(`${file}:${line}: ${message}`)
    return violations.length === 0
  },
})

const CHECKS: readonly Check[] = [
  command('format', 'biome', ['format', '.']),
  command('types', 'tsc', ['-b', 'tsconfig.json']),
  command('lint', 'oxlint', ['--type-aware', '--deny-warnings', '.']),
  ofFiles('directions of imports', () => checkImports(root)),
  ofFiles('codes of errors', () => [...checkErrors(root), ...staleErrorDocs()]),
  ofFiles('openings of doc comments', () => checkComments(root)),
  ofFiles('documents', () => [...checkDocs(root), ...staleReferenceDocs()]),
  ofFiles('shape of modules', () => checkModules(root)),
  ...(existsSync(join(root, 'proto/check.ts')) ? [command('generated code', 'node', ['proto/check.ts'])] : []),
]

const failed = CHECKS.filter((check) => {
  console.log(`check: ${check.name}`)
  const passed = check.run()
  if (!passed) console.error(`check: ${check.name} FAILED`)
  return !passed
})
const failures = failed.map(({ name }) => `check: ${name}`)
writeReport('check', { passed: CHECKS.length - failed.length, failed: failed.length, failures })
console.log(
  failed.length === 0 ? 'check: all passed' : `check: failed: ${failed.map((check) => check.name).join(', ')}`,
)
process.exitCode = failed.length === 0 ? 0 : 1
