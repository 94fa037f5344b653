import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkComments, checkCommentsOf } from '../../scripts/check-comments.ts'

const check = (...lines: readonly string[]): readonly string[] =>
  checkCommentsOf('core/file.ts', lines.join('\n')).map(({ file, line, message }) => `${file}:${line} ${message}`)

const fault = (line: number, word: string): string =>
  `core/file.ts:${line} a doc comment says who does what, or names the thing, and does not open with "${word}"`

describe('the checker of doc comments', () => {
  it('refuses a fragment at the opening, in one line or in several', () => {
    const source = [
      'export interface Timeouts {',
      '  /** Of CometBFT; that of the chain when left out. */',
      '  readonly commitMs?: number',
      '}',
      '/** By height. */',
      'const heads = new Map()',
      '/**',
      " * As geth's, but for",
      ' * the order.',
      ' */',
      'const order = []',
    ]
    expect(check(...source)).toEqual([fault(2, 'Of'), fault(5, 'By'), fault(8, 'As')])
  })

  it('passes sentences, names, words that begin alike, and what is no doc comment', () => {
    const source = [
      "/** The timeout of CometBFT's commit step in ms. */",
      '/** Heads by height. */',
      '/** Offers what is left. */',
      '/** Assets, ascending. */',
      '// As a line, it is left to the reader.',
      "const text = '/** Of nothing. */'",
      '/**',
      ' * The first line has a subject.',
      ' * Of the second line nobody asks.',
      ' */',
    ]
    expect(check(...source)).toEqual([])
  })

  it('passes the repository itself', () => {
    expect(checkComments(join(import.meta.dirname, '..', '..'))).toEqual([])
  })
})
