/** Native denominations that contracts show, and what spenders may take through them. */
import { type Address, ADDRESS_LENGTH } from '../../../core/address.ts'
import { bigintToBytes, bytesToBigint, bytesToUtf8, concatBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { keccak256 } from '../../../core/hash.ts'
import { EMPTY_ACCOUNT, type StateReader, type StateWriter } from '../../../store/state.ts'
import { ALLOWANCE_PREFIX, allowanceKey, ERC20_ADDRESS, partsOfAllowance, VIEW_PREFIX, viewKey } from '../keys.ts'
import { scanEntries } from './scan.ts'

const DOMAIN = utf8ToBytes('nat/erc20/view/')

/** Follows from the denomination. Nobody can create another contract there. */
export const viewAddress = (denom: string): Address =>
  keccak256(concatBytes(DOMAIN, utf8ToBytes(denom))).slice(-ADDRESS_LENGTH)

export interface View {
  readonly address: Address
  readonly denom: string
}

/** The denomination that the contract at the address shows. */
export const readView = (state: StateReader, address: Address): string | undefined => {
  const value = state.value(ERC20_ADDRESS, viewKey(address))
  return value === undefined ? undefined : bytesToUtf8(value)
}

/** Reads views in the order of addresses, from `start` (inclusive) on. */
export function* readViews(state: StateReader, start?: Address): Generator<View, void> {
  for (const [key, value] of scanEntries(state, VIEW_PREFIX, start && viewKey(start))) {
    yield { address: key.slice(VIEW_PREFIX.length), denom: bytesToUtf8(value) }
  }
}

/** Writes a view with its contract. Coins that were sent to the address before stay there. */
export const writeView = (state: StateWriter, denom: string, code: Uint8Array): Address => {
  const address = viewAddress(denom)
  state.setValue(ERC20_ADDRESS, viewKey(address), utf8ToBytes(denom))
  const account = state.account(address) ?? EMPTY_ACCOUNT
  state.setAccount(address, { ...account, nonce: 1n, codeHash: state.setCode(code) })
  return address
}

export const readAllowance = (state: StateReader, view: Address, owner: Address, spender: Address): bigint => {
  const value = state.value(ERC20_ADDRESS, allowanceKey(view, owner, spender))
  return value === undefined ? 0n : bytesToBigint(value)
}

export const writeAllowance = (
  state: StateWriter,
  view: Address,
  owner: Address,
  spender: Address,
  amount: bigint,
): void =>
  state.setValue(ERC20_ADDRESS, allowanceKey(view, owner, spender), amount === 0n ? undefined : bigintToBytes(amount))

export interface Allowance {
  readonly view: Address
  readonly owner: Address
  readonly spender: Address
  readonly amount: bigint
}

/** Reads allowances in the order of views, owners and spenders. */
export function* readAllowances(state: StateReader): Generator<Allowance, void> {
  for (const [key, value] of scanEntries(state, ALLOWANCE_PREFIX)) {
    const [view, owner, spender] = partsOfAllowance(key)
    yield { view, owner, spender, amount: bytesToBigint(value) }
  }
}
