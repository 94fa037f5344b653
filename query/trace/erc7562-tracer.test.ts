import { expect, test } from 'vitest'
import { assemble } from '../../test/e2e/parity/assemble.ts'
import { traceProgram } from './testing/trace-program.ts'

const TO = '0x00000000000000000000000000000000000c0de1'
const OTHER = '0x00000000000000000000000000000000000c0de2'
const CHOICE = { name: 'erc7562Tracer', withLog: false, ignoredOpcodes: undefined } as const
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

test('erc7562Tracer tells of each frame what bundlers ask of it', async () => {
  const steps = [
    ...['1 SLOAD POP 2 1 SSTORE 1 SLOAD POP 5 6 TSTORE 6 TLOAD POP 3 7 SSTORE 7 SLOAD POP'],
    ...[`${OTHER} EXTCODESIZE ISZERO POP ${OTHER} EXTCODEHASH POP TIMESTAMP POP GAS POP 9 0 MSTORE 32 0 KECCAK256 POP`],
    ...[`0 0 0 0 0 ${OTHER} GAS CALL POP 0 0 0 0 0 0xdead 1 CALL STOP`],
  ]
  const code = assemble(steps.join(' '))
  const inner = assemble('COINBASE POP 0 0 REVERT')
  const traced = await traceProgram(CHOICE, { to: TO }, { [TO]: { code }, [OTHER]: { code: inner } })
  expect(traced).toMatchObject({
    accessedSlots: {
      reads: { [word(1)]: [word(0)] },
      writes: { [word(1)]: 1, [word(7)]: 1 },
      transientReads: { [word(6)]: 1 },
      transientWrites: { [word(6)]: 1 },
    },
    extCodeAccessInfo: [OTHER],
    contractSize: { [OTHER]: { contractSize: inner.length / 2 - 1, opcode: 0x3b } },
    outOfGas: false,
    keccak: [word(9)],
    calls: [
      { to: OTHER, error: 'execution reverted', usedOpcodes: { '0x41': 1, '0xfd': 1 }, outOfGas: false, type: 'CALL' },
      { to: '0x000000000000000000000000000000000000dead', usedOpcodes: {}, contractSize: {} },
    ],
  })
  // GAS counts once: before a call it is allowed.
  expect((traced as { readonly usedOpcodes: unknown }).usedOpcodes).toMatchObject({ '0x42': 1, '0x5a': 1, '0xf1': 2 })
})

test('erc7562Tracer says where a call ran out of gas, and counts what it is told to', async () => {
  const code = assemble(`0 0 0 0 0 ${OTHER} 100 CALL STOP`)
  const overrides = { [TO]: { code }, [OTHER]: { code: assemble('start: @start JUMP') } }
  const traced = await traceProgram({ ...CHOICE, ignoredOpcodes: [0xf1] }, { to: TO }, overrides)
  expect(traced).toMatchObject({ outOfGas: false, calls: [{ outOfGas: true, error: 'out of gas' }] })
  expect((traced as { readonly usedOpcodes: unknown }).usedOpcodes).toEqual({
    '0x0': 1,
    '0x5f': 5,
    '0x60': 1,
    '0x73': 1,
  })
})
