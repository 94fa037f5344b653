/**
 * Every attack on the open ports at its full scale, one after the other on one node with its default settings, beside an
 * honest client in a process of its own. SOAK_ATTACKS is a regular expression for the names of those that run, and
 * SOAK_SECONDS ends each of them earlier.
 *
 * Each row must keep the promise of docs/security.md: the honest client's p95 stays below twice its rest plus 50 ms, no
 * block comes later by half a second, every port answers right after, memory is back within a minute, and no process ends.
 * The machine must run nothing else, for a neighbour that computes is felt like an attack.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNode, type TestNode } from '../e2e/harness.ts'
import type { Prepared } from '../hostile/ports/attack.ts'
import { ATTACKS } from '../hostile/ports/attack-list.ts'
import { NO_BLOCKS, prepareBlocks } from '../hostile/ports/prepare.ts'
import { COLUMNS, describeRow, measureAttack, type Row } from '../hostile/ports/measure.ts'
import { targetOf } from '../hostile/ports/watch.ts'

const SELECTED = new RegExp(process.env['SOAK_ATTACKS'] ?? '', 'i')
const MOST_SECONDS = Number(process.env['SOAK_SECONDS'] ?? Number.POSITIVE_INFINITY)
const START_LIMIT_MS = 180_000
const FIRST_HEIGHT = 5

const attacks = ATTACKS.filter(({ name }) => SELECTED.test(name))
const rows: Row[] = []
let [node, prepared]: [TestNode | undefined, Prepared] = [undefined, NO_BLOCKS]

beforeAll(async () => {
  node = await createNode()
  await node.start()
  // The first block comes later than those behind it: at rest they come as they do from here on.
  await node.untilHeight(FIRST_HEIGHT)
  if (attacks.some(({ needsBlocks }) => needsBlocks === true)) prepared = await prepareBlocks(targetOf(node), 1)
}, START_LIMIT_MS)
afterAll(async () => {
  console.log([COLUMNS, ...rows.map(describeRow)].join('\n'))
  await node?.remove()
})

describe(`${attacks.length} attacks on open ports`, () => {
  for (const attack of attacks) {
    it(`${attack.name}`, async () => {
      if (node === undefined) throw new TypeError('the node was started')
      const row = await measureAttack({ node, prepared, mostSeconds: MOST_SECONDS }, attack)
      rows.push(row)
      console.log(`${describeRow(row)}\n  ${JSON.stringify(row.outcomes)}`)
      expect(row.broken).toEqual([])
    })
  }
})
