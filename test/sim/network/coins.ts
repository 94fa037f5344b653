/**
 * Counts all coins of a node from what it writes to its database, and knows nothing of how modules move them: balances of
 * accounts, of other denominations, and the supply as the bank has it, each from the bytes of the state.
 */
import { moduleAddress } from '../../../core/address.ts'
import { bytesToBigint, bytesToUtf8, equalBytes } from '../../../core/bytes.ts'
import { decodeRlp } from '../../../core/rlp.ts'
import type { Event } from '../../../modules/module.ts'
import type { KeyValueStore } from '../../../store/store.ts'
import type { StateChange } from './faulty-store.ts'

const ADDRESS_END = 21
const BANK = moduleAddress('bank')
const [ACCOUNT, VALUE] = ['a', 'v'].map((letter) => letter.charCodeAt(0))
const [SUPPLY, BALANCE] = [1, 2]
const NATIVE = 'anat'

type Amounts = Map<string, bigint>

const add = (amounts: Amounts, denom: string, amount: bigint): void => {
  const sum = (amounts.get(denom) ?? 0n) + amount
  if (sum === 0n) amounts.delete(denom)
  else amounts.set(denom, sum)
}

const balanceOf = (account: Uint8Array | undefined): bigint =>
  account === undefined ? 0n : bytesToBigint((decodeRlp(account) as Uint8Array[])[1] ?? new Uint8Array(0))
const amountOf = (value: Uint8Array | undefined): bigint => (value === undefined ? 0n : bytesToBigint(value))

export class Coins {
  /** Sums of balances, and the supply that the bank keeps; by denomination, without zeros. */
  readonly held: Amounts = new Map()
  readonly supply: Amounts = new Map()

  note(changes: readonly StateChange[]): void {
    for (const { key, before, after } of changes) {
      if (key[0] === ACCOUNT) {
        add(this.held, NATIVE, balanceOf(after) - balanceOf(before))
        continue
      }
      if (key[0] !== VALUE || !equalBytes(key.subarray(1, ADDRESS_END), BANK)) continue
      const name = key.subarray(ADDRESS_END)
      const change = amountOf(after) - amountOf(before)
      if (name[0] === SUPPLY) add(this.supply, bytesToUtf8(name.subarray(1)), change)
      if (name[0] === BALANCE) add(this.held, bytesToUtf8(name.subarray(1 + BANK.length)), change)
    }
  }

  /** Counts from nothing, after a database went back to an older version. */
  recount(store: KeyValueStore): void {
    this.held.clear()
    this.supply.clear()
    const entries = store.scan('state', { limit: Number.MAX_SAFE_INTEGER })
    this.note(entries.map(([key, after]) => ({ key, before: undefined, after })))
  }
}

const readCoins = (text: string): readonly (readonly [denom: string, amount: bigint])[] =>
  text
    .split(',')
    .filter((coin) => coin !== '')
    .map((coin) => {
      const [, amount = '0', denom = ''] = /^(\d+)(.+)$/.exec(coin) ?? []
      return [denom, BigInt(amount)]
    })

/** What modules say they made and destroyed in a block. */
export const mintedAndBurned = (events: readonly Event[]): Amounts => {
  const amounts: Amounts = new Map()
  for (const { type, attributes } of events) {
    const sign = type === 'coinbase' ? 1n : type === 'burn' ? -1n : 0n
    if (sign === 0n) continue
    for (const { key, value } of attributes) {
      if (key !== 'amount') continue
      for (const [denom, amount] of readCoins(value)) add(amounts, denom, sign * amount)
    }
  }
  return amounts
}

export const isEqual = (one: Amounts, other: Amounts): boolean =>
  one.size === other.size && [...one].every(([denom, amount]) => other.get(denom) === amount)

export const sumOf = (one: Amounts, other: Amounts): Amounts => {
  const sum: Amounts = new Map(one)
  for (const [denom, amount] of other) add(sum, denom, amount)
  return sum
}

export const shown = (amounts: Amounts): string => [...amounts].map(([denom, amount]) => `${amount}${denom}`).join(',')
