/** The one ledger: the balance of an account in anat is its EVM balance; other denominations are the bank's own. */
import { type Address, ADDRESS_LENGTH, moduleAddress } from '../../../core/address.ts'
import { DENOMINATION } from '../../../core/amounts.ts'
import {
  bigintToBytes,
  bytesToBigint,
  bytesToUtf8,
  compareBytes,
  concatBytes,
  equalBytes,
  utf8ToBytes,
} from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { type AccountState, EMPTY_ACCOUNT, type StateReader, type StateWriter } from '../../../store/state.ts'
import type { Coin } from '../../ledger.ts'
import { insufficientFunds } from '../errors.ts'
import { balanceKey, balancePrefix, BALANCES_PREFIX, SUPPLY_PREFIX, supplyKey } from '../keys.ts'

export const BANK_ADDRESS = moduleAddress('bank')

const readAmount = (state: StateReader, key: Uint8Array): bigint => {
  const value = state.value(BANK_ADDRESS, key)
  return value === undefined ? 0n : bytesToBigint(value)
}

const writeAmount = (state: StateWriter, key: Uint8Array, amount: bigint): void => {
  invariant(amount >= 0n, 'a balance or a supply would be negative')
  state.setValue(BANK_ADDRESS, key, amount === 0n ? undefined : bigintToBytes(amount))
}

export const readBalance = (state: StateReader, address: Address, denom: string): bigint =>
  denom === DENOMINATION ? (state.account(address)?.balance ?? 0n) : readAmount(state, balanceKey(address, denom))

const setBalance = (state: StateWriter, address: Address, denom: string, amount: bigint): void => {
  if (denom !== DENOMINATION) {
    writeAmount(state, balanceKey(address, denom), amount)
    return
  }
  setAnat(state, address, state.account(address), amount)
}

const setAnat = (state: StateWriter, address: Address, account: AccountState | undefined, amount: bigint): void => {
  invariant(amount >= 0n, 'a balance would be negative')
  const after = { ...(account ?? EMPTY_ACCOUNT), balance: amount }
  // EIP-161: an account with nothing in it does not exist.
  const empty = amount === 0n && after.nonce === 0n && equalBytes(after.codeHash, EMPTY_ACCOUNT.codeHash)
  state.setAccount(address, empty ? undefined : after)
}

/** `change` may be below zero. Throws sdk/5 when the balance has too little. */
const changed = (denom: string, balance: bigint, change: bigint): bigint => {
  if (balance + change < 0n) throw insufficientFunds(denom, balance, -change)
  return balance + change
}

/** Adds to a balance, or takes from it, with one look at the account. Throws sdk/5 when it has too little. */
export const changeBalance = (state: StateWriter, address: Address, denom: string, change: bigint): void => {
  if (denom === DENOMINATION) {
    const account = state.account(address)
    setAnat(state, address, account, changed(denom, account?.balance ?? 0n, change))
  } else {
    const key = balanceKey(address, denom)
    writeAmount(state, key, changed(denom, readAmount(state, key), change))
  }
}

/** Moves coins from one account to another. Throws sdk/5 when `from` has too little. */
export const send = (state: StateWriter, from: Address, to: Address, { denom, amount }: Coin): void => {
  changeBalance(state, from, denom, -amount)
  changeBalance(state, to, denom, amount)
}

export const readSupply = (state: StateReader, denom: string): bigint => readAmount(state, supplyKey(denom))

/** Creates coins. */
export const mint = (state: StateWriter, to: Address, { denom, amount }: Coin): void => {
  setBalance(state, to, denom, readBalance(state, to, denom) + amount)
  writeAmount(state, supplyKey(denom), readSupply(state, denom) + amount)
}

/** Destroys coins of an account. Throws sdk/5 when it has too little. */
export const burn = (state: StateWriter, from: Address, { denom, amount }: Coin): void => {
  const balance = readBalance(state, from, denom)
  if (balance < amount) throw insufficientFunds(denom, balance, amount)
  setBalance(state, from, denom, balance - amount)
  writeAmount(state, supplyKey(denom), readSupply(state, denom) - amount)
}

