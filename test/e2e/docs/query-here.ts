/**
 * `chain query` in this process. A page has dozens of questions, and a process for each would take half of the time of
 * all pages; the sessions of the pages, and `test/e2e/cli.test.ts`, ask as processes.
 */
import { vi } from 'vitest'
import { createQueryProgram } from '../../../bin/cli/query/query-program.ts'
import { errorText } from '../../../bin/errors.ts'
import type { Ran } from './shell.ts'
import type { Devnet } from './world.ts'

/** A question alone, without what only a shell can do with it. */
const QUESTION = /^chain query [^|><;&$`]*$/

export const isQuestion = (text: string): boolean => QUESTION.test(text.replaceAll(/"[^"$`]*"/g, ''))

const wordsOf = (text: string): readonly string[] =>
  Array.from(
    text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )

/** What a process would find by itself: the devnet that runs. */
export const nameDevnet = ({ comet, home }: Devnet): void => {
  vi.stubEnv('CHAIN_NODE', comet)
  vi.stubEnv('CHAIN_HOME', home)
  vi.stubEnv('CHAIN_KEYRING_BACKEND', 'test')
}

export const askHere = async (text: string): Promise<Ran> => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const warned = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const textOf = ({ mock }: { readonly mock: { readonly calls: readonly (readonly unknown[])[] } }): string =>
    mock.calls.map(([chunk]) => String(chunk)).join('')
  try {
    await createQueryProgram().parseAsync([...wordsOf(text).slice(2)], { from: 'user' })
    return { status: 0, stdout: textOf(written), stderr: textOf(warned) }
  } catch (error) {
    return { status: 1, stdout: textOf(written), stderr: `${textOf(warned)}${errorText(error)}` }
  } finally {
    written.mockRestore()
    warned.mockRestore()
  }
}
