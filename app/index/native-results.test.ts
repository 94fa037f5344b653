import { expect, it } from 'vitest'
import { uint32ToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { encodeEvents } from '../../proto/encode-exec-tx-result.ts'
import type { TransactionResult } from '../ports.ts'
import {
  decodeNativeResult,
  decodeNativeResults,
  encodeNativeResult,
  encodeNativeResults,
  findNativeResult,
} from './native-results.ts'

it('results of native transactions are read as they were written', () => {
  const events = [{ type: 'transfer', attributes: [{ key: 'amount', value: '', index: true }] }]
  const failed: TransactionResult = {
    code: 5,
    codespace: 'sdk',
    log: 'Zürich',
    data: Uint8Array.of(1, 2, 3),
    gasWanted: 2n ** 62n,
    gasUsed: 0n,
    events: encodeEvents(events),
  }
  const passed: TransactionResult = { ...failed, code: 0, codespace: '', events: encodeEvents([]) }
  const results = [
    { index: 0, hash: sha256(Uint8Array.of(1)), result: failed },
    { index: 70_000, hash: sha256(Uint8Array.of(2)), result: passed },
  ]
  const read = decodeNativeResults(encodeNativeResults(results))
  expect(read.map(({ index, hash }) => ({ index, hash }))).toEqual(results.map(({ index, hash }) => ({ index, hash })))
  expect(read.map(decodeNativeResult)).toMatchObject([
    { ...failed, events },
    { ...passed, events: [] },
  ])
  expect(decodeNativeResults(encodeNativeResults([]))).toEqual([])
})

it('one of many is found by its place among the transactions of the block', () => {
  const empty = { code: 0, codespace: '', log: '', data: Uint8Array.of(), gasWanted: 0n, events: encodeEvents([]) }
  // Every third transaction has a result.
  const results = Array.from({ length: 250 }, (_, at) => ({
    index: 3 * at + 1,
    hash: sha256(uint32ToBytes(at)),
    result: { ...empty, gasUsed: BigInt(at) },
  }))
  const record = encodeNativeResults(results)
  const written = results.map(encodeNativeResult)
  expect(decodeNativeResults(record)).toEqual(written)
  for (let index = 0; index < 3 * 250 + 5; index++) {
    const expected = index % 3 === 1 ? written[(index - 1) / 3] : undefined
    expect(findNativeResult(record, index), String(index)).toEqual(expected)
  }
})