/** Lowers the supply by anat that the EVM destroyed already: a contract that ended itself in its creating transaction. */
export const noteBurntByEvm = (state: StateWriter, amountAnat: bigint): void => {
  if (amountAnat > 0n) writeAmount(state, supplyKey(DENOMINATION), readSupply(state, DENOMINATION) - amountAnat)
}

const bytewise = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * At most `limit` balances of an account above zero in the order of their denominations, from `start` (inclusive) on.
 */
export const readBalances = (state: StateReader, address: Address, limit: number, start = ''): readonly Coin[] => {
  const prefix = balancePrefix(address)
  const coins = state
    .values(BANK_ADDRESS, prefix, limit, concatBytes(prefix, utf8ToBytes(start)))
    .map(([key, value]) => ({ denom: bytesToUtf8(key.subarray(prefix.length)), amount: bytesToBigint(value) }))
  const amount = readBalance(state, address, DENOMINATION)
  if (amount > 0n && start <= DENOMINATION) coins.push({ denom: DENOMINATION, amount })
  return coins.sort((a, b) => bytewise(a.denom, b.denom)).slice(0, limit)
}

/** At most `limit` supplies in the order of their denominations, from `start` (inclusive) on. */
export const readSupplies = (state: StateReader, limit: number, start = ''): readonly Coin[] =>
  state
    .values(BANK_ADDRESS, SUPPLY_PREFIX, limit, supplyKey(start))
    .map(([key, value]) => ({ denom: bytesToUtf8(key.subarray(1)), amount: bytesToBigint(value) }))

/** Supplies read at once. */
const CHUNK = 1_000

/** All of them, in the order of their denominations: tokens of contracts make many. */
export function* readAllSupplies(state: StateReader): Generator<Coin, void> {
  for (let start = ''; ; ) {
    const coins = readSupplies(state, CHUNK, start)
    yield* coins
    const last = coins.at(-1)
    if (last === undefined || coins.length < CHUNK) return
    start = `${last.denom}\0`
  }
}

/** Most balances read at once. */
const PAGE = 1_000

export interface Holder {
  readonly address: Address
  /** The coins in the order of denominations; never empty. */
  readonly coins: readonly Coin[]
}

/**
 * Every account with a balance in another denomination than anat, and these balances, in the order of addresses, from
 * `first` (inclusive) on.
 */
export function* readOtherHolders(state: StateReader, first?: Address): Generator<Holder, void> {
  let address: Address | undefined
  let coins: Coin[] = []
  for (let start = first === undefined ? BALANCES_PREFIX : balancePrefix(first); ; ) {
    const page = state.values(BANK_ADDRESS, BALANCES_PREFIX, PAGE, start)
    for (const [key, value] of page) {
      const owner = key.slice(BALANCES_PREFIX.length, BALANCES_PREFIX.length + ADDRESS_LENGTH)
      if (address === undefined || !equalBytes(address, owner)) {
        if (address !== undefined) yield { address, coins }
        address = owner
        coins = []
      }
      const denom = bytesToUtf8(key.subarray(BALANCES_PREFIX.length + ADDRESS_LENGTH))
      coins.push({ denom, amount: bytesToBigint(value) })
    }
    const end = page.at(-1)?.[0]
    if (end === undefined || page.length < PAGE) break
    start = concatBytes(end, Uint8Array.of(0))
  }
  if (address !== undefined) yield { address, coins }
}

/** Every holder of anything in the order of addresses; `accounts` are those of the EVM in that order. */
export function* mergeHolders(
  accounts: Iterable<readonly [Address, balanceAnat: bigint]>,
  others: Iterator<Holder, void>,
): Generator<Holder, void> {
  let other = others.next()
  for (const [address, balanceAnat] of accounts) {
    for (; other.done !== true && compareBytes(other.value.address, address) < 0; other = others.next()) {
      yield other.value
    }
    const coins: Coin[] = balanceAnat > 0n ? [{ denom: DENOMINATION, amount: balanceAnat }] : []
    if (other.done !== true && equalBytes(other.value.address, address)) {
      coins.push(...other.value.coins)
      coins.sort((a, b) => bytewise(a.denom, b.denom))
      other = others.next()
    }
    if (coins.length > 0) yield { address, coins }
  }
  for (; other.done !== true; other = others.next()) yield other.value
}
