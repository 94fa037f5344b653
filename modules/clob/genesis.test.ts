/** The genesis of the module: read as it was exported, and refused or found at fault where it is wrong. */
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { encodeRlp } from '../../core/rlp.ts'
import type { Overlay } from '../../store/overlay.ts'
import { EMPTY_RECORD } from './domain/empty-record.ts'
import * as keeper from './keeper/index.ts'
import { agentsOfKey } from './keys.ts'
import { clobModule } from './module.ts'
import { encodeAction } from './orders/index.ts'
import { fillState, locks, ORDER, PLACE } from './testing/full-state.ts'
import { ALICE, BOB, CAROL, INITIAL_HEIGHT, ledger, makeWorld, refusal } from './testing/world.ts'

type Json = Record<string, unknown>

/** A copy of an export of everything with one member made anew; one of undefined is taken out. */
const withMember = (path: string, change: (held: unknown) => unknown): Json => {
  const world = makeWorld()
  fillState(world.state)
  const file = world.exported() as Json
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce((at, name) => at[name] as Json, file)
  const value = change(parent[last])
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return file
}

/** 25 of the heaviest Places, and one that cannot take. */
const heavyQueue = (held: unknown): unknown => {
  const [first] = held as { action: { place: Json } }[]
  const place = { ...first?.action.place, max_fills: 200 }
  const light = { ...place, tif: 'TIF_POST_ONLY' }
  return Array.from({ length: 26 }, (_, at) => ({ ...first, action: { place: at === 25 ? light : place } }))
}

const crowdOfAgents = (held: unknown): unknown => {
  const [first] = held as { agent: Json }[]
  return Array.from({ length: 17 }, (_, at) => {
    return { ...first, agent: { ...first?.agent, address: encodeBech32(new Uint8Array(20).fill(100 + at)) } }
  })
}

const reversed = (held: unknown): unknown => (held as unknown[]).toReversed()

