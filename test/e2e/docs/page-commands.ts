/**
 * The commands that a page shows. Its fences say what stands in them: `sh` is a script, `console` a session with prompts
 * and what came of each command, and `synopsis` a reference in the usual notation, which stands for several commands.
 */
const RUN = ['sh', 'console', 'synopsis'] as const
type Kind = (typeof RUN)[number]

export interface PageCommand {
  readonly page: string
  readonly line: number
  /** Counts the fences of the page. What a command started runs until its fence ends. */
  readonly fence: number
  readonly text: string
  /** The lines that the page shows below it; none where it shows none. */
  readonly shown: readonly string[]
}

interface Line {
  readonly number: number
  readonly text: string
}

interface Fence {
  readonly kind: string
  readonly lines: readonly Line[]
}

const readFences = (text: string): readonly Fence[] => {
  const fences: { readonly kind: string; readonly lines: Line[] }[] = []
  let open: (typeof fences)[number] | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, kind] = /^\s*```(\w*)/.exec(line) ?? []
    if (kind === undefined) open?.lines.push({ number: index + 1, text: line })
    else if (open === undefined) fences.push((open = { kind, lines: [] }))
    else open = undefined
  }
  return fences
}

/** What stands in the fences of another kind, such as `json`. */
export const fencesOf = (text: string, kind: string): readonly string[] =>
  readFences(text)
    .filter((fence) => fence.kind === kind)
    .map(({ lines }) => lines.map((line) => line.text).join('\n'))

const withoutComment = (text: string): string => text.replace(/(^|\s)#\s.*$/, '').trimEnd()

/** Joins what goes on in the next line: after a backslash, and after a pipe. */
const joinLines = (lines: readonly Line[]): readonly Line[] => {
  const joined: Line[] = []
  let begun: Line | undefined
  for (const { number, text } of lines) {
    const part = begun === undefined ? withoutComment(text) : `${begun.text} ${withoutComment(text).trim()}`
    const line = { number: begun?.number ?? number, text: part.replace(/\s*\\$/, '') }
    const goesOn = /[\\|]$/.test(part)
    if (!goesOn && line.text !== '') joined.push(line)
    begun = goesOn ? line : undefined
  }
  return joined
}

/**
 * `a b c x | y [--flag] | z (one|other)` is three commands of `a b c`. A flag in brackets is given, an argument in
 * brackets is left out, and of values with a bar between them the first is taken.
 */
export const expandSynopsis = (line: string): readonly string[] =>
  withoutComment(line)
    .split(/\s{2,}(?=chain )/)
    .flatMap((group) => {
      const [first = '', ...others] = group.split(/\s\|\s/)
      const command = first.split(' ').slice(0, 3).join(' ')
      return [first, ...others.map((other) => `${command} ${other.trim()}`)]
    })
    .map((each) =>
      each
        .replaceAll(/\[(--[^\]]*)\]/g, '$1')
        .replaceAll(/\s\[[^\]]*\]/g, '')
        .replaceAll(/([\w-]+)(?:\|[\w-]+)+/g, '$1')
        .trim(),
    )
    .filter((each) => each !== '')

const readSession = (lines: readonly Line[]): readonly (Line & { readonly shown: readonly string[] })[] => {
  const commands: (Line & { readonly shown: string[] })[] = []
  for (const { number, text } of lines) {
    if (text.startsWith('$ ')) commands.push({ number, text: text.slice(2), shown: [] })
    else commands.at(-1)?.shown.push(text)
  }
  return commands
}

const commandsIn = (kind: Kind, lines: readonly Line[]): readonly (Line & { readonly shown: readonly string[] })[] => {
  if (kind === 'console') return readSession(lines)
  if (kind === 'sh') return joinLines(lines).map((line) => ({ ...line, shown: [] }))
  return lines.flatMap(({ number, text }) => expandSynopsis(text).map((each) => ({ number, text: each, shown: [] })))
}

/** Requests that stand in a sentence or a table. */
const readRequests = (text: string): readonly Line[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(/`(curl [^`]+)`/g)].map(([, found = '']) => ({ number: index + 1, text: found })),
    )

export const readCommands = (page: string, text: string): readonly PageCommand[] => {
  const fences = readFences(text)
  const fenced = fences.flatMap(({ kind, lines }, fence) => {
    const run = RUN.find((each) => each === kind)
    return (run === undefined ? [] : commandsIn(run, lines)).map((found) => ({ ...found, fence }))
  })
  const requests = readRequests(text).map((line) => ({ ...line, shown: [], fence: fences.length }))
  return [...fenced, ...requests].map(({ number, ...found }) => ({ page, line: number, ...found }))
}
