/**
 * Runs every state test. Arguments, where given, select bundles by part of their names; --engine=ethereumjs runs the
 * reference. Exit status 1 on failures.
 */
import { createEthereumjsEngine } from '../../evm/reference/create-engine.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { parseStateTests } from '../../evm/statetest/parse-state-test.ts'
import { runStateTest } from '../../evm/statetest/run-state-test.ts'
import { bundlesOf, readBundle, vectorsMissing } from './state-vectors.ts'

const SLOW_FILE_MS = 5_000

const REFERENCE = '--engine=ethereumjs'

const run = async (selection: readonly string[]): Promise<number> => {
  const missing = vectorsMissing()
  if (missing !== undefined) {
    console.log(missing)
    return 1
  }
  const engine = process.argv.includes(REFERENCE) ? await createEthereumjsEngine() : await createInterpreterEngine()
  let passed = 0
  let failed = 0
  for (const bundle of bundlesOf('state')) {
    if (selection.length > 0 && !selection.some((part) => bundle.includes(part))) continue
    for (const { path, json } of readBundle('state', bundle)) {
      const begin = performance.now()
      for (const test of parseStateTests(json)) {
        for (const result of await runStateTest(engine, test)) {
          if (result.pass) passed++
          else {
            failed++
            console.log(`FAILED ${path} ${result.name}: ${result.error}`)
          }
        }
      }
      const elapsedMs = performance.now() - begin
      if (elapsedMs > SLOW_FILE_MS) console.log(`slow: ${path} took ${Math.round(elapsedMs / 1000)} s`)
    }
    console.log(`${bundle}: ${passed} passed, ${failed} failed so far`)
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

process.exitCode = await run(process.argv.slice(2).filter((argument) => argument !== REFERENCE))
