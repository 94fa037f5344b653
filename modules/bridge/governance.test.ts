/** What governance decides of the bridge, what queries tell, and the genesis. */
import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToHex } from '../../core/hex.ts'
import { bridge, bridgeQuery, bridgeTx } from '../../proto/index.ts'
import type { Event } from '../module.ts'
import { ask, dump, refusal, runMessage } from '../slashing/testing/world.ts'
import { formatConsensusAddress } from '../validator-addresses.ts'
import { BRIDGE_ADDRESS } from './keys.ts'
import { readDecided, readOpen, readProgress } from './keeper/index.ts'
import { MAX_REFUSED, MAX_WAITING, OPEN_WINDOW } from './record.ts'
import {
  ACCOUNT,
  attest,
  DENOM,
  depositOf,
  GENESIS,
  GOVERNANCE,
  hashOf,
  memberOf,
  members,
  World,
} from './testing/world.ts'
import { printDeposit } from './wire.ts'

const { EventState } = bridge
const { method } = bridgeQuery.Query
const OTHER = { chainId: 1n, contract: `0x${'d1'.repeat(20)}` }
const four = () => new World(members(10n, 10n, 10n, 10n))

const send = <Message extends DescMessage>(
  world: World,
  type: Message,
  message: MessageInitShape<Message>,
): readonly Event[] => runMessage(world.module, world.state, world.height, type, message)

const complete = (world: World, id: number, changes = {}): readonly Event[] =>
  send(world, bridgeTx.MsgCompleteEventSchema, {
    authority: GOVERNANCE,
    deposit: { ...printDeposit(depositOf(id)), ...changes },
  })
const reject = (world: World, id: number, reason = 'never deposited'): readonly Event[] =>
  send(world, bridgeTx.MsgRejectEventSchema, { authority: GOVERNANCE, id, reason })
const pause = (world: World, paused: boolean): readonly Event[] =>
  send(world, bridgeTx.MsgSetPausedSchema, { authority: GOVERNANCE, paused })
const codeOf = (call: () => unknown): string => refusal(call).slice(0, 2).join('/')
const eventOf = (world: World, id: number) => ask(world.module, world.state, world.height, method.event, { id }).event
const stored = ({ state }: World) => dump(state, BRIDGE_ADDRESS)
const progressOf = (world: World) => ask(world.module, world.state, world.height, method.nextId, {})

