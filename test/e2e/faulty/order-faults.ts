/** What a liar makes of the order book's part of its blocks and votes, and how honest nodes word their refusal. */
import { randomBytes } from 'node:crypto'
import { bytesToKey, plainBytes } from '../../../core/bytes.ts'
import { decodeClobBody, encodeAttestations, encodeClobTx, type Phase } from '../../../modules/clob/index.ts'
import { decodeExtension, encodeExtension } from '../../../app/attestations/envelope.ts'

const ORDER_BYTE = 0x70
const PHASES: readonly Phase[] = [0, 1, 2]
const ID_BYTES = 12
/** The fabricated orders in each phase: together they fill half of the cap of four validators. */
const FABRICATED = 1_500

interface OrderFault {
  /** The reason in the line `proposal rejected`; undefined where the block is one that a proposer may make. */
  readonly reason: RegExp | undefined
  /** What it needs of an honest block: other blocks it leaves as they are. */
  readonly leastOrders: number
  alter(orders: readonly Uint8Array[], others: readonly Uint8Array[]): readonly Uint8Array[]
}

/** A statically valid order that nobody attested. */
const inventOrder = (like: Uint8Array): Uint8Array => {
  const { tx } = decodeClobBody(like)
  return encodeClobTx({ ...tx, nonceMs: tx.nonceMs + 1 })
}

export const ORDER_FAULTS: Readonly<Record<string, OrderFault>> = {
  'leaves out the first order': {
    reason: /order 0 of the block is not order 0 of its list/,
    leastOrders: 2,
    alter: ([, ...orders], others) => [...orders, ...others],
  },
  'exchanges two orders': {
    reason: /order 0 of the block is not order 0 of its list/,
    leastOrders: 2,
    alter: ([first, second, ...orders], others) => [
      ...[second, first].flatMap((raw) => raw ?? []),
      ...orders,
      ...others,
    ],
  },
  'puts an order of its own first': {
    reason: /order 0 of the block is not order 0 of its list/,
    leastOrders: 1,
    alter: (orders, others) => [inventOrder(orders[0] as Uint8Array), ...orders, ...others],
  },
  'adds an order of its own': {
    reason: /the block has \d+ orders, and its list has room for \d+/,
    leastOrders: 1,
    alter: (orders, others) => [...orders, inventOrder(orders[0] as Uint8Array), ...others],
  },
  'executes an order twice': {
    reason: /the block has \d+ orders, and its list has room for \d+/,
    leastOrders: 1,
    alter: (orders, others) => [...orders, orders[0] as Uint8Array, ...others],
  },
  // A stop needs no reason that can be proven: it delays by a block, and is counted.
  'stops before the last order': {
    reason: undefined,
    leastOrders: 1,
    alter: (orders, others) => [...orders.slice(0, -1), ...others],
  },
}

/** The block of a liar; undefined where it has too few orders for the fault. */
export const alterOrders = (
  { leastOrders, alter }: OrderFault,
  [injected, ...transactions]: readonly Uint8Array[],
): readonly Uint8Array[] | undefined => {
  const orders = transactions.filter(([family]) => family === ORDER_BYTE)
  if (injected === undefined || orders.length < leastOrders) return undefined
  const others = transactions.filter(([family]) => family !== ORDER_BYTE)
  return [injected, ...alter(orders, others)]
}

const fabricate = (): Uint8Array => {
  const list = PHASES.flatMap((phase) =>
    Array.from({ length: FABRICATED }, (_, index) => {
      const id = bytesToKey(plainBytes(randomBytes(ID_BYTES)))
      return { phase, id, dtMs: index % 2 === 0 ? -30_000 : 30_000 }
    }),
  )
  const byTime = list.toSorted((a, b) => a.phase - b.phase || a.dtMs - b.dtMs || (a.id < b.id ? -1 : 1))
  return encodeExtension({
    attestations: encodeAttestations(byTime),
    bodies: [],
    bridge: [],
    bridgeContents: [],
    bridgeSignatures: [],
  })
}

/** Its own extension with what it says of orders from the last to the first. */
const reverse = (honest: Uint8Array): Uint8Array => {
  const said = decodeExtension(honest)
  if (said === undefined) return Uint8Array.of(8, 1, 18, 0)
  const copy = honest.slice()
  copy.subarray(4).reverse()
  return copy
}

/** The faults of extensions: what a liar says in the place of the honest one, which `honest` makes. */
export const ORDER_VOTER_FAULTS: Readonly<Record<string, (honest: () => Uint8Array) => Uint8Array>> = {
  'fabricated orders': fabricate,
  'attestations in a wrong order': (honest) => reverse(honest()),
  'bodies that nobody asked for': () =>
    encodeExtension({
      attestations: new Uint8Array(0),
      bodies: Array.from({ length: 30 }, () => plainBytes(randomBytes(4_096))),
      bridge: [],
      bridgeContents: [],
      bridgeSignatures: [],
    }),
  'orders that are too many to read': () => new Uint8Array(128 * 1024 + 1).fill(1),
}
