/** How commands are read from pages; `test/e2e/docs-commands.test.ts` runs them. */
import { describe, expect, it } from 'vitest'
import { expandSynopsis, fencesOf, readCommands } from '../e2e/docs/page-commands.ts'

const page = (...lines: readonly string[]): string => lines.join('\n')
const textsOf = (text: string): readonly string[] => readCommands('page.md', text).map((command) => command.text)

describe('the commands of a page', () => {
  it('are the lines of a script without its comments, with those that go on in the next line', () => {
    const text = page('a', '```sh', '# why', 'chain a   # says', '', 'curl -d x \\', '  y', 'a |', '  b --c', '```')
    expect(readCommands('page.md', text)).toEqual([
      { page: 'page.md', line: 4, fence: 0, text: 'chain a', shown: [] },
      { page: 'page.md', line: 6, fence: 0, text: 'curl -d x y', shown: [] },
      { page: 'page.md', line: 8, fence: 0, text: 'a | b --c', shown: [] },
    ])
  })

  it('are what stands behind the prompts of a session, with what it shows', () => {
    const text = page('```text', 'x', '```', '```console', '$ chain a', 'one', 'two', '$ chain b', '```')
    expect(readCommands('page.md', text)).toEqual([
      { page: 'page.md', line: 5, fence: 1, text: 'chain a', shown: ['one', 'two'] },
      { page: 'page.md', line: 8, fence: 1, text: 'chain b', shown: [] },
    ])
  })

  it('are requests in a sentence too', () => {
    expect(textsOf('Ask it (`curl -s <URL>/status`), or `chain status`.')).toEqual(['curl -s <URL>/status'])
  })

  it('are not what stands in other fences', () => {
    const text = page('```json', '{}', '```', '```', 'chain a', '```')
    expect(textsOf(text)).toEqual([])
    expect(fencesOf(text, 'json')).toEqual(['{}'])
  })

  it('are all that a synopsis stands for', () => {
    expect(expandSynopsis('chain tx gov vote ID yes|no | deposit ID 1nat [--to bob] | sign [FILE]   # why')).toEqual([
      'chain tx gov vote ID yes',
      'chain tx gov deposit ID 1nat --to bob',
      'chain tx gov sign',
    ])
    expect(expandSynopsis('chain query block 12     chain query txs --query "a AND b"')).toEqual([
      'chain query block 12',
      'chain query txs --query "a AND b"',
    ])
  })
})
