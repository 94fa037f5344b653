/**
 * Three ways to come by a chain with orders, each on a home of its own: state sync, an archive of a snapshot, and every
 * block from genesis on after the home was wiped. Each has the validator's blocks and book, and trades.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { openHome } from '../../bin/node/config/home.ts'
import { editCometToml } from '../../bin/testing/make-home.ts'
import { askRest, ordersOf } from './clob-book.ts'
import { orderResult, place, sendOrder } from './clob-orders.ts'
import { describeTrade, startTrading } from './clob-trading.ts'
import { accountAt, accounts } from './clients.ts'
import { CHAIN_ID, chooseNodePorts, createNode, runChain, TestNode, until } from './harness.ts'

const INTERVAL = 5
/** Levels of each side that lie outside of what is traded. */
const RESTING = 20

const folder = mkdtempSync(join(tmpdir(), 'e2e-clob-sync-'))
const archive = join(folder, 'chain.snapshot')
const joined: TestNode[] = []
let source: TestNode

interface Commit {
  readonly signed_header: { readonly commit: { readonly block_id: { readonly hash: string } } }
}

const quotes = (level: number) => [
  place({ market: 1, side: 'sell', priceTicks: 1_020 + level, qtyLots: 2_000 + level }),
  place({ market: 1, side: 'buy', priceTicks: 980 - level, qtyLots: 2_100 + level }),
]

const run = async (...args: readonly string[]): Promise<void> => {
  expect(await runChain(args), args.join(' ')).toMatchObject({ status: 0 })
}

/** A home of the chain that does not vote, with the source for its only peer. */
const joiningHome = async (toml: Readonly<Record<string, string>> = {}): Promise<TestNode> => {
  const node = new TestNode(await chooseNodePorts(), {})
  joined.push(node)
  await run('init', 'joining', '--chain-id', CHAIN_ID, '--home', node.home)
  writeFileSync(join(node.home, 'config', 'genesis.json'), readFileSync(join(source.home, 'config', 'genesis.json')))
  const { node_info: info } = await until('CometBFT', () =>
    source.comet<{ readonly node_info: { readonly id: string } }>('status'),
  )
  editCometToml(node.home, { 'p2p.persistent_peers': `"${info.id}@127.0.0.1:${source.ports.p2p}"`, ...toml })
  return node
}

const bySnapshot = async (): Promise<TestNode> => {
  // The source was started a moment ago: its CometBFT answers later than its gateway.
  const { signed_header: trusted } = await until('CometBFT', () => source.comet<Commit>('commit?height=1'))
  const node = await joiningHome({
    'statesync.enable': 'true',
    'statesync.rpc_servers': `"${source.urls.comet},${source.urls.comet}"`,
    'statesync.trust_height': '1',
    'statesync.trust_hash': `"${trusted.commit.block_id.hash}"`,
    'statesync.discovery_time': '"5s"',
  })
  node.spawn()
  return node
}

const byArchive = async (): Promise<TestNode> => {
  const node = await joiningHome()
  await run('snapshot', 'restore', archive, '--home', node.home)
  node.spawn()
  return node
}

/** Follows the chain, loses all that it has but what keeps a validator from signing twice, and begins anew. */
const afterWipe = async (): Promise<TestNode> => {
  const node = await joiningHome()
  node.spawn()
  await node.untilHeight(INTERVAL)
  node.kill('supervisor')
  await node.stop()
  const { data, validatorState } = openHome(node.home)
  const kept = readFileSync(validatorState)
  rmSync(data, { recursive: true, maxRetries: 30, retryDelay: 100 })
  mkdirSync(data)
  writeFileSync(validatorState, kept)
  node.spawn()
  return node
}

const expectSame = async (node: TestNode, height: number): Promise<void> => {
  await node.untilHeight(height)
  await source.untilHeight(height)
  const at = `0x${height.toString(16)}`
  expect(await node.ask('eth_getBlockByNumber', at, false)).toEqual(await source.ask('eth_getBlockByNumber', at, false))
  expect(await ordersOf(node, height)).toEqual(await ordersOf(source, height))
  const record = '/nat/clob/v1/markets/1/record'
  expect(await askRest(node, record, height)).toEqual(await askRest(source, record, height))
}

beforeAll(async () => {
  source = await createNode({
    hasTestMarkets: true,
    timeoutCommitMs: 300,
    settings: { 'state-sync.snapshot-interval': String(INTERVAL), 'state-sync.snapshot-keep-recent': '0' },
  })
  await source.start()
})
afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return
  for (const node of [source, ...joined]) console.log(`${node.home} wrote last:\n${node.lastWords().slice(-1_500)}`)
})
afterAll(async () => {
  for (const node of [...joined, source]) await node.remove()
  rmSync(folder, { recursive: true, force: true })
})

it('a node that joins by state sync, from an archive, or block by block has the same book, and trades', async () => {
  const trading = startTrading([source], accounts.slice(1, 4))
  await source.untilHeight(2 + 2 * INTERVAL)
  console.log(describeTrade('before the snapshot', await trading.stop(source)))
  const resting = await sendOrder(source, accountAt(4), [...Array(RESTING).keys()].flatMap(quotes))
  const height = (await orderResult(source, resting.hash)).height
  expect((await ordersOf(source, height)).length).toBeGreaterThanOrEqual(2 * RESTING)
  // The snapshot has all of it in it.
  const snapshot = Math.ceil(height / INTERVAL) * INTERVAL
  const names = (): readonly string[] => readdirSync(openHome(source.home).snapshots)
  await until('a snapshot', () => names().some((name) => Number.parseInt(name, 10) >= snapshot) || undefined)
  expect(await source.stop()).toBe(0)
  await run('snapshot', 'export', archive, '--home', source.home)
  await source.start()

  const nodes = await Promise.all([bySnapshot(), byArchive(), afterWipe()])
  for (const node of nodes) await node.untilHeight(await source.height())
  expect(nodes[0]?.output).toMatch(/the snapshot is restored height=\d+/)
  const now = await source.height()
  for (const node of nodes) await expectSame(node, now)

  // What a client sends to one of them the validator executes, and all have it.
  for (const [index, node] of nodes.entries()) {
    await until('the end of its catching up', async () => (await node.ask('eth_syncing')) === false || undefined)
    const { hash, sentAt } = await sendOrder(node, accountAt(5 + index), [
      place({
        market: 1,
        side: index === 0 ? 'buy' : 'sell',
        priceTicks: index === 0 ? 1_050 : 1_060,
        qtyLots: 3_000,
      }),
    ])
    const result = await orderResult(node, hash)
    console.log(
      `node ${index}: sent at ${sentAt}, in block ${result.height}, ${result.actions[0]?.filledLots} lots filled`,
    )
    expect(result).toMatchObject({ code: 0, actions: [{ code: 0 }] })
  }
  const last = await source.height()
  for (const node of nodes) await expectSame(node, last)
})
