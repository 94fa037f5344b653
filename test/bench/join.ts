/**
 * How long a machine takes to join a network of many accounts by `chain join --state-sync`, from the command to the newest block.
 * The validator and the node that joins share the machine. Run: make bench BENCH=join, or node test/bench/join.ts [accounts]
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { GenesisDocument } from '../../bin/node/genesis/document.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { uint64ToBytes } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import { chooseNodePorts, runChain, TestNode, until } from '../e2e/harness.ts'
import { createNetwork } from '../e2e/network.ts'
import { machine } from './support/devnet.ts'

const [accounts = 100_000] = process.argv.slice(2).map(Number)
const INTERVAL = 10
const LIMIT_MS = 600_000

const withAccounts = (document: GenesisDocument): GenesisDocument => {
  const { bank } = document.app_state
  const more = Array.from({ length: accounts }, (_, index) => ({
    address: encodeBech32(keccak256(uint64ToBytes(index)).slice(12)),
    coins: [{ denom: 'anat', amount: String(10n ** 15n + BigInt(index)) }],
  }))
  const balances = [...bank.balances, ...more].toSorted((a, b) => (a.address < b.address ? -1 : 1))
  const supply = balances
    .flatMap(({ coins }) => coins)
    .filter(({ denom }) => denom === 'anat')
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  const others = bank.supply.filter(({ denom }) => denom !== 'anat')
  const sums = [...others, { denom: 'anat', amount: supply.toString() }]
  return {
    ...document,
    app_state: {
      ...document.app_state,
      bank: { ...bank, balances, supply: sums.toSorted((a, b) => (a.denom < b.denom ? -1 : 1)) },
    },
  }
}

const secondsSince = (startMs: number): string => ((performance.now() - startMs) / 1_000).toFixed(1)

console.log(`machine: ${machine()}; ${accounts} accounts`)
const settings = { 'state-sync.snapshot-interval': String(INTERVAL) }
const network = await createNetwork({ members: [{ settings }], editGenesis: withAccounts })
const joining = new TestNode(await chooseNodePorts(), {})
try {
  await network.start()
  const source = network.at(0)
  const snapshots = join(source.home, 'data', 'snapshots')
  const isThere = (): true | undefined =>
    existsSync(snapshots) && readdirSync(snapshots).some((name) => !name.startsWith('.')) ? true : undefined
  await until('a snapshot', isThere, LIMIT_MS)
  await source.untilHeight((await source.height()) + 2, LIMIT_MS)
  const startMs = performance.now()
  const url = source.urls.comet
  const { status, stderr } = await runChain(['join', url, url, '--state-sync', '--home', joining.home])
  if (status !== 0) throw new TypeError(`chain join ended with ${status}: ${stderr}`)
  console.log(`chain join: ${secondsSince(startMs)} s`)
  joining.spawn()
  await joining.untilHeight(await source.height(), LIMIT_MS)
  console.log(`at the newest block: ${secondsSince(startMs)} s after the command`)
} catch (error) {
  network.print()
  console.log(joining.output.slice(-3_000))
  throw error
} finally {
  await joining.remove()
  await network.remove()
}
