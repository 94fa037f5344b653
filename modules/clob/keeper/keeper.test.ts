import { describe, expect, it } from 'vitest'
import { bigintToBytes, bytesToKey, uint32ToBytes, uint64ToBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { InvariantError } from '../../../core/errors.ts'
import { encodeRlp, type RlpInput } from '../../../core/rlp.ts'
import { LatestState } from '../../../store/latest.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Overlay } from '../../../store/overlay.ts'
import { type Random, seeded } from '../../../test/sim/random.ts'
import type { ClobAccount, Mark } from '../domain/account.ts'
import type { Market, MarketRecord } from '../domain/market.ts'
import type { OpenOrder, Side } from '../domain/order.ts'
import type { ListedId } from '../plan/types.ts'
import { DEFAULT_CLOB_PARAMETERS } from '../params.ts'
import { CLOB_ACCOUNT } from '../keys.ts'
import * as keeper from './index.ts'

const freshState = (): Overlay => new Overlay(new LatestState(openMemoryStore(), 100))
const rawValue = (state: Overlay, ...parts: readonly (string | Uint8Array)[]): Uint8Array | undefined =>
  state.value(CLOB_ACCOUNT, Buffer.concat(parts.map((part) => (typeof part === 'string' ? utf8ToBytes(part) : part))))

const OWNER = new Uint8Array(20).fill(0xa1)
const OTHER = new Uint8Array(20).fill(0xb2)
const big = (value: number | bigint): Uint8Array => bigintToBytes(BigInt(value))

/** Powers of two and their neighbours, where lengths of encodings change. */
const anyUint = (random: Random, bits: number): number => {
  const power = 2 ** random.below(bits + 1)
  return Math.min(2 ** bits - 1, Math.max(0, power - 1 + random.below(3)))
}

const anyOrder = (random: Random): OpenOrder => ({
  market: 1 + random.below(3),
  seq: 1 + anyUint(random, 40),
  owner: random.pick([OWNER, OTHER]),
  subaccount: anyUint(random, 32),
  side: random.pick(['buy', 'sell']),
  tif: random.pick(['gtc', 'ioc', 'fok', 'post_only']),
  priceTicks: anyUint(random, 32),
  lots: anyUint(random, 53),
  left: anyUint(random, 53),
  lockedPpm: random.below(100_000),
  clientId: random.bytes(random.below(17)),
  expireS: anyUint(random, 53),
  triggerTicks: anyUint(random, 32),
  triggerKind: random.pick(['none', 'stop', 'take_profit']),
  stp: random.pick(['cancel_maker', 'cancel_taker', 'cancel_both', 'decrement']),
  maxFills: random.below(201),
  postOnlyMode: random.pick(['reject', 'slide']),
})

/** Encodes by the design's table, with the general encoder. */
const slowOrder = (order: OpenOrder): Uint8Array =>
  encodeRlp([
    order.owner,
    big(order.subaccount),
    big({ buy: 1, sell: 2 }[order.side]),
    big({ gtc: 1, ioc: 2, fok: 3, post_only: 4 }[order.tif]),
    big(order.priceTicks),
    big(order.lots),
    big(order.left),
    big(order.lockedPpm),
    order.clientId,
    big(order.expireS),
    big(order.triggerTicks),
    big({ none: 0, stop: 1, take_profit: 2 }[order.triggerKind]),
    big({ cancel_maker: 0, cancel_taker: 1, cancel_both: 2, decrement: 3 }[order.stp]),
    big(order.maxFills),
    big({ reject: 0, slide: 1 }[order.postOnlyMode]),
  ])

describe('an open order in state', () => {
  it(
    'is encoded as the table says, and read back',
    seeded(1, (random) => {
      for (let run = 0; run < 3_000; run++) {
        const order = anyOrder(random)
        const value = keeper.encodeOrder(order)
        expect(Buffer.from(value).toString('hex')).toBe(Buffer.from(slowOrder(order)).toString('hex'))
        expect(keeper.decodeOrder(order.market, order.seq, value)).toEqual(order)
      }
    }),
  )

  it(
    'is the same after a change of any byte, or refused as damaged',
    seeded(2, (random) => {
      for (let run = 0; run < 3_000; run++) {
        const order = anyOrder(random)
        const value = keeper.encodeOrder(order)
        const at = random.below(value.length)
        value[at] = random.below(256)
        try {
          const read = keeper.decodeOrder(order.market, order.seq, value)
          expect(Buffer.from(keeper.encodeOrder(read)).equals(Buffer.from(value))).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(InvariantError)
        }
      }
    }),
  )

  it('is found by market and seq, and scanned by seq over several pages', () => {
    const state = freshState()
    const random = { ...firstOrder(), market: 2 }
    const seqs = Array.from({ length: 2_500 }, (_, index) => index * 300 + 1)
    for (const seq of seqs.toReversed()) keeper.writeOrder(state, 2, seq, keeper.encodeOrder(random))
    keeper.writeOrder(state, 1, 7, keeper.encodeOrder(random))
    keeper.writeOrder(state, 3, 7, keeper.encodeOrder(random))
    expect([...keeper.scanOrders(state, 2)].map(({ seq }) => seq)).toEqual(seqs)
    expect(rawValue(state, 'order', uint32ToBytes(2), uint64ToBytes(301))).toEqual(keeper.encodeOrder(random))
    expect(keeper.readOrder(state, 2, 301)).toEqual({ ...random, seq: 301 })
    keeper.writeOrder(state, 2, 301, undefined)
    expect(keeper.readOrder(state, 2, 301)).toBeUndefined()
    expect([...keeper.scanOrders(state, 2)]).toHaveLength(2_499)
  })
})

const firstOrder = (): OpenOrder => ({
  market: 1,
  seq: 1,
  owner: OWNER,
  subaccount: 0,
  side: 'buy',
  tif: 'gtc',
  priceTicks: 100,
  lots: 5,
  left: 4,
  lockedPpm: 300,
  clientId: new Uint8Array(0),
  expireS: 0,
  triggerTicks: 0,
  triggerKind: 'none',
  stp: 'cancel_maker',
  maxFills: 20,
  postOnlyMode: 'reject',
})

const MARKET: Market = {
  id: 7,
  baseDenom: 'anat',
  quoteDenom: 'uusd',
  lotSize: 10n ** 15n,
  factor: 10n,
  fees: [
    { volume: 0n, makerPpm: 100, takerPpm: 300 },
    { volume: 10n ** 12n, makerPpm: -50, takerPpm: 200 },
  ],
  minNotional: 1_000_000n,
  bandPpm: 100_000,
  maxOpenOrders: 200,
  triggerNotional: 10n ** 8n,
  minEquity: 0n,
  status: 'active',
  mode: 'uniform',
}
const RECORD: MarketRecord = {
  sequence: 12,
  blockPriceTicks: 101,
  priceMs: 10n ** 20n,
  sinceMs: 1_700_000_000_123,
  bestBidTicks: 100,
  bestAskTicks: 0,
  openOrders: 3,
  bookRoot: new Uint8Array(32).fill(9),
}

/** Each value, written and read: [what was written, key, items of the table]. */
describe('the key table', () => {
  const expectValue = (state: Overlay, key: readonly (string | Uint8Array)[], items: RlpInput): void => {
    expect(Buffer.from(rawValue(state, ...key) ?? []).toString('hex')).toBe(
      Buffer.from(encodeRlp(items)).toString('hex'),
    )
  }

  it('has the parameters in their order, the time and the next order_seq', () => {
    const state = freshState()
    expect(keeper.readParameters(state)).toEqual(DEFAULT_CLOB_PARAMETERS)
    expect([keeper.readTimeMs(state), keeper.readNextSeq(state)]).toEqual([0, 1])
    const parameters = { ...DEFAULT_CLOB_PARAMETERS, blockWeight: 5_000, minAgeMs: 0 }
    keeper.writeParameters(state, parameters)
    keeper.writeTimeMs(state, 1_700_000_000_123)
    keeper.writeNextSeq(state, 99)
    expect(keeper.readParameters(state)).toEqual(parameters)
    expect([keeper.readTimeMs(state), keeper.readNextSeq(state)]).toEqual([1_700_000_000_123, 99])
    expectValue(state, ['params'], [524_288, 0, 10, 5_000, 400, 500, 500, 5_000, 5_000, 2_000].map(big))
    expectValue(state, ['time'], big(1_700_000_000_123))
    expectValue(state, ['next'], big(99))
  })

  it('has markets and their records', () => {
    const state = freshState()
    keeper.writeMarket(state, MARKET)
    keeper.writeMarket(state, { ...MARKET, id: 300 })
    keeper.writeRecord(state, 7, RECORD)
    expect(keeper.readMarket(state, 7)).toEqual(MARKET)
    expect(keeper.readMarket(state, 8)).toBeUndefined()
    expect(keeper.listMarkets(state).map(({ id }) => id)).toEqual([7, 300])
    expect(keeper.listMarkets(state, 8, 1).map(({ id }) => id)).toEqual([300])
    expect(keeper.readRecord(state, 7)).toEqual(RECORD)
    expect(keeper.readRecord(state, 8)).toBeUndefined()
    const tiers = [
      [big(0), big(100), big(0), big(300)],
      [big(10n ** 12n), big(0), big(50), big(200)],
    ]
    const numbers = [1_000_000n, 100_000, 200, 10n ** 8n, 0, 1, 2].map(big)
    const denoms = [utf8ToBytes('anat'), utf8ToBytes('uusd')]
    expectValue(state, ['market', uint32ToBytes(7)], [...denoms, big(10n ** 15n), big(10), tiers, ...numbers])
    const record = [12, 101, 10n ** 20n, 1_700_000_000_123, 100, 0, 3].map(big)
    expectValue(state, ['record', uint32ToBytes(7)], [...record, RECORD.bookRoot])
  })

  it('has accounts and agents', () => {
    const state = freshState()
    const account: ClobAccount = {
      openOrders: 3,
      switchMs: 1_700_000_000_999,
      floors: [
        { subaccount: 0, market: 0, side: undefined, nextSeq: 70 },
        { subaccount: undefined, market: 2, side: 'sell', nextSeq: 80 },
      ],
    }
    keeper.writeAccount(state, OWNER, account)
    expect(keeper.readAccount(state, OWNER)).toEqual(account)
    expectValue(
      state,
      ['account', OWNER],
      [
        big(3),
        big(account.switchMs),
        [
          [[big(0)], big(0), big(0), big(70)],
          [[], big(2), big(2), big(80)],
        ],
      ],
    )
    expect([...keeper.scanAccounts(state)]).toEqual([{ owner: OWNER, account }])
    keeper.writeAccount(state, OWNER, keeper.EMPTY_CLOB_ACCOUNT)
    expect(rawValue(state, 'account', OWNER)).toBeUndefined()
    expect(keeper.readAccount(state, OWNER)).toEqual(keeper.EMPTY_CLOB_ACCOUNT)

    const agent = { name: 'bot', expireS: 1_800_000_000, markets: [1, 7] }
    keeper.writeAgent(state, OWNER, OTHER, agent)
    keeper.writeAgent(state, OTHER, OWNER, { ...agent, markets: [] })
    expect(keeper.readAgent(state, OWNER, OTHER)).toEqual(agent)
    expect(keeper.listAgents(state, OWNER)).toEqual([{ owner: OWNER, address: OTHER, agent }])
    expect([...keeper.scanAgents(state)]).toHaveLength(2)
    expectValue(state, ['agent', OWNER, OTHER], [utf8ToBytes('bot'), big(1_800_000_000), [big(1), big(7)]])
    const further = new Uint8Array(20).fill(1)
    keeper.writeAgent(state, OWNER, further, agent)
    keeper.writeAgent(state, OWNER, further, { ...agent, name: 'other' })
    expectValue(state, ['owned', OWNER], [OTHER, further].toSorted(Buffer.compare))
    expect(
      keeper
        .listAgents(state, OWNER)
        .map(({ agent: { name } }) => name)
        .toSorted(),
    ).toEqual(['bot', 'other'])
    keeper.writeAgent(state, OWNER, further, undefined)
    keeper.writeAgent(state, OWNER, OTHER, undefined)
    keeper.writeAgent(state, OWNER, OTHER, undefined)
    expect(keeper.readAgent(state, OWNER, OTHER)).toBeUndefined()
    expect(rawValue(state, 'owned', OWNER)).toBeUndefined()
  })

  it('has nonces and marks of a block, and no key for an empty list', () => {
    const state = freshState()
    const nonces = [
      { signer: OWNER, nonceMs: 1_700_000_000_001 },
      { signer: OTHER, nonceMs: 5 },
    ]
    const marks: readonly Mark[] = [undefined, 'buy' as const].map((side: Side | undefined) => ({
      owner: OWNER,
      subaccount: 4,
      market: 1,
      side,
      clientId: side === undefined ? Uint8Array.of(1, 2) : new Uint8Array(0),
      nonceMs: 8,
      goodTilBlock: 50,
    }))
    keeper.writeNonces(state, 10, nonces)
    keeper.writeMarks(state, 10, marks)
    expect(keeper.readNonces(state, 10)).toEqual(nonces)
    expect(keeper.readMarks(state, 10)).toEqual(marks)
    expect([keeper.readNonces(state, 11), keeper.readMarks(state, 11)]).toEqual([[], []])
    expectValue(
      state,
      ['nonces', uint64ToBytes(10)],
      [
        [OWNER, big(1_700_000_000_001)],
        [OTHER, big(5)],
      ],
    )
    expectValue(
      state,
      ['marks', uint64ToBytes(10)],
      [
        [OWNER, big(4), big(1), big(0), Uint8Array.of(1, 2), big(8), big(50)],
        [OWNER, big(4), big(1), big(1), new Uint8Array(0), big(8), big(50)],
      ],
    )
    expect([...keeper.scanNonces(state)]).toEqual([[10, nonces]])
    expect([...keeper.scanMarks(state)]).toEqual([[10, marks]])
    keeper.writeNonces(state, 10, [])
    keeper.writeMarks(state, 10, [])
    expect([rawValue(state, 'nonces', uint64ToBytes(10)), rawValue(state, 'marks', uint64ToBytes(10))]).toEqual([
      undefined,
      undefined,
    ])
  })

  it('has caps and the carried list, grouped by the block that attested', () => {
    const state = freshState()
    keeper.writeCaps(state, [
      { height: 9, capBytes: 131_072 },
      { height: 10, capBytes: 2_048 },
    ])
    expect(keeper.readCaps(state)).toEqual([
      { height: 9, capBytes: 131_072 },
      { height: 10, capBytes: 2_048 },
    ])
    expectValue(
      state,
      ['caps'],
      [
        [big(9), big(131_072)],
        [big(10), big(2_048)],
      ],
    )
    const [salt, older] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    const id = (first: number): string => bytesToKey(new Uint8Array(12).fill(first))
    const carried: readonly ListedId[] = [
      { id: id(5), phase: 2, salt: older, age: 3, isWidelyAttested: true },
      { id: id(4), phase: 0, salt, age: 1, isWidelyAttested: false },
      { id: id(3), phase: 1, salt, age: 1, isWidelyAttested: true },
    ]
    keeper.writeCarried(state, carried)
    expect(keeper.readCarried(state)).toEqual(carried)
    const item = (phase: number, widely: number, first: number) => [
      big(phase),
      big(widely),
      new Uint8Array(12).fill(first),
    ]
    expectValue(
      state,
      ['carried'],
      [
        [big(3), older, [item(2, 1, 5)]],
        [big(1), salt, [item(0, 0, 4), item(1, 1, 3)]],
      ],
    )
    keeper.writeCarried(state, [])
    expect(rawValue(state, 'carried')).toBeUndefined()
    expect(keeper.readCarried(state)).toEqual([])
  })

  it('has volumes, proposers and the digest of what no transaction made', () => {
    const state = freshState()
    const sums = Array.from({ length: 31 }, (_, day) => BigInt(day) * 10n ** 18n)
    keeper.writeVolume(state, OWNER, 'ibc/27', { lastDay: 20_000, sums })
    expect(keeper.readVolume(state, OWNER, 'ibc/27')).toEqual({ lastDay: 20_000, sums })
    expect(keeper.readVolume(state, OWNER, 'ibc/2')).toBeUndefined()
    expect([...keeper.scanVolumes(state)]).toEqual([
      { owner: OWNER, denom: 'ibc/27', volume: { lastDay: 20_000, sums } },
    ])
    expectValue(state, ['volume', OWNER, 'ibc/27'], [big(20_000), sums.map(big)])

    keeper.writeProposer(state, OTHER, { stops: 3, missingButWidelyAttested: 1 })
    expect(keeper.readProposer(state, OTHER)).toEqual({ stops: 3, missingButWidelyAttested: 1 })
    expect(keeper.readProposer(state, OWNER)).toEqual({ stops: 0, missingButWidelyAttested: 0 })
    expect([...keeper.scanProposers(state)]).toEqual([[OTHER, { stops: 3, missingButWidelyAttested: 1 }]])
    expectValue(state, ['proposer', OTHER], [big(3), big(1)])

    const digest = new Uint8Array(32).fill(3)
    keeper.writeAfter(state, digest)
    expect(keeper.readAfter(state)).toEqual(digest)
    expectValue(state, ['after'], digest)
    keeper.writeAfter(state, undefined)
    expect(keeper.readAfter(state)).toBeUndefined()
  })

  it.each<readonly [string, RlpInput, (state: Overlay) => unknown]>([
    ['params', [big(1)], keeper.readParameters],
    ['params', big(1), keeper.readParameters],
    ['params', [2_000_000, 0, 10, 5_000, 400, 500, 500, 5_000, 5_000, 2_000].map(big), keeper.readParameters],
    ['time', [big(1)], keeper.readTimeMs],
    ['time', Uint8Array.of(0), keeper.readTimeMs],
    ['next', big(2n ** 53n), keeper.readNextSeq],
    ['caps', [[big(1)]], keeper.readCaps],
    ['carried', [[big(4), new Uint8Array(32), []]], keeper.readCarried],
    ['carried', [[big(1), new Uint8Array(32), [[big(3), big(0), new Uint8Array(12)]]]], keeper.readCarried],
    ['after', new Uint8Array(31), keeper.readAfter],
  ])('%s of %j halts the node', (key, items, read) => {
    const state = freshState()
    state.setValue(CLOB_ACCOUNT, utf8ToBytes(key), encodeRlp(items))
    expect(() => read(state)).toThrow(InvariantError)
  })

  it('halts on a value that is no RLP', () => {
    const state = freshState()
    state.setValue(CLOB_ACCOUNT, utf8ToBytes('caps'), Uint8Array.of(0xc2, 1))
    expect(() => keeper.readCaps(state)).toThrow('the list of caps in state is no RLP')
  })
})
