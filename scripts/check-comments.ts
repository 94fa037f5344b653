/**
 * Doc comments say who does what, or name the thing: this refuses those that open with "Of", "By" or "As", whose subject
 * a reader would have to look for in the code. Whether the rest can be understood is found by reading alone.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Violation } from './check-imports.ts'
import { listSources } from './list-sources.ts'

/** The opening of a doc comment that has a line of its own; the text may begin on the line behind it. */
const FRAGMENT = /^[ \t]*\/\*\*(?:[ \t]*\n[ \t]*\*)? (Of|By|As)\b/gm

/** Checks one source; `file` is relative to the repository, with forward slashes. */
export const checkCommentsOf = (file: string, source: string): readonly Violation[] =>
  [...source.matchAll(FRAGMENT)].map(({ 0: opening, 1: word = '', index }) => ({
    file,
    line: source.slice(0, index + opening.length).split('\n').length,
    message: `a doc comment says who does what, or names the thing, and does not open with "${word}"`,
  }))

/** All violations below `root`. */
export const checkComments = (root: string): readonly Violation[] =>
  listSources(root).flatMap((file) => checkCommentsOf(file, readFileSync(join(root, file), 'utf8')))