describe('governance', () => {
  it('completes a stuck event without a delay, and those behind it go on', () => {
    const world = four()
    world.accept(depositOf(1))
    world.blocks(4)
    expect(progressOf(world)).toMatchObject({ nextId: 0, openId: 0, waitsFor: 'acknowledgements' })
    complete(world, 0)
    expect(readProgress(world.state).openId).toBe(2)
    world.block()
    expect(world.balance()).toBe(depositOf(0).amount + depositOf(1).amount)
    expect(codeOf(() => complete(world, 0))).toBe('bridge/4')
    expect(codeOf(() => complete(world, 2 + OPEN_WINDOW))).toBe('bridge/5')
  })

  it('lets an accepted event go without its delay, and not as another one', () => {
    const world = new World(members(10n), { params: { ...GENESIS.params, delay_blocks: 1_000 } })
    world.accept(depositOf(0))
    world.blocks(3)
    expect(world.balance()).toBe(0n)
    expect(codeOf(() => complete(world, 0, { amount: '1' }))).toBe('bridge/6')
    complete(world, 0)
    world.block()
    expect(world.balance()).toBe(depositOf(0).amount)
  })

  it('rejects an open event, and one that was accepted', () => {
    const world = four()
    world.accept(depositOf(1))
    reject(world, 0)
    reject(world, 1)
    expect(eventOf(world, 1)).toMatchObject({ state: EventState.REJECTED, reason: 'governance: never deposited' })
    world.blocks(3)
    expect(world.balance()).toBe(0n)
    expect(eventOf(world, 1)).toMatchObject({ state: EventState.REFUSED, reason: 'governance: never deposited' })
    expect(readProgress(world.state)).toMatchObject({ nextId: 2, refused: 2 })
    // What is acknowledged later is of no use any more.
    world.accept(depositOf(0), depositOf(1))
    world.blocks(4)
    expect(world.balance()).toBe(0n)
    expect(codeOf(() => reject(world, 0))).toBe('bridge/4')
    expect(codeOf(() => reject(world, 2, ''))).toBe('bridge/7')
    expect(codeOf(() => reject(world, 2, 'x'.repeat(201)))).toBe('bridge/7')
  })

  it('pauses acknowledgements and credits', () => {
    const world = four()
    world.accept(depositOf(0))
    pause(world, true)
    expect(progressOf(world).waitsFor).toBe('the bridge is paused')
    world.accept(depositOf(1))
    world.blocks(5)
    expect(world.balance()).toBe(0n)
    expect(readOpen(world.state, 1)).toEqual([])
    pause(world, false)
    world.block()
    expect(world.balance()).toBe(depositOf(0).amount)
  })

  it('changes the contract: ids begin anew, and nothing of the former one is credited twice', () => {
    const world = four()
    world.accept(depositOf(0), depositOf(1, { amount: 0n }))
    world.blocks(3)
    world.accept(depositOf(2))
    const before = world.balance()
    world.block([{ bridge: attest(depositOf(3)) }])
    world.updateParams({ ...OTHER })
    world.check()
    expect(readProgress(world.state)).toMatchObject({ nextId: 0, openId: 0, credited: 0, refused: 0 })
    expect([readDecided(world.state, 2), readOpen(world.state, 3)]).toEqual([undefined, []])
    // Hashes of the former contract are of no event of the other one.
    world.accept(depositOf(0))
    world.blocks(4)
    expect(world.balance()).toBe(before)
    const again = world.updateParams({})
    expect(again.map(({ type, attributes }) => [type, attributes[1]?.value])).toEqual([['bridge_contract', '2']])
    world.accept(depositOf(0), depositOf(1), depositOf(2))
    world.blocks(4)
    expect(world.balance()).toBe(before + depositOf(2).amount)
    expect(readProgress(world.state)).toMatchObject({ nextId: 3, credited: 2, refused: 1 })
    expect(world.export()).toMatchObject({ former: [] })
  })

  it('has what would pass the mint limit wait until it is raised', () => {
    const world = four()
    world.updateParams({ mintLimit: '1500' })
    world.accept(depositOf(0), depositOf(1))
    world.blocks(5)
    expect(world.balance()).toBe(1_000n)
    expect(progressOf(world)).toMatchObject({ nextId: 1, minted: '1000' })
    expect(progressOf(world).waitsFor).toContain('the mint limit')
    world.updateParams({ mintLimit: '2001' })
    world.block()
    expect(world.balance()).toBe(2_001n)
  })

  it.each([
    ['a contract of 19 bytes', { contract: `0x${'11'.repeat(19)}` }, 'bridge/1'],
    ['a contract that is no hexadecimal', { contract: 'here' }, 'bridge/1'],
    ['the zero address', { contract: `0x${'00'.repeat(20)}` }, 'bridge/1'],
    ['a contract of no chain', { chainId: 0n }, 'bridge/1'],
    ['a chain without a contract', { contract: '' }, 'bridge/1'],
    ['a denomination of somebody else', { denom: 'ibc/1234' }, 'bridge/1'],
    ['no denomination', { denom: '' }, 'bridge/1'],
    ['no credits', { maxCreditsPerBlock: 0 }, 'bridge/1'],
    ['eleven credits', { maxCreditsPerBlock: 11 }, 'bridge/1'],
    ['an endless delay', { delayBlocks: 2n ** 64n - 1n }, 'bridge/1'],
    ['an endless time', { delaySeconds: 100_000_001n }, 'bridge/1'],
    ['a limit above 2^128', { mintLimit: (2n ** 128n + 1n).toString() }, 'bridge/1'],
    ['a limit below zero', { mintLimit: '-1' }, 'bridge/1'],
    ['a limit that is none', { mintLimit: '' }, 'bridge/1'],
  ])('cannot set %s', (_, changes, code) => {
    const world = four()
    const before = stored(world)
    expect(codeOf(() => world.updateParams(changes))).toBe(code)
    expect(stored(world)).toEqual(before)
  })

  it('cannot bridge a denomination that has another supply', () => {
    const world = four()
    world.ledger.mint({ state: world.state, emit: () => undefined }, ACCOUNT, [{ denom: 'bridge/other', amount: 1n }])
    expect(codeOf(() => world.updateParams({ denom: 'bridge/other' }))).toBe('bridge/9')
    world.updateParams({ denom: 'anat' })
    world.accept(depositOf(0))
    world.blocks(2)
    expect(world.balance(ACCOUNT, 'anat')).toBe(1_000n)
  })

  it('alone may decide, and withdrawals are closed without a limit', () => {
    const world = four()
    const authority = encodeBech32(ACCOUNT)
    const deposit = printDeposit(depositOf(0))
    const params = { denom: 'anat' }
    const refusals = [
      () => send(world, bridgeTx.MsgUpdateParamsSchema, { authority, params }),
      () => send(world, bridgeTx.MsgSetPausedSchema, { authority, paused: true }),
      () => send(world, bridgeTx.MsgCompleteEventSchema, { authority, deposit }),
      () => send(world, bridgeTx.MsgRejectEventSchema, { authority, id: 0, reason: 'x' }),
    ]
    expect(refusals.map(codeOf)).toEqual(['sdk/4', 'sdk/4', 'sdk/4', 'sdk/4'])
    const withdraw = { sender: authority, recipient: OTHER.contract, amount: { denom: DENOM, amount: '1' } }
    expect(refusal(() => send(world, bridgeTx.MsgWithdrawSchema, withdraw))).toEqual([
      'bridge',
      8,
      'withdrawals over the bridge are closed',
    ])
    const bad = [
      { amount: (2n ** 256n).toString() },
      { amount: '1.5' },
      { from: '0x01' },
      { recipient: `0x${'00'.repeat(65)}` },
      { dataHash: '0x' },
    ]
    expect(bad.map((changes) => codeOf(() => complete(world, 0, changes)))).toEqual(bad.map(() => 'bridge/2'))
    world.updateParams({ contract: '', chainId: 0n })
    expect([codeOf(() => complete(world, 0)), codeOf(() => reject(world, 0))]).toEqual(['bridge/3', 'bridge/3'])
  })
})

