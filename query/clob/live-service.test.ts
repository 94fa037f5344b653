import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { clobLive } from '../../proto/index.ts'
import { liveAnswer } from './live-service.ts'

const { input, output } = clobLive.Live.method.depth
const PATH = '/nat.clob.v1.Live/Depth'
const request = (levels: number): Uint8Array => toBinary(input, create(input, { market: 1, levels }))
const asked: (readonly number[])[] = []
const depthOf = (market: number, levels: number) => {
  asked.push([market, levels])
  const bids = [{ priceTicks: 4, lots: '10', orders: 2 }]
  return { height: 9, timeMs: 1_000, sequence: 7, blockPriceTicks: 5, bid: null, ask: null, bids, asks: [] }
}

it('the depth of the book has 50 levels of a side unless others are asked for, and 1,000 at most', () => {
  const answer = liveAnswer(depthOf, { path: PATH, request: request(0), height: 0 })
  expect(fromBinary(output, answer)).toMatchObject({ height: 9n, sequence: 7n, bids: [{ priceTicks: 4, lots: '10' }] })
  liveAnswer(depthOf, { path: PATH, request: request(1_000), height: 0 })
  expect(asked).toEqual([
    [1, 50],
    [1, 1_000],
  ])
  expect(() => liveAnswer(depthOf, { path: PATH, request: request(1_001), height: 0 })).toThrow('at most 1000')
  expect(() => liveAnswer(depthOf, { path: PATH, request: request(1), height: 3 })).toThrow('newest block')
  const other = '/nat.clob.v1.Live/Other'
  expect(() => liveAnswer(depthOf, { path: other, request: request(1), height: 0 })).toThrow('unknown method')
  expect(() => liveAnswer(depthOf, { path: PATH, request: Uint8Array.of(0xff), height: 0 })).toThrow(
    'malformed request',
  )
})
