/** Transactions of the attacker: those that some attacks send, and blocks that others read. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { keccak256 } from 'viem'
import { accountAt } from '../../e2e/clients.ts'
import { askJsonRpc, EVM_CHAIN_ID, until } from '../../e2e/harness.ts'
import { type Assault, isOver, leftMs, type Prepared, type Target } from './attack.ts'
import { LOGS, LOOP } from './programs.ts'
import { askHttp, outcomeOf, rpcText } from './wire.ts'

/** The last account of the devnet: no other test of the ports sends with it. */
const sender = accountAt(9)
const MOST_GAS = 16_000_000n
const LARGE_BYTES = 130_000
const INCLUSION_LIMIT_MS = 60_000

interface Fields {
  readonly to?: Hex
  readonly gas: bigint
  readonly data?: Hex
}

const repeat = (count: number, fields: Fields): readonly Fields[] => Array.from({ length: count }, () => fields)

/** Raw transactions from the next nonce on. */
const sign = async (target: Target, transactions: readonly Fields[]): Promise<readonly Hex[]> => {
  const [nonce, price] = await Promise.all([
    askJsonRpc<Hex>(target.http, 'eth_getTransactionCount', sender.address, 'pending'),
    askJsonRpc<Hex>(target.http, 'eth_gasPrice'),
  ])
  const common = { type: 'legacy', chainId: EVM_CHAIN_ID, gasPrice: 2n * BigInt(price) } as const
  return await Promise.all(
    transactions.map((fields, index) => sender.signTransaction({ ...common, ...fields, nonce: Number(nonce) + index })),
  )
}

/** Sends one after the other with a pause behind each, and counts what comes of each. */
const sendEach = async (assault: Assault, transactions: readonly Fields[], pauseMs = 0): Promise<void> => {
  const { target, tally } = assault
  for (const raw of await sign(target, transactions)) {
    if (isOver(assault)) return
    const outcome = outcomeOf(await askHttp(target.http, { body: rpcText('eth_sendRawTransaction', [raw]) }))
    tally.add(outcome === 'ok' ? 'sent' : `sent: ${outcome}`)
    if (pauseMs > 0) await sleep(Math.min(pauseMs, leftMs(assault)))
  }
}

/** Sends plain transfers. */
export const sendTransactions = (assault: Assault, count: number): Promise<void> =>
  sendEach(assault, repeat(count, { to: sender.address, gas: 21_000n }))

/** Sends transactions with as many logs as their gas pays for, so that most blocks have some of them. */
export const sendLogs = (assault: Assault, count: number): Promise<void> =>
  sendEach(assault, repeat(count, { gas: MOST_GAS, data: LOGS }), 600)

interface Included {
  /** The block with most of them. */
  readonly block: Hex
  readonly hashes: readonly Hex[]
}

/** The last first: all become executable at once, and as many as there is room for stand in one block. */
const include = async (target: Target, transactions: readonly Fields[]): Promise<Included> => {
  const raws = await sign(target, transactions)
  for (const raw of raws.toReversed()) await askJsonRpc(target.http, 'eth_sendRawTransaction', raw)
  const hashes = raws.map((raw) => keccak256(raw))
  const counts = new Map<Hex, number>()
  for (const hash of hashes) {
    const blockOf = async (): Promise<Hex | undefined> => {
      const found = await askJsonRpc<{ blockNumber: Hex | null } | null>(target.http, 'eth_getTransactionByHash', hash)
      return found?.blockNumber ?? undefined
    }
    const block = await until('a block with the transaction', blockOf, INCLUSION_LIMIT_MS)
    counts.set(block, (counts.get(block) ?? 0) + 1)
  }
  const [block] = [...counts].reduce((most, each) => (each[1] > most[1] ? each : most))
  return { block, hashes }
}

/**
 * Makes the blocks. At scale 1 the block of logs has 40 x 39,000 of them, and the large block 50 transactions of 127
 * KB.
 */
export const prepareBlocks = async (target: Target, scale: number): Promise<Prepared> => {
  const count = (full: number): number => Math.max(2, Math.round(full * scale))
  const loops = await include(target, repeat(2, { gas: MOST_GAS, data: LOOP }))
  const logs = await include(target, repeat(count(40), { gas: MOST_GAS, data: LOGS }))
  const data: Hex = `0x${'00'.repeat(LARGE_BYTES)}`
  const large = await include(target, repeat(count(50), { to: sender.address, gas: 1_700_000n, data }))
  const [hash = '0x'] = logs.hashes
  return { loops: loops.block, logs: { block: logs.block, hash }, large }
}

/** Stands for the blocks in attacks that read none. */
export const NO_BLOCKS: Prepared = {
  loops: '0x1',
  logs: { block: '0x1', hash: '0x' },
  large: { block: '0x1', hashes: [] },
}
