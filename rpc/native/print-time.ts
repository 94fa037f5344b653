/** google.protobuf.Timestamp and Duration as JSON, as Go prints them. */

interface Parts {
  readonly seconds: bigint
  readonly nanos: number
}

/** Nine digits, cut to three or six where the rest is zeros; nothing for none. */
const fraction = (nanos: number): string => {
  if (nanos === 0) return ''
  return `.${nanos
    .toString()
    .padStart(9, '0')
    .replace(/(?:000){1,2}$/, '')}`
}

/** time.RFC3339Nano, which encoding/json uses: no trailing zeros. */
const shortFraction = (nanos: number): string => fraction(nanos).replace(/0+$/, '')

/** RFC 3339 in UTC; null beyond what a date can be. */
export const printTimestamp = ({ seconds, nanos }: Parts, isShort: boolean): string => {
  const date = new Date(Number(seconds) * 1_000)
  if (Number.isNaN(date.getTime())) return 'null'
  return `"${date.toISOString().slice(0, -5)}${isShort ? shortFraction(nanos) : fraction(nanos)}Z"`
}

export const printDuration = ({ seconds, nanos }: Parts): string => {
  const sign = seconds < 0n || nanos < 0 ? '-' : ''
  return `"${sign}${seconds < 0n ? -seconds : seconds}${fraction(Math.abs(nanos))}s"`
}
