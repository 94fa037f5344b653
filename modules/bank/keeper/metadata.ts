/** What the chain says of its denominations: their units, names and symbols, from the genesis. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { DECIMALS, DENOMINATION, DISPLAY_DENOMINATION } from '../../../core/amounts.ts'
import { concatBytes } from '../../../core/bytes.ts'
import { bank } from '../../../proto/index.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { isDenom } from '../../../core/denom.ts'
import { BANK_ADDRESS } from './balances.ts'
import { METADATA_PREFIX, metadataKey } from '../keys.ts'

/** The metadata of a genesis that says nothing. */
export const DEFAULT_METADATA: readonly bank.Metadata[] = [
  create(bank.MetadataSchema, {
    description: 'The native token: gas of both transaction families, and the stake of validators.',
    denomUnits: [
      { denom: DENOMINATION, exponent: 0, aliases: ['attonat'] },
      { denom: DISPLAY_DENOMINATION, exponent: DECIMALS, aliases: [] },
    ],
    base: DENOMINATION,
    display: DISPLAY_DENOMINATION,
    name: DISPLAY_DENOMINATION,
    symbol: DISPLAY_DENOMINATION,
  }),
]

export const readMetadata = (state: StateReader, denom: string): bank.Metadata | undefined => {
  const value = state.value(BANK_ADDRESS, metadataKey(denom))
  return value === undefined ? undefined : fromBinary(bank.MetadataSchema, value)
}

export const writeMetadata = (state: StateWriter, metadata: bank.Metadata): void =>
  state.setValue(BANK_ADDRESS, metadataKey(metadata.base), toBinary(bank.MetadataSchema, metadata))

export const removeMetadata = (state: StateWriter, base: string): void =>
  state.setValue(BANK_ADDRESS, metadataKey(base), undefined)

/** Denominations read at once. */
const CHUNK = 1_000

/** Reads metadata in the order of base denominations, from `first` (inclusive) on. */
export function* readAllMetadata(state: StateReader, first = ''): Generator<bank.Metadata, void> {
  for (let start = metadataKey(first); ; ) {
    const entries = state.values(BANK_ADDRESS, METADATA_PREFIX, CHUNK, start)
    for (const [, value] of entries) yield fromBinary(bank.MetadataSchema, value)
    const last = entries.at(-1)
    if (last === undefined || entries.length < CHUNK) return
    start = concatBytes(last[0], Uint8Array.of(0))
  }
}

const isBlank = (text: string): boolean => text.trim() === ''

const unitFault = ({ denom, aliases }: bank.DenomUnit): string | undefined => {
  if (!isDenom(denom)) return `invalid denom unit: invalid denom: ${denom}`
  if (aliases.some(isBlank)) return `alias for denom unit ${denom} cannot be blank`
  const twice = aliases.find((alias, index) => aliases.indexOf(alias) !== index)
  return twice === undefined ? undefined : `duplicate denomination unit alias ${twice}`
}

const unitsFault = ({ base, denomUnits }: bank.Metadata): string | undefined => {
  for (const [index, unit] of denomUnits.entries()) {
    const previous = denomUnits[index - 1]
    if (previous === undefined) {
      if (unit.denom !== base) return `metadata's first denomination unit must be the one with base denom '${base}'`
      if (unit.exponent !== 0) return `the exponent for base denomination unit ${base} must be 0`
    } else if (previous.exponent >= unit.exponent) {
      return 'denom units should be sorted asc by exponent'
    }
    if (denomUnits.findIndex(({ denom }) => denom === unit.denom) !== index) {
      return `duplicate denomination unit ${unit.denom}`
    }
    const fault = unitFault(unit)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** What is wrong, in the words of the SDK's Metadata.Validate, or undefined. */
export const metadataFault = (metadata: bank.Metadata): string | undefined => {
  const { base, display, denomUnits, name, symbol } = metadata
  if (isBlank(name)) return 'name field cannot be blank'
  if (isBlank(symbol)) return 'symbol field cannot be blank'
  if (!isDenom(base)) return `invalid metadata base denom: invalid denom: ${base}`
  if (!isDenom(display)) return `invalid metadata display denom: invalid denom: ${display}`
  const fault = unitsFault(metadata)
  if (fault !== undefined) return fault
  if (denomUnits.some(({ denom }) => denom === display)) return undefined
  return `metadata must contain a denomination unit with display denom '${display}'`
}
