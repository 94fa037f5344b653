/** eth_simulateV1: blocks of calls on top of a block, as geth runs and shows them. In a worker, at a fixed height. */
import type { Hash } from '../../core/hash.ts'
import { readHistoryHash } from '../../evm/system-contracts.ts'
import type { Questions } from '../../app/ports.ts'
import type { Json } from '../ethereum-json.ts'
import type { ChainView } from '../chain-view.ts'
import { planBlocks, requireBlockCount } from './plan-blocks.ts'
import { runSimulatedBlock } from './run-block.ts'
import { tipAt } from './tip.ts'

/** Gas is counted in numbers where the node has no cap. */
const MAX_GAS = BigInt(Number.MAX_SAFE_INTEGER)

/** Throws codes of simulation, and query/1, /2, /7, /8 and /9. */
export const simulateBlocks = async (view: ChainView, question: Questions['simulate']): Promise<readonly Json[]> => {
  requireBlockCount(question.blocks.length)
  const tip = await tipAt(view, question.block)
  const { header: base, hash: baseHash, state: baseState } = tip
  const planned = planBlocks(question.blocks, base)
  const { gasCap } = view.settings
  const hashes = new Map<number, Hash>([[base.number, baseHash]])
  const session = {
    view,
    question,
    pool: { gas: gasCap > 0n && gasCap < MAX_GAS ? gasCap : MAX_GAS },
    logs: new Map(),
    receiptBytes: 0,
    answerBytes: 0,
    blockHash: (number: number): Hash | undefined =>
      number < base.number ? (view.reader.hashAt(number) ?? readHistoryHash(baseState, number)) : hashes.get(number),
  }
  const results: Json[] = []
  for (const block of planned) {
    results.push(await runSimulatedBlock(session, block, tip))
    hashes.set(tip.header.number, tip.hash)
  }
  return results
}
