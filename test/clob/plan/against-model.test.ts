/** Obligations and plan against the slow model that is written from the document. */
import { describe, expect, it } from 'vitest'
import { answer, randomCase } from './cases.ts'
import { fastAnswer } from './fast.ts'
import { runs } from './runs.ts'

describe('obligations and plan', () => {
  const met = { valid: 0, invalid: 0, stops: 0, complete: 0, closed: 0, dropped: 0, obligations: 0 }

  it(
    'are those of the slow model',
    runs(1, (random) => {
      const given = randomCase(random)
      const expected = answer(given)
      expect(fastAnswer(given)).toEqual(expected)
      met.obligations += expected.obligations.length
      met[expected.isValid ? 'valid' : 'invalid']++
      if (!expected.isValid) return
      met[expected.missing === null ? 'complete' : 'stops']++
      const listed = given.carried.length + expected.obligations.length
      if (expected.missing === null && expected.taken.length < listed) met.closed++
      if (expected.carried.length < listed - expected.taken.length) met.dropped++
    }),
  )

  it('met all that can happen', () => {
    console.log('met', met)
    for (const [what, count] of Object.entries(met)) expect(count, what).toBeGreaterThan(20)
  })
})
