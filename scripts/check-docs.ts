/**
 * The documents: every decision has its status, and what documents link to or name exists. Prose that the code no longer
 * follows is found by reading alone.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Violation } from './check-imports.ts'

const SKIPPED_FOLDERS = new Set(['node_modules', '.cache', '.devnet', '.git', 'gen', 'vendor'])
const DECISIONS = 'docs/adr'

/** The third line of a decision, below its title. */
const LINK = String.raw`\[\d{3}\]\(\d{3}-[a-z0-9-]+\.md\)`
const STATUS = new RegExp(`^Status: (Accepted|Withdrawn|Superseded by ${LINK})(, amended by ${LINK}(, ${LINK})*)?$`)

/** `[text](target)`, without those of other sites. */
const LINKS = /\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)/g
/** A path in code marks: `app/pool/admit.ts`. */
const NAMED_FILES = /`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|sh|sol|proto))`/g
const NAMED_DECISIONS = /\bdocs\/adr\/(\d{3})/g
/** A line that a merge leaves where it could not decide. */
const MERGE_MARKS = /^(?:<{7}|>{7})(?: .*)?$/gm

export interface Documents {
  /** Paths of Markdown files relative to the repository, with forward slashes. */
  readonly files: readonly string[]
  read(file: string): string
  exists(path: string): boolean
}

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length

const checkStatus = (file: string, text: string): readonly Violation[] =>
  posix.dirname(file) !== DECISIONS || STATUS.test(text.split('\n')[2] ?? '')
    ? []
    : [
        {
          file,
          line: 3,
          message: 'a decision says here "Status: Accepted", "Withdrawn" or "Superseded by [NNN](file)"',
        },
      ]

const missing = (
  file: string,
  text: string,
  pattern: RegExp,
  exists: (name: string) => boolean,
): readonly Violation[] =>
  [...text.matchAll(pattern)]
    .filter(([, name = '']) => !exists(name))
    .map(({ 1: name = '', index }) => ({ file, line: lineOf(text, index), message: `${name} does not exist` }))

const findMergeMarks = (file: string, text: string): readonly Violation[] =>
  Array.from(text.matchAll(MERGE_MARKS), ({ index }) => ({
    file,
    line: lineOf(text, index),
    message: 'a merge has left both of its sides here',
  }))

/** A fence, from its first line to its last one. */
const FENCES = /^([ \t]*)```(\w*)[^\n]*\n(.*?)^\1```/gms
/** Fences whose commands the test of the pages does not find, under names that elsewhere mean a script. */
const OTHER_SCRIPTS = new Set(['bash', 'shell', 'zsh'])
/** A line that can be nothing but a command. */
const COMMAND = /^(?:\$ |(?:\.\/)?chain [a-z-]+ |curl |make [a-z-]+$|scripts\/run\.sh )/m

const faultOfFence = (kind: string, lines: string): string | undefined => {
  if (kind === '') return 'a fence says what stands in it: sh, console, synopsis, text or a language'
  if (OTHER_SCRIPTS.has(kind)) return `a fence of commands is sh, console or synopsis, not ${kind}`
  if (kind === 'text' && COMMAND.test(lines)) return 'a fence of text holds a command: it is sh, console or synopsis'
  return undefined
}

/** What stands in a fence of a page says whether the test of the pages runs it. Decisions are no pages. */
const checkFences = (file: string, text: string): readonly Violation[] =>
  posix.dirname(file) === DECISIONS
    ? []
    : [...text.matchAll(FENCES)].flatMap(({ 2: kind = '', 3: lines = '', index }) => {
        const message = faultOfFence(kind, lines)
        return message === undefined ? [] : [{ file, line: lineOf(text, index), message }]
      })

/** Paths are relative to the document or to the repository. */
const checkDocument = (documents: Documents, file: string): readonly Violation[] => {
  const text = documents.read(file)
  const beside = (path: string): string => posix.join(posix.dirname(file), path)
  const decisions = documents.files.filter((each) => posix.dirname(each) === DECISIONS)
  return [
    ...checkStatus(file, text),
    ...findMergeMarks(file, text),
    ...checkFences(file, text),
    ...missing(file, text, LINKS, (path) => documents.exists(beside(path))),
    ...missing(file, text, NAMED_FILES, (path) => documents.exists(path) || documents.exists(beside(path))),
    ...missing(file, text, NAMED_DECISIONS, (number) =>
      decisions.some((each) => posix.basename(each).startsWith(`${number}-`)),
    ),
  ]
}

export const checkDocuments = (documents: Documents): readonly Violation[] =>
  documents.files.flatMap((file) => checkDocument(documents, file))

export const listDocuments = (root: string, folder = ''): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : listDocuments(root, path)
    return entry.name.endsWith('.md') ? [path] : []
  })

/** All violations below `root`. */
export const checkDocs = (root: string): readonly Violation[] =>
  checkDocuments({
    files: listDocuments(root),
    read: (file) => readFileSync(join(root, file), 'utf8'),
    exists: (path) => existsSync(join(root, path)),
  })
