import { expect, test } from 'vitest'
import { isQueryError } from '../../app/errors.ts'
import { assemble } from '../../test/e2e/parity/assemble.ts'
import { compareWithGeth } from '../../test/e2e/parity/compare-traces.ts'
import { traceProgram } from './testing/trace-program.ts'

const PLAIN = {
  name: 'structLogger',
  enableMemory: false,
  disableStack: false,
  disableStorage: false,
  enableReturnData: false,
  limit: 0,
} as const
const TO = '0x00000000000000000000000000000000000c0de1'
const loop = { [TO]: { code: assemble('a: @a JUMP') } } as const

test('the struct logger shows what geth shows, of every program', async () => {
  const compared = await compareWithGeth('the struct logger', { ...PLAIN, enableReturnData: true, limit: 3_000 })
  expect(compared.length).toBeGreaterThan(100)
  for (const { title, ours, theirs } of compared) expect(ours, title).toBe(theirs)
})

test('a step has the memory before it, in words', async () => {
  const overrides = { [TO]: { code: assemble('1 0 MSTORE 2 33 MSTORE8 STOP') } } as const
  const trace = (await traceProgram({ ...PLAIN, enableMemory: true, disableStack: true }, { to: TO }, overrides)) as {
    readonly structLogs: readonly object[]
  }
  expect(trace.structLogs.at(-1)).toEqual({
    pc: 9,
    op: 'STOP',
    gas: 978_977,
    gasCost: 0,
    depth: 1,
    memory: [`${'0'.repeat(63)}1`, `0002${'0'.repeat(60)}`],
  })
})

test('a trace that grows too large is refused', async () => {
  const traced = traceProgram(PLAIN, { to: TO }, loop, { maxBytes: 10_000 })
  await expect(traced).rejects.toSatisfy((error) => isQueryError(error, 'tooLarge'))
})

test('a program that takes longer than asked for ends with the words of geth', async () => {
  let now = 0
  const clock = { nowMs: () => now++ }
  const traced = traceProgram(PLAIN, { to: TO }, loop, { clock, timeoutMs: 5, totalMs: 1_000 })
  await expect(traced).rejects.toThrow('execution timeout')
})

test('a question that takes longer than the node allows ends', async () => {
  let now = 0
  const clock = { nowMs: () => now++ }
  const traced = traceProgram(PLAIN, { to: TO }, loop, { clock, timeoutMs: 1_000_000, totalMs: 100 })
  await expect(traced).rejects.toSatisfy((error) => isQueryError(error, 'timeout'))
})
