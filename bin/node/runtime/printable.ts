/** Text of others for a terminal or a log: what would move its cursor, turn its writing or look like nothing is written out. */

/** Controls (C0, DEL, C1), formats such as those that turn the direction, unpaired surrogates, and the ends of lines beside LF. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu
const KEPT: ReadonlySet<string> = new Set(['\n', '\t'])

const escape = (character: string): string => {
  const point = character.codePointAt(0) ?? 0
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, '0')}`
}

/** Escapes ends of lines too: one value on one line. */
export const escapeHidden = (text: string): string => text.replaceAll(HIDDEN, escape)

/** Lines and tabs stay. */
export const escapeControls = (text: string): string =>
  text.replaceAll(HIDDEN, (character) => (KEPT.has(character) ? character : escape(character)))

const escapeUnits = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/** A line of JSON: all that is hidden is in its texts, where it can be written as JSON writes it. Its end stays. */
export const escapeJson = (line: string): string =>
  line.replaceAll(HIDDEN, (character) => (character === '\n' ? character : escapeUnits(character)))
