/** What state keeps of an owner beside orders: an owner without anything has no key. */
import { type Address, ADDRESS_LENGTH } from '../../../core/address.ts'
import { invariant } from '../../../core/errors.ts'
import { encodeRlp, type RlpInput } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { type ClobAccount, type Floor, MAX_FLOORS } from '../domain/account.ts'
import { BOTH_SIDES, namesOf, SIDE_CODES } from '../domain/codes.ts'
import type { Side } from '../domain/order.ts'
import { ACCOUNT_PREFIX, accountKey, CLOB_ACCOUNT } from '../keys.ts'
import { scanValues } from './scan.ts'
import { MAX_UINT32, RlpReader } from './rlp-reader.ts'
import { uint } from './rlp-writer.ts'

const SIDE_NAMES: Readonly<Record<number, Side | 'both'>> = { ...namesOf(SIDE_CODES), [BOTH_SIDES]: 'both' }

export const EMPTY_CLOB_ACCOUNT: ClobAccount = { openOrders: 0, switchMs: 0, floors: [] }

export const sideItem = (side: Side | undefined): Uint8Array => uint(side === undefined ? BOTH_SIDES : SIDE_CODES[side])

export const readSide = (fields: RlpReader): Side | undefined => {
  const side = fields.choice(SIDE_NAMES)
  return side === 'both' ? undefined : side
}

/** All labels are an empty list, one label is a list of it. */
const floorItems = ({ subaccount, market, side, nextSeq }: Floor): RlpInput => [
  subaccount === undefined ? [] : [uint(subaccount)],
  uint(market),
  sideItem(side),
  uint(nextSeq),
]

const readFloor = (fields: RlpReader): Floor => ({
  subaccount: fields.list(1, (labels) => labels.uint(MAX_UINT32))[0],
  market: fields.uint(MAX_UINT32),
  side: readSide(fields),
  nextSeq: fields.uint(Number.MAX_SAFE_INTEGER),
})

const decodeAccount = (value: Uint8Array): ClobAccount =>
  RlpReader.list(value, 'account of the order book').whole((fields) => ({
    openOrders: fields.uint(MAX_UINT32),
    switchMs: fields.uint(Number.MAX_SAFE_INTEGER),
    floors: fields.list(MAX_FLOORS, (floors) => floors.record(readFloor)),
  }))

/** {@link EMPTY_CLOB_ACCOUNT} where state has nothing. */
export const readAccount = (state: StateReader, owner: Address): ClobAccount => {
  const value = state.value(CLOB_ACCOUNT, accountKey(owner))
  return value === undefined ? EMPTY_CLOB_ACCOUNT : decodeAccount(value)
}

export const writeAccount = (state: StateWriter, owner: Address, account: ClobAccount): void => {
  const { openOrders, switchMs, floors } = account
  const isEmpty = openOrders === 0 && switchMs === 0 && floors.length === 0
  const value = isEmpty ? undefined : encodeRlp([uint(openOrders), uint(switchMs), floors.map(floorItems)])
  state.setValue(CLOB_ACCOUNT, accountKey(owner), value)
}

export interface OwnedAccount {
  readonly owner: Address
  readonly account: ClobAccount
}

/** All accounts that have a key, by address. */
export function* scanAccounts(state: StateReader): Generator<OwnedAccount, void> {
  for (const [key, value] of scanValues(state, ACCOUNT_PREFIX)) {
    invariant(
      key.length === ACCOUNT_PREFIX.length + ADDRESS_LENGTH,
      'the key of an account of the order book is damaged',
    )
    yield { owner: key.slice(ACCOUNT_PREFIX.length), account: decodeAccount(value) }
  }
}
