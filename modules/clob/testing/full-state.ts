/** For tests: a state with something under every key, and what its open orders lock. */
import { bytesToKey } from '../../../core/bytes.ts'
import type { Overlay } from '../../../store/overlay.ts'
import { EMPTY_RECORD } from '../domain/empty-record.ts'
import { requiredLock } from '../domain/lock.ts'
import type { OpenOrder } from '../domain/order.ts'
import * as keeper from '../keeper/index.ts'
import type { Action, Target } from '../orders/clob-tx.ts'
import { encodeAction } from '../orders/index.ts'
import { DEFAULT_CLOB_PARAMETERS } from '../params.ts'
import { ALICE, BOB, CAROL, MARKET } from './world.ts'

export const ORDER: OpenOrder = {
  market: 1,
  seq: 3,
  owner: ALICE,
  subaccount: 7,
  side: 'buy',
  tif: 'gtc',
  priceTicks: 100,
  lots: 50,
  left: 40,
  lockedPpm: 333,
  clientId: Uint8Array.of(1, 2, 3),
  expireS: 0,
  triggerTicks: 0,
  triggerKind: 'none',
  stp: 'decrement',
  maxFills: 20,
  postOnlyMode: 'slide',
}
const BY_SEQ: Target = { kind: 'seq', orderSeq: 2 ** 53 - 1 }
export const PLACE: Action = {
  kind: 'place',
  place: {
    ...{ market: 1, side: 'sell', priceTicks: 2 ** 32 - 1, qtyLots: 2 ** 53 - 1, tif: 'gtc', stp: 'decrement' },
    ...{ clientId: new Uint8Array(16).fill(7), expireS: 2 ** 53 - 1, triggerTicks: 0, triggerKind: 'none' },
    ...{ maxFills: 0, postOnlyMode: 'slide' },
  },
}

const SELL: OpenOrder = {
  ...ORDER,
  ...{
    seq: 9,
    owner: BOB,
    side: 'sell',
    tif: 'ioc',
    triggerKind: 'stop',
    triggerTicks: 90,
    clientId: new Uint8Array(0),
  },
}

/** Something under every key. */
export const fillState = (state: Overlay): void => {
  keeper.writeParameters(state, { ...DEFAULT_CLOB_PARAMETERS, minAgeMs: 77 })
  keeper.writeTimeMs(state, 1_700_000_000_123)
  keeper.writeNextSeq(state, 12)
  keeper.writeMarket(state, MARKET)
  keeper.writeMarket(state, { ...MARKET, id: 4, mode: 'uniform', status: 'cancel_only', lotSize: 2n ** 99n })
  keeper.writeRecord(state, 1, { ...EMPTY_RECORD, sequence: 3, openOrders: 2, priceMs: 10n ** 30n, bestBidTicks: 100 })
  keeper.writeRecord(state, 4, EMPTY_RECORD)
  for (const order of [ORDER, SELL]) keeper.writeOrder(state, 1, order.seq, keeper.encodeOrder(order))
  keeper.writeAccount(state, ALICE, {
    openOrders: 1,
    switchMs: 5,
    floors: [
      { subaccount: undefined, market: 0, side: 'sell', nextSeq: 2 },
      { subaccount: 0, market: 1, side: undefined, nextSeq: 1 },
    ],
  })
  keeper.writeAccount(state, BOB, { openOrders: 1, switchMs: 0, floors: [] })
  keeper.writeAgent(state, ALICE, CAROL, { name: 'ü', expireS: 9, markets: [1, 4] })
  keeper.writeNonces(state, 3, [
    { signer: CAROL, nonceMs: 5 },
    { signer: ALICE, nonceMs: 4 },
  ])
  keeper.writeMarks(state, 4, [
    { owner: BOB, subaccount: 0, market: 0, side: 'buy', clientId: new Uint8Array(0), nonceMs: 8, goodTilBlock: 40 },
    {
      owner: ALICE,
      subaccount: 1,
      market: 4,
      side: undefined,
      clientId: Uint8Array.of(9),
      nonceMs: 8,
      goodTilBlock: 40,
    },
  ])
  keeper.writeVolume(state, BOB, 'uusd', {
    lastDay: 20_000,
    sums: Array.from({ length: 31 }, (_, day) => BigInt(day) ** 20n),
  })
  const ids = [4, 2].map((byte) => bytesToKey(new Uint8Array(12).fill(byte)))
  keeper.writeCarried(state, [
    { id: ids[0] ?? '', phase: 2, salt: new Uint8Array(32).fill(1), age: 2, isWidelyAttested: true },
    { id: ids[1] ?? '', phase: 0, salt: new Uint8Array(32).fill(2), age: 1, isWidelyAttested: false },
  ])
  keeper.writeCaps(state, [
    { height: 4, capBytes: 9_999 },
    { height: 5, capBytes: 8_888 },
  ])
  keeper.writeProposer(state, CAROL, { stops: 3, missingButWidelyAttested: 2 })
  keeper.writeAfter(state, new Uint8Array(32).fill(8))
  keeper.writeQueue(state, [
    { owner: CAROL, subaccount: 2 ** 32 - 1, action: encodeAction(PLACE) },
    { owner: ALICE, subaccount: 0, action: encodeAction({ kind: 'cancelAll', market: 0, side: undefined }) },
    { owner: CAROL, subaccount: 0, action: encodeAction({ kind: 'cancel', market: 1, target: BY_SEQ }) },
  ])
}

export const locks = (): readonly { readonly owner: Uint8Array; readonly denom: string; readonly amount: bigint }[] =>
  [ORDER, SELL].map((order) => ({ owner: ALICE, ...requiredLock(MARKET, order) }))
