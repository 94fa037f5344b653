/** The member `bank` of app_state: balances, and optionally the supply, which must then be their sum. */
import { DENOMINATION } from '../../core/amounts.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { bytesToHex } from '../../core/hex.ts'
import { MAX_UINT256 } from '../../core/amounts.ts'
import { failAt, parseAmount, parseArray, parseObject, parseString } from '../../core/parse.ts'
import { checkDenom } from './denom.ts'
import type { Coin } from '../ledger.ts'
import type { Holder } from './keeper.ts'

/** Most accounts in a genesis file. */
const MAX_ACCOUNTS = 10_000_000
const MAX_COINS = 1_000

export interface BankGenesis {
  /** Parsed anew each time: there may be millions. */
  readonly balances: Iterable<Holder>
  readonly accountCount: number
}

const located = <T>(path: string, parse: () => T): T => {
  try {
    return parse()
  } catch (error) {
    return failAt(path, (error as Error).message)
  }
}

const parseCoin = (value: unknown, path: string): Coin => {
  const coin = parseObject(value, path, ['denom', 'amount'])
  const denom = located(`${path}.denom`, () => checkDenom(parseString(coin['denom'], `${path}.denom`)))
  if (/^(nat|NAT|wei|.*nat)$/.test(denom) && denom !== DENOMINATION) {
    failAt(`${path}.denom`, `wrong denomination ${denom}; amounts are in ${DENOMINATION}, 10^-18 NAT`)
  }
  const amount = parseAmount(coin['amount'], `${path}.amount`)
  if (amount > MAX_UINT256) failAt(`${path}.amount`, 'must be below 2^256')
  return { denom, amount }
}

const parseCoins = (value: unknown, path: string): readonly Coin[] => {
  const seen = new Set<string>()
  return parseArray(value, path, MAX_COINS).map((item, index) => {
    const coin = parseCoin(item, `${path}[${index}]`)
    if (seen.has(coin.denom)) failAt(`${path}[${index}].denom`, `duplicate denomination ${coin.denom}`)
    seen.add(coin.denom)
    return coin
  })
}

function* parseBalances(items: readonly unknown[], path: string): Generator<Holder, void> {
  for (const [index, item] of items.entries()) {
    const at = `${path}[${index}]`
    const entry = parseObject(item, at, ['address', 'coins'])
    const address = located(`${at}.address`, () => parseAccountAddress(parseString(entry['address'], `${at}.address`)))
    yield { address, coins: parseCoins(entry['coins'], `${at}.coins`) }
  }
}

/** The sums of all denominations. */
const checkBalances = (holders: Iterable<Holder>, path: string): ReadonlyMap<string, bigint> => {
  const seen = new Set<string>()
  const sums = new Map<string, bigint>()
  for (const { address, coins } of holders) {
    const key = bytesToKey(address)
    if (seen.has(key)) failAt(`${path}[${seen.size}].address`, `duplicate account ${bytesToHex(address)}`)
    seen.add(key)
    for (const { denom, amount } of coins) sums.set(denom, (sums.get(denom) ?? 0n) + amount)
  }
  return sums
}

/** Throws genesis/1 with the member at fault. */
export const parseBankGenesis = (genesis: unknown, path = 'app_state.bank'): BankGenesis => {
  const object = parseObject(genesis ?? {}, path, ['balances', 'supply', 'denom_metadata'])
  const items = parseArray(object['balances'], `${path}.balances`, MAX_ACCOUNTS)
  const balances = { [Symbol.iterator]: () => parseBalances(items, `${path}.balances`) }
  const sums = checkBalances(balances, `${path}.balances`)
  if (object['supply'] !== undefined) {
    for (const [index, coin] of parseCoins(object['supply'], `${path}.supply`).entries()) {
      const sum = sums.get(coin.denom) ?? 0n
      if (sum !== coin.amount) failAt(`${path}.supply[${index}]`, `is ${coin.amount}, but the balances sum to ${sum}`)
    }
  }
  for (const [denom, sum] of sums) {
    if (sum > MAX_UINT256) failAt(`${path}.balances`, `the supply of ${denom} would pass 2^256`)
  }
  return { balances, accountCount: items.length }
}
