/** Traces of blocks of every kind of transaction agree with the receipts that the blocks left. */
import { describe, expect, it } from 'vitest'
import { APPLICATION_DEFAULTS } from '../../app/settings.ts'
import { readBlockContent } from '../../app/index/finalize-request.ts'
import type { TracerChoice } from '../../app/ports.ts'
import { decodeBlock } from '../../query/trace/decode-block.ts'
import { PruningGuard } from '../../query/pruning-guard.ts'
import { rawBlock } from '../../query/trace/raw-block.ts'
import { traceBlock, traceRawBlock, traceTransaction } from '../../query/trace/trace-questions.ts'
import type { ChainView } from '../../query/chain-view.ts'
import { invariant } from '../../core/errors.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { openView } from './open-view.ts'
import { seeded } from './random.ts'
import { fillPools, proposeInRounds, spoil } from './turmoil.ts'
import { makeWorld, type World } from './world.ts'

const BLOCKS = 25
const LOGGER: TracerChoice = {
  name: 'structLogger',
  enableMemory: false,
  disableStack: true,
  disableStorage: true,
  enableReturnData: false,
  limit: 1,
}
const CALLS: TracerChoice = { name: 'callTracer', onlyTopCall: false, withLog: true }

interface Traced<Result> {
  readonly txHash: string
  readonly result: Result
}
interface Frame {
  readonly gasUsed: string
  readonly error?: string
  readonly logs?: readonly { readonly address: string }[]
  readonly calls?: readonly Frame[]
}

const countLogs = ({ logs = [], calls = [] }: Frame): number =>
  calls.reduce((sum, call) => sum + countLogs(call), logs.length)

const grow = async (world: World): Promise<void> => {
  const { random } = world.driver
  for (let height = 1; height <= BLOCKS; height++) {
    await fillPools(world, random.below(12))
    const { block, round } = await proposeInRounds(world)
    const decided = random.chance(25) ? await spoil(world, block) : block
    await world.driver.decide(decided, round, () => 'saw the proposal')
  }
}

describe('traces', () => {
  it(
    'of every block show its transactions with the gas, the success and the logs of their receipts',
    seeded(731, async (random) => {
      const world = await makeWorld({ random, nodes: [{ name: 'a' }], extensionsFrom: 0 })
      const view = await openNode(world)
      const options = { tracer: CALLS, timeoutMs: 1_000 }
      let others = 0
      for (let height = 1; height <= BLOCKS; height++) {
        const traces = JSON.parse(await traceBlock(view, { block: { number: height }, options })) as Traced<Frame>[]
        const receipts = view.reader.receipts(height)
        expect(traces.map(({ txHash }) => txHash)).toEqual(view.reader.transactionHashes(height).map(bytesToHex))
        expect(traces.map(({ result }) => BigInt(result.gasUsed))).toEqual(receipts.map(({ gasUsed }) => gasUsed))
        expect(traces.map(({ result }) => result.error === undefined)).toEqual(
          receipts.map(({ succeeded }) => succeeded),
        )
        expect(traces.map(({ result }) => countLogs(result))).toEqual(receipts.map(({ logs }) => logs.length))
        others += (readBlockContent(view.reader.store, height)?.transactions.length ?? 0) - receipts.length
      }
      // Native, injected and invalid ones are in the blocks, too.
      expect(others).toBeGreaterThan(BLOCKS)
      view.close()
      await world.close()
    }),
  )

  it(
    'of one transaction and of a raw block are those of the block',
    seeded(732, async (random) => {
      const world = await makeWorld({ random, nodes: [{ name: 'a' }], extensionsFrom: 0 })
      const view = await openNode(world)
      const options = { tracer: LOGGER, timeoutMs: 1_000 }
      for (let height = 1; height <= BLOCKS; height += 4) {
        const block = { number: height }
        const raw = rawBlock(view, { block })
        const decoded = decodeBlock(hexToBytes(raw))
        expect(decoded.hash).toEqual(view.reader.header(height)?.hash)
        expect(decoded.transactions).toEqual(view.reader.transactions(height).map((signed) => signed.raw))
        const text = await traceBlock(view, { block, options })
        expect(await traceRawBlock(view, { raw, options })).toBe(text)
        for (const { txHash, result } of JSON.parse(text) as Traced<object>[]) {
          const alone = await traceTransaction(view, { hash: bytesToHex(hexToBytes(txHash as `0x${string}`)), options })
          expect(JSON.parse(alone)).toEqual(result)
        }
      }
      view.close()
      await world.close()
    }),
  )

  it(
    'of pruned state are refused with the words of geth',
    seeded(733, async (random) => {
      const settings = { ...APPLICATION_DEFAULTS, pruning: { keepRecent: 2, interval: 0 } }
      const world = await makeWorld({ random, nodes: [{ name: 'a', settings }], extensionsFrom: 0 })
      const view = await openNode(world)
      const options = { tracer: CALLS, timeoutMs: 1_000 }
      const guard = new PruningGuard(view.reader)
      const kept = { ...view, stateAt: (height: number) => view.stateAt(guard.kept(height)) }
      await expect(traceBlock(kept, { block: { number: 5 }, options })).rejects.toThrow(
        'historical state is not available',
      )
      expect(await traceBlock(kept, { block: { number: BLOCKS }, options })).toMatch(/^\[/)
      view.close()
      await world.close()
    }),
  )
})

const openNode = async (world: World): Promise<ChainView & { close(): void }> => {
  await grow(world)
  const [node] = world.nodes
  invariant(node !== undefined, 'a world has a node')
  return openView(node)
}
