/** What of an order that a client sends reaches the application. */
import { expect, it } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import type { CallContext } from '../method.ts'
import { sendOrder } from './send-order.ts'

const asked: unknown[] = []
const context = {
  ask: (_: string, order: unknown) => {
    asked.push(order)
    return '"0x"'
  },
} as unknown as CallContext

const send = (order: unknown): unknown => {
  asked.length = 0
  void sendOrder.call([order], context, () => '')
  return asked[0]
}

const refused = (order: unknown): boolean => {
  try {
    send(order)
    return false
  } catch (error) {
    if (error instanceof CodedError) return true
    throw error
  }
}

const ACTION = { kind: 'cancelAll', market: 1, side: 'both' }
const MESSAGE = { owner: `0x${'11'.repeat(20)}`, nonceMs: '5', goodTilBlock: 7, actions: [ACTION] }
const SIGNATURE = `0x${'22'.repeat(65)}`
const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

it('is what a wallet signed, and nothing else', () => {
  expect(send({ message: MESSAGE, signature: SIGNATURE })).toEqual({ message: MESSAGE, signature: SIGNATURE })
  expect(send(`0x${'70'.repeat(4_096)}`)).toEqual({ raw: `0x${'70'.repeat(4_096)}` })
  const more = { padding: deep(50_000), __proto__: null, text: 'a'.repeat(1_000_000) }
  const message = { ...MESSAGE, ...more, actions: [{ ...ACTION, ...more }] }
  expect(send({ message, signature: SIGNATURE, ...more })).toEqual({ message: MESSAGE, signature: SIGNATURE })
})

it.each([
  ['data longer than any order', `0x${'70'.repeat(4_097)}`],
  ['a long signature', { message: MESSAGE, signature: `0x${'22'.repeat(1_000)}` }],
  ['an owner that is a list', { message: { ...MESSAGE, owner: deep(50_000) }, signature: SIGNATURE }],
  ['a long member', { message: { ...MESSAGE, nonceMs: '9'.repeat(1_000_000) }, signature: SIGNATURE }],
  [
    'more actions than an order has',
    { message: { ...MESSAGE, actions: Array(51).fill(ACTION) }, signature: SIGNATURE },
  ],
  ['an action that is none', { message: { ...MESSAGE, actions: [null] }, signature: SIGNATURE }],
  ['no actions', { message: { owner: '0x' }, signature: SIGNATURE }],
  ['no object', { message: 5, signature: SIGNATURE }],
])('is refused where it is %s', (_, order) => {
  expect(refused(order)).toBe(true)
})
