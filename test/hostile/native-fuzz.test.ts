import { expect, it } from 'vitest'
import { seeded } from '../sim/random.ts'
import { runNativeFuzz } from './native-fuzz.ts'

/**
 * The number of inputs is what a minute on two busy cores has room for; FUZZ_INPUTS for another number, `make soak
 * SOAK=native-fuzz` for minutes.
 */
const INPUTS = Number(process.env['FUZZ_INPUTS'] ?? 120_000)

it(
  `${INPUTS} pieces of native nonsense: every one is answered or refused with a code, and none changes anything`,
  seeded(720, async (random) => {
    const { inputs, refused, answered } = await runNativeFuzz(random, (done) => done >= INPUTS)
    console.log(`${inputs} inputs; refused`, Object.fromEntries(refused), 'answered', Object.fromEntries(answered))
    for (const door of ['checkTx', 'proposal', 'abciQuery', 'gateway', 'REST', 'address']) {
      expect(refused.get(door), `nothing refused by ${door}`).toBeGreaterThan(0)
    }
    for (const door of ['abciQuery', 'gateway', 'REST', 'address']) {
      expect(answered.get(door), `nothing answered by ${door}`).toBeGreaterThan(0)
    }
  }),
)
