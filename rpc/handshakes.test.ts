import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createOwnerFinder } from './connection-shares.ts'
import { Floods } from './floods.ts'
import { Handshakes } from './handshakes.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const from = (remoteAddress: string) => ({ remoteAddress })

test('a client floods that begins many and asks nothing, and one that asks does not', () => {
  const floods = new Floods()
  const handshakes = new Handshakes(floods)
  for (let count = 0; count < 64; count++) handshakes.begin(from('10.0.0.1'))
  for (let count = 0; count < 500; count++) {
    handshakes.begin(from('10.0.0.2'))
    handshakes.asked('10.0.0.2')
  }
  expect([floods.waitMs('10.0.0.1'), floods.waitMs('10.0.0.2')]).toEqual([0, 0])
  handshakes.begin(from('10.0.0.1'))
  expect([floods.waitMs('10.0.0.1'), floods.waitMs('10.0.0.2')]).toEqual([1_000, 0])
})

test('what was begun is forgiven with time', () => {
  const floods = new Floods()
  const handshakes = new Handshakes(floods)
  for (let second = 0; second < 20; second++) {
    for (let count = 0; count < 16; count++) handshakes.begin(from('10.0.0.1'))
    vi.advanceTimersByTime(1_000)
  }
  expect(floods.waitMs('10.0.0.1')).toBe(0)
  for (let count = 0; count < 65; count++) handshakes.begin(from('10.0.0.1'))
  expect(floods.waitMs('10.0.0.1')).toBe(1_000)
})

test('behind a trusted proxy are many clients, and of others ten thousand are remembered', () => {
  const floods = new Floods(createOwnerFinder(['10.0.0.1']))
  const handshakes = new Handshakes(floods, createOwnerFinder(['10.0.0.1']))
  for (let count = 0; count < 100; count++) handshakes.begin(from('10.0.0.1'))
  expect(floods.waitMs('10.0.0.1')).toBe(0)
  for (let count = 0; count < 64; count++) handshakes.begin(from('10.0.0.2'))
  for (let count = 0; count < 10_000; count++) handshakes.begin(from(`10.1.${count >> 8}.${count & 255}`))
  handshakes.begin(from('10.0.0.2'))
  expect(floods.waitMs('10.0.0.2')).toBe(0)
})

test('a client has 256 that have not ended, and others have theirs', () => {
  const handshakes = new Handshakes(new Floods())
  const begun = Array.from({ length: 256 }, () => handshakes.begin(from('10.0.0.1')))
  expect([handshakes.begin(from('10.0.0.1')), typeof handshakes.begin(from('10.0.0.2'))]).toEqual([
    undefined,
    'function',
  ])
  // However often its end is told.
  for (let count = 0; count < 2; count++) begun[0]?.()
  expect([typeof handshakes.begin(from('10.0.0.1')), handshakes.begin(from('10.0.0.1'))]).toEqual([
    'function',
    undefined,
  ])
})

test('a client floods whose requests are refused before all of them has come', () => {
  const floods = new Floods()
  const handshakes = new Handshakes(floods)
  for (let count = 0; count < 65; count++) {
    handshakes.begin(from('10.0.0.1'))
    handshakes.asked('10.0.0.1')
    handshakes.refused('10.0.0.1')
  }
  expect(floods.waitMs('10.0.0.1')).toBe(1_000)
})
