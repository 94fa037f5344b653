/** The frames between node and daemon: all that fits comes through as it was, in pieces of any size, and all else is refused. */
import { describe, expect, it } from 'vitest'
import type { BridgeEvent } from '../../core/bridge-event.ts'
import { concatBytes, uint32ToBytes, utf8ToBytes } from '../../core/bytes.ts'
import {
  EVENTS_A_FRAME,
  FrameReader,
  MAX_FRAME_BYTES,
  PROTOCOL_VERSION,
  readFromDaemon,
  readToDaemon,
  writeFromDaemon,
  writeToDaemon,
} from './protocol.ts'

const contract = { chainId: 2n ** 64n - 1n, address: new Uint8Array(20).fill(0xff) }
const largest = (id: number): BridgeEvent => ({
  id,
  amount: 2n ** 256n - 1n,
  from: new Uint8Array(20).fill(0xff),
  recipient: new Uint8Array(64).fill(0xff),
  dataHash: new Uint8Array(32).fill(0xff),
  externalHeight: 2n ** 53n - 1n,
})
const events = {
  type: 'events',
  contract,
  isFirst: true,
  events: Array.from({ length: EVENTS_A_FRAME }, (_, index) => largest(0xffff_ffff - EVENTS_A_FRAME + index)),
} as const
const health = { type: 'health', error: 'x', warnings: ['y'], finalized: 1, scanned: undefined, memory: 7 } as const
const follow = {
  type: 'follow',
  version: PROTOCOL_VERSION,
  endpoints: ['http://a/'],
  contract: undefined,
  nextId: 2 ** 32,
} as const

describe('a frame', () => {
  it('of the largest events fits', () => {
    expect(writeFromDaemon(events).length).toBeLessThan(MAX_FRAME_BYTES)
  })

  it.each([1, 3, 4_096, 1_000_000])('comes through in pieces of %i bytes', (size) => {
    const bytes = concatBytes(writeFromDaemon(health), writeFromDaemon(events), writeFromDaemon(health))
    const reader = new FrameReader()
    const heard: unknown[] = []
    // A frame in pieces of a byte each is what a slow test would be made of: the ends of it are enough.
    const part = size === 1 ? writeFromDaemon(health) : bytes
    for (let at = 0; at < part.length; at += size) heard.push(...reader.push(part.subarray(at, at + size)))
    const expected = { ...health, scanned: undefined }
    expect(heard.map(readFromDaemon)).toEqual(size === 1 ? [expected] : [expected, events, expected])
  })

  it('to the daemon comes through', () => {
    for (const message of [follow, { ...follow, contract }]) {
      expect(new FrameReader().push(writeToDaemon(message)).map(readToDaemon)).toEqual([message])
    }
  })

  it('has long texts cut', () => {
    const long = { ...health, error: 'e'.repeat(9_000), warnings: Array.from({ length: 99 }, () => 'w'.repeat(9_000)) }
    const [read] = new FrameReader().push(writeFromDaemon(long)).map(readFromDaemon)
    expect(read).toMatchObject({ error: 'e'.repeat(1_000) })
  })

  it.each<readonly [string, Uint8Array]>([
    ['too long', uint32ToBytes(MAX_FRAME_BYTES + 1)],
    ['no JSON', concatBytes(uint32ToBytes(1), utf8ToBytes('{'))],
    ['no UTF-8', concatBytes(uint32ToBytes(1), Uint8Array.of(0xff))],
  ])('that is %s is refused', (_, bytes) => {
    expect(() => new FrameReader().push(bytes)).toThrow(/a frame/)
  })
})

const json = (message: Parameters<typeof writeFromDaemon>[0]): Record<string, unknown> =>
  new FrameReader().push(writeFromDaemon(message))[0] as Record<string, unknown>

describe('a message', () => {
  const [event] = json(events)['events'] as Record<string, unknown>[]

  it.each<readonly [string, unknown]>([
    ['is no object', 7],
    ['is null', null],
    ['has an unknown type', { type: 'follow' }],
    ['has too many events', { ...json(events), events: Array.from({ length: EVENTS_A_FRAME + 1 }, () => event) }],
    ['has an id above its bound', { ...json(events), events: [{ ...event, id: 2 ** 32 }] }],
    ['has a negative amount', { ...json(events), events: [{ ...event, amount: '-1' }] }],
    ['has an amount of 257 bits', { ...json(events), events: [{ ...event, amount: `${2n ** 256n}` }] }],
    ['has a sender of 19 bytes', { ...json(events), events: [{ ...event, from: `0x${'00'.repeat(19)}` }] }],
    ['has a long recipient', { ...json(events), events: [{ ...event, recipient: `0x${'00'.repeat(65)}` }] }],
    ['has no contract', { ...json(events), contract: undefined }],
    ['has a long error', { ...json(health), error: 'e'.repeat(1_001) }],
    ['has a height of no number', { ...json(health), finalized: '1' }],
  ])('that %s is refused', (_, message) => {
    expect(() => readFromDaemon(message)).toThrow(/a frame has a wrong/)
  })

  it('of another version is refused', () => {
    expect(() => readToDaemon({ ...follow, version: 2 })).toThrow('the node speaks version 2')
  })
})