describe('queries', () => {
  it('tell where an event is, who has acknowledged it, and when it is due', () => {
    const world = four()
    expect(codeOf(() => eventOf(world, 0))).toBe('grpc/5')
    const [event, other] = [depositOf(0), depositOf(0, { amount: 1n })]
    world.block([{ bridge: attest(event) }, { bridge: attest(event) }, { bridge: attest(other) }])
    const [first, second, third] = [0, 1, 2].map((index) => formatConsensusAddress(memberOf(index).address))
    expect(eventOf(world, 0)).toMatchObject({
      state: EventState.OPEN,
      candidates: [
        { hash: bytesToHex(hashOf(event)), power: 20n, validators: [first, second] },
        { hash: bytesToHex(hashOf(other)), power: 10n, validators: [third] },
      ],
    })
    const acknowledgements = (validatorAddress = '') =>
      ask(world.module, world.state, world.height, method.acknowledgements, { validatorAddress })
    expect(acknowledgements(third)).toMatchObject({
      acknowledgements: [{ id: 0, hash: bytesToHex(hashOf(other)) }],
      power: 10n,
    })
    expect(acknowledgements(formatConsensusAddress(ACCOUNT))).toMatchObject({ acknowledgements: [], power: 0n })
    expect(codeOf(() => acknowledgements('natvalcons1nonsense'))).toBe('grpc/3')
    world.block([{ bridgeContents: [event] }, {}, {}, { bridge: attest(event) }])
    expect(eventOf(world, 0)).toMatchObject({
      state: EventState.ACCEPTED,
      deposit: { amount: '1000', recipient: bytesToHex(ACCOUNT) },
      hash: bytesToHex(hashOf(event)),
      acceptedHeight: 2n,
      dueHeight: 4n,
      dueSeconds: 2n,
    })
    world.blocks(2)
    expect(eventOf(world, 0)).toMatchObject({ state: EventState.CREDITED })
  })

  it('list what waits and what was refused, in pages', () => {
    const world = four()
    world.accept(...[0, 1].map((id) => depositOf(id, { amount: 0n })))
    world.blocks(2)
    world.accept(depositOf(3), depositOf(6))
    world.block([{ bridge: attest(depositOf(2), depositOf(4), depositOf(9)) }])
    const list = (limit: bigint, key?: Uint8Array) =>
      ask(world.module, world.state, world.height, method.events, {
        pagination: { limit, ...(key === undefined ? {} : { key }) },
      })
    const first = list(2n)
    const rest = list(10n, first.pagination?.nextKey)
    expect([...first.events, ...rest.events].map(({ id, state }) => [id, state])).toEqual([
      [2, EventState.OPEN],
      [3, EventState.ACCEPTED],
      [4, EventState.OPEN],
      [6, EventState.ACCEPTED],
      [9, EventState.OPEN],
    ])
    const refused = ask(world.module, world.state, world.height, method.refusedEvents, {})
    expect(refused.events.map(({ id, reason }) => [id, reason])).toEqual([
      [0, 'the amount is zero'],
      [1, 'the amount is zero'],
    ])
    expect(ask(world.module, world.state, world.height, method.params, {}).params).toMatchObject({ denom: DENOM })
    expect(codeOf(() => list(10n, Uint8Array.of(1)))).toBe('grpc/3')
  })

  it('remember the last refused events alone', () => {
    const world = four()
    const count = MAX_REFUSED + 5
    for (let id = 0; id < count; id += 10) {
      world.accept(...Array.from({ length: 10 }, (_, index) => depositOf(id + index, { amount: 0n })))
    }
    world.blocks(4)
    expect(readProgress(world.state).remembered).toBe(MAX_REFUSED)
    expect(eventOf(world, 0)).toMatchObject({ state: EventState.SETTLED })
    expect(eventOf(world, count - 1)).toMatchObject({ state: EventState.REFUSED })
  })
})

