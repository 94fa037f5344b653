/** Times as the native interface prints them. */

/** Year, month and day of a day since 1970-01-01, in the Gregorian calendar. */
const civilFromDays = (days: number): readonly [year: number, month: number, day: number] => {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day]
}

const NS_PER_SECOND = 1_000_000_000n
const SECONDS_PER_DAY = 86_400

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** RFC 3339 in UTC, whole seconds, as the SDK prints the time of a transaction. */
export const formatTimestamp = (timeNs: bigint): string => {
  const seconds = Number(timeNs / NS_PER_SECOND)
  const [year, month, day] = civilFromDays(Math.floor(seconds / SECONDS_PER_DAY))
  const time = [Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60, seconds % 60].map(twoDigits)
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}T${time.join(':')}Z`
}
