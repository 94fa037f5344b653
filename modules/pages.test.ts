import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { bytesToUtf8, readUint64, uint64ToBytes, utf8ToBytes } from '../core/bytes.ts'
import type { CodedError } from '../core/errors.ts'
import { PageRequestSchema } from '../proto/gen/cosmos/base/query/v1beta1/pagination_pb.ts'
import { takePage } from './pages.ts'

const ITEMS = Array.from({ length: 250 }, (_, index) => index * 3)

const page = (request?: Parameters<typeof create<typeof PageRequestSchema>>[1]) =>
  takePage(
    request === undefined ? undefined : create(PageRequestSchema, request),
    (start) => ITEMS.filter((item) => start === undefined || item >= readUint64(start)),
    (item) => uint64ToBytes(item),
  )

describe('pages', () => {
  it.each([1n, 7n, 100n, 250n, 251n])('of %i follow each other by their keys to the end', (limit) => {
    const all: number[] = []
    let key: Uint8Array = new Uint8Array(0)
    do {
      const { items, pagination } = page({ key, limit })
      expect(items.length).toBeLessThanOrEqual(Number(limit))
      expect(pagination.total).toBe(0n)
      all.push(...items)
      key = pagination.nextKey
    } while (key.length > 0)
    expect(all).toEqual(ITEMS)
  })

  it('begin at an offset', () => {
    const { items, pagination } = page({ offset: 240n, limit: 20n })
    expect(items).toEqual(ITEMS.slice(240))
    expect(pagination.nextKey).toEqual(new Uint8Array(0))
  })

  it('have a hundred items and a total where none is asked for', () => {
    for (const { items, pagination } of [page(), page({})]) {
      expect(items).toEqual(ITEMS.slice(0, 100))
      expect(pagination.total).toBe(250n)
      expect(readUint64(pagination.nextKey)).toBe(ITEMS[100])
    }
    expect(page({ limit: 3n, countTotal: true }).pagination.total).toBe(250n)
    expect(page({ key: uint64ToBytes(300), countTotal: true, limit: 3n }).pagination.total).toBe(0n)
  })

  it('refuse what is wrong', () => {
    const code = (request: Parameters<typeof page>[0]) => {
      try {
        page(request)
      } catch (error) {
        return (error as CodedError).code
      }
      return 0
    }
    expect(code({ offset: 1n, key: Uint8Array.of(1) })).toBe(3)
    expect(code({ offset: 10_001n })).toBe(3)
    expect(code({ offset: 2n ** 64n - 1n })).toBe(3)
  })

  it('of more than there is are all of it', () => {
    for (const limit of [251n, 1_001n, 2n ** 64n - 1n]) {
      expect(page({ limit, countTotal: true })).toMatchObject({ items: ITEMS, pagination: { total: 250n } })
    }
    expect(page({ offset: 1_001n }).items).toEqual([])
  })
})

describe('a long list', () => {
  const length = 10_001
  const long = Array.from({ length }, (_, at) => at)
  const pageOf = (request: Parameters<typeof page>[0], total?: () => number) =>
    takePage(
      create(PageRequestSchema, request),
      (start) => long.slice(start === undefined ? 0 : readUint64(start)),
      (item) => uint64ToBytes(item),
      total,
    )

  it('comes in pages of a thousand, whatever limit is asked for, by keys to its end', () => {
    let key: Uint8Array = new Uint8Array(0)
    const counts: number[] = []
    do {
      const { items, pagination } = pageOf({ key, limit: 2n ** 64n - 1n })
      counts.push(items.length)
      key = pagination.nextKey
    } while (key.length > 0)
    expect(counts).toEqual([...Array.from({ length: 10 }, () => 1_000), 1])
    expect(pageOf({ offset: 9_990n }).items).toHaveLength(11)
  })

  it('is told with its true total, or with none, and never with a smaller one', () => {
    expect(pageOf({}).pagination.total).toBe(0n)
    expect(() => pageOf({ countTotal: true })).toThrow('more than 10000 entries are not counted')
    expect(pageOf({}, () => length).pagination.total).toBe(10_001n)
    expect(pageOf({ limit: 1n, countTotal: true }, () => length).pagination.total).toBe(10_001n)
    expect(pageOf({ limit: 1n }, () => length).pagination.total).toBe(0n)
  })
})