describe('the genesis', () => {
  it('is the inverse of an export', () => {
    const world = four()
    world.accept(depositOf(0), depositOf(1, { amount: 0n }), depositOf(2))
    world.blocks(2)
    world.updateParams({ ...OTHER })
    const of = (id: number) => hashOf(depositOf(id), { chainId: OTHER.chainId, address: new Uint8Array(20).fill(0xd1) })
    const said = [3, 0, 2].map((id) => ({ id, hash: of(id) }))
    world.block([{ bridge: said }, { bridge: said, bridgeContents: [depositOf(3)] }, { bridge: said }])
    world.block([{}, {}, { bridgeContents: [depositOf(0)] }])
    reject(world, 1)
    const exported = world.export()
    expect(exported).toMatchObject({
      open: [{ id: 2, candidates: [{ wanted: true }] }],
      decided: [{ id: 0 }, { id: 1 }, { id: 3 }],
      former: [{ credited: 2, refused: 1 }],
      minted: [{ denom: DENOM, amount: '2002' }],
    })
    const again = new World(world.set, exported, world.height)
    expect(again.export()).toEqual(exported)
    expect(stored(again)).toEqual(stored(world))
    again.ledger.mint({ state: again.state, emit: () => undefined }, ACCOUNT, [{ denom: DENOM, amount: 2_002n }])
    again.check()
  })

  it('leaves nothing in state where nothing is said', () => {
    expect(stored(new World([], {}))).toEqual([])
  })

  const deposit = {
    amount: '1',
    from: `0x${'01'.repeat(20)}`,
    recipient: '0x',
    data_hash: `0x${'01'.repeat(32)}`,
    external_height: '1',
  }
  const validators = [formatConsensusAddress(ACCOUNT)]
  const hash = `0x${'01'.repeat(32)}`
  it.each([
    ['an unknown member', { other: 1 }, 'app_state.bridge.other'],
    ['a wrong parameter', { params: { mint_limit: 'x' } }, 'app_state.bridge.params'],
    ['a paused that is no boolean', { params: { paused: 1 } }, 'app_state.bridge.params.paused'],
    ['an event twice', { decided: [0, 0].map((id) => ({ id, reason: 'x' })) }, 'an event stands in it twice'],
    ['an event that had its turn', { progress: { credited: 3 }, decided: [{ id: 2, reason: 'x' }] }, 'from 3 on'],
    ['an event beyond the window', { decided: [{ id: MAX_WAITING + OPEN_WINDOW, reason: 'x' }] }, 'window'],
    ['a refused event to come', { progress: { refused: 1 }, refused: [{ id: 1, reason: 'x' }] }, 'had their turn'],
    ['an id of five bytes', { decided: [{ id: 2 ** 32, reason: 'x' }] }, 'app_state.bridge.decided[0].id'],
    ['a deposit that is none', { decided: [{ id: 0, deposit: { ...deposit, from: '0x01' } }] }, 'deposit'],
    ['a hash of 31 bytes', { open: [{ id: 0, candidates: [{ hash: '0x01', validators }] }] }, 'candidates[0].hash'],
    ['a hash of nobody', { open: [{ id: 0, candidates: [{ hash, validators: [] }] }] }, 'candidates[0].validators'],
    [
      'a key of two validators',
      {
        keys: [ACCOUNT, new Uint8Array(20).fill(9)].map((validator) => ({
          validator: formatConsensusAddress(validator),
          address: `0x${'07'.repeat(20)}`,
        })),
      },
      'app_state.bridge.keys[1]: has the address 0x0707',
    ],
    [
      'a validator twice',
      { open: [{ id: 0, candidates: [{ hash, validators: [...validators, ...validators] }] }] },
      'twice',
    ],
  ])('is refused with %s', (_, genesis, member) => {
    const [codespace, , message] = refusal(() => new World([], genesis))
    expect([codespace, message]).toEqual(['genesis', expect.stringContaining(member)])
  })
})
