import { describe, expect, it } from 'vitest'
import type { Engine } from '../../evm/engine.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { parseStateTests } from '../../evm/statetest/parse-state-test.ts'
import { runStateTest } from '../../evm/statetest/run-state-test.ts'
import { bundlesOf, readBundle, vectorsMissing } from './state-vectors.ts'

/** Every file once, and every tenth of all cases: all of them are run by all-vectors.ts. */
const EVERY = 10
/** Gives way wherever it can, as blocks do that take long. */
const createPaced = async (): Promise<Engine> => {
  const engine = await createInterpreterEngine(1)
  const pace = { isYieldDue: true, yield: () => Promise.resolve() }
  return {
    systemCall: (...parameters) => engine.systemCall(...parameters),
    callContract: (...parameters) => engine.callContract(...parameters),
    execute: (state, block, message, options) => engine.execute(state, block, message, { ...options, pace }),
  }
}

const missing = vectorsMissing()
if (missing !== undefined) console.log(missing)

describe.skipIf(missing !== undefined)('state tests', () => {
  const bundles = missing === undefined ? bundlesOf('state') : []
  const engines = [createInterpreterEngine(), createPaced()]
  let seen = 0

  it('stand in 99 bundles', () => {
    expect(bundles).toHaveLength(99)
  })

  it.each(bundles)('%s: a fixed tenth passes, and passes where the execution gives way', async (bundle) => {
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
        for (const engine of engines) {
          for (const result of await runStateTest(await engine, { ...test, cases: chosen })) {
            if (result.pass) passed++
            else failures.push(`${path} ${result.name}: ${result.error}`)
          }
        }
      }
    }
    expect(failures).toEqual([])
    expect(passed).toBeGreaterThan(0)
  })
})
