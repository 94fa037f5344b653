/** What subscriptions are told: texts of results, and long ones as bytes that all of them share. */
import type { Text } from '../../core/text.ts'

/** The text of a result; where it is long its bytes in parts, which nobody changes. */
export type Notification = string | readonly Buffer[]

/** Characters from which a text is shared: made into bytes once, and not for each subscription. */
const SHARED_LENGTH = 16 * 1024
/** Parts that are sent as they are: each is a frame of its own. */
const MOST_PARTS = 16

export const bytesOf = (text: Text): Buffer =>
  typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.buffer, text.byteOffset, text.byteLength)

export const lengthOf = (result: Notification): number =>
  typeof result === 'string' ? result.length : result.reduce((sum, { length }) => sum + length, 0)

export const toNotification = (text: Text): Notification =>
  typeof text === 'string' && text.length < SHARED_LENGTH ? text : [bytesOf(text)]

/** The array of texts that are JSON. Long ones are not copied, where they are few. */
export const joinTexts = (texts: readonly Buffer[]): Notification => {
  const comma = Buffer.from(',')
  const parts = [Buffer.from('['), ...texts.flatMap((text, index) => (index === 0 ? [text] : [comma, text]))]
  parts.push(Buffer.from(']'))
  if (lengthOf(parts) < SHARED_LENGTH) return Buffer.concat(parts).toString('utf8')
  return parts.length <= MOST_PARTS ? parts : [Buffer.concat(parts)]
}
