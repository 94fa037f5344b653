/**
 * The envelope of a request as Go reads it: member names ignore case, the last of several wins, ids are kept as they
 * were written (1.0 is echoed as 1.0), and what follows the first JSON value is not looked at.
 */
import { escapeForGo, rpcError } from './errors.ts'
import { findValueEnd } from './json-syntax.ts'

export interface Message {
  readonly version: string
  /** The id as written, but for what Go always escapes; undefined when there is none. */
  readonly id: string | undefined
  /** Empty when missing or not a string. */
  readonly method: string
  readonly params: unknown
  /**
   * The text of `params` of a method that reads digits, where a number in it is not written as JavaScript writes a safe integer: JSON.parse
   * does not tell its digits. Undefined where there is none, or where they are more values than such a method has use for.
   */
  readonly writtenParams: string | undefined
  /** True for a JSON-RPC response, which a server takes no notice of. */
  readonly isResponse: boolean
}

/** Whether a method reads the digits of numbers, by its name. */
export type ReadsDigits = (method: string) => boolean

export interface Payload {
  readonly isBatch: boolean
  readonly messages: readonly Message[]
  /** What the values take of the heap while somebody keeps them, at most or nearly so: `{},` is three bytes of text. */
  readonly heapBytes: number
}

/** Nothing but white space, text that is not JSON, and more values than any request has use for. */
export type Unreadable = 'empty' | 'malformed' | 'crowded'

/** Go's limit of nesting. */
const MAX_DEPTH = 10_000
/**
 * Commas of a request. Geth has no limit. Reading the values takes the thread that executes blocks far longer than
 * receiving them: a million of them fit into 5 MB and took seconds.
 */
export const MAX_SEPARATORS = 100_000
const crowdedText = (most: number): string => `request with more than ${most} values`
export const CROWDED_TEXT = crowdedText(MAX_SEPARATORS)

/**
 * Characters of an id that is echoed, six times as long where all of it must be escaped. Geth echoes any; no client has
 * use for more.
 */
const MAX_ID_LENGTH = 4_096
/**
 * Bytes of the heap for a value, a level of nesting and a character: a member of an object with 100,000 of them, an
 * object without members, and text beyond Latin-1.
 */
const VALUE_BYTES = 128
const LEVEL_BYTES = 64
const CHARACTER_BYTES = 2

/** Characters of a text that must not stay in memory for the sake of a part of it. */
const LONG_TEXT = 4_096

/** Stands for an id that is not echoed. */
const UNUSABLE_ID = '{}'

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const skipSpace = (text: string, from: number): number => {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

/** The place behind the closing quote of the string that opens at `from`. */
const skipString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
  return text.length
}

/** The place behind the object or array that opens at `from` in valid JSON, one level deep; -1 when it nests too deep. */
const skipNested = (text: string, from: number): number => {
  let depth = 1
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      at = skipString(text, at)
      continue
    }
    at++
    if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) return -1
    } else if ((code === 0x5d || code === 0x7d) && --depth === 1) return at
  }
  return -1
}

/** What is looked at of a long body before the rest has come: no more than Node reads at once, with the headers before it. */
export const EARLY_BYTES = 60_000

/** Tells whether the beginning of a JSON text nests deeper than any may: the rest of it need not be read. */
export const beginsTooDeep = (bytes: Uint8Array): boolean => {
  let depth = 0
  let isString = false
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at]
    if (isString) {
      if (code === 0x5c) at++
      else isString = code !== 0x22
    } else if (code === 0x22) {
      isString = true
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) return true
    } else if ((code === 0x5d || code === 0x7d) && --depth === 0) {
      // What stands behind the first value is not read.
      return false
    }
  }
  return false
}

const SCALAR_END = /[\s,\]}]|$/g

/** The place behind the member of a message, or of a batch, at `from` in valid JSON; -1 when it nests too deep. */
const skipValue = (text: string, from: number): number => {
  const code = text.charCodeAt(from)
  if (code === 0x22) return skipString(text, from)
  if (code === 0x7b || code === 0x5b) return skipNested(text, from)
  SCALAR_END.lastIndex = from
  return SCALAR_END.exec(text)?.index ?? -1
}

