import { describe, expect, it } from 'vitest'
import { bytesToKey } from '../../../core/bytes.ts'
import { Random } from '../../../test/sim/random.ts'
import type { Mark } from '../domain/account.ts'
import { forgottenAt, MarkIndex } from './recent.ts'

const ownerOf = (number: number): Uint8Array => new Uint8Array(20).fill(0x2f).fill(number, 19)

const anyMark = (random: Random, height: number): Mark => {
  const namesAll = random.below(2) === 0
  return {
    owner: ownerOf(random.below(2)),
    subaccount: random.below(2),
    market: namesAll ? random.below(3) : 1 + random.below(2),
    side: namesAll ? random.pick(['buy', 'sell', undefined]) : undefined,
    // A slash also separates the parts of a key.
    clientId: namesAll ? new Uint8Array(0) : Uint8Array.from(random.pick([[0x2f], [0x61, 0x2f], [0x61]])),
    nonceMs: random.below(100),
    goodTilBlock: height + random.below(41),
  }
}

describe('marks of the last 41 blocks', () => {
  it.each([1, 2, 3])('refuse what a search through all of them refuses (seed %i)', (seed) => {
    const random = new Random(seed)
    const index = new MarkIndex()
    let kept: (readonly [height: number, mark: Mark])[] = []
    for (let height = 1; height < 150; height++) {
      const marks = Array.from({ length: random.below(3) }, () => anyMark(random, height))
      index.add(height, marks)
      kept.push(...marks.map((mark) => [height, mark] as const))
      for (let round = 0; round < 20; round++) {
        const [owner, subaccount, nonceMs] = [ownerOf(random.below(2)), random.below(2), random.below(100)]
        const clientId = Uint8Array.from(random.pick([[], [0x2f], [0x61, 0x2f], [0x61]]))
        const place = { market: 1 + random.below(2), side: random.pick(['buy', 'sell'] as const), clientId }
        const expected = kept.some(
          ([, mark]) =>
            bytesToKey(mark.owner) === bytesToKey(owner) &&
            mark.subaccount === subaccount &&
            mark.nonceMs > nonceMs &&
            mark.goodTilBlock >= height &&
            (mark.clientId.length === 0
              ? (mark.market === 0 || mark.market === place.market) && (mark.side ?? place.side) === place.side
              : mark.market === place.market && bytesToKey(mark.clientId) === bytesToKey(clientId)),
        )
        expect(index.refuses(place, { ownerKey: bytesToKey(owner), subaccount, nonceMs }, height)).toBe(expected)
      }
      index.forget(forgottenAt(height), height + 1)
      kept = kept.filter(([made]) => made > forgottenAt(height))
    }
  })
})
