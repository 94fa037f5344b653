import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { BlockReference } from '../app/ports.ts'
import { CodedError } from '../core/errors.ts'
import { askerOn } from './asker.ts'
import { keepAnswers } from './kept-answers.ts'
import { createMemoryApplication, exampleHead } from './testing/memory-application.ts'

const KIB = 1024
const LATEST = { tag: 'latest' } as const
const asker = () => askerOn(new EventEmitter(), '192.0.2.1')

const createWorld = () => {
  const source = createMemoryApplication()
  let answered = 0
  source.answers.balance = () => Promise.resolve(`"${++answered}"`)
  source.answers.call = () => Promise.resolve(`"${++answered}"`)
  source.answers.block = () => Promise.resolve(Buffer.alloc(100 * KIB)) as never
  const { application } = keepAnswers(source)
  const balance = async (address: string, head: number, block: BlockReference = LATEST): Promise<string> =>
    await application.ask('balance', { address: address as '0xa', block }, head)
  /** The application tells of a block that it has committed. */
  const tell = (height: number): void => source.announce({ type: 'head', head: exampleHead(height), isNew: true })
  return { source, application, balance, tell }
}

describe('answers that a gateway has already had', () => {
  it('are those of one head, and of one question', async () => {
    const { source, balance, tell } = createWorld()
    tell(7)
    expect([await balance('0xa', 7), await balance('0xa', 7), await balance('0xb', 7)]).toEqual(['"1"', '"1"', '"2"'])
    tell(8)
    expect([await balance('0xa', 8), await balance('0xa', 8)]).toEqual(['"3"', '"3"'])
    // Somebody still asks of the head before.
    expect([await balance('0xa', 7), await balance('0xa', 7)]).toEqual(['"4"', '"5"'])
    expect(await balance('0xa', 8)).toBe('"3"')
    expect(await balance('0xa', 8, { number: 7 })).toBe('"6"')
    expect(source.asked).toHaveLength(6)
  })

  it('are not kept where the next block may be another one, where there is an error, and where a question is long', async () => {
    const { source, application, balance } = createWorld()
    expect([await balance('0xa', 7, { tag: 'pending' }), await balance('0xa', 7, { tag: 'pending' })]).toEqual([
      '"1"',
      '"2"',
    ])
    const call = async (call: object, overrides: object = {}): Promise<string> =>
      await application.ask('call', { call, block: LATEST, ...overrides }, 7)
    expect([await call({ to: '0xa' }), await call({ to: '0xa' })]).toEqual(['"3"', '"3"'])
    const long = { data: `0x${'00'.repeat(1_500)}` }
    const lists = { accessList: [], authorizationList: [] }
    for (const each of [long, lists]) expect(await call(each)).not.toBe(await call(each))
    const overrides = { stateOverrides: {} }
    expect(await call({}, overrides)).not.toBe(await call({}, overrides))
    source.answers.call = () => Promise.reject(new CodedError('query', 1, 'execution reverted'))
    await expect(call({ to: '0xb' })).rejects.toThrow('reverted')
    source.answers.call = () => Promise.resolve('"now"')
    expect(await call({ to: '0xb' })).toBe('"now"')
    source.answers.gasPrice = () => String(source.asked.length)
    expect(await application.ask('gasPrice', {}, 7)).not.toBe(await application.ask('gasPrice', {}, 7))
  })

  it('have a bound, and each client one of its own: what does not fit is asked anew', async () => {
    const { source, application } = createWorld()
    source.answers.code = ({ address }) => `"${address.repeat(1_000)}"`
    const code = async (index: number, client: string): Promise<boolean> => {
      const asked = source.asked.length
      const address = `0x${index.toString(16).padStart(4, '0')}` as const
      await application.ask('code', { address, block: LATEST }, 7, askerOn(new EventEmitter(), client))
      return source.asked.length === asked
    }
    for (let index = 0; index < 1_000; index++) await code(index, 'greedy')
    expect([await code(1, 'other'), await code(999, 'greedy')]).toEqual([true, false])
    // It is kept for all when another one has asked.
    expect([await code(998, 'other'), await code(998, 'greedy')]).toEqual([false, true])
    for (let index = 1_000; index < 5_000; index++) await code(index, `client ${index}`)
    expect([await code(1_001, 'other'), await code(4_999, 'new'), await code(4_999, 'new')]).toEqual([
      true,
      false,
      false,
    ])
    source.answers.code = () => `"${'x'.repeat(9_000)}"`
    expect([await code(5_001, 'long'), await code(5_001, 'long')]).toEqual([false, false])
  })

  it('of decided blocks are kept across heads where they are long, and the newest block is another one at each', async () => {
    const { source, application, tell } = createWorld()
    const block = async (reference: BlockReference, head: number) =>
      await application.askText('block', { block: reference, full: true }, head, asker())
    const first = await block({ number: 5 }, 7)
    expect(await block({ number: 5 }, 9)).toBe(first)
    expect(source.asked).toHaveLength(1)
    await block(LATEST, 9)
    await block(LATEST, 9)
    await block(LATEST, 10)
    expect(source.asked).toHaveLength(3)
    for (const unknown of [{ number: 11 }, { tag: 'pending' }] as const) {
      await block(unknown, 10)
      await block(unknown, 10)
    }
    expect(source.asked).toHaveLength(7)
    // A short one is that of its head: what is not there yet may be there in the next.
    source.answers.block = () => Promise.resolve('null')
    for (const head of [10, 10, 11, 11]) {
      tell(head)
      await block({ hash: '0xa' }, head)
    }
    expect(source.asked).toHaveLength(9)
  })

  it('of a block that was not there yet are not those of who asks as of a later head', async () => {
    const { source, application } = createWorld()
    const answers: ((text: string) => void)[] = []
    source.answers.block = () => new Promise((resolve) => answers.push(resolve))
    const ask = async (head: number) =>
      await application.askText('block', { block: { hash: '0x08' }, full: true }, head, asker())
    const [before, after] = [ask(7), ask(8)]
    answers[0]?.('null')
    expect(await before).toBe('null')
    answers[1]?.('{"number":"0x8"}')
    expect(await after).toBe('{"number":"0x8"}')
  })

  it('are forgotten when the application was away: its chain may have been taken back', async () => {
    const { source, application, balance } = createWorld()
    const block = async () => await application.askText('block', { block: { number: 5 }, full: true }, 7, asker())
    const tell = (height: number, isNew: boolean): void =>
      source.announce({ type: 'head', head: exampleHead(height), isNew })
    await balance('0xa', 7)
    await block()
    source.connected = false
    expect(application.connected).toBe(false)
    source.connected = true
    // It is asked as of the head that is still shown, which the application has not any more.
    expect(await balance('0xb', 7)).toBe('"2"')
    tell(5, false)
    expect(await balance('0xa', 5)).toBe('"3"')
    await block()
    // Whoever has waited since before asks as of that head still.
    expect(await balance('0xc', 7)).toBe('"4"')
    tell(6, true)
    tell(7, true)
    expect([await balance('0xb', 7), await balance('0xa', 7), await balance('0xc', 7)]).toEqual(['"5"', '"6"', '"7"'])
    expect(source.asked).toHaveLength(9)
  })

  it('are not forgotten with a new head, and nobody listens when it is closed', async () => {
    const source = createMemoryApplication()
    const kept = keepAnswers(source)
    source.answers.block = () => Promise.resolve(Buffer.alloc(100 * KIB)) as never
    const block = async () => await kept.application.askText('block', { block: { number: 5 }, full: true }, 7, asker())
    await block()
    source.commit()
    await block()
    expect(source.asked).toHaveLength(1)
    kept.close()
    source.announce({ type: 'head', head: exampleHead(5), isNew: false })
    await block()
    expect(source.asked).toHaveLength(1)
  })
})
