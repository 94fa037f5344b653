/** What a waiting request is due; replies equal to geth's are proved in test/e2e/geth-parity.test.ts. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Hex } from '../core/hex.ts'
import { createHeadTracker, type HeadTracker } from './head.ts'
import { createInclusionWatch, type InclusionWatch, MAX_WAITING, MAX_WAITING_OF_CLIENT } from './inclusion.ts'
import { SILENT_LOG } from './log.ts'
import { createMemoryApplication, exampleHead, type MemoryApplication } from './testing/memory-application.ts'

const LONG_MS = 60_000
const hash = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`

let application: MemoryApplication
let head: HeadTracker
let watch: InclusionWatch
/** What is in blocks, and what the application was asked for. */
let included: Set<Hex>
const asked = (): readonly string[] => application.asked.map(({ name }) => name)

beforeEach(() => {
  application = createMemoryApplication()
  included = new Set()
  application.answers = {
    receipt: (parameters) => (included.has(parameters.hash) ? `{"transactionHash":"${parameters.hash}"}` : 'null'),
    block: () => JSON.stringify({ transactions: [...included] }),
  }
  head = createHeadTracker(application)
  const ask: Parameters<typeof createInclusionWatch>[0]['ask'] = (name, parameters) =>
    application.ask(name, parameters, head.current().head.height)
  watch = createInclusionWatch({ head, ask, log: SILENT_LOG })
  application.commit()
})
afterEach(() => {
  watch.close()
  head.close()
})

const wait = async (number: number, timeoutMs = LONG_MS): Promise<string | undefined> => {
  using place = watch.reserve('client')
  return await place.receiptOf(hash(number), timeoutMs, () => () => undefined)
}

test('a client that has gone leaves its place', async () => {
  let leave = (): void => undefined
  const places = Array.from({ length: MAX_WAITING_OF_CLIENT }, async () => {
    using place = watch.reserve('client')
    return await place.receiptOf(hash(1), LONG_MS, (listener) => {
      const before = leave
      leave = () => {
        before()
        listener()
      }
      return () => undefined
    })
  })
  expect(() => watch.reserve('client')).toThrow('too many requests wait')
  leave()
  expect(new Set(await Promise.all(places))).toEqual(new Set([undefined]))
  watch.reserve('client')[Symbol.dispose]()
})

test('a transaction that is in a block already is answered at once', async () => {
  included.add(hash(1))
  expect(await wait(1)).toContain(hash(1))
})

test('a block is looked through once for all that wait, and not at all when nobody does', async () => {
  application.commit()
  expect(asked()).toEqual([])
  const waiting = [1, 2, 3].map((number) => wait(number))
  await Promise.resolve()
  expect(asked()).toEqual(['receipt', 'receipt', 'receipt'])
  included.add(hash(2))
  application.commit()
  expect(await waiting[1]).toContain(hash(2))
  expect(asked().slice(3)).toEqual(['block', 'receipt'])
  included.add(hash(1)).add(hash(3))
  application.commit()
  expect(await Promise.all(waiting)).toEqual([1, 2, 3].map((number) => expect.stringContaining(hash(number))))
})

test('behind heads that were missed every transaction is asked for', async () => {
  const waiting = wait(1)
  included.add(hash(1))
  application.answers.block = () => 'null'
  application.announce({ type: 'head', head: exampleHead(99), isNew: true })
  expect(await waiting).toContain(hash(1))
  expect(asked()).toEqual(['receipt', 'heads', 'receipt'])
})

test('a block that could not be looked through is made up for with the next head', async () => {
  const waiting = wait(1)
  included.add(hash(1))
  application.answers.block = () => Promise.reject(new TypeError('away'))
  application.commit()
  await new Promise((resolve) => setImmediate(resolve))
  application.commit()
  expect(await waiting).toContain(hash(1))
})

test('a time that runs out, and a gateway that closes, end the wait', async () => {
  expect(await wait(1, 1)).toBeUndefined()
  expect(await wait(1, -5)).toBeUndefined()
  const waiting = wait(2)
  await new Promise((resolve) => setImmediate(resolve))
  watch.close()
  expect(await waiting).toBeUndefined()
})

test('too many of a client are refused, and too many of all, until one of them is done', () => {
  const of = (client: number) => () => watch.reserve(`client ${client}`)
  const refusal = 'too many requests wait for transactions'
  const places = Array.from({ length: MAX_WAITING_OF_CLIENT }, of(0))
  expect(of(0)).toThrow(refusal)
  for (let count = MAX_WAITING_OF_CLIENT; count < MAX_WAITING; count++) {
    of(Math.floor(count / MAX_WAITING_OF_CLIENT))()
  }
  expect(of(9)).toThrow(refusal)
  places[0]?.[Symbol.dispose]()
  expect(of(9)).not.toThrow()
  expect(of(0)).toThrow(refusal)
})
