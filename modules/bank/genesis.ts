/** The member `bank` of app_state: balances, optionally the supply, which must then be their sum, and what is said of denominations. */
import { create } from '@bufbuild/protobuf'
import { DENOMINATION } from '../../core/amounts.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { bytesToHex } from '../../core/hex.ts'
import { MAX_UINT256 } from '../../core/amounts.ts'
import { failAt, parseAmount, parseArray, parseInteger, parseObject, parseString } from '../../core/parse.ts'
import { bank } from '../../proto/index.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import { checkDenom } from './denom.ts'
import type { Coin } from '../ledger.ts'
import type { Holder } from './keeper/balances.ts'
import { DEFAULT_METADATA, metadataFault, readAllMetadata, writeMetadata } from './keeper/metadata.ts'
import {
  readDefaultSendEnabled,
  readSendEnabledEntries,
  type SendEnabledEntry,
  writeDefaultSendEnabled,
  writeSendEnabled,
} from './keeper/send-enabled.ts'

/** Most accounts in a genesis file. */
const MAX_ACCOUNTS = 10_000_000
/** Most denominations: each token of a contract is one, and strangers register them for a fee. */
const MAX_COINS = 10_000_000
/** Most denominations with metadata, or with an entry of their own for sending: governance adds entries without a bound. */
const MAX_DENOMS = 10_000_000
const MAX_UNITS = 32
const MAX_EXPONENT = 255
/** Most characters of a text about a denomination. */
const MAX_TEXT = 4_096

