/** Whatever bytes state has for an order: they are the one encoding of an order, or a broken invariant. SEED repeats a run. */
import { expect, it } from 'vitest'
import { InvariantError } from '../../../core/errors.ts'
import { Random } from '../../../test/sim/random.ts'
import type { OpenOrder } from '../domain/order.ts'
import { decodeOrder, encodeOrder } from './orders.ts'

const RUNS = 20_000
const SEED = Number(process.env['SEED'] ?? 41)

const orderOf = (random: Random): OpenOrder => ({
  market: 1,
  seq: 1,
  owner: random.bytes(20),
  subaccount: random.pick([0, 1, 127, 128, 2 ** 32 - 1]),
  side: random.pick(['buy', 'sell'] as const),
  tif: random.pick(['gtc', 'ioc', 'fok', 'post_only'] as const),
  priceTicks: random.pick([1, 127, 128, 255, 256, 2 ** 32 - 1]),
  lots: random.pick([1, 128, 2 ** 53 - 1]),
  left: random.pick([1, 128, 2 ** 53 - 1]),
  lockedPpm: random.pick([0, 99_999]),
  clientId: random.bytes(random.below(17)),
  expireS: random.pick([0, 1_900_000_000]),
  triggerTicks: random.pick([0, 300]),
  triggerKind: random.pick(['none', 'stop', 'take_profit'] as const),
  stp: random.pick(['cancel_maker', 'cancel_taker', 'cancel_both', 'decrement'] as const),
  maxFills: random.pick([1, 20, 200]),
  postOnlyMode: random.pick(['reject', 'slide'] as const),
})

/** One byte more, less or other; or the end cut off. */
const damage = (random: Random, value: Uint8Array): Uint8Array => {
  const at = random.below(value.length)
  const byte = random.pick([0, 1, 0x80, 0x81, 0xc0, 0xf8, random.below(256)])
  switch (random.below(4)) {
    case 0:
      return value.slice(0, at)
    case 1:
      return Uint8Array.of(...value.slice(0, at), byte, ...value.slice(at))
    case 2:
      return Uint8Array.of(...value.slice(0, at), ...value.slice(at + 1))
    default:
      return Uint8Array.of(...value.slice(0, at), byte, ...value.slice(at + 1))
  }
}

const decoded = (value: Uint8Array): OpenOrder | undefined => {
  try {
    return decodeOrder(1, 1, value)
  } catch (error) {
    if (!(error instanceof InvariantError)) throw error
    return undefined
  }
}

it(`orders are read as they are written, and nothing else is read (SEED=${SEED})`, () => {
  const random = new Random(SEED)
  let refused = 0
  for (let run = 0; run < RUNS; run++) {
    const order = orderOf(random)
    const value = encodeOrder(order)
    expect(decodeOrder(1, 1, value)).toEqual(order)
    const damaged = damage(random, value)
    const read = decoded(damaged)
    if (read === undefined) refused++
    else expect(Buffer.from(encodeOrder(read)).equals(damaged)).toBe(true)
  }
  expect(refused).toBeGreaterThan(RUNS / 4)
})
