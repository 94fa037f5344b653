import { describe, expect, it } from 'vitest'
import { bankQuery } from '../proto/index.ts'
import { LatestState } from '../store/latest.ts'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import { handleQuery } from './handlers.ts'
import { GRPC } from '../core/grpc-status.ts'

const CONTEXT = { state: new LatestState(openMemoryStore(), 1), height: 1, chainId: 'test-1' }

describe('a query', () => {
  it.each([
    ['a field that is longer than what follows', [0x0a, 0x05, 1, 2]],
    ['a text that is no UTF-8', [0x0a, 0x01, 0xff]],
    ['a tag without a field', [0x00]],
  ])('with %s is refused as malformed', (_, bytes) => {
    const { query } = handleQuery(bankQuery.Query.method.balance, () => ({}))
    expect(() => query(CONTEXT, Uint8Array.from(bytes))).toThrow(
      expect.objectContaining({
        codespace: 'grpc',
        code: GRPC.invalidArgument,
        message: expect.stringMatching(/^malformed request: ./),
      }),
    )
  })

  it('whose handler fails is not told as malformed', () => {
    const fault = new TypeError('undefined is no balance')
    const { query } = handleQuery(bankQuery.Query.method.balance, () => {
      throw fault
    })
    expect(() => query(CONTEXT, new Uint8Array(0))).toThrow(fault)
  })
})
