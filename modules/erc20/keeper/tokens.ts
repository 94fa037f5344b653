/** Contracts that the chain takes tokens of, and the lock while it moves them. */
import type { Address } from '../../../core/address.ts'
import { bigintToBytes, bytesToBigint, bytesToUtf8, utf8ToBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { ERC20_ADDRESS, LOCK_KEY, TOKEN_PREFIX, tokenKey } from '../keys.ts'
import { scanEntries } from './scan.ts'

export interface TokenRecord {
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly depositsEnabled: boolean
  /** What the contract said that the escrow holds, when tokens were moved last. */
  readonly measured: bigint
  readonly measuredHeight: number
}

export interface Token extends TokenRecord {
  readonly address: Address
}

const decode = (value: Uint8Array): TokenRecord => {
  const [name, symbol, decimals, depositsEnabled, measured, height] = decodeRlp(value) as Uint8Array[]
  invariant(
    name && symbol && decimals && depositsEnabled && measured && height !== undefined,
    'a token of erc20 is damaged',
  )
  return {
    name: bytesToUtf8(name),
    symbol: bytesToUtf8(symbol),
    decimals: Number(bytesToBigint(decimals)),
    depositsEnabled: depositsEnabled.length > 0,
    measured: bytesToBigint(measured),
    measuredHeight: Number(bytesToBigint(height)),
  }
}

export const readToken = (state: StateReader, address: Address): Token | undefined => {
  const value = state.value(ERC20_ADDRESS, tokenKey(address))
  return value === undefined ? undefined : { address, ...decode(value) }
}

export const writeToken = (state: StateWriter, token: Token): void => {
  const { address, name, symbol, decimals, depositsEnabled, measured, measuredHeight } = token
  const encoded = encodeRlp([
    utf8ToBytes(name),
    utf8ToBytes(symbol),
    bigintToBytes(BigInt(decimals)),
    bigintToBytes(depositsEnabled ? 1n : 0n),
    bigintToBytes(measured),
    bigintToBytes(BigInt(measuredHeight)),
  ])
  state.setValue(ERC20_ADDRESS, tokenKey(address), encoded)
}

export const removeToken = (state: StateWriter, address: Address): void =>
  state.setValue(ERC20_ADDRESS, tokenKey(address), undefined)

/** Reads tokens in the order of addresses, from `start` (inclusive) on. */
export function* readTokens(state: StateReader, start?: Address): Generator<Token, void> {
  for (const [key, value] of scanEntries(state, TOKEN_PREFIX, start && tokenKey(start))) {
    yield { address: key.slice(TOKEN_PREFIX.length), ...decode(value) }
  }
}

export const isLocked = (state: StateReader): boolean => state.value(ERC20_ADDRESS, LOCK_KEY) !== undefined

export const setLocked = (state: StateWriter, locked: boolean): void =>
  state.setValue(ERC20_ADDRESS, LOCK_KEY, locked ? Uint8Array.of(1) : undefined)
