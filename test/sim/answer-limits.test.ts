/** Answers of worker threads have a bound of their own: gas is a weak one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { invariant } from '../../core/errors.ts'
import { assemble } from '../e2e/parity/assemble.ts'
import { seeded } from './random.ts'
import { makeWorld } from './world.ts'

const TO = '0x00000000000000000000000000000000000c0de1'
/** The bytes are zeros. 400 calls that return them take 20 million gas. */
const RETURNED_BYTES = 96_000

it(
  'a simulation of more than 62 MiB is refused, whether the calls succeed or revert',
  seeded(47, async (random) => {
    const folder = mkdtempSync(join(tmpdir(), 'simulate-'))
    const world = await makeWorld({ random, nodes: [{ name: 'a', path: join(folder, 'a'), workers: 1 }] })
    try {
      await world.driver.step()
      const [node] = world.nodes
      invariant(node !== undefined, 'a world has nodes')
      const simulate = async (end: string, count: number): Promise<unknown> => {
        const stateOverrides = { [TO]: { code: assemble(`${RETURNED_BYTES} 0 ${end}`) } } as const
        const calls = Array.from({ length: count }, () => ({ to: TO, gas: '0x186a0' }) as const)
        const blocks = [{ blockOverrides: { gasLimit: '0x3b9aca00' }, stateOverrides, calls }] as const
        const flags = { traceTransfers: false, validation: false, fullTransactions: false }
        return await node.ask('simulate', { block: { tag: 'latest' }, blocks, ...flags })
      }
      const tooLarge = { codespace: 'query', code: 7, message: expect.stringContaining('the answer is larger than') }
      expect(await simulate('RETURN', 2)).toMatchObject([{ calls: [{ status: '0x1' }, { status: '0x1' }] }])
      await expect(simulate('RETURN', 400)).rejects.toMatchObject(tooLarge)
      await expect(simulate('REVERT', 100)).rejects.toMatchObject(tooLarge)
    } finally {
      await world.close()
      rmSync(folder, { recursive: true })
    }
  }),
)

it(
  'no answer of more than 64 MiB leaves its thread',
  seeded(48, async (random) => {
    const folder = mkdtempSync(join(tmpdir(), 'simulate-'))
    const settings = { gasCap: 3_000_000_000n }
    const world = await makeWorld({ random, nodes: [{ name: 'a', path: join(folder, 'a'), workers: 1, settings }] })
    try {
      await world.driver.step()
      const [node] = world.nodes
      invariant(node !== undefined, 'a world has nodes')
      const call = (bytes: number): Promise<unknown> => {
        const stateOverrides = { [TO]: { code: assemble(`${bytes} 0 RETURN`) } } as const
        return node.ask('call', { block: { tag: 'latest' }, call: { to: TO }, stateOverrides })
      }
      expect(await call(1_000_000)).toHaveLength(2_000_002)
      await expect(call(34_000_000)).rejects.toMatchObject({ codespace: 'query', code: 7 })
    } finally {
      await world.close()
      rmSync(folder, { recursive: true })
    }
  }),
)
