/** Votes: one option with all of an account's weight, or several that share it. */
import { bigintToBytes, bytesToBigint, bytesToUtf8, utf8ToBytes } from '../../core/bytes.ts'
import { type Decimal, formatDecimal, ONE, parseDecimal, parseScaledDecimal } from '../../core/decimal.ts'
import { CodedError } from '../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import { gov } from '../../proto/index.ts'
import { sdkError } from '../sdk-errors.ts'
import { govError } from './errors.ts'

export const { VoteOption } = gov
export type VoteOption = 1 | 2 | 3 | 4

/** The place of an option in a count. */
export const OPTIONS = { 1: 0, 2: 1, 3: 2, 4: 3 } as const

export interface WeightedOption {
  readonly option: VoteOption
  readonly weight: Decimal
}

export interface Vote {
  /** Each option once; the weights sum to one. */
  readonly options: readonly WeightedOption[]
  readonly metadata: string
}

/** One of five options is invalid, or stands there twice: none is read behind it. */
const MOST_READ = Object.keys(OPTIONS).length + 1

export const firstOptions = <Option>(options: readonly Option[]): readonly Option[] => options.slice(0, MOST_READ)

const NAMES = ['UNSPECIFIED', 'YES', 'ABSTAIN', 'NO', 'NO_WITH_VETO'] as const

const isOption = (option: number): option is VoteOption => Number.isInteger(option) && option >= 1 && option <= 4

export const optionName = (option: number): string => {
  const name = NAMES[option]
  return name === undefined ? String(option) : `VOTE_OPTION_${name}`
}

/** Throws gov/7. */
export const singleOption = (option: number): readonly WeightedOption[] => {
  if (!isOption(option)) throw govError('invalidVote', optionName(option))
  return [{ option, weight: ONE }]
}

/** An option as v1 writes it. */
interface WireOption {
  readonly option: number
  readonly weight: string
}

/** Undefined for what is no decimal: then the option is invalid, as it is with a weight out of range. */
const readWeight = (text: string): Decimal | undefined => {
  try {
    return parseDecimal(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return undefined
  }
}

/** Throws sdk/18 for no options and gov/7. */
export const splitOptions = (options: readonly WireOption[]): readonly WeightedOption[] => {
  if (options.length === 0) throw sdkError('invalidRequest', '[]')
  const used = new Set<number>()
  let total = 0n
  const parsed = firstOptions(options).map(({ option, weight: text }): WeightedOption => {
    const weight = readWeight(text)
    if (!isOption(option) || weight === undefined || weight <= 0n || weight > ONE) {
      throw govError('invalidVote', `option:${optionName(option)} weight:${JSON.stringify(text.slice(0, 50))} `)
    }
    if (used.has(option)) throw govError('invalidVote', 'duplicated vote option')
    used.add(option)
    total += weight
    return { option, weight }
  })
  if (total > ONE) throw govError('invalidVote', 'total weight overflow 1.00')
  if (total < ONE) throw govError('invalidVote', 'total weight lower than 1.00')
  return parsed
}

/** The weight of v1beta1, an integer of 10^-18 parts, in the form of v1. What is none stays invalid. */
export const printScaledWeight = (text: string): string => {
  try {
    return formatDecimal(parseScaledDecimal(text))
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return ''
  }
}

/** `[{"option":1,"weight":"1.000000000000000000"}]`: as the event shows them. */
export const printOptions = (options: readonly WeightedOption[]): string =>
  JSON.stringify(options.map(({ option, weight }) => ({ option, weight: formatDecimal(weight) })))

export const encodeVote = ({ options, metadata }: Vote): Uint8Array =>
  encodeRlp([
    options.map(({ option, weight }) => [Uint8Array.of(option), bigintToBytes(weight)]),
    utf8ToBytes(metadata),
  ])

/** Decodes what {@link encodeVote} gave. */
export const decodeVote = (bytes: Uint8Array): Vote => {
  const [options, metadata] = decodeRlp(bytes) as [[Uint8Array, Uint8Array][], Uint8Array]
  return {
    options: options.map(([option, weight]) => ({ option: option[0] as VoteOption, weight: bytesToBigint(weight) })),
    metadata: bytesToUtf8(metadata),
  }
}
