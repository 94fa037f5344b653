import { expect, it } from 'vitest'
import { seeded } from '../sim/random.ts'
import { runNativeFuzz } from './native-fuzz.ts'

/** FUZZ_SECONDS for another length; `make soak SOAK=native-fuzz` for minutes. */
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 60)

it(
  `${SECONDS} seconds of native nonsense: every input is answered or refused with a code, and none changes anything`,
  seeded(720, async (random) => {
    const endMs = performance.now() + SECONDS * 1_000
    const { inputs, refused, answered } = await runNativeFuzz(random, () => performance.now() > endMs)
    console.log(`${inputs} inputs; refused`, Object.fromEntries(refused), 'answered', Object.fromEntries(answered))
    for (const door of ['checkTx', 'proposal', 'abciQuery', 'gateway', 'REST', 'address']) {
      expect(refused.get(door), `nothing refused by ${door}`).toBeGreaterThan(0)
    }
    for (const door of ['abciQuery', 'gateway', 'REST', 'address']) {
      expect(answered.get(door), `nothing answered by ${door}`).toBeGreaterThan(0)
    }
  }),
  SECONDS * 2_000 + 60_000,
)
