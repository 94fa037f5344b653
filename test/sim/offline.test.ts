import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exportGenesis } from '../../bin/cli/commands/export.ts'
import { replayCommand } from '../../bin/cli/commands/replay.ts'
import { openHome } from '../../bin/node/config/home.ts'
import { CLI_CODES } from '../../bin/errors.ts'
import { readGenesisJson } from '../../bin/node/genesis/document.ts'
import { validateGenesis } from '../../bin/node/genesis/validate.ts'
import { CodedError } from '../../core/errors.ts'
import { sweepStep } from '../../store/sweep.ts'
import { seeded } from './random.ts'
import type { SimNode } from './sim-node.ts'
import { fillPools } from './turmoil.ts'
import { makeWorld } from './world.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offline-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const refusal = async (act: () => Promise<unknown>): Promise<readonly [code: number, message: string]> => {
  try {
    await act()
  } catch (error) {
    if (error instanceof CodedError && error.codespace === 'cli') return [error.code, error.message]
    throw error
  }
  return [0, 'accepted']
}

const HEIGHTS = 45

describe('the home of a node that prunes', () => {
  it(
    'is exported and replayed where its state is kept, and says where that is',
    seeded(330, async (random) => {
      const home = openHome(join(folder, 'home'))
      const pruning = { keepRecent: 6, interval: 10 }
      const world = await makeWorld({
        random,
        nodes: [{ name: 'disk', path: home.database, engine: 'interpreter', exactWords: true, settings: { pruning } }],
      })
      for (let height = 1; height <= HEIGHTS; height++) {
        await fillPools(world, 5)
        await world.driver.step()
      }
      while (!sweepStep((world.nodes[0] as SimNode).store, 10_000).finished);
      const output = (name: string): string => join(folder, name)
      const lines: string[] = []
      const replay = (range: { readonly from?: number; readonly to?: number }) =>
        replayCommand({ home, say: (line) => void lines.push(line), ...range })
      // While it is open.
      expect((await refusal(() => replay({})))[0]).toBe(CLI_CODES.homeInUse)
      expect((await refusal(() => exportGenesis({ home, output: output('x') })))[0]).toBe(CLI_CODES.homeInUse)
      await world.close()

      for (const height of [10, 40, 44, HEIGHTS]) {
        const exported = await exportGenesis({ home, height, output: output(`${height}.json`) })
        const valid = validateGenesis(readGenesisJson(exported.path), exported.path)
        expect(valid).toMatchObject({ chainId: 'localnat-1', initialHeight: height + 1, validatorCount: 4 })
      }
      for (const height of [11, 25, 37]) {
        expect(await refusal(() => exportGenesis({ home, height, output: output('x') }))).toEqual([
          CLI_CODES.usage,
          `--height ${height}: the state of that height was pruned`,
        ])
      }
      expect(await refusal(() => exportGenesis({ home, chainId: 'nat-2518-1', output: output('x') }))).toEqual([
        CLI_CODES.usage,
        'the EVM chain id of nat-2518-1 is 2518, not 2517',
      ])
      expect(existsSync(output('x'))).toBe(false)
      expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([])

      for (const range of [{ from: 11 }, { from: 41 }, { from: 31, to: 34 }, { from: HEIGHTS }]) {
        expect(await replay(range), JSON.stringify(range)).toBeUndefined()
      }
      expect(lines).toContainEqual(expect.stringMatching(/^blocks 11 to 45 are the same: roots, receipts/))
      expect(await refusal(() => replay({ from: 15 }))).toEqual([
        CLI_CODES.usage,
        '--from 15: the state of height 14 was pruned; the next is --from 21',
      ])
      expect((await refusal(() => replay({ to: 46 })))[1]).toMatch(/blocks \d+ to 45 can be replayed/)
    }),
  )
})
