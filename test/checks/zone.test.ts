import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'

const root = join(import.meta.dirname, '..', '..')
// The rules name folders from where the configuration lies, so the fixtures get a copy of it.
const folder = mkdtempSync(join(tmpdir(), 'zone-'))
cpSync(join(import.meta.dirname, '..', 'fixtures', 'zone'), folder, { recursive: true })
copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
afterAll(() => rmSync(folder, { recursive: true }))

const report = z.object({
  diagnostics: z.array(
    z.object({
      code: z.string(),
      filename: z.string(),
      labels: z.array(z.object({ span: z.object({ line: z.number() }) })),
    }),
  ),
})

const lint = (): readonly string[] => {
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['--type-aware', '--format=json', '.'], {
    cwd: folder,
    encoding: 'utf8',
  })
  return report
    .parse(JSON.parse(stdout))
    .diagnostics.map(({ code, filename, labels }) => `${filename}:${labels[0]?.span.line ?? 0} ${code}`)
    .toSorted((a, b) => (a < b ? -1 : 1))
}

describe('the linter', () => {
  it('refuses clocks, chance, races and locales in the deterministic zone, and looseness everywhere', () => {
    expect(lint()).toEqual([
      'core/clock.ts:1 eslint(no-restricted-globals)',
      'core/clock.ts:2 eslint(no-restricted-properties)',
      'core/clock.ts:3 eslint(no-restricted-globals)',
      'core/clock.ts:4 eslint(no-restricted-globals)',
      'core/clock.ts:5 eslint(no-restricted-properties)',
      'core/clock.ts:6 eslint(no-restricted-properties)',
      'core/clock.ts:7 eslint(no-restricted-properties)',
      'core/clock.ts:8 typescript(require-array-sort-compare)',
      'rpc/loose.ts:1 typescript(no-explicit-any)',
      'rpc/loose.ts:1 typescript(no-non-null-assertion)',
      'rpc/loose.ts:3 typescript(no-floating-promises)',
    ])
  })
})
