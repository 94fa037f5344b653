/** The vectors of obligations and plan: for implementations that share nothing with this one. docs/clob-spec.md says what they hold. */
import { Random } from '../../sim/random.ts'
import { answer, type PlanAnswer, type PlanCase, randomCase } from './cases.ts'

export const VECTORS = 200
const SEED = 2_517
/** Every so many are of many orders. */
const LARGE = 10

export interface PlanVector {
  readonly given: PlanCase
  readonly expected: PlanAnswer
}

export const planVectors = (): readonly PlanVector[] =>
  Array.from({ length: VECTORS }, (_, index) => {
    const given = randomCase(new Random(SEED * 1_000 + index), index % LARGE === 0 ? 20 : 6)
    return { given, expected: answer(given) }
  })
