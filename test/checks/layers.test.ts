/** What a folder of the code needs elsewhere follows from one list: scripts/layers.ts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LAYERS, RUNNING, ZONE } from '../../scripts/layers.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Project {
  readonly references?: readonly { readonly path: string }[]
}

const referencesOf = (path: string): readonly string[] =>
  ((JSON.parse(read(path)) as Project).references ?? []).map((reference) => reference.path.replace(/^\.\.\//, ''))

const sorted = (names: readonly string[]): readonly string[] => names.toSorted((a, b) => (a < b ? -1 : 1))

describe('a folder of the code', () => {
  it.each(RUNNING)('%s is a project that sees what it may import', (layer) => {
    expect(sorted(referencesOf(`${layer}/tsconfig.json`))).toEqual(sorted(LAYERS[layer] ?? []))
  })

  it.each(['tsconfig.json', 'tsconfig.test.json'])('is one that %s compiles', (path) => {
    expect(referencesOf(path)).toEqual(expect.arrayContaining([...RUNNING]))
  })

  it('is in the image', () => {
    const copied = read('docker/Dockerfile').matchAll(/^COPY (\w+) \1$/gm)
    expect(sorted([...copied].map(([, name = '']) => name))).toEqual(sorted(RUNNING))
  })

  it('is linted as what nodes must agree on, where it is that', () => {
    const { overrides } = JSON.parse(read('.oxlintrc.json')) as { overrides: { files: string[]; rules: object }[] }
    const zone = overrides.find(({ rules }) => 'eslint/no-restricted-globals' in rules)
    expect(sorted(zone?.files ?? [])).toEqual(sorted([...ZONE].map((layer) => `${layer}/**/*.ts`)))
  })
})
