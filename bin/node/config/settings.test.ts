import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { createProgram } from '../../program.ts'
import { ENVIRONMENT_NAMES } from './environment-names.ts'
import { SETTING_KEYS } from './settings.ts'

const bin = join(import.meta.dirname, '..', '..')
/** Only empty is allowed. */
const REFUSED: readonly string[] = ['evm.tracer']

it('has no setting that nobody reads', () => {
  const sources = globSync('**/*.ts', {
    cwd: bin,
    exclude: ['**/*.test.ts', '**/testing/**', 'node/config/settings.ts'],
  })
  const text = sources.map((path) => readFileSync(join(bin, path), 'utf8')).join('\n')
  const read = (key: string): boolean => text.includes(`settings['${key}']`) || text.includes(`settings.${key}`)
  // Listeners are read by the key that their caller names.
  const isListener = (key: string): boolean => key.endsWith('address') && text.includes(`'${key}'`)
  expect(SETTING_KEYS.filter((key) => !read(key) && !isListener(key))).toEqual(REFUSED)
})

it('knows the variable of every flag that has one', () => {
  const names = (command: Command): readonly string[] => [
    ...command.options.flatMap(({ envVar }) => envVar ?? []),
    ...command.commands.flatMap(names),
  ]
  const ofChain = names(createProgram()).filter((name) => name.startsWith('CHAIN_'))
  expect(ofChain.length).toBeGreaterThan(4)
  expect(ofChain.filter((name) => !ENVIRONMENT_NAMES.has(name))).toEqual([])
})