export interface BankGenesis {
  /** Parsed anew each time: there may be millions. */
  readonly balances: Iterable<Holder>
  readonly accountCount: number
  readonly defaultSendEnabled: boolean
  readonly sendEnabled: readonly SendEnabledEntry[]
  readonly metadata: readonly bank.Metadata[]
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
  // Where a module has named it, as in bridge/wnat, it is no unit of NAT that somebody mistook.
  if (/^(NAT|wei|[^/]*nat)$/.test(denom) && denom !== DENOMINATION) {
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

const parseFlag = (value: unknown, path: string, fallback: boolean): boolean => {
  if (value === undefined) return fallback
  return typeof value === 'boolean' ? value : failAt(path, 'must be true or false')
}

const parseSendEnabled = (value: unknown, path: string): readonly SendEnabledEntry[] => {
  const seen = new Set<string>()
  return parseArray(value, path, MAX_DENOMS).map((item, index) => {
    const at = `${path}[${index}]`
    const entry = parseObject(item, at, ['denom', 'enabled'])
    const denom = located(`${at}.denom`, () => checkDenom(parseString(entry['denom'], `${at}.denom`)))
    if (seen.has(denom)) failAt(`${at}.denom`, `duplicate send enabled found: '${denom}'`)
    seen.add(denom)
    return { denom, enabled: parseFlag(entry['enabled'], `${at}.enabled`, false) }
  })
}

const parseText = (value: unknown, path: string): string => {
  const text = value === undefined ? '' : parseString(value, path)
  if (text.length > MAX_TEXT) failAt(path, `has ${text.length} characters, at most ${MAX_TEXT} are allowed`)
  return text.isWellFormed() ? text : failAt(path, 'is no valid text')
}

const parseUnit = (value: unknown, path: string): bank.DenomUnit => {
  const unit = parseObject(value, path, ['denom', 'exponent', 'aliases'])
  const exponent = parseInteger(unit['exponent'] ?? 0, `${path}.exponent`)
  if (exponent > MAX_EXPONENT) failAt(`${path}.exponent`, `must not be above ${MAX_EXPONENT}`)
  return create(bank.DenomUnitSchema, {
    denom: parseText(unit['denom'], `${path}.denom`),
    exponent,
    aliases: parseArray(unit['aliases'], `${path}.aliases`, MAX_UNITS).map((alias, index) =>
      parseText(alias, `${path}.aliases[${index}]`),
    ),
  })
}

const TEXTS = ['description', 'base', 'display', 'name', 'symbol', 'uri', 'uri_hash'] as const

const parseMetadata = (value: unknown, path: string): bank.Metadata => {
  const object = parseObject(value, path, [...TEXTS, 'denom_units'])
  const text = (name: (typeof TEXTS)[number]): string => parseText(object[name], `${path}.${name}`)
  const metadata = create(bank.MetadataSchema, {
    description: text('description'),
    denomUnits: parseArray(object['denom_units'], `${path}.denom_units`, MAX_UNITS).map((unit, index) =>
      parseUnit(unit, `${path}.denom_units[${index}]`),
    ),
    base: text('base'),
    display: text('display'),
    name: text('name'),
    symbol: text('symbol'),
    uri: text('uri'),
    uriHash: text('uri_hash'),
  })
  const fault = metadataFault(metadata)
  return fault === undefined ? metadata : failAt(path, fault)
}

const parseAllMetadata = (value: unknown, path: string): readonly bank.Metadata[] => {
  if (value === undefined) return DEFAULT_METADATA
  const seen = new Set<string>()
  return parseArray(value, path, MAX_DENOMS).map((item, index) => {
    const metadata = parseMetadata(item, `${path}[${index}]`)
    if (seen.has(metadata.base)) failAt(`${path}[${index}]`, `duplicate client metadata for denom ${metadata.base}`)
    seen.add(metadata.base)
    return metadata
  })
}

const formatMetadata = ({ description, denomUnits, base, display, name, symbol, uri, uriHash }: bank.Metadata) => ({
  description,
  denom_units: denomUnits.map(({ denom, exponent, aliases }) => ({ denom, exponent, aliases })),
  base,
  display,
  name,
  symbol,
  uri,
  uri_hash: uriHash,
})

/** What the state says of denominations, as the genesis has it. */
export const formatSettings = (state: StateReader) => ({
  params: { send_enabled: [], default_send_enabled: readDefaultSendEnabled(state) },
  send_enabled: [...readSendEnabledEntries(state)],
  denom_metadata: [...readAllMetadata(state)].map(formatMetadata),
})

/** The inverse of {@link formatSettings}. */
export const writeSettings = (state: StateWriter, genesis: BankGenesis): void => {
  writeDefaultSendEnabled(state, genesis.defaultSendEnabled)
  for (const { denom, enabled } of genesis.sendEnabled) writeSendEnabled(state, denom, enabled)
  for (const metadata of genesis.metadata) writeMetadata(state, metadata)
}

/** Throws genesis/1 with the member at fault. */
export const parseBankGenesis = (genesis: unknown, path = 'app_state.bank'): BankGenesis => {
  const object = parseObject(genesis ?? {}, path, ['params', 'balances', 'supply', 'denom_metadata', 'send_enabled'])
  const items = parseArray(object['balances'], `${path}.balances`, MAX_ACCOUNTS)
  const balances = { [Symbol.iterator]: () => parseBalances(items, `${path}.balances`) }
  const sums = checkBalances(balances, `${path}.balances`)
  if (sums.size > MAX_COINS) {
    failAt(`${path}.balances`, `have ${sums.size} denominations, at most ${MAX_COINS} are allowed`)
  }
  if (object['supply'] !== undefined) {
    for (const [index, coin] of parseCoins(object['supply'], `${path}.supply`).entries()) {
      const sum = sums.get(coin.denom) ?? 0n
      if (sum !== coin.amount) failAt(`${path}.supply[${index}]`, `is ${coin.amount}, but the balances sum to ${sum}`)
    }
  }
  for (const [denom, sum] of sums) {
    if (sum > MAX_UINT256) failAt(`${path}.balances`, `the supply of ${denom} would pass 2^256`)
  }
  const params = parseObject(object['params'] ?? {}, `${path}.params`, ['send_enabled', 'default_send_enabled'])
  if (parseArray(params['send_enabled'], `${path}.params.send_enabled`, MAX_DENOMS).length > 0) {
    failAt(`${path}.params.send_enabled`, `is no longer used: the entries belong to ${path}.send_enabled`)
  }
  return {
    balances,
    accountCount: items.length,
    defaultSendEnabled: parseFlag(params['default_send_enabled'], `${path}.params.default_send_enabled`, true),
    sendEnabled: parseSendEnabled(object['send_enabled'], `${path}.send_enabled`),
    metadata: parseAllMetadata(object['denom_metadata'], `${path}.denom_metadata`),
  }
}
