import { describe, expect, it } from 'vitest'
import { bytesToKey, concatBytes, EMPTY_BYTES } from '../../../core/bytes.ts'
import { type Random, seeded } from '../../../test/sim/random.ts'
import { decodeAttestations, encodeAttestations, sortAttestations } from './attestation-bytes.ts'
import type { Attestation } from './types.ts'

const id = (...last: readonly number[]): Uint8Array => {
  const bytes = new Uint8Array(12)
  bytes.set(last, 12 - last.length)
  return bytes
}
const attestation = (phase: Attestation['phase'], bytes: Uint8Array, dtMs: number): Attestation => ({
  phase,
  id: bytesToKey(bytes),
  dtMs,
})
const at = (...bytes: readonly number[]): Uint8Array => Uint8Array.of(...bytes)

describe('attestations', () => {
  it('have the bytes that the document gives', () => {
    const list = [
      attestation(0, id(2), -3),
      attestation(2, id(7), 5),
      attestation(2, id(5), 5),
      attestation(2, id(1), 300),
    ]
    const bytes = concatBytes(at(1, 5), id(2), at(0), at(3, 10), id(5), id(7), id(1), at(0, 0xa7, 0x02))
    expect(encodeAttestations(list)).toEqual(bytes)
    expect(decodeAttestations(bytes)).toEqual(sortAttestations(list))
  })

  it('are no bytes where there are none', () => {
    expect(encodeAttestations([])).toEqual(EMPTY_BYTES)
    expect(decodeAttestations(EMPTY_BYTES)).toEqual([])
  })

  const one = concatBytes(at(1, 5), id(2))
  const others: Readonly<Record<string, Uint8Array>> = {
    'three empty phases': at(0, 0, 0),
    'two phases': concatBytes(one, at(0)),
    'a byte behind it': concatBytes(one, at(0, 0, 0)),
    'a cut id': concatBytes(at(0, 0), one).subarray(0, -1),
    'a missing step': concatBytes(at(2, 5), id(2), id(3)),
    'a count without ids': at(1),
    'a count beyond the bytes': at(0xff, 0xff, 0xff, 0x7f, 5),
    'a count of five bytes': concatBytes(at(0x81, 0x80, 0x80, 0x80, 0), at(5), id(2), at(0, 0)),
    'a count that is too long': concatBytes(at(0x81, 0), at(5), id(2), at(0, 0)),
    'a zero that is too long': concatBytes(one, at(0x80, 0), at(0)),
    'a time that is too long': concatBytes(at(1, 0x85, 0), id(2), at(0, 0)),
    'a step that is too long': concatBytes(at(2, 5), id(2), id(3), at(0x81, 0), at(0, 0)),
    'a time beyond 30 s': concatBytes(at(1, 0xe2, 0xd4, 0x03), id(2), at(0, 0)),
    'a time before 30 s': concatBytes(at(1, 0xe1, 0xd4, 0x03), id(2), at(0, 0)),
    'a step beyond 30 s': concatBytes(at(2, 0xe0, 0xd4, 0x03), id(2), id(3), at(1), at(0, 0)),
    'equal times out of order': concatBytes(at(2, 5), id(3), id(2), at(0), at(0, 0)),
    'an id twice at one time': concatBytes(at(2, 5), id(3), id(3), at(0), at(0, 0)),
    'an id twice in a phase': concatBytes(at(2, 5), id(3), id(3), at(4), at(0, 0)),
    'an id in two phases': concatBytes(one, one, at(0)),
  }
  it.each(Object.entries(others))('are not canonical with %s', (_, bytes) => {
    expect(decodeAttestations(bytes)).toBeUndefined()
  })

  it('reach 30 s on either side', () => {
    const list = [attestation(1, id(9), -30_000), attestation(1, id(3), 30_000)]
    const bytes = encodeAttestations(list)
    expect(bytes).toEqual(concatBytes(at(0), at(2, 0xdf, 0xd4, 0x03), id(9), id(3), at(0xe0, 0xd4, 0x03), at(0)))
    expect(decodeAttestations(bytes)).toEqual(list)
  })

  it('order ids by their bytes, not by signed words', () => {
    const [small, large] = [new Uint8Array(12), new Uint8Array(12).fill(0xff)]
    const bytes = encodeAttestations([attestation(0, large, 0), attestation(0, small, 0)])
    expect(decodeAttestations(bytes)?.map((each) => each.id)).toEqual([bytesToKey(small), bytesToKey(large)])
  })

  it(
    'come back as they were, and no other bytes decode to them',
    seeded(1_701, (random) => {
      let refused = 0
      for (let run = 0; run < 2_000; run++) {
        const bytes = encodeAttestations(randomList(random))
        const decoded = decodeAttestations(bytes)
        expect(encodeAttestations(decoded ?? [])).toEqual(bytes)
        const other = mutate(random, bytes)
        const read = decodeAttestations(other)
        // Whatever decodes is the one encoding of what it says.
        if (read === undefined) refused++
        else expect(encodeAttestations(read)).toEqual(other)
      }
      expect(refused).toBeGreaterThan(100)
    }),
  )
})

const randomList = (random: Random): readonly Attestation[] => {
  const ids = new Set(
    Array.from({ length: random.below(12) }, () => bytesToKey(id(random.below(4), random.below(256)))),
  )
  const spread = random.pick([1, 200, 60_001])
  return [...ids].map((key) => ({
    phase: random.below(3) as Attestation['phase'],
    id: key,
    dtMs: Math.max(-30_000, Math.min(30_000, random.below(spread) - Math.floor(spread / 2))),
  }))
}

const mutate = (random: Random, bytes: Uint8Array): Uint8Array => {
  const changed = bytes.slice()
  if (changed.length === 0) return random.bytes(random.below(20))
  if (random.chance(30)) return changed.subarray(0, random.below(changed.length))
  if (random.chance(30)) return concatBytes(changed, random.bytes(1 + random.below(3)))
  const place = random.below(changed.length)
  changed[place] = random.pick([0, 1, 0x80, 0xff, random.below(256)])
  return changed
}
