/**
 * Blocks of plain and of ERC-20 transfers through the application alone, without CometBFT and the gateway: what each step costs.
 * Run: node test/bench/blocks.ts [transactions a block] [accounts] [plain | token] [interpreter | ethereumjs]
 */
import { TransferChain } from './support/transfer-chain.ts'

const perBlock = Number(process.argv[2] ?? 5_000)
const senders = Number(process.argv[3] ?? 64)
const BLOCKS = 8

const only = process.argv[4]
const engine = process.argv[5] === 'ethereumjs' ? 'ethereumjs' : 'interpreter'

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const run = async (kind: 'plain' | 'token'): Promise<void> => {
  const steps = new Map<string, number[]>()
  const note = (name: string, value: number): void => void steps.set(name, [...(steps.get(name) ?? []), value])
  // Everybody who is paid is new.
  const recipient = (height: number, index: number): number => height * perBlock + index
  const chain = await TransferChain.open({ senders, recipient, token: kind === 'token', engine })
  for (let block = 1; block <= BLOCKS; block++) {
    const count = await chain.block(perBlock, async (name, work) => {
      const from = performance.now()
      const cpuFrom = process.cpuUsage()
      const result = await work()
      note(name, performance.now() - from)
      note(`${name} cpu`, process.cpuUsage(cpuFrom).user / 1_000)
      return result
    })
    note('transactions', count)
  }
  console.log(`${perBlock} ${kind} transfers a block, ${senders} senders, ${BLOCKS} blocks, ${engine}; medians in ms`)
  for (const [name, values] of steps) console.log(`${name.padEnd(14)} ${median(values).toFixed(1)}`)
  await chain.close()
}

for (const kind of ['plain', 'token'] as const) if (only === undefined || only === kind) await run(kind)