/** Values in parameters that are read a second time for their digits, which takes a microsecond for each. */
const MAX_DIGIT_VALUES = 1_000
/** The shortest numbers that may be no safe integers have so many digits. */
const UNSAFE_DIGITS = 16

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Whether the value at `from` in valid JSON, up to `end`, holds a number whose digits JSON.parse does not tell, among few values. */
const holdsWrittenNumbers = (text: string, from: number, end: number): boolean => {
  let values = 1
  let isFound = false
  let at = from
  while (at < end) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      at = skipString(text, at)
    } else if (isDigit(code)) {
      const start = at
      while (isDigit(text.charCodeAt(at))) at++
      const next = text.charCodeAt(at)
      const isNegativeZero = code === 0x30 && text.charCodeAt(start - 1) === 0x2d
      // A point, e, or E.
      isFound ||= next === 0x2e || (next | 0x20) === 0x65 || at - start >= UNSAFE_DIGITS || isNegativeZero
    } else {
      if (code === 0x2c && ++values > MAX_DIGIT_VALUES) return false
      at++
    }
  }
  return isFound
}

const INVALID: Message = {
  version: '',
  id: undefined,
  method: '',
  params: undefined,
  writtenParams: undefined,
  isResponse: false,
}

/** A part of a text keeps all of it in memory in V8: this one is a copy. */
const detach = (part: string, text: string): string =>
  text.length > LONG_TEXT ? (JSON.parse(JSON.stringify(part)) as string) : part

/** The text of a string as written; anything else changes nothing. */
const readText = (written: string, before: string): string => {
  if (!written.startsWith('"')) return before
  return written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1)
}

/**
 * Reads the members of the object that opens at `from` in valid JSON; `parsed` is the same object.
 * Undefined when it nests too deep.
 */
const readMessage = (
  text: string,
  from: number,
  parsed: Readonly<Record<string, unknown>>,
  readsDigits: ReadsDigits,
): Message | undefined => {
  let version = ''
  let method = ''
  let id: string | undefined
  let params: unknown
  let paramsStart = 0
  let paramsEnd = 0
  let hasOutcome = false
  let at = skipSpace(text, from + 1)
  while (text.charCodeAt(at) === 0x22) {
    const keyEnd = skipString(text, at)
    const key = readText(text.slice(at, keyEnd), '')
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = skipValue(text, start)
    if (end < 0) return undefined
    // When members have the very same name, `parsed` has the last, which is the one that counts.
    switch (key.toLowerCase()) {
      case 'jsonrpc':
        version = readText(text.slice(start, end), version)
        break
      case 'id':
        id = end - start > MAX_ID_LENGTH ? UNUSABLE_ID : detach(escapeForGo(text.slice(start, end)), text)
        break
      case 'method':
        method = detach(readText(text.slice(start, end), method), text)
        break
      case 'params':
        params = parsed[key]
        paramsStart = start
        paramsEnd = end
        break
      case 'result':
        hasOutcome = true
        break
      case 'error':
        hasOutcome ||= parsed[key] !== null
        break
    }
    at = skipSpace(text, end)
    if (text.charCodeAt(at) === 0x2c) at = skipSpace(text, at + 1)
  }
  const isResponse = hasOutcome && method === '' && params === undefined
  const isWritten = readsDigits(method) && holdsWrittenNumbers(text, paramsStart, paramsEnd)
  const writtenParams = isWritten ? detach(text.slice(paramsStart, paramsEnd), text) : undefined
  return { version, id, method, params, writtenParams, isResponse }
}

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readItem = (text: string, from: number, parsed: unknown, readsDigits: ReadsDigits): Message | undefined =>
  isPlainObject(parsed) ? readMessage(text, from, parsed, readsDigits) : INVALID

const readBatch = (
  text: string,
  from: number,
  items: readonly unknown[],
  maxItems: number,
  readsDigits: ReadsDigits,
): readonly Message[] | undefined => {
  const messages: Message[] = []
  let at = skipSpace(text, from + 1)
  for (const item of items) {
    const message = readItem(text, at, item, readsDigits)
    const end = skipValue(text, at)
    if (message === undefined || end < 0) return undefined
    messages.push(message)
    // A batch that is refused for its length needs the id of its first call alone, if that is among so many.
    if (messages.length > maxItems) break
    at = skipSpace(text, skipSpace(text, end) + 1)
  }
  return messages
}

