/** Finds what a TypeScript source imports, without a parser: comments, strings, templates and regular expressions are told apart by a small scanner. */

export interface FoundImport {
  /** Undefined when the specifier is computed. */
  readonly specifier: string | undefined
  readonly typeOnly: boolean
  /** 1-based. */
  readonly line: number
}

interface StringToken {
  readonly text: string
  readonly start: number
  readonly end: number
}

// A slash begins a regular expression where a value may begin: after these, or after a keyword.
const BEFORE_EXPRESSION = '(,=:[!&|?{};+-*%<>~^\n'
const QUOTES = `'"\``
const KEYWORD_BEFORE_EXPRESSION = /\b(?:return|typeof|case|in|of|delete|void|throw|new|await|yield|else|do)$/

const endOfQuoted = (source: string, start: number): number => {
  const quote = source[start]
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === '\\') i++
    else if (source[i] === quote) return i + 1
  }
  return source.length
}

const endOfRegExp = (source: string, start: number): number => {
  let inClass = false
  for (let i = start + 1; i < source.length; i++) {
    const char = source[i]
    if (char === '\\') i++
    else if (char === '[') inClass = true
    else if (char === ']') inClass = false
    else if (char === '\n' || (char === '/' && !inClass)) return i + 1
  }
  return source.length
}

const endOfComment = (source: string, start: number): number => {
  const close = source[start + 1] === '/' ? source.indexOf('\n', start) : source.indexOf('*/', start + 2) + 2
  return close < start + 2 ? source.length : close
}

/** The code with comments and the insides of literals blanked out, and its string literals. */
const maskLiterals = (source: string): { readonly code: string; readonly strings: readonly StringToken[] } => {
  const strings: StringToken[] = []
  let code = ''
  for (let i = 0; i < source.length; ) {
    const char = source[i] as string
    const next = source[i + 1]
    let end = i + 1
    if (char === '/' && (next === '/' || next === '*')) end = endOfComment(source, i)
    else if (char === '/') {
      const before = code.trimEnd()
      const startsValue = before === '' || BEFORE_EXPRESSION.includes(before.at(-1) ?? '')
      if (startsValue || KEYWORD_BEFORE_EXPRESSION.test(before.slice(-12))) end = endOfRegExp(source, i)
    } else if (QUOTES.includes(char)) {
      end = endOfQuoted(source, i)
      if (char !== '`') strings.push({ text: source.slice(i + 1, end - 1), start: i, end })
    }
    const inside = source.slice(i, end).replaceAll(/[^\n]/g, ' ')
    // The quotes stay: they end a statement for the patterns below.
    if (end === i + 1) code += char
    else code += QUOTES.includes(char) && end - i > 1 ? `${char}${inside.slice(2)}${char}` : inside
    i = end
  }
  return { code, strings }
}

const lineAt = (source: string, offset: number): number => source.slice(0, offset).split('\n').length

const FROM_STATEMENT = /(?:^|[\s;}])(import|export)(\s+type\b(?!\s*,|\s+from\b))?[^;'"`()=]*\bfrom\s*$/
const SIDE_EFFECT = /(?:^|[\s;}])import\s*$/
const CALLED = /(?:\bimport|\brequire|\bnew\s+URL)\s*\(\s*$/
const COMPUTED = /(?<![.\w])import\s*\(\s*/g

/** True when every name in braces carries its own `type`. */
const allNamesAreTypes = (statement: string): boolean => {
  const braces = /^\s*(?:import|export)\s*\{([^}]*)\}\s*from\s*$/.exec(
    statement.slice(statement.search(/(?:import|export)[^;]*$/)),
  )
  const names = (braces?.[1] ?? '').split(',').filter((name) => name.trim() !== '')
  return names.length > 0 && names.every((name) => /^\s*type\s/.test(name))
}

/** Every import, re-export, dynamic import, require and module URL in the order of the source. */
export const scanImports = (source: string): readonly FoundImport[] => {
  const { code, strings } = maskLiterals(source)
  const found: FoundImport[] = []
  const literalStarts = new Set(strings.map((token) => token.start))
  for (const token of strings) {
    const before = code.slice(Math.max(0, token.start - 4_000), token.start)
    const statement = FROM_STATEMENT.exec(before)
    if (statement !== null) {
      const typeOnly = statement[2] !== undefined || allNamesAreTypes(statement[0].trim())
      found.push({ specifier: token.text, typeOnly, line: lineAt(source, token.start) })
    } else if (SIDE_EFFECT.test(before) || CALLED.test(before)) {
      const isUrl = /URL\s*\(\s*$/.test(before)
      // Only URLs that name sources count: a worker's file.
      if (!isUrl || /^\.{1,2}\/.*\.ts$/.test(token.text)) {
        found.push({ specifier: token.text, typeOnly: false, line: lineAt(source, token.start) })
      }
    }
  }
  for (const call of code.matchAll(COMPUTED)) {
    const at = call.index + call[0].trimEnd().length
    const argument = source.slice(at).search(/\S/) + at
    if (!literalStarts.has(argument)) found.push({ specifier: undefined, typeOnly: false, line: lineAt(source, at) })
  }
  return found.toSorted((a, b) => a.line - b.line)
}