describe('the genesis of the order book', () => {
  it('is empty but for the cap of the first height where nothing is said', () => {
    for (const genesis of [undefined, {}]) {
      const world = makeWorld({ genesis })
      expect(world.values().map(([key]) => key)).toEqual(['caps'])
      expect(keeper.readCaps(world.state)).toEqual([{ height: INITIAL_HEIGHT, capBytes: 131_072 }])
      expect(world.faults()).toEqual([])
      expect(makeWorld({ genesis: world.exported() }).values()).toEqual(world.values())
    }
  })

  it('has a cap of the first height by the number of validators', () => {
    expect(keeper.readCaps(makeWorld({ validators: 100 }).state)).toEqual([{ height: 5, capBytes: 5_242 }])
    const caps = [{ height: '77', cap_bytes: 3_000 }]
    expect(keeper.readCaps(makeWorld({ genesis: { caps }, validators: 1_000 }).state)).toEqual([
      { height: 5, capBytes: 2_048 },
    ])
  })

  it('is read as it was exported, key by key', () => {
    const world = makeWorld()
    fillState(world.state)
    expect(world.faults()).toEqual([expect.stringContaining('the account holds 0')])
    ledger.escrow(world.state, keeper.CLOB_ACCOUNT, locks())
    expect(world.faults()).toEqual([])
    const file = world.exported()
    const next = makeWorld({ genesis: file })
    expect(next.values()).toEqual(world.values())
    expect(next.exported()).toEqual(file)
    // Each of the keys that the module has.
    expect(new Set(world.values().map(([key]) => /^[a-z]+/.exec(key ?? '')?.[0]))).toEqual(
      new Set([
        'account',
        'after',
        'agent',
        'caps',
        'carried',
        'market',
        'marks',
        'next',
        'nonces',
        'order',
        'owned',
        'params',
        'proposer',
        'queue',
        'record',
        'time',
        'volume',
      ]),
    )
  })

  it.each<readonly [message: string, path: string, change: (held: unknown) => unknown]>([
    ['colour: unknown field', 'colour', () => 1],
    ['params: min_age_ms must be between', 'params.min_age_ms', () => 5_001],
    ['params: cannot decode', 'params.colour', () => 1],
    ['markets[1]: must stand behind', 'markets', reversed],
    ['markets[0]: fees: ', 'markets.0.market.settings.fees', () => []],
    ['markets[0].market: is missing', 'markets.0.market', () => undefined],
    ['markets[0].market.id: must be from 1', 'markets.0.market.id', () => 0],
    ['markets[0].record.book_root: must have 32', 'markets.0.record.book_root', () => ''],
    ['markets[0].record.price_ms: must be', 'markets.0.record.price_ms', () => '-1'],
    ['orders[1]: must stand behind', 'orders', reversed],
    ['orders[0].lots_left: must not be above', 'orders.0.lots_left', () => '51'],
    ['orders[0].lots_left: must be from 1', 'orders.0.lots_left', () => '0'],
    ['orders[0].lots: must not be above', 'orders.0.lots', () => '9007199254740992'],
    ['orders[0].tif: cannot rest', 'orders.0.tif', () => 'TIF_IOC'],
    ['orders[0].side: 0 is no choice', 'orders.0.side', () => 'SIDE_UNSPECIFIED'],
    ['orders[1].trigger_ticks', 'orders.1.trigger_ticks', () => 0],
    ['orders[0]: ', 'orders.0.owner', () => 'nobody'],
    ['accounts[0].account: says nothing', 'accounts.0.account', () => ({})],
    ['agents[0]: the markets', 'agents.0.agent.markets', reversed],
    ['agents[16]: is one of more than 16 agents of its owner', 'agents', crowdOfAgents],
    ['nonces[0].nonces: must not be empty', 'nonces.0.nonces', () => []],
    ['marks[0].marks[0].client_id', 'marks.0.marks.0.client_id', () => 'A'.repeat(24)],
    ['volumes[0].sums: must be 31', 'volumes.0.sums', () => ['1']],
    ['carried[0].age: must be from 1 to 3', 'carried.0.age', () => 4],
    ['carried[1]: must stand behind', 'carried', reversed],
    ['caps[0].cap_bytes', 'caps.0.cap_bytes', () => 131_073],
    ['proposers[0].record.missing', 'proposers.0.record.stops', () => '1'],
    ['after: must have 32 bytes', 'after', () => 'AAAA'],
    ['queue[0].action: is missing', 'queue.0.action', () => undefined],
    ['queue[0]: side is missing', 'queue.0.action.place.side', () => undefined],
    ['queue[1]: an action is empty', 'queue.1.action', () => ({})],
    ['queue: weighs 5001, more than 5000', 'queue', heavyQueue],
  ])('is refused: %s', (message, path, change) => {
    const file = withMember(path, change)
    expect(refusal(() => clobModule.parseGenesis(file, { checkKey: () => undefined }))).toContain(
      `genesis/1 app_state.clob.${message}`,
    )
  })

  it('is refused where nonces or marks stand at heights that no block of the chain forgets', () => {
    const first = INITIAL_HEIGHT
    for (const what of ['nonces', 'marks']) {
      const at = (height: number): string =>
        refusal(() => makeWorld({ genesis: withMember(`${what}.0.height`, () => String(height)) }))
      expect(at(first), what).toContain(`genesis/1 app_state.clob.${what}: height ${first} is not one of the 40 before`)
    }
    const file = withMember('marks.0.marks.0.good_til_block', () => '1000')
    expect(refusal(() => makeWorld({ genesis: file }))).toContain('binds until 1000, more than 40 later')
  })

  it('contradicts itself where its parts do', () => {
    const faultsOf = (change: (state: Overlay) => void): readonly string[] => {
      const { state, faults } = makeWorld()
      fillState(state)
      ledger.escrow(state, keeper.CLOB_ACCOUNT, locks())
      change(state)
      return faults()
    }
    expect(faultsOf(() => undefined)).toEqual([])
    expect(faultsOf((state) => keeper.writeNextSeq(state, 9))[0]).toContain(
      'order 9 of market 1 is open, but 9 is the next',
    )
    expect(faultsOf((state) => keeper.writeRecord(state, 4, { ...EMPTY_RECORD, openOrders: 1 }))[0]).toContain(
      'market 4 has 0 open',
    )
    expect(faultsOf((state) => keeper.writeAccount(state, BOB, keeper.EMPTY_CLOB_ACCOUNT))[0]).toContain(
      '1 owners of open orders',
    )
    expect(
      faultsOf((state) => keeper.writeAccount(state, CAROL, { openOrders: 1, switchMs: 0, floors: [] }))[0],
    ).toContain('has 0 open')
    expect(faultsOf((state) => keeper.writeOrder(state, 3, 1, keeper.encodeOrder(ORDER)))[0]).toContain(
      'in market 3, which',
    )
    expect(faultsOf((state) => state.setValue(keeper.CLOB_ACCOUNT, agentsOfKey(ALICE), undefined))[0]).toContain(
      'is not in the list of its owner',
    )
    const tooMany = encodeRlp([CAROL, new Uint8Array(20).fill(4)])
    expect(faultsOf((state) => state.setValue(keeper.CLOB_ACCOUNT, agentsOfKey(ALICE), tooMany))[0]).toContain(
      'has no agent',
    )
    const coin = (denom: string) => [{ owner: ALICE, denom, amount: 1n }]
    expect(faultsOf((state) => ledger.escrow(state, keeper.CLOB_ACCOUNT, coin('uusd')))[0]).toContain(
      'the account holds',
    )
    expect(faultsOf((state) => ledger.settle(state, keeper.CLOB_ACCOUNT, coin('uusd')))[0]).toContain(
      'the account holds',
    )
    expect(faultsOf((state) => ledger.settle(state, keeper.CLOB_ACCOUNT, coin('anat')))[0]).toContain(
      'the account holds',
    )
    expect(faultsOf((state) => ledger.escrow(state, keeper.CLOB_ACCOUNT, coin('anat')))).toEqual([])
    const entry = { owner: ALICE, subaccount: 0, action: encodeAction(PLACE) }
    expect(
      faultsOf((state) =>
        keeper.writeQueue(
          state,
          Array.from({ length: 251 }, () => entry),
        ),
      )[0],
    ).toBe('the queue weighs 5020, more than 5000')
    expect(faultsOf((state) => keeper.writeQueued(state, { count: 1, weight: 20 }, entry))[0]).toContain(
      'was not put into the queue',
    )
  })
})
