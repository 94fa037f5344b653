/**
 * Codes of errors stand in the tables of `error-list.ts` alone: this refuses a codespace that is not listed, and a
 * number where a name of a table belongs. Tests are free: they pin the numbers.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isTest, type Violation } from './check-imports.ts'
import { ERROR_LIST } from './error-list.ts'
import { listSources } from './list-sources.ts'

/** Where the numbers of JSON-RPC stand. */
const JSON_RPC_CODES = 'core/json-rpc-codes.ts'

const CODESPACES: ReadonlySet<string> = new Set(ERROR_LIST.map(({ codespace }) => codespace))

/** Blanks out comments of whole lines, and keeps the line feeds. */
const withoutComments = (source: string): string =>
  source.replaceAll(/^[ \t]*(?:\/\/|\/?\*).*$/gm, (comment) => ' '.repeat(comment.length))

interface Rule {
  readonly pattern: RegExp
  /** What is wrong with a match; undefined: nothing. */
  fault(match: RegExpExecArray): string | undefined
}

const unlisted = (codespace: string | undefined): string | undefined =>
  codespace === undefined || codespace === '' || CODESPACES.has(codespace)
    ? undefined
    : `the codespace ${codespace} has no table in scripts/error-list.ts`

const RULES: readonly Rule[] = [
  {
    pattern: /new CodedError\(\s*(?:'([^']*)'|[^,]+),\s*(-?\d+)?/g,
    fault: ([, codespace, code]) =>
      code === undefined ? unlisted(codespace) : `a code is a name of a table, not the number ${code}`,
  },
  { pattern: /\bcodespace(?::| [!=]==) '([^']*)'/g, fault: ([, codespace]) => unlisted(codespace) },
  {
    pattern: /\berror\.code [!=]== (-?\d+)/g,
    fault: ([, code]) => `a code is a name of a table, not the number ${code ?? ''}`,
  },
]

const JSON_RPC_NUMBER: Rule = {
  pattern: /(?<=[=:?,([] ?)-(?:32[0-7]\d\d|38\d{3})\b/g,
  fault: ([number]) => `the number ${number} of JSON-RPC has a name in ${JSON_RPC_CODES}`,
}

/** Checks one source; `file` is relative to the repository, with forward slashes. */
export const checkErrorsOf = (file: string, source: string): readonly Violation[] => {
  if (isTest(file)) return []
  const code = withoutComments(source)
  const rules = file === JSON_RPC_CODES ? RULES : [...RULES, JSON_RPC_NUMBER]
  return rules.flatMap(({ pattern, fault }) =>
    [...code.matchAll(pattern)].flatMap((match) => {
      const message = fault(match)
      return message === undefined ? [] : [{ file, line: code.slice(0, match.index).split('\n').length, message }]
    }),
  )
}

/** All violations below `root`. */
export const checkErrors = (root: string): readonly Violation[] =>
  listSources(root).flatMap((file) => checkErrorsOf(file, readFileSync(join(root, file), 'utf8')))
