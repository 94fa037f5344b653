/**
 * Four validators of which one or two are faulty: what they do wrong is outvoted, the chain goes on, and the honest
 * nodes say what they refused. A block over the byte limit is missing here: CometBFT's own proposer refuses to send
 * one (test/sim/faulty-blocks.test.ts has it).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { accounts } from './clients.ts'
import { expectConsistentHeights } from './consistency.ts'
import { ACCEPT_ALL, BLOCK_GAS, FORGETS, PROPOSER_FAULTS, VOTER_FAULTS } from './faulty/faults.ts'
import { type TestNode, until } from './harness.ts'
import { type Load, startLoad, withoutReceipt } from './load.ts'
import { createNetwork, type Network } from './network.ts'

const OPTIONS = { timeoutCommitMs: 300 } as const
const FAULTY_CHAIN = [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  join(import.meta.dirname, 'faulty', 'chain.ts'),
]

const folder = mkdtempSync(join(tmpdir(), 'e2e-faulty-'))
const faultFile = (index: number): string => join(folder, `fault-${index}`)
const setFault = (index: number, name: string): void => writeFileSync(faultFile(index), name)
const faulty = (index: number) => ({
  ...OPTIONS,
  command: FAULTY_CHAIN,
  environment: { CHAIN_TEST_FAULT_FILE: faultFile(index) },
})

const ACCEPTOR = 2
const FAULTY = 3
let network: Network
let honest: readonly TestNode[] = []
let load: Load

/** The height at which node `index` says that it did it, of the lines that it writes from now on. */
const committed = (index: number, name: string, from: number): Promise<number> =>
  until(`${name} of node ${index}`, () => {
    const found = new RegExp(`faulty: ${name} at height (\\d+)`).exec(network.at(index).output.slice(from))
    return found === null ? undefined : Number(found[1])
  })

const commitRound = async (height: number): Promise<number> => {
  const { signed_header: signed } = await network
    .at(0)
    .comet<{ signed_header: { commit: { round: number } } }>(`commit?height=${height}`)
  return signed.commit.round
}

/** Lines of a node from `from` on that refuse a proposal of `height`. */
const refusals = (node: TestNode, height: number, from: number): readonly string[] =>
  node.output
    .slice(from)
    .split('\n')
    .filter((line) => line.includes(`proposal rejected height=${height} `))

/** A proposal may come after the others have given its round up, on a busy machine: then there is nothing to refuse. */
const ATTEMPTS = 3

const expectOutvoted = async (name: string, reason: RegExp | undefined, attempt = 1): Promise<void> => {
  const before = network.nodes.map(({ output }) => output.length)
  setFault(FAULTY, name)
  const height = await committed(FAULTY, name, before[FAULTY] ?? 0)
  await network.expectSameBlocks(height + 1, honest)
  expect(await commitRound(height), `round of height ${height}`).toBeGreaterThan(0)
  const lines = honest.flatMap((node, index) => refusals(node, height, before[index] ?? 0))
  if (reason === undefined) {
    expect(lines).toEqual([])
    return
  }
  if (lines.length === 0 && attempt < ATTEMPTS) return await expectOutvoted(name, reason, attempt + 1)
  expect(lines.length, 'refusals of honest nodes').toBeGreaterThan(0)
  for (const line of lines) expect(line).toMatch(reason)
}

beforeAll(async () => {
  const created = await createNetwork({
    members: [
      { ...OPTIONS, abci: 'socket' },
      { ...OPTIONS, abci: 'grpc' },
      faulty(ACCEPTOR),
      { ...faulty(FAULTY), abci: 'grpc' },
    ],
    editGenesis: (genesis) => {
      const parameters = genesis.consensus_params as { readonly block: object }
      return {
        ...genesis,
        consensus_params: { ...parameters, block: { ...parameters.block, max_gas: `${BLOCK_GAS}` } },
      }
    },
  })
  network = created
  honest = network.nodes.slice(0, 2)
  await created.start()
  // Whoever is still fetching blocks votes on none.
  for (const node of network.nodes) await node.untilHeight(4)
  load = await startLoad(network.at(0), accounts.slice(0, 2), 200)
})
afterEach(({ task }) => {
  for (const index of [ACCEPTOR, FAULTY]) setFault(index, '')
  if (task.result?.state === 'fail') network.print()
})
afterAll(async () => {
  await load?.stop()
  await network?.remove()
  rmSync(folder, { recursive: true, force: true })
})

describe('a faulty proposer', () => {
  it.each(Object.entries(PROPOSER_FAULTS).map(([name, { reason }]) => ({ name, reason })))(
    'of $name is outvoted',
    ({ name, reason }) => expectOutvoted(name, reason),
  )

  it('is outvoted although another node accepts all', async () => {
    setFault(ACCEPTOR, ACCEPT_ALL)
    const from = network.at(ACCEPTOR).output.length
    const { name, reason } = { name: 'a transaction twice', reason: /nonce too low/ }
    await expectOutvoted(name, reason)
    await committed(ACCEPTOR, ACCEPT_ALL, from)
  })
})

describe('a faulty voter', () => {
  it.each(Object.keys(VOTER_FAULTS))('with %s stops nobody', async (name) => {
    const from = network.at(FAULTY).output.length
    const before = honest.map(({ output }) => output.length)
    const refused = (): string =>
      honest
        .flatMap(({ output }, index) => output.slice(before[index]).split('\n'))
        .filter((line) => line.includes('vote extension rejected'))
        .join('\n')
    setFault(FAULTY, name)
    let height = await committed(FAULTY, name, from)
    if (name.includes('oversize')) {
      // Not at each height: a vote that comes after the commit is not verified.
      await until('a refusal of an honest node', () => refused() || undefined)
      expect(refused()).toMatch(/reason="it has 131073 bytes, more than 131072"/)
      height = await network.at(0).height()
    }
    await network.expectSameBlocks(height + 3, honest)
    setFault(FAULTY, '')
    if (!name.includes('oversize')) expect(refused()).toBe('')
  })
})

it('a node over gRPC whose application refuses a call starts its CometBFT again, and catches up', async () => {
  const node = network.at(FAULTY)
  const from = node.output.length
  const pid = node.pidOf('cometbft')
  setFault(FAULTY, FORGETS)
  const height = await committed(FAULTY, FORGETS, from)
  await network.expectSameBlocks(height + 3)
  expect(node.output.slice(from)).toContain('the consensus of cometbft has stopped: cometbft is started again')
  expect(node.pidOf('cometbft')).not.toBe(pid)
})

it('after all of it the four are one chain, and nothing that was answered is lost', async () => {
  await load.stop()
  expect(load.refusals).toEqual([])
  expect(load.answered.size).toBeGreaterThan(50)
  for (const node of honest) expect(await withoutReceipt(node, load.answered)).toEqual([])
  const height = await network.at(0).height()
  await network.expectSameBlocks(height)
  for (const node of honest) await expectConsistentHeights(node, 1, height)
})
