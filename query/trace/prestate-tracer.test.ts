import { expect, test } from 'vitest'
import { assemble } from '../../test/e2e/parity/assemble.ts'
import { compareWithGeth } from '../../test/e2e/parity/compare-traces.ts'
import { traceProgram } from './testing/trace-program.ts'

const TO = '0x00000000000000000000000000000000000c0de1'
const HEIR = '0x000000000000000000000000000000000000beef'
const PLAIN = {
  name: 'prestateTracer',
  diffMode: false,
  disableCode: false,
  disableStorage: false,
  includeEmpty: false,
} as const

test('prestateTracer shows what geth shows, of every program', async () => {
  const compared = await compareWithGeth('prestateTracer', { ...PLAIN, diffMode: true, disableCode: true })
  expect(compared.length).toBeGreaterThan(100)
  for (const { title, ours, theirs } of compared) expect(ours, title).toBe(theirs)
})

test('the heir of a contract is shown as it was before it inherited', async () => {
  const code = assemble(`${HEIR} SELFDESTRUCT`)
  const overrides = { [TO]: { code, balance: '0x7' }, [HEIR]: { balance: '0x1' } } as const
  const diff = (await traceProgram({ ...PLAIN, diffMode: true }, { to: TO }, overrides)) as {
    readonly pre: Readonly<Record<string, unknown>>
    readonly post: Readonly<Record<string, unknown>>
  }
  expect(diff.pre[HEIR]).toEqual({ balance: '0x1' })
  expect(diff.post[HEIR]).toEqual({ balance: '0x8' })
  expect(diff.post[TO]).toEqual({ balance: '0x0' })
})
