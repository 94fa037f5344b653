import { expect, test } from 'vitest'
import { assemble } from '../../test/e2e/parity/assemble.ts'
import { compareWithGeth } from '../../test/e2e/parity/compare-traces.ts'
import { traceProgram } from './testing/trace-program.ts'

const TO = '0x00000000000000000000000000000000000c0de1'

test('flatCallTracer shows what geth shows, of every program', async () => {
  const choice = { name: 'flatCallTracer', convertParityErrors: true, includePrecompiles: false } as const
  const compared = await compareWithGeth('flatCallTracer', choice)
  expect(compared.length).toBeGreaterThan(100)
  for (const { title, ours, theirs } of compared) expect(ours, title).toBe(theirs)
})

test('calls of precompiles are shown on demand', async () => {
  const overrides = { [TO]: { code: assemble('0 0 0 0 4 GAS STATICCALL STOP') } } as const
  const counts = []
  for (const includePrecompiles of [false, true]) {
    const choice = { name: 'flatCallTracer', convertParityErrors: false, includePrecompiles } as const
    counts.push(((await traceProgram(choice, { to: TO }, overrides)) as unknown[]).length)
  }
  expect(counts).toEqual([1, 2])
})
