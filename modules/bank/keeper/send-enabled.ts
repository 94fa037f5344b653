/** Which denominations messages may send: entries of their own, and the default of the parameters for all others. */
import { bytesToUtf8, concatBytes } from '../../../core/bytes.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import type { Coin } from '../../ledger.ts'
import { bankError } from '../errors.ts'
import { BANK_ADDRESS } from './balances.ts'
import { PARAMS_KEY, SEND_ENABLED_PREFIX, sendEnabledKey } from '../keys.ts'

export interface SendEnabledEntry {
  readonly denom: string
  readonly enabled: boolean
}

const encode = (flag: boolean): Uint8Array => Uint8Array.of(flag ? 1 : 0)
const decode = (value: Uint8Array): boolean => value[0] === 1

export const readDefaultSendEnabled = (state: StateReader): boolean => {
  const value = state.value(BANK_ADDRESS, PARAMS_KEY)
  return value === undefined || decode(value)
}

/** The default of new chains takes no place in the state. */
export const writeDefaultSendEnabled = (state: StateWriter, enabled: boolean): void =>
  state.setValue(BANK_ADDRESS, PARAMS_KEY, enabled ? undefined : encode(false))

/** Undefined where the denomination has no entry of its own. */
export const readSendEnabled = (state: StateReader, denom: string): boolean | undefined => {
  const value = state.value(BANK_ADDRESS, sendEnabledKey(denom))
  return value === undefined ? undefined : decode(value)
}

/** `undefined` removes the entry. */
export const writeSendEnabled = (state: StateWriter, denom: string, enabled: boolean | undefined): void =>
  state.setValue(BANK_ADDRESS, sendEnabledKey(denom), enabled === undefined ? undefined : encode(enabled))

/** Entries read at once. */
const CHUNK = 1_000

/** Reads entries in the order of denominations, from `first` (inclusive) on. */
export function* readSendEnabledEntries(state: StateReader, first = ''): Generator<SendEnabledEntry, void> {
  for (let start = sendEnabledKey(first); ; ) {
    const entries = state.values(BANK_ADDRESS, SEND_ENABLED_PREFIX, CHUNK, start)
    for (const [key, value] of entries) yield { denom: bytesToUtf8(key.subarray(1)), enabled: decode(value) }
    const last = entries.at(-1)
    if (last === undefined || entries.length < CHUNK) return
    start = concatBytes(last[0], Uint8Array.of(0))
  }
}

/** Throws bank/5 for the first coin that may not be sent. */
export const checkSendEnabled = (state: StateReader, coins: readonly Coin[]): void => {
  const byDefault = readDefaultSendEnabled(state)
  for (const { denom } of coins) {
    if (readSendEnabled(state, denom) ?? byDefault) continue
    throw bankError('sendDisabled', `${denom} transfers are currently disabled`)
  }
}
