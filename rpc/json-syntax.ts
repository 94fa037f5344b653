/**
 * Where the first value of a text ends or stops being JSON, in the words of Go's encoding/json: geth sends them before
 * it closes a WebSocket.
 */
import { isRpcError, rpcError } from './errors.ts'

/** Go's limit of nesting. */
const MAX_DEPTH = 10_000

const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }

const ESCAPES: Readonly<Record<string, string>> = {
  "'": "\\'",
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** Quotes a character as Go does: of one beyond ASCII it looks at the first byte, and takes that for Latin-1. */
const quote = (character: string): string => {
  const code = Buffer.from(character, 'utf8')[0] ?? 0
  if (code >= 0x20 && code < 0x7f) return `'${ESCAPES[character] ?? character}'`
  if (code < 0x80) return `'${ESCAPES[character] ?? `\\x${code.toString(16).padStart(2, '0')}`}'`
  return `'${String.fromCharCode(code)}'`
}

/** A pattern that the rest of a token must follow, and the words for a character that does not. */
interface Rule {
  readonly pattern: RegExp
  readonly context: string
}

const NUMBER_RULES: readonly Rule[] = [
  { pattern: /^-$/, context: 'in numeric literal' },
  { pattern: /^-?\d+\.$/, context: 'after decimal point in numeric literal' },
  { pattern: /[eE][+-]?$/, context: 'in exponent of numeric literal' },
]

// Taken piece by piece: one pattern for a whole string would need a stack as long as the string.
const STRING_PIECE = /(?:[^"\\\x00-\x1f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){0,1000}/y
const NUMBER_BODY = /-?(?:0|[1-9]\d*)?(?:(?<=\d)\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?/y

/** The end of the text, where Go waits for more. */
const END = rpcError('parse', '')

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

const failAt = (text: string, at: number, context: string): never => {
  if (at >= text.length) throw END
  throw rpcError('parse', `invalid character ${quote(text.charAt(at))} ${context}`)
}

const scanString = (text: string, from: number): number => {
  let at = from + 1
  let length = 1
  while (length > 0) {
    length = matchAt(STRING_PIECE, text, at).length
    at += length
  }
  if (text.charAt(at) === '"') return at + 1
  if (text.charAt(at) !== '\\') return failAt(text, at, 'in string literal')
  if (text.charAt(at + 1) !== 'u') return failAt(text, at + 1, 'in string escape code')
  const digits = /^[0-9a-fA-F]*/.exec(text.slice(at + 2, at + 6))?.[0].length ?? 0
  return failAt(text, at + 2 + digits, 'in \\u hexadecimal character escape')
}

const scanNumber = (text: string, from: number): number => {
  const number = matchAt(NUMBER_BODY, text, from)
  const rule = NUMBER_RULES.find(({ pattern }) => pattern.test(number))
  return rule === undefined ? from + number.length : failAt(text, from + number.length, rule.context)
}

const scanLiteral = (text: string, from: number, literal: string): number => {
  for (let index = 1; index < literal.length; index++) {
    const expected = literal.charAt(index)
    if (text.charAt(from + index) !== expected) {
      failAt(text, from + index, `in literal ${literal} (expecting '${expected}')`)
    }
  }
  return from + literal.length
}

const scanScalar = (text: string, at: number): number => {
  const character = text.charAt(at)
  if (character === '"') return scanString(text, at)
  if (character === '-' || (character >= '0' && character <= '9')) return scanNumber(text, at)
  const literal = LITERALS[character]
  return literal === undefined ? failAt(text, at, 'looking for beginning of value') : scanLiteral(text, at, literal)
}

const skipSpace = (text: string, from: number): number => from + matchAt(/[ \t\r\n]*/y, text, from).length

const scanKey = (text: string, from: number): number => {
  const at = skipSpace(text, from)
  if (text.charAt(at) !== '"') failAt(text, at, 'looking for beginning of object key string')
  const colon = skipSpace(text, scanString(text, at))
  if (text.charAt(colon) !== ':') failAt(text, colon, 'after object key')
  return colon + 1
}

/** The place behind what follows a value: the ends of what it closes, and a comma. */
const closeAll = (text: string, from: number, open: ('{' | '[')[]): number => {
  let at = from
  while (open.length > 0) {
    at = skipSpace(text, at)
    const isObject = open.at(-1) === '{'
    const character = text.charAt(at)
    if (character === ',') return isObject ? scanKey(text, at + 1) : at + 1
    if (character !== (isObject ? '}' : ']')) {
      failAt(text, at, isObject ? 'after object key:value pair' : 'after array element')
    }
    open.pop()
    at++
  }
  return at
}

/**
 * The place behind the first value of a text; what follows it is not looked at. Throws rpc/parse at the first character
 * that cannot stand where it stands, with an empty message when the text ends too early.
 */
export const findValueEnd = (text: string): number => {
  const open: ('{' | '[')[] = []
  let at = 0
  for (;;) {
    at = skipSpace(text, at)
    const character = text.charAt(at)
    if (character === '{' || character === '[') {
      open.push(character)
      if (open.length > MAX_DEPTH) failAt(text, at, 'exceeded max depth')
      const next = skipSpace(text, at + 1)
      if (text.charAt(next) === (character === '{' ? '}' : ']')) {
        open.pop()
        at = next + 1
      } else {
        at = character === '{' ? scanKey(text, next) : next
        continue
      }
    } else {
      at = scanScalar(text, at)
    }
    at = closeAll(text, at, open)
    if (open.length === 0) return at
  }
}

/** The message for a text that is not JSON; undefined when it only ends too early. */
export const describeSyntaxError = (text: string): string | undefined => {
  try {
    findValueEnd(text)
  } catch (failure) {
    if (!isRpcError(failure, 'parse')) throw failure
    return failure === END ? undefined : (failure as Error).message
  }
  return undefined
}
