/** Deposits from what the votes say to coins. */
import { describe, expect, it } from 'vitest'
import { readDecided, readOpen, readProgress, readRefused } from './keeper/index.ts'
import { MAX_AMOUNT } from './params.ts'
import { OPEN_WINDOW } from './record.ts'
import { ACCOUNT, attest, BLOCKED, DENOM, depositOf, members, World } from './testing/world.ts'

const four = () => new World(members(10n, 10n, 10n, 10n))
const types = (events: readonly { readonly type: string }[]): readonly string[] =>
  events.map(({ type }) => type).filter((type) => type.startsWith('bridge_'))

describe('a deposit', () => {
  it('is credited once, after two thirds of the power and the delay', () => {
    const world = four()
    const event = depositOf(0)
    const said = { bridge: attest(event), bridgeContents: [event] }
    // Two of four are more than a third, and no more than two thirds.
    expect(types(world.block([said, said]))).toEqual([])
    expect(readOpen(world.state, 0)).toMatchObject([{ event: { id: 0 }, isWanted: false }])
    // Those who repeat themselves count once.
    expect(types(world.block([said, said]))).toEqual([])
    expect(types(world.block([undefined, undefined, said]))).toEqual(['bridge_accept'])
    expect(readOpen(world.state, 0)).toEqual([])
    expect(types(world.block())).toEqual([])
    expect(types(world.block())).toEqual(['bridge_credit'])
    expect(world.balance()).toBe(event.amount)
    expect(world.ledger.supply(world.state, DENOM)).toBe(event.amount)
    expect(readDecided(world.state, 0)).toBeUndefined()
    world.accept(event)
    world.blocks(5)
    expect(world.balance()).toBe(event.amount)
    expect(readProgress(world.state)).toMatchObject({ nextId: 1, openId: 1, credited: 1, refused: 0 })
  })

  it('waits for its content, which more than a third makes wanted', () => {
    const world = four()
    const event = depositOf(0)
    const said = { bridge: attest(event) }
    world.block([said, { bridgeContents: [event] }])
    expect(readOpen(world.state, 0)).toMatchObject([{ event: undefined, isWanted: false }])
    world.block([undefined, said, said, said])
    expect(readOpen(world.state, 0)).toMatchObject([{ event: undefined, isWanted: true }])
    // A content of another hash is none of it.
    world.block([{ bridgeContents: [depositOf(0, { amount: 10n ** 20n })] }])
    expect(readDecided(world.state, 0)).toBeUndefined()
    expect(types(world.block([{ bridgeContents: [event] }]))).toEqual(['bridge_accept'])
  })

  it('is credited in the order of ids, at most ten in a block', () => {
    const world = four()
    const events = Array.from({ length: 24 }, (_, id) => depositOf(id))
    world.accept(...events.slice(1))
    world.blocks(5)
    expect(world.balance()).toBe(0n)
    world.accept(depositOf(0))
    expect(types(world.blocks(2))).toHaveLength(10)
    expect(types(world.block())).toHaveLength(10)
    expect(types(world.block())).toHaveLength(4)
    expect(world.balance()).toBe(events.reduce((sum, { amount }) => sum + amount, 0n))
  })

  it.each([
    ['accAddress of no byte', { recipient: new Uint8Array(0) }, 'accAddress has 0 bytes'],
    ['accAddress of 19 bytes', { recipient: new Uint8Array(19) }, 'accAddress has 19 bytes'],
    ['accAddress of 64 bytes', { recipient: new Uint8Array(64) }, 'accAddress has 64 bytes'],
    ['an amount of zero', { amount: 0n }, 'the amount is zero'],
    ['an amount above 2^128', { amount: MAX_AMOUNT + 1n }, 'the amount is above'],
    ['the largest amount', { amount: 2n ** 256n - 1n }, 'the amount is above'],
    ['the account of a module', { recipient: BLOCKED }, 'the account of a module'],
  ])('with %s is refused with its reason, and the next one is credited', (_, changes, reason) => {
    const world = four()
    world.accept(depositOf(0, changes), depositOf(1))
    expect(types(world.blocks(2))).toEqual(['bridge_refuse', 'bridge_credit'])
    expect(readRefused(world.state, 0)?.reason).toContain(reason)
    expect(readProgress(world.state)).toMatchObject({ nextId: 2, credited: 1, refused: 1 })
    expect(world.balance()).toBe(depositOf(1).amount)
    expect(world.balance(BLOCKED)).toBe(0n)
  })

  it('of an id that is skipped holds up those behind it, within the window', () => {
    const world = four()
    world.accept(depositOf(1), depositOf(OPEN_WINDOW - 1), depositOf(OPEN_WINDOW), depositOf(2 ** 32 - 1))
    world.blocks(4)
    expect(readProgress(world.state)).toMatchObject({ nextId: 0, openId: 0 })
    expect(readDecided(world.state, OPEN_WINDOW - 1)).toMatchObject({ kind: 'accepted' })
    expect(readDecided(world.state, OPEN_WINDOW)).toBeUndefined()
    expect(readOpen(world.state, OPEN_WINDOW)).toEqual([])
    expect(world.balance(ACCOUNT)).toBe(0n)
  })

  it('of which a validator tells two stories counts by the first', () => {
    const world = four()
    const [event, other] = [depositOf(0), depositOf(0, { amount: 5n })]
    world.block([{ bridge: attest(event) }])
    const events = world.block([{ bridge: attest(other), bridgeContents: [other] }])
    expect(types(events)).toEqual(['bridge_contradiction'])
    const both = [depositOf(1), depositOf(2)]
    world.block([{ bridge: attest(...both) }])
    const others = both.map((each) => ({ ...each, amount: 5n }))
    expect(types(world.block([{ bridge: attest(...others) }]))).toEqual(['bridge_contradiction'])
    expect(readOpen(world.state, 0)).toHaveLength(1)
    expect(readProgress(world.state).contradictions).toBe(3)
  })

  it('is counted by the powers of the present', () => {
    const world = four()
    const event = depositOf(0)
    const said = { bridge: attest(event), bridgeContents: [event] }
    world.block([said, said])
    // The two who have spoken are the set: it is enough that one of them says it again.
    world.set = members(10n, 10n)
    expect(types(world.block([said]))).toEqual(['bridge_accept'])
    // Those who leave count for nothing.
    const away = new World(members(50n, 10n, 10n, 10n))
    away.block([said, said])
    expect(readDecided(away.state, 0)).toMatchObject({ kind: 'accepted' })
    const left = new World(members(50n, 10n, 10n, 10n))
    left.block([{ bridge: attest(event) }])
    left.set = members(10n, 10n, 10n, 10n).slice(1)
    left.block([said])
    expect(readOpen(left.state, 0)[0]?.validators).toHaveLength(1)
    expect(readDecided(left.state, 0)).toBeUndefined()
  })
})
