import { expect, test } from 'vitest'
import { assemble } from '../../test/e2e/parity/assemble.ts'
import type { TracerChoice } from '../../app/ports.ts'
import { traceProgram } from './testing/trace-program.ts'

const TO = '0x00000000000000000000000000000000000c0de1'
const TRACERS: Readonly<Record<string, TracerChoice>> = {
  callTracer: { name: 'callTracer', onlyTopCall: false, withLog: true },
  '4byteTracer': { name: '4byteTracer' },
  keccak256PreimageTracer: { name: 'keccak256PreimageTracer' },
  noopTracer: { name: 'noopTracer' },
  prestateTracer: {
    name: 'prestateTracer',
    diffMode: true,
    disableCode: false,
    disableStorage: false,
    includeEmpty: false,
  },
}

test('each of several tracers sees what it sees alone', async () => {
  const code = assemble(
    '1 2 SSTORE 5 0 MSTORE 32 0 KECCAK256 POP 0 0 4 28 0 0xdead GAS CALL 0 0 LOG0 0xbeef SELFDESTRUCT',
  )
  const ask = (choice: TracerChoice): Promise<unknown> =>
    traceProgram(choice, { to: TO }, { [TO]: { code, balance: '0x5' } })
  const alone = await Promise.all(Object.values(TRACERS).map(ask))
  const tracers = Object.entries(TRACERS).map(([as, tracer]) => ({ as, tracer }))
  const together = await ask({ name: 'muxTracer', tracers })
  expect(together).toEqual(Object.fromEntries(Object.keys(TRACERS).map((name, index) => [name, alone[index]])))
})
