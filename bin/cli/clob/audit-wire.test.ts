/** The parts of an audit that compute, against vectors that others compute too. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bytesToUnprefixedHex, plainBytes } from '../../../core/bytes.ts'
import { intField, merkleRoot, parseTimeNs, timestamp, uvarint } from './audit-wire.ts'

const hex = (bytes: Uint8Array): string => bytesToUnprefixedHex(bytes)

describe('what CometBFT hashes and signs', () => {
  it('has the Merkle roots of the vectors', () => {
    const file = new URL('../../../test/vectors/clob/roots.json', import.meta.url)
    const { trees } = JSON.parse(readFileSync(file, 'utf8')) as {
      trees: readonly { leaves: readonly string[]; root: string }[]
    }
    expect(trees.length).toBeGreaterThan(3)
    for (const { leaves, root } of trees) {
      expect(hex(merkleRoot(leaves.map((leaf) => plainBytes(Buffer.from(leaf, 'hex')))))).toBe(root)
    }
  })

  it('writes integers as protobuf does', () => {
    expect(hex(uvarint(300))).toBe('ac02')
    expect(hex(uvarint(-1))).toBe('ffffffffffffffffff01')
    expect(hex(intField(1, 0))).toBe('')
    expect(hex(intField(1, 2n ** 62n))).toBe('08808080808080808040')
  })

  it('keeps all nanoseconds of a time, and knows the zero time of Go', () => {
    expect(parseTimeNs('1970-01-01T00:00:01.000000001Z')).toBe(1_000_000_001n)
    expect(parseTimeNs('1970-01-01T00:00:01.5Z')).toBe(1_500_000_000n)
    expect(parseTimeNs('1970-01-01 00:00:01Z')).toBeUndefined()
    expect(parseTimeNs('1970-13-01T00:00:01Z')).toBeUndefined()
    const zero = parseTimeNs('0001-01-01T00:00:00Z')
    expect(zero).toBe(-62_135_596_800_000_000_000n)
    // CometBFT's own tests have it so: the seconds in ten bytes.
    expect(hex(timestamp(zero ?? 0n))).toBe('088092b8c398feffffff01')
  })
})
