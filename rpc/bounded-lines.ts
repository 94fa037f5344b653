/** Lines in the log that clients cause, as often as they like: a log must not fill a disk. */
import { LeakyBucket } from './leaky-bucket.ts'
import type { GatewayLog } from './log.ts'

/** A message is written ten times at once, and ten times a minute. */
const LINES = { atOnce: 10, perSecond: 10 / 60 }
/** Messages that are told apart, and one more for all others. */
const MAX_MESSAGES = 64
const OTHERS = ''

type Fields = Readonly<Record<string, unknown>>

/** The same log, but for messages that come too often: the next line of such a one tells how many were left out. */
export const boundLines = (log: GatewayLog): GatewayLog => {
  const messages = new Map<string, { readonly bucket: LeakyBucket; untold: number }>()
  const bounded =
    (level: keyof GatewayLog) =>
    (message: string, fields?: Fields): void => {
      const key = messages.has(message) || messages.size < MAX_MESSAGES ? message : OTHERS
      const lines = messages.get(key) ?? { bucket: new LeakyBucket(LINES), untold: 0 }
      messages.set(key, lines)
      const { untold } = lines
      if (!lines.bucket.add(1)) return void lines.untold++
      lines.untold = 0
      log[level](message, untold === 0 ? fields : { ...fields, untold })
    }
  return { info: bounded('info'), warn: bounded('warn'), error: bounded('error') }
}
