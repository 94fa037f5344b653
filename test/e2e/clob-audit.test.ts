/** A stranger's program checks what this node's book did, by the published document and the node's ports alone. */
import { describe, expect, it } from 'vitest'
import { auditLiar, auditOwn, CHAINS, factsOf, findFault, LIES, UNPROVEN_LIE } from './clob-audit-liar.ts'
import { audit, auditLies, auditRun, auditTrade, python } from './clob-audit.ts'
import { runChain, useNode } from './harness.ts'

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const node = useNode({ hasTestMarkets: true, timeoutCommitMs: 200 })

describe.skipIf(python === undefined)('the audit in Python', () => {
  it('agrees with the vectors of test/vectors/clob', async () => {
    const lines = (await audit(['vectors'])).trim().split('\n')
    expect(lines.map((line) => line.replace(/\d+/, 'n'))).toEqual(
      ['signatures', 'extensions', 'envelopes', 'roots', 'plan', 'matching'].map((name) => `ok n vectors of ${name}`),
    )
  })

  it('finds nothing wrong in a run with seeded orders, and names the rule of each lie about it', async () => {
    const first = await node().height()
    const traded = await auditTrade([node()], seed, 25, 15)
    console.log(traded.trim())
    const last = (await node().untilHeight((await node().height()) + 2)) - 1
    const report = await auditRun(node(), first, last)
    console.log(report.trim())
    expect(report).toMatch(/^ok blocks \d+ to \d+: \d+ orders, [1-9]\d* fills, /)
    const ports = { comet: node().urls.comet, http: node().urls.http }
    const own = await auditOwn(ports, first, last)
    console.log(`${own.lines.join('\n')}\n${own.blocksPerSecond.toFixed(1)} blocks/s`)
    // Both say the same of the same blocks.
    expect(factsOf(own.lines)).toEqual(factsOf(report.trim().split('\n')))
    // The command begins at a height at which orders are open.
    const middle = first + 12
    const flags = ['--from', `${middle}`, '--to', `${last}`, '--node', ports.comet, '--json-rpc', ports.http]
    const command = await runChain(['clob', 'audit', ...flags])
    expect([command.status, command.stderr]).toEqual([0, ''])
    expect(command.stdout).toMatch(/^ok blocks \d+ to \d+: [1-9]\d* orders, [1-9]\d* fills, /)
    const whole = await auditRun(node(), middle, last)
    expect(factsOf((await auditOwn(ports, middle, last)).lines)).toEqual(factsOf(whole.trim().split('\n')))
    for (const lie of LIES) {
      const { finding, url } = await auditLiar(ports, lie, middle, last)
      expect(finding, lie.name).toMatchObject({ rule: lie.rule ?? 1, liar: url })
      expect(finding?.mayBeChain, lie.name).toBeUndefined()
    }
    const unproven = await auditLiar(ports, UNPROVEN_LIE, middle, last)
    expect(unproven.finding).toMatchObject({ rule: 7, liar: unproven.url, mayBeChain: true })
    for (const { name, rule, change } of CHAINS) {
      const changed = change()
      const finding = await findFault(ports, middle, last).finally(() => changed.mockRestore())
      expect(finding, name).toMatchObject({ rule })
      expect(finding?.liar, name).toBeUndefined()
    }
    const lies = await auditLies(node(), middle, last)
    console.log(lies.trim())
  })
})
