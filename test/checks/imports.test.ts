import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkFile, checkImports } from '../../scripts/check-imports.ts'
import { findCircles } from '../../scripts/folder-circles.ts'
import { scanImports } from '../../scripts/scan-imports.ts'

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'imports')
const found = checkImports(fixtures).map(({ file, line, message }) => `${file}:${line} ${message}`)

describe('the checker of imports', () => {
  it('refuses every forbidden import of the fixtures, and nothing else', () => {
    expect(found).toEqual([
      'abci/deep.ts:1 abci may import only app/ports.ts of app, not app/pool/pool.ts',
      'abci/deep.ts:3 abci may import only types of modules/module.ts',
      'app/inner.ts:1 only modules/bank/index.ts is public, not modules/bank/keeper.ts',
      'app/inner.ts:2 app may not import abci: abci/handlers.ts',
      'app/inner.ts:3 node:fs does not belong into the deterministic zone',
      'app/inner.ts:4 app may not use the package express',
      'core/hidden.ts:5 core may not import evm: evm/engine.ts',
      'core/hidden.ts:6 a computed import cannot be checked',
      'core/upward.ts:1 core may not import store: store/open.ts',
      'evm/modules.ts:3 evm may not import modules: modules/bank/index.ts',
      'modules/gov/other-module.ts:1 a module may not import another module: modules/bank/index.ts',
      'rpc/worker.ts:1 rpc may not import store: store/store.ts',
      'rpc/worker.ts:2 code may not import tests: test/helper.ts',
      'rpc/worker.ts:3 rpc may not import bin: bin/runtime/worker.ts',
      'store/side-effect.ts:1 node:fs does not belong into the deterministic zone',
      'store/side-effect.ts:2 store may not import modules: modules/bank/index.ts',
      'store/side-effect.ts:3 store may not import evm: evm/engine.ts',
    ])
  })

  it('passes the repository itself', () => {
    expect(checkImports(join(import.meta.dirname, '..', '..'))).toEqual([])
  })

  it('finds circles among the folders of a layer', () => {
    expect(findCircles(fixtures, 'app')).toEqual(['app/block -> app/pool -> app/block (app/block/run.ts)'])
    expect(findCircles(fixtures, 'core')).toEqual([])
  })

  it.each(['app', 'query', 'bin'])('finds none in %s', (layer) => {
    expect(findCircles(join(import.meta.dirname, '..', '..'), layer)).toEqual([])
  })

  it('lets tests import what they need', () => {
    expect(checkFile('core/hash.test.ts', "import { Application } from '../app/app.ts'")).toEqual([])
  })

  it('demands the ending of a source file', () => {
    expect(checkFile('core/a.ts', "import { b } from './b'")).toEqual([
      { file: 'core/a.ts', line: 1, message: './b must end in .ts' },
    ])
  })

  it('refuses folders that the architecture does not know', () => {
    expect(checkFile('lib/a.ts', "import './b.ts'")).toEqual([
      { file: 'lib/a.ts', line: 1, message: 'lib is no folder of the architecture' },
    ])
  })
})

describe('the scanner of imports', () => {
  const specifiers = (source: string): readonly (string | undefined)[] =>
    scanImports(source).map(({ specifier }) => specifier)

  it('finds every form of import', () => {
    const source = [
      "import a from 'a'",
      "import * as b from 'b'",
      "import { c, type C } from 'c'",
      "import 'd'",
      "export { e } from 'e'",
      "export * from 'f'",
      "export type { G } from 'g'",
      "const h = await import('h')",
      "type I = import('i').I",
      "const j = require('j')",
      "const k = new URL('./k.ts', import.meta.url)",
      "import l from 'l' with { type: 'json' }",
    ].join('\n')
    expect(specifiers(source)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', './k.ts', 'l'])
  })

  it('does not take comments, strings, templates and regular expressions for imports', () => {
    const source = [
      "// import a from 'a'",
      "/* import b from 'b' */",
      'const c = "import c from \'c\'"',
      "const d = `import d from 'd'`",
      "const e = /import e from 'e'/",
      "const f = 4 / 2 / Number('2')",
      "const g = Array.from('g')",
      "import real from 'real'",
    ].join('\n')
    expect(specifiers(source)).toEqual(['real'])
  })

  it('tells imports of types from imports of values', () => {
    const source =
      "import type { A } from 'a'\nimport { type B } from 'b'\nimport { type C, d } from 'c'\nimport type, { e } from 'e'"
    expect(scanImports(source).map(({ typeOnly }) => typeOnly)).toEqual([true, true, false, false])
  })
})
