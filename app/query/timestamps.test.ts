import { expect, it } from 'vitest'
import { seeded } from '../../test/sim/random.ts'
import { formatTimestamp } from './timestamps.ts'

it(
  'times are printed as JavaScript prints them, without fractions',
  seeded(501, (random) => {
    const edges = [0, 951_782_399, 951_782_400, 4_107_542_399, 4_107_542_400, 9_223_372_036]
    for (let i = 0; i < 3_000; i++) {
      const seconds = edges[i] ?? random.below(2 ** 32) * 2 + random.below(2)
      const expected = new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
      expect(formatTimestamp(BigInt(seconds) * 1_000_000_000n + BigInt(random.below(1_000_000_000)))).toBe(expected)
    }
  }),
)
