import { expect, it } from 'vitest'
import { sha256 } from '../../core/hash.ts'
import type { TransactionResult } from '../ports.ts'
import { decodeNativeResults, encodeNativeResults } from './native-results.ts'

it('results of native transactions are read as they were written', () => {
  const result: TransactionResult = {
    code: 5,
    codespace: 'sdk',
    log: 'Zürich',
    data: Uint8Array.of(1, 2, 3),
    gasWanted: 2n ** 62n,
    gasUsed: 0n,
    events: [{ type: 'transfer', attributes: [{ key: 'amount', value: '', index: true }] }],
  }
  const results = [
    { index: 0, hash: sha256(Uint8Array.of(1)), result },
    { index: 70_000, hash: sha256(Uint8Array.of(2)), result: { ...result, code: 0, codespace: '', events: [] } },
  ]
  expect(decodeNativeResults(encodeNativeResults(results))).toMatchObject(results)
  expect(decodeNativeResults(encodeNativeResults([]))).toEqual([])
})