const readSingle = (
  text: string,
  from: number,
  parsed: unknown,
  readsDigits: ReadsDigits,
): readonly Message[] | undefined => {
  const message = readItem(text, from, parsed, readsDigits)
  return message === undefined ? undefined : [message]
}

/** A usable id is anything but an object, an array and a text of thousands of characters. */
export const hasValidId = (message: Message): boolean =>
  message.id !== undefined && !message.id.startsWith('{') && !message.id.startsWith('[')

export const isCall = (message: Message): boolean =>
  message.version === '2.0' && message.method !== '' && hasValidId(message)

export const isNotification = (message: Message): boolean =>
  message.version === '2.0' && message.method !== '' && message.id === undefined

/** The id of an answer to all of it. */
export const replyIdOf = ({ isBatch, messages }: Payload): string => (isBatch ? 'null' : (messages[0]?.id ?? 'null'))

/** The value of a text that holds one and nothing else; undefined when it is not JSON. */
const parseWhole = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The first value of a text; undefined when it is not JSON, or nests deeper than Go reads. */
const parseFirst = (text: string): unknown => {
  try {
    return parseWhole(text.slice(0, findValueEnd(text)))
  } catch {
    return undefined
  }
}

/** How often a character stands in a text, counted up to `most`. */
const countUpTo = (text: string, character: string, most: number): number => {
  let count = 0
  for (let at = text.indexOf(character); at >= 0 && count < most; at = text.indexOf(character, at + 1)) count++
  return count
}

interface Measures {
  readonly commas: number
  /** Openings of objects and arrays, counted up to too many. */
  readonly levels: number
  readonly nestsTooDeep: boolean
}

/**
 * What a text may hold, before it is parsed. Siblings stand between commas, so more openings than commas and the allowed
 * depth together nest too deep, unless they stand in strings or behind the first value. JSON.parse would take a gigabyte
 * for 5 MB of them. Undefined for more values than any request has use for.
 */
const measure = (text: string, mostSeparators = MAX_SEPARATORS): Measures | undefined => {
  const commas = countUpTo(text, ',', mostSeparators + 1)
  if (commas > mostSeparators) return undefined
  const most = commas + MAX_DEPTH + 1
  const levels = countUpTo(text, '[', most) + countUpTo(text, '{', most)
  return { commas, levels, nestsTooDeep: levels >= most }
}

/**
 * The value of a text that is a part of a request, as JSON.parse reads it, within the bounds of requests. Throws rpc/rateLimited
 * for too many values, and SyntaxError for what is no JSON.
 */
export const parseValue = (text: string, mostSeparators = MAX_SEPARATORS): unknown => {
  const measures = measure(text, mostSeparators)
  if (measures === undefined) throw rpcError('rateLimited', crowdedText(mostSeparators))
  if (measures.nestsTooDeep) findValueEnd(text)
  return JSON.parse(text) as unknown
}

/** Reads a body or a WebSocket message. It does not return all messages of a batch above `maxItems`. */
export const parsePayload = (
  text: string,
  maxItems: number,
  readsDigits: ReadsDigits = () => false,
): Payload | Unreadable => {
  const start = skipSpace(text, 0)
  if (start === text.length) return 'empty'
  const measures = measure(text)
  if (measures === undefined) return 'crowded'
  const { commas, levels, nestsTooDeep } = measures
  const parsed = (nestsTooDeep ? undefined : parseWhole(text)) ?? parseFirst(text)
  if (parsed === undefined) return 'malformed'
  const isBatch = Array.isArray(parsed)
  const messages = isBatch
    ? readBatch(text, start, parsed, maxItems, readsDigits)
    : readSingle(text, start, parsed, readsDigits)
  if (messages === undefined) return 'malformed'
  let characters = text.length
  for (const { writtenParams } of messages) characters += writtenParams?.length ?? 0
  const heapBytes = CHARACTER_BYTES * characters + VALUE_BYTES * commas + LEVEL_BYTES * levels
  return { isBatch, messages, heapBytes }
}