/** Cases of cosmos-sdk types/query/pagination_test.go: 235 balances foo0denom to foo234denom, sorted as texts. */
describe('TestReversePagination of the SDK', () => {
  const balances = Array.from({ length: 235 }, (_, index) => `foo${index}denom`).sort((a, b) => (a < b ? -1 : 1))
  const ask = (request: Parameters<typeof create<typeof PageRequestSchema>>[1]) => {
    const { items, pagination } = takePage(
      create(PageRequestSchema, request),
      (start) => balances.filter((denom) => start === undefined || denom >= bytesToUtf8(start)),
      (denom) => utf8ToBytes(denom),
    )
    return {
      items: [...items],
      key: pagination.nextKey,
      hasNext: pagination.nextKey.length > 0,
      total: pagination.total,
    }
  }

  it.each([
    ['two with a total', { limit: 2n, countTotal: true, reverse: true }, 2, true, 235n],
    ['150 forwards', { limit: 150n }, 150, true, 0n],
    ['the default limit', { limit: 100n, reverse: true }, 100, true, 0n],
    ['an offset', { offset: 100n, limit: 100n, reverse: true }, 100, true, 0n],
    ['the last page', { offset: 200n, limit: 100n, reverse: true }, 35, false, 0n],
    ['more than the default', { limit: 101n, reverse: true }, 101, true, 0n],
    ['an offset beyond all', { offset: 300n, limit: 100n, reverse: true }, 0, false, 0n],
  ])('%s', (_, request, length, hasNext, total) => {
    expect(ask(request)).toMatchObject({ items: { length }, hasNext, total })
  })

  it('with the key of the 151st entry goes down by pages of fifty to the first', () => {
    const { key } = ask({ limit: 150n })
    const first = ask({ key, limit: 50n, reverse: true })
    expect(first.items).toEqual(balances.slice(101, 151).toReversed())
    expect(first).toMatchObject({ hasNext: true, total: 0n })
    const second = ask({ key: first.key, limit: 50n, reverse: true })
    expect(second.items).toEqual(balances.slice(51, 101).toReversed())
    const last = ask({ key: second.key, limit: 100n, reverse: true })
    expect(last.items).toEqual(balances.slice(0, 51).toReversed())
    expect(last).toMatchObject({ hasNext: false, total: 0n })
  })

  it('offset and key together are an error', () => {
    expect(() => ask({ key: utf8ToBytes('foo1denom'), offset: 100n, limit: 100n, reverse: true })).toThrow(
      'invalid request, either offset or key is expected, got both',
    )
  })
})

describe('pages in reverse', () => {
  it.each([1n, 7n, 100n, 250n])('of %i follow each other by their keys to the first', (limit) => {
    const all: number[] = []
    let key: Uint8Array = new Uint8Array(0)
    do {
      const { items, pagination } = page({ key, limit, reverse: true })
      all.push(...items)
      key = pagination.nextKey
    } while (key.length > 0)
    expect(all).toEqual(ITEMS.toReversed())
  })

  it('begin with the last where the key stands behind all, and count no more than a bound', () => {
    expect(page({ key: uint64ToBytes(10_000), limit: 2n, reverse: true }).items).toEqual([747, 744])
    const listing = (count: number) => () =>
      takePage(
        create(PageRequestSchema, { reverse: true }),
        () => Array.from({ length: count }, (_, index) => index),
        (item) => uint64ToBytes(item),
      )
    expect(listing(10_000)().pagination.total).toBe(10_000n)
    expect(listing(10_001)).toThrow('more than 10000 entries cannot be listed in reverse')
  })
})
