import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { readUint64, uint64ToBytes } from '../core/bytes.ts'
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
    expect(code({ limit: 1_001n })).toBe(3)
    expect(code({ offset: 1_001n })).toBe(3)
    expect(code({ limit: 2n ** 64n - 1n })).toBe(3)
    expect(code({ reverse: true })).toBe(12)
  })
})
