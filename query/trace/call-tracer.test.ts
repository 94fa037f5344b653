import { expect, test } from 'vitest'
import { assemble } from '../../test/e2e/parity/assemble.ts'
import { compareWithGeth } from '../../test/e2e/parity/compare-traces.ts'
import { traceProgram } from './testing/trace-program.ts'

const TO = '0x00000000000000000000000000000000000c0de1'

test('callTracer shows what geth shows, of every program', async () => {
  const compared = await compareWithGeth('callTracer', { name: 'callTracer', onlyTopCall: false, withLog: true })
  expect(compared.length).toBeGreaterThan(100)
  for (const { title, ours, theirs } of compared) expect(ours, title).toBe(theirs)
})

test('of the top alone nothing is shown that its calls did', async () => {
  const code = assemble('0 0 LOG0 0 0 0 0 0 4 GAS CALL 0xbeef SELFDESTRUCT')
  const choice = { name: 'callTracer', onlyTopCall: true, withLog: true } as const
  expect(await traceProgram(choice, { to: TO, gas: '0x186a0' }, { [TO]: { code } })).toEqual({
    from: `0x${'0'.repeat(40)}`,
    gas: '0x186a0',
    gasUsed: '0x71b8',
    to: TO,
    input: '0x',
    logs: [{ address: TO, topics: [], data: '0x', position: '0x0' }],
    value: '0x0',
    type: 'CALL',
  })
})
