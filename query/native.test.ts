import { describe, expect, it } from 'vitest'
import { CodedError, invariant } from '../core/errors.ts'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import { LatestState } from '../store/latest.ts'
import { handleQuery } from '../modules/handlers.ts'
import type { QueryHandler } from '../modules/module.ts'
import { bankQuery } from '../proto/index.ts'
import { ChainReader } from '../app/index/chain-reader.ts'
import { nativeQuery } from './native.ts'
import type { ChainView } from './chain-view.ts'

const PATH = '/test.Query/Ask'
const UNKNOWN = '/test.Query/Other'

/** A field of length 5, and two bytes. */
const MALFORMED = Uint8Array.of(0x0a, 0x05, 1, 2)

const ask = (query: QueryHandler['query'], path = PATH, request = new Uint8Array(0)): unknown => {
  const store = openMemoryStore()
  const state = new LatestState(store, 1)
  const parameters = { chainId: 'test-1', evmChainId: 1n, initialHeight: 1, hardforks: [] }
  const view = { head: 5, parameters, reader: new ChainReader(store), stateAt: () => state } as unknown as ChainView
  try {
    return nativeQuery(view, new Map([[path === UNKNOWN ? PATH : path, { path, query }]]), path, request, 0).height
  } catch (error) {
    return error instanceof CodedError ? `${error.codespace}/${error.code}` : (error as Error).name
  }
}

describe('a native query', () => {
  it('is answered at the head', () => {
    expect(ask(() => new Uint8Array(0))).toBe(5)
  })

  it('that does not decode is the fault of who asks', () => {
    const { path, query } = handleQuery(bankQuery.Query.method.balance, () => ({}))
    expect(ask(query, path, MALFORMED)).toBe('grpc/3')
  })

  it('whose handler fails is a fault of the node, and not told as one of the request', () => {
    const broken = (): never => {
      invariant(false, 'a record is missing')
    }
    const { path, query } = handleQuery(bankQuery.Query.method.balance, () => {
      throw new TypeError('undefined is no balance')
    })
    expect(ask(broken)).toBe('InvariantError')
    expect(ask(query, path)).toBe('TypeError')
  })

  it('of an unknown path is refused', () => {
    expect(ask(() => new Uint8Array(0), UNKNOWN)).toBe('sdk/6')
  })
})
