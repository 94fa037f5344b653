import { describe, expect, it } from 'vitest'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { parseStateTests } from '../../evm/statetest/parse-state-test.ts'
import { runStateTest } from '../../evm/statetest/run-state-test.ts'
import { bundlesOf, readBundle, vectorsMissing } from './state-vectors.ts'

/** Every file once, and every tenth of all cases: all of them are run by all-vectors.ts. */
const EVERY = 10
const missing = vectorsMissing()
if (missing !== undefined) console.log(missing)

describe.skipIf(missing !== undefined)('state tests', () => {
  const bundles = missing === undefined ? bundlesOf('state') : []
  const engine = createInterpreterEngine()
  let seen = 0

  it('stand in 99 bundles', () => {
    expect(bundles).toHaveLength(99)
  })

  it.each(bundles)('%s: a fixed tenth passes', async (bundle) => {
    const failures: string[] = []
    let passed = 0
    for (const { path, json } of readBundle('state', bundle)) {
      let first = true
      for (const test of parseStateTests(json)) {
        const chosen = test.cases.filter(() => {
          const take = first || seen % EVERY === 0
          first = false
          seen++
          return take
        })
        if (chosen.length === 0) continue
        for (const result of await runStateTest(await engine, { ...test, cases: chosen })) {
          if (result.pass) passed++
          else failures.push(`${path} ${result.name}: ${result.error}`)
        }
      }
    }
    expect(failures).toEqual([])
    expect(passed).toBeGreaterThan(0)
  })
})
