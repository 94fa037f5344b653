import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkDocs, checkDocuments } from '../../scripts/check-docs.ts'

const decision = (status: string): string => `# 001. A decision\n\n${status}\n\n## Context\n`

const check = (texts: Readonly<Record<string, string>>, existing: readonly string[] = []): readonly string[] => {
  const files = Object.keys(texts)
  return checkDocuments({
    files,
    read: (file) => texts[file] ?? '',
    exists: (path) => files.includes(path) || existing.includes(path),
  }).map(({ file, line, message }) => `${file}:${line} ${message}`)
}

describe('the checker of documents', () => {
  const link = '[002](002-another.md)'

  it.each(['Accepted', 'Withdrawn', `Superseded by ${link}`, `Accepted, amended by ${link}, ${link}`])(
    'takes the status of a decision: %s',
    (status) => {
      const texts = { 'docs/adr/001-one.md': decision(`Status: ${status}`) }
      expect(check(texts, ['docs/adr/002-another.md'])).toEqual([])
    },
  )

  it.each(['', 'Accepted', 'Status: accepted.', 'Status: Superseded', 'Status: Accepted, amended by 002'])(
    'refuses a decision without a status, or with one of another form: %j',
    (status) => {
      expect(check({ 'docs/adr/001-one.md': decision(status) })).toEqual([
        'docs/adr/001-one.md:3 a decision says here "Status: Accepted", "Withdrawn" or "Superseded by [NNN](file)"',
      ])
    },
  )

  it('refuses links, files and decisions that do not exist', () => {
    const text = ['[a](other.md#part)', 'see `app/gone.ts` and', '`app/here.ts`, `beside.ts`, docs/adr/009'].join('\n')
    expect(check({ 'docs/page.md': text }, ['app/here.ts'])).toEqual([
      'docs/page.md:1 other.md does not exist',
      'docs/page.md:2 app/gone.ts does not exist',
      'docs/page.md:3 009 does not exist',
    ])
  })

  it('refuses what a merge has left', () => {
    const text = ['one', `${'<'.repeat(7)} HEAD`, 'two', '='.repeat(7), 'three', `${'>'.repeat(7)} main`].join('\n')
    expect(check({ 'docs/page.md': text })).toEqual([
      'docs/page.md:2 a merge has left both of its sides here',
      'docs/page.md:6 a merge has left both of its sides here',
    ])
  })

  it.each([
    ['', 'chain status', 'a fence says what stands in it: sh, console, synopsis, text or a language'],
    ['bash', 'ls', 'a fence of commands is sh, console or synopsis, not bash'],
    ['text', '$ ls', 'a fence of text holds a command: it is sh, console or synopsis'],
    ['text', './chain start --home x', 'a fence of text holds a command: it is sh, console or synopsis'],
  ])('refuses a fence of a page whose commands no test would run: %s, %s', (kind, line, message) => {
    const sound = ['```sh', 'chain start', '```', '  ```js', '1', '  ```', '```text', 'header of a block', '```']
    const text = [...sound, `\`\`\`${kind}`, line, '```'].join('\n')
    expect(check({ 'docs/page.md': text })).toEqual([`docs/page.md:10 ${message}`])
  })

  it('passes links to other sites, and paths beside the document', () => {
    const text = '[a](https://example.com/x) [b](#part) `sub/file.ts`'
    expect(check({ 'docs/page.md': text }, ['docs/sub/file.ts'])).toEqual([])
  })

  it('passes the repository itself', () => {
    expect(checkDocs(join(import.meta.dirname, '..', '..'))).toEqual([])
  })
})
