import { describe, expect, it } from 'vitest'
import { writeAgent } from '../keeper/index.ts'
import type { ClobTx } from '../orders/clob-tx.ts'
import { addressOf, buy, cancelSeq, type Sent, World } from './testing/world.ts'

const PLACE = [buy(1, 100)]

const codeOfSent = (world: World, sent: Partial<Sent>): string =>
  world.block({ from: 'alice', actions: PLACE, ...sent })[0]?.[0]?.code ?? 'none'

const fundedWorld = (): World => {
  const world = new World()
  world.fund('alice', { quote: 1_000_000n })
  world.fund('bob', { quote: 1_000_000n })
  return world
}

describe('the checks of a transaction', () => {
  it.each<[string, Partial<ClobTx>]>([
    ['goodTilPassed', { goodTilBlock: 0 }],
    ['ok', { goodTilBlock: 1 }],
    ['ok', { goodTilBlock: 41 }],
    ['goodTilFar', { goodTilBlock: 42 }],
    ['ok', { nonceMs: 1_699_999_940_000 }],
    ['nonceTime', { nonceMs: 1_699_999_939_999 }],
    ['ok', { nonceMs: 1_700_000_060_000 }],
    ['nonceTime', { nonceMs: 1_700_000_060_001 }],
  ])('%s for %o in block 1', (code, changes) => {
    expect(codeOfSent(fundedWorld(), { changes })).toBe(code)
  })

  it('come in order: phase, signature, agent, block, nonce', () => {
    const world = fundedWorld()
    const late = { goodTilBlock: 0, nonceMs: 0 }
    const agent = { agent: addressOf('bot') }
    expect(codeOfSent(world, { changes: { ...late, ...agent }, signer: undefined, listedPhase: 0 })).toBe('phase')
    expect(codeOfSent(world, { changes: { ...late, ...agent }, signer: undefined })).toBe('signature')
    expect(codeOfSent(world, { changes: { ...late, ...agent }, signer: addressOf('alice') })).toBe('signature')
    expect(codeOfSent(world, { changes: { ...late, ...agent } })).toBe('agent')
    expect(codeOfSent(world, { changes: late })).toBe('goodTilPassed')
    expect(codeOfSent(world, { changes: { nonceMs: 0 } })).toBe('nonceTime')
  })

  it('let a nonce of a signer run once, within a block and in the 40 after it', () => {
    const world = fundedWorld()
    const changes = { nonceMs: world.timeMs, goodTilBlock: 41 }
    const codes = world.block(...[1, 2].map(() => ({ from: 'alice', actions: PLACE, changes })))
    expect(codes.map(([each]) => each?.code)).toEqual(['ok', 'nonceUsed'])
    expect(codeOfSent(world, { changes: { ...changes, goodTilBlock: 43 } })).toBe('goodTilFar')
    world.timeMs = changes.nonceMs + 50_000
    for (; world.height < 41; world.timeMs -= 1_000) expect(codeOfSent(world, { changes })).toBe('nonceUsed')
    expect(codeOfSent(world, { changes })).toBe('nonceUsed')
    expect(world.books.isNonceUsed(addressOf('alice'), changes.nonceMs)).toBe(false)
  })

  it('know agents by owner, until their time, for the markets that they were given', () => {
    const world = fundedWorld()
    world.setMarket({ id: 2 })
    const agent = addressOf('bot')
    const changes = { agent }
    writeAgent(world.state, addressOf('alice'), agent, { name: '', expireS: 1_700_000_003, markets: [1] })
    expect(codeOfSent(world, { changes })).toBe('ok')
    expect(codeOfSent(world, { changes, from: 'bob' })).toBe('agent')
    const actions = [buy(1, 100), buy(1, 100, { market: 2 })]
    expect(codeOfSent(world, { changes, actions })).toBe('agent')
    expect(codeOfSent(world, { changes })).toBe('agent')
    const always = { name: '', expireS: 1_800_000_000, markets: [] }
    writeAgent(world.state, addressOf('alice'), agent, always)
    expect(codeOfSent(world, { changes, actions })).toBe('ok')
    expect(codeOfSent(world, { changes, actions: [{ kind: 'scheduleCancel', atMs: 0 }] })).toBe('ok')
    writeAgent(world.state, addressOf('alice'), agent, { ...always, markets: [1, 2] })
    expect(codeOfSent(world, { changes, actions: [{ kind: 'scheduleCancel', atMs: 0 }] })).toBe('agent')
    expect(codeOfSent(world, { changes, actions: [{ kind: 'cancelAll', market: 0, side: undefined }] })).toBe('agent')
    expect(codeOfSent(world, { changes, actions: [{ kind: 'cancelAll', market: 2, side: undefined }] })).toBe('ok')
  })

  it('count the actions of an owner in a block', () => {
    const world = fundedWorld()
    world.setParameters({ maxActions: 3 })
    const actions = [cancelSeq(99), cancelSeq(99)]
    const codes = world.block({ from: 'alice', actions }, { from: 'alice', actions }, { from: 'bob', actions })
    expect(codes.flat().map(({ code }) => code)).toEqual([
      'orderNotFound',
      'orderNotFound',
      'orderNotFound',
      'tooManyActions',
      'orderNotFound',
      'orderNotFound',
    ])
    expect(world.act('alice', cancelSeq(99))[0]?.code).toBe('orderNotFound')
  })

  it('give a code where there is no body, and change nothing', () => {
    const world = fundedWorld()
    const item = { ...world.item({ from: 'alice', actions: PLACE }), body: undefined }
    expect(world.commit([item])).toMatchObject([[{ code: 'notInPlan' }]])
  })
})
