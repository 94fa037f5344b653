import { describe, expect, test } from 'vitest'
import { FEE_COLLECTOR_ADDRESS } from '../core/address.ts'
import { encodeBech32 } from '../core/bech32.ts'
import { Random } from '../test/sim/random.ts'
import { makeEvent, markAll, markSearched } from './events.ts'
import type { Event } from './module.ts'

// Made anew each time: they are marked in place.
const spent = () => makeEvent('coin_spent', { spender: 'alice', amount: '5anat' })
const sender = () => makeEvent('message', { sender: 'alice' })
const named = () => makeEvent('message', { action: '/cosmos.bank.v1beta1.MsgSend', sender: 'alice', module: 'bank' })

/** `type.key=value` of each event that is indexed. */
const indexed = (events: readonly Event[]): readonly (readonly string[])[] =>
  events.map(({ type, attributes }) =>
    attributes.filter(({ index }) => index).map(({ key, value }) => `${type}.${key}=${value}`),
  )

describe('what CometBFT is to index', () => {
  test('has no sums that every transaction moves, and no numbers of messages', () => {
    const delegate = makeEvent('delegate', { validator: 'val', amount: '5anat', msg_index: '0' })
    expect(indexed(markSearched([delegate]))).toEqual([['delegate.validator=val', 'delegate.amount=5anat']])
    const event = makeEvent('tx', { fee: '1anat', fee_payer: 'alice', msg_index: '0' })
    expect(indexed(markSearched([event, spent()]))).toEqual([['tx.fee_payer=alice'], ['coin_spent.spender=alice']])
  })

  test('has an event once', () => {
    const other = makeEvent('coin_spent', { spender: 'alice', amount: '7anat' })
    const bob = makeEvent('coin_spent', { spender: 'bob', amount: '7anat' })
    expect(indexed(markSearched([spent(), other, bob, spent()]))).toEqual([
      ['coin_spent.spender=alice'],
      [],
      ['coin_spent.spender=bob'],
      [],
    ])
  })

  test('keeps together what a search may join, and leaves out what it says already', () => {
    const action = ['message.action=/cosmos.bank.v1beta1.MsgSend', 'message.sender=alice', 'message.module=bank']
    expect(indexed(markSearched([sender(), named(), sender()]))).toEqual([[], action, []])
    const toCarol = makeEvent('transfer', { recipient: 'carol', sender: 'alice', amount: '1anat' })
    const toBob = makeEvent('transfer', { recipient: 'bob', sender: 'alice', amount: '1anat' })
    expect(indexed(markSearched([toCarol, toBob]))).toEqual([
      ['transfer.recipient=carol', 'transfer.sender=alice'],
      ['transfer.recipient=bob', 'transfer.sender=alice'],
    ])
    expect(indexed(markSearched([sender()]))).toEqual([['message.sender=alice']])
  })

  test('has no payments of fees but who made them', () => {
    const recipient = encodeBech32(FEE_COLLECTOR_ADDRESS)
    const fees = makeEvent('transfer', { recipient, sender: 'alice', amount: '1anat' })
    const toBob = makeEvent('transfer', { recipient: 'bob', sender: 'alice', amount: '1anat' })
    const received = makeEvent('coin_received', { receiver: recipient, amount: '1anat' })
    expect(indexed(markSearched([received, fees]))).toEqual([[], ['transfer.sender=alice']])
    expect(indexed(markSearched([fees, toBob]))).toEqual([[], ['transfer.recipient=bob', 'transfer.sender=alice']])
  })

  test('leaves out what its module leaves out', () => {
    const event = { type: 'ethereum_tx', attributes: [{ key: 'txIndex', value: '0', index: false }] }
    expect(indexed(markSearched([event]))).toEqual([[]])
  })

  test('is what a plain reading of the rule says, for random events', () => {
    const unsearched = ['coin_spent.amount', 'coin_received.amount', 'transfer.amount', 'tx.fee']
    const collector = encodeBech32(FEE_COLLECTOR_ADDRESS)
    const plainTerms = ({ type, attributes }: Event): readonly string[] =>
      attributes
        .filter(
          ({ key, value, index }) =>
            index && key !== 'msg_index' && value !== collector && !unsearched.includes(`${type}.${key}`),
        )
        .map(({ key, value }) => `${type}.${key}=${value}`)
    const plain = (events: readonly Event[]): readonly (readonly string[])[] => {
      const told = new Set(
        events
          .map(plainTerms)
          .filter((terms) => terms.length > 1)
          .flat(),
      )
      return events.map((event) => {
        const terms = plainTerms(event)
        const name = terms.join(' ')
        if (told.has(name)) return []
        told.add(name)
        return terms
      })
    }
    const random = new Random(26)
    for (let round = 0; round < 3_000; round++) {
      const events = Array.from({ length: random.below(random.below(10) === 0 ? 60 : 9) }, (): Event => {
        const keys = random.pick([
          ['sender'],
          ['recipient', 'sender', 'amount'],
          ['fee', 'sender'],
          ['msg_index'],
          ['sender', 'sender'],
        ])
        return {
          type: random.pick(['transfer', 'tx', 'message']),
          attributes: keys.map((key) => ({
            key,
            value: random.pick(['alice', 'bob', 'carol', collector]),
            index: random.below(10) > 0,
          })),
        }
      })
      const expected = plain(events)
      expect(indexed(markSearched(events))).toEqual(expected)
      expect(indexed(markSearched(events)), 'once more').toEqual(expected)
    }
  })

  test('changes nothing else', () => {
    const events = () => [sender(), spent(), named(), sender()]
    expect(markAll(markSearched(events()))).toEqual(events())
  })
})
