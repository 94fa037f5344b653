import { expect, test } from 'vitest'
import { assemble } from '../../test/e2e/parity/assemble.ts'
import { traceProgram } from './testing/trace-program.ts'

const TO = '0x00000000000000000000000000000000000c0de1'

test('4byteTracer counts selectors, but not those for precompiles and of creations', async () => {
  const calls = [
    '0 0 36 0 0 0xdead GAS CALL',
    '0 0 4 0 0xdead GAS STATICCALL',
    '0 0 8 0 4 GAS STATICCALL',
    '8 0 0 CREATE',
  ]
  const code = assemble(`0x${'12345678'.padEnd(64, '0')} 0 MSTORE ${calls.join(' ')} ${calls[0]} STOP`)
  const traced = await traceProgram({ name: '4byteTracer' }, { to: TO, data: '0xabcdef0102' }, { [TO]: { code } })
  expect(JSON.stringify(traced)).toBe('{"0x12345678-0":1,"0x12345678-32":2,"0xabcdef01-1":1}')
})
