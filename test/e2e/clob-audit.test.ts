/** A stranger's program checks what this node's book did, by the published document and the node's ports alone. */
import { describe, expect, it } from 'vitest'
import { auditClob, describeAudit } from '../../bin/cli/clob/audit.ts'
import { auditLiar, LIES } from './clob-audit-liar.ts'
import { audit, auditLies, auditRun, auditTrade, python } from './clob-audit.ts'
import { useNode } from './harness.ts'

const LIMIT_MS = 180_000
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const node = useNode({ hasTestMarkets: true, timeoutCommitMs: 200 })

describe.skipIf(python === undefined)('the audit in Python', () => {
  it(
    'agrees with the vectors of test/vectors/clob',
    async () => {
      const lines = (await audit(['vectors'])).trim().split('\n')
      expect(lines.map((line) => line.replace(/\d+/, 'n'))).toEqual(
        ['signatures', 'extensions', 'roots', 'plan', 'matching'].map((name) => `ok n vectors of ${name}`),
      )
    },
    LIMIT_MS,
  )

  it(
    'finds nothing wrong in a run with seeded orders, and names the rule of each lie about it',
    async () => {
      const first = await node().height()
      const traded = await auditTrade([node()], seed, 25, 15)
      console.log(traded.trim())
      const last = (await node().untilHeight((await node().height()) + 2)) - 1
      const report = await auditRun(node(), first, last)
      console.log(report.trim())
      expect(report).toMatch(/^ok blocks \d+ to \d+: \d+ orders, [1-9]\d* fills, /)
      const started = performance.now()
      const own = await auditClob({
        node: node().urls.comet,
        from: first,
        to: last,
        trustedHash: undefined,
        initialHeight: undefined,
      })
      const seconds = (performance.now() - started) / 1000
      console.log(`${describeAudit(own).join('\n')}\n${((last - first) / seconds).toFixed(1)} blocks/s`)
      // Both say the same of the same blocks: the numbers, and then the lines of proposers.
      expect(report).toContain(`: ${own.orders} orders, `)
      expect(report).toContain(`, ${own.obligations} obligations, `)
      expect(describeAudit(own).slice(2)).toEqual(report.trim().split('\n').slice(1))
      for (const lie of LIES) {
        const { finding, url } = await auditLiar(node().urls.comet, lie, first, last)
        expect(finding, lie.name).toMatchObject({ rule: 1, liar: url })
      }
      // The audit begins at a height at which orders are open.
      const middle = first + 12
      expect(await auditRun(node(), middle, last)).toMatch(/^ok blocks /)
      const lies = await auditLies(node(), middle, last)
      console.log(lies.trim())
    },
    LIMIT_MS,
  )
})
