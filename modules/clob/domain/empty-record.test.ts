import { describe, expect, it } from 'vitest'
import { sha256 } from '../../../core/hash.ts'
import { EMPTY_RECORD } from './empty-record.ts'

describe('the record of a new market', () => {
  /** RFC 6962, section 2.1, as CometBFT hashes a list of byte strings. */
  const merkle = (items: readonly Uint8Array[]): Uint8Array => {
    if (items.length === 1) return sha256(Uint8Array.of(0), items[0] ?? new Uint8Array(0))
    const split = 2 ** Math.floor(Math.log2(items.length - 1))
    return sha256(Uint8Array.of(1), merkle(items.slice(0, split)), merkle(items.slice(split)))
  }
  it('has the root of 1,024 empty buckets', () => {
    const empty = sha256(new Uint8Array(0))
    expect(EMPTY_RECORD.bookRoot).toEqual(merkle(Array.from({ length: 1_024 }, () => empty)))
  })
})
