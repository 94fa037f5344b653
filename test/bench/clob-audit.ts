/**
 * How fast `chain clob audit` checks a chain over its ports: blocks in which three clients trade, an order of each in a block. The
 * audit shares the machine with the node that it asks. Run: make bench BENCH=clob-audit, or
 * node test/bench/clob-audit.ts [blocks] [validators] [rounds]
 */
import { auditClob } from '../../bin/cli/clob/audit.ts'
import { accounts } from '../e2e/clients.ts'
import { startTrading } from '../e2e/clob-trading.ts'
import { descendants } from '../e2e/harness.ts'
import { createNetwork } from '../e2e/network.ts'
import { machine } from './support/devnet.ts'
import { cpuSeconds } from './support/process-times.ts'

const [blocksText = '150', validatorsText = '1', roundsText = '3'] = process.argv.slice(2)
const blocks = Number(blocksText)
const validators = Number(validatorsText)
const rounds = Number(roundsText)
const LIMIT_MS = 600_000

const network = await createNetwork({
  members: Array.from({ length: validators }, () => ({ timeoutCommitMs: 200, hasTestMarkets: true })),
})
try {
  await network.start()
  const node = network.at(0)
  await node.untilHeight(3, LIMIT_MS)
  const trading = startTrading(network.nodes, accounts.slice(1, 4))
  const from = await node.height()
  const to = await node.untilHeight(from + blocks, LIMIT_MS)
  const { orders, fills } = await trading.stop(node)
  await node.untilHeight(to + 1, LIMIT_MS)
  console.log(`${machine()}; ${validators} validators, ${orders.length} orders, ${fills} fills`)
  const { comet, http } = node.urls
  const processes = new Map([...descendants(node.pid).keys()].map((pid) => [`${pid}`, pid]))
  const secondsNow = (): Map<string, number> => new Map(cpuSeconds(processes))
  for (let round = 0; round < rounds; round++) {
    const [started, before] = [performance.now(), secondsNow()]
    const found = await auditClob({
      node: comet,
      jsonRpc: http,
      from,
      to,
      trustedHash: undefined,
      initialHeight: undefined,
    })
    const [ms, after] = [performance.now() - started, secondsNow()]
    let [ownMs, nodeMs] = [0, 0]
    for (const [name, end] of after) {
      const used = ((end - (before.get(name) ?? 0)) * 1_000) / (to - from)
      if (name === 'generator') ownMs = used
      else nodeMs += used
    }
    console.log(
      `round ${round + 1}: ${to - from} blocks, ${found.orders} orders, ${found.fills} fills: ${(((to - from) * 1_000) / ms).toFixed(1)} blocks/s, ${ownMs.toFixed(1)} ms a block of the audit's own processor time and ${nodeMs.toFixed(1)} of the node's`,
    )
  }
} finally {
  await network.remove()
}
