/**
 * Overridden numbers and times of blocks, in worker threads: the hashes that BLOCKHASH sees are those of geth 1.16.8,
 * measured on `geth --dev`; the fork is that of the time (core/vm/evm.go, NewEVM).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { errorText, invariant } from '../../core/errors.ts'
import { quantityToHex } from '../../core/hex.ts'
import { assemble } from '../e2e/parity/assemble.ts'
import { seeded } from './random.ts'
import { makeWorld } from './world.ts'

const TO = '0x00000000000000000000000000000000000c0de1'
const BEGIN_SECONDS = 1_750_000_000
const OSAKA_SECONDS = BEGIN_SECONDS + 1_000
const NONE = `0x${'00'.repeat(32)}`

it(
  'calls see no hash of the block that they stand on, traces do one block on, and neither any of later blocks',
  seeded(53, async (random) => {
    const folder = mkdtempSync(join(tmpdir(), 'override-'))
    const world = await makeWorld({ random, nodes: [{ name: 'a', path: join(folder, 'a'), workers: 1 }] })
    try {
      for (let count = 0; count < 6; count++) await world.driver.step()
      const [node] = world.nodes
      invariant(node !== undefined, 'a world has nodes')
      const height = node.application.height - 2
      const hashAt = async (number: number): Promise<unknown> =>
        ((await node.ask('block', { block: { number }, full: false })) as { hash: string }).hash

      const seen = async (ahead: number, number: number): Promise<readonly unknown[]> => {
        const question = {
          block: { number: height },
          call: { to: TO },
          stateOverrides: { [TO]: { code: assemble(`${number} BLOCKHASH 0 MSTORE 32 0 RETURN`) } },
          blockOverrides: { number: quantityToHex(height + ahead) },
        } as const
        const tracer = { name: 'callTracer', onlyTopCall: true, withLog: false } as const
        const options = { tracer, timeoutMs: 5_000 }
        const traced = (await node.ask('traceCall', { ...question, options })) as { output: string }
        return [await node.ask('call', question), traced.output]
      }

      const [before, at] = [await hashAt(height - 1), await hashAt(height)]
      for (const ahead of [1, 2, 5]) {
        expect(await seen(ahead, height - 1)).toEqual([before, before])
        expect(await seen(ahead, height)).toEqual([NONE, ahead === 1 ? at : NONE])
        expect(await seen(ahead, height + 1)).toEqual([NONE, NONE])
      }
      // What the contract of EIP-2935 has at the place of a block to come is the hash of another.
      expect(await seen(8_200, height + 8_190)).toEqual([NONE, NONE])
    } finally {
      await world.close()
      rmSync(folder, { recursive: true })
    }
  }),
)

it(
  'the fork of a call and of a trace is that of the time that they see',
  seeded(59, async (random) => {
    const folder = mkdtempSync(join(tmpdir(), 'override-'))
    const nodes = [{ name: 'a', path: join(folder, 'a'), workers: 1 }]
    const genesisTimeNs = BigInt(BEGIN_SECONDS) * 1_000_000_000n
    const world = await makeWorld({ random, nodes, genesisTimeNs, hardforks: { prague: 0, osaka: OSAKA_SECONDS } })
    try {
      await world.driver.step()
      const [node] = world.nodes
      invariant(node !== undefined, 'a world has nodes')
      const outcomes = async (seconds: number): Promise<readonly unknown[]> => {
        const question = {
          block: { tag: 'latest' },
          call: { to: TO, gas: '0x186a0' },
          // CLZ is an instruction of Osaka.
          stateOverrides: { [TO]: { code: assemble('1 #1e STOP') } },
          blockOverrides: { time: quantityToHex(seconds) },
        } as const
        const tracer = { name: 'callTracer', onlyTopCall: true, withLog: false } as const
        const traced = await node.ask('traceCall', { ...question, options: { tracer, timeoutMs: 5_000 } })
        const called = await node.ask('call', question).catch((error: unknown) => errorText(error))
        return [called, (traced as { error?: string }).error]
      }
      const refused = 'invalid opcode: CLZ'
      expect(await outcomes(OSAKA_SECONDS - 1)).toEqual([refused, refused])
      expect(await outcomes(OSAKA_SECONDS)).toEqual(['0x', undefined])
    } finally {
      await world.close()
      rmSync(folder, { recursive: true })
    }
  }),
)
