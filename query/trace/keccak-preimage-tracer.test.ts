import { expect, test } from 'vitest'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { assemble } from '../../test/e2e/parity/assemble.ts'
import { traceProgram } from './testing/trace-program.ts'

const TO = '0x00000000000000000000000000000000000c0de1'

test('keccak256PreimageTracer shows what was hashed, with zeros for memory that was not there yet', async () => {
  const code = assemble('0xab 0 MSTORE8 2 0 KECCAK256 2 64 KECCAK256 STOP')
  const traced = await traceProgram({ name: 'keccak256PreimageTracer' }, { to: TO }, { [TO]: { code } })
  const preimages = ['0xab00', '0x0000'] as const
  expect(traced).toEqual(
    Object.fromEntries(preimages.map((preimage) => [bytesToHex(keccak256(hexToBytes(preimage))), preimage])),
  )
})

test('noopTracer shows nothing', async () => {
  expect(await traceProgram({ name: 'noopTracer' }, { to: TO })).toEqual({})
})
