/** Ranges of logs that cannot be answered, in the order of geth 1.16's FilterAPI.GetLogs. */
import { describe, expect, it } from 'vitest'
import { writeBaseHeight } from '../store/base-height.ts'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import { ChainReader } from '../app/index/chain-reader.ts'
import type { BlockReference, BlockTag } from '../app/ports.ts'
import { APPLICATION_DEFAULTS } from '../app/settings.ts'
import { logs } from './logs.ts'
import type { ChainView } from './chain-view.ts'

const HEAD = 20
const BASE = 10

const viewOf = (): ChainView => {
  const store = openMemoryStore()
  const batch = store.batch()
  writeBaseHeight(batch, BASE)
  store.write(batch, { sync: true })
  const parameters = { initialHeight: 1 } as ChainView['parameters']
  return { head: HEAD, reader: new ChainReader(store), parameters, settings: APPLICATION_DEFAULTS } as ChainView
}

const bound = (text: number | BlockTag): BlockReference => (typeof text === 'number' ? { number: text } : { tag: text })

const ask = (from: number | BlockTag, to: number | BlockTag): unknown => {
  try {
    return logs(viewOf(), { addresses: [], topics: [], fromBlock: bound(from), toBlock: bound(to) })
  } catch (error) {
    return (error as Error).message
  }
}

const REVERSED = 'invalid block range params'
const PRUNED = 'pruned history unavailable'
const PENDING = 'pending logs are not supported'

describe('a range of logs', () => {
  it.each([
    [5, 3, REVERSED],
    [5, 'pending', PRUNED],
    [5, 0, PRUNED],
    [0, 'latest', PRUNED],
    [5, HEAD + 1, PRUNED],
    [BASE, 'pending', PENDING],
    ['pending', 3, PENDING],
    [BASE, HEAD + 1, REVERSED],
    [HEAD + 1, 'latest', REVERSED],
    ['latest', HEAD, []],
    ['earliest', 0, []],
    ['earliest', 'latest', []],
    ['finalized', 'earliest', []],
  ] as const)('from %s to %s gives %s', (from, to, expected) => {
    expect(ask(from, to)).toEqual(expected)
  })
})
