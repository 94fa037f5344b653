/**
 * Four validators of which one lies about orders: in its blocks, which the others refuse, and in its votes, which change
 * nothing. The orders of honest clients are executed within the bound all the while.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { plainBytes } from '../../core/bytes.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { InjectedExtensionsSchema } from '../../proto/gen/nat/clob/v1/vote_extensions_pb.ts'
import { auditRun, python } from './clob-audit.ts'
import { auditLiar, auditOwn, factsOf, LIES, type Ports } from './clob-audit-liar.ts'
import { askRest, ordersOf } from './clob-book.ts'
import { describeTrade, startTrading, type TradeReport, type Trading } from './clob-trading.ts'
import { accounts } from './clients.ts'
import { expectConsistentHeights } from './consistency.ts'
import { ORDER_FAULTS, ORDER_VOTER_FAULTS } from './faulty/order-faults.ts'
import { SAID_AGAIN, SIGNS_AGAIN } from './faulty/sign-again.ts'
import { type TestNode, until } from './harness.ts'
import { createNetwork, type Network } from './network.ts'

const OPTIONS = { timeoutCommitMs: 500, hasTestMarkets: true } as const
const LIAR = 3
const BOUND_BLOCKS = 3
/** An honest proposer may lack a body on a busy machine. */
const FEW_STOPS = 3
/** A proposal may come after the others have given its round up, on a busy machine: then there is nothing to refuse. */
const ATTEMPTS = 3
/** The newest blocks that are audited: the audit checks eight signatures and proves a dozen values for each. */
const AUDITED_BLOCKS = 150
/** The answers of an honest node about so many blocks are changed on their way. */
const LIED_ABOUT = 6
const FAULTY_CHAIN = [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  join(import.meta.dirname, 'faulty', 'chain.ts'),
]

const folder = mkdtempSync(join(tmpdir(), 'e2e-liar-'))
const faultFile = join(folder, 'fault')
const setFault = (name: string): void => writeFileSync(faultFile, name)

let network: Network
let honest: readonly TestNode[] = []

interface Said {
  readonly height: number
  /** The refusals of the honest nodes, from the moment at which the fault was named. */
  readonly refusals: readonly string[]
}

/** Names the fault, and waits until the liar has committed it and a further block came. */
const lie = async (name: string): Promise<Said> => {
  const before = network.nodes.map(({ output }) => output.length)
  const linesOf = (index: number): readonly string[] => network.at(index).output.slice(before[index]).split('\n')
  setFault(name)
  const height = await until(`${name}`, () => {
    const [found] = linesOf(LIAR).flatMap((line) => /^faulty: (.*) at height (\d+)$/.exec(line) ?? [])
    return found === undefined ? undefined : Number(found.split(' ').at(-1))
  })
  await network.expectSameBlocks(height + 1, honest)
  const refusals = honest.flatMap((_, index) =>
    linesOf(index).filter((line) => line.includes(`proposal rejected height=${height} `)),
  )
  return { height, refusals }
}

const commitRound = async (height: number): Promise<number> => {
  const { signed_header: signed } = await network
    .at(0)
    .comet<{ signed_header: { commit: { round: number } } }>(`commit?height=${height}`)
  return signed.commit.round
}

const expectRefused = async (name: string, reason: RegExp, attempt = 1): Promise<void> => {
  const { height, refusals } = await lie(name)
  expect(await commitRound(height), `round of height ${height}`).toBeGreaterThan(0)
  if (refusals.length === 0 && attempt < ATTEMPTS) return await expectRefused(name, reason, attempt + 1)
  expect(refusals.length, 'refusals of honest nodes').toBeGreaterThan(0)
  for (const line of refusals) expect(line).toMatch(reason)
}

const portsOf = ({ urls: { comet, http } }: TestNode): Ports => ({ comet, http })

const trade = (): Trading => startTrading(honest, accounts.slice(1, 4))

const expectExecuted = (name: string, report: TradeReport, boundBlocks = BOUND_BLOCKS): void => {
  console.log(describeTrade(name, report))
  expect(report.lost).toEqual([])
  expect(report.orders.filter(({ code }) => code !== 0).map(({ code, log }) => [code, log])).toEqual([])
  expect(report.orders.filter(({ blocks }) => blocks > boundBlocks)).toEqual([])
}

beforeAll(async () => {
  const created = await createNetwork({
    members: [
      OPTIONS,
      { ...OPTIONS, abci: 'grpc' },
      OPTIONS,
      { ...OPTIONS, command: FAULTY_CHAIN, environment: { CHAIN_TEST_FAULT_FILE: faultFile } },
    ],
  })
  network = created
  honest = network.nodes.slice(0, LIAR)
  await created.start()
  for (const node of network.nodes) await node.untilHeight(3)
})
afterEach(async ({ task }) => {
  setFault('')
  if (task.result?.state === 'fail') network.print()
})
afterAll(async () => {
  await network?.remove()
  rmSync(folder, { recursive: true, force: true })
})

const REFUSED = Object.entries(ORDER_FAULTS).flatMap(([name, { reason }]) =>
  reason === undefined ? [] : { name, reason },
)

describe('four validators of which one lies about orders', () => {
  it('refuse each block that is not what the votes oblige it to be, and lose no order and no block by it', async () => {
    const running = trade()
    for (const { name, reason } of REFUSED) await expectRefused(name, reason)
    const report = await running.stop(network.at(0))
    expectExecuted(`${REFUSED.length} false blocks`, report)
    expect(report.fills).toBeGreaterThan(0)
  })

  it('execute in the next block what a proposer leaves for it, and count that', async () => {
    const running = trade()
    const { height, refusals } = await lie('stops before the last order')
    expect(refusals).toEqual([])
    const report = await running.stop(network.at(0))
    // One block more than without the stop.
    expectExecuted('a stop', report, BOUND_BLOCKS + 1)
    if ((await commitRound(height)) > 0) return
    expect(await stopsOf(await proposerAt(height))).toBeGreaterThan(0)
  })

  it('execute the orders of honest clients within the bound, whatever its votes say', async () => {
    const before = await allStops()
    const running = trade()
    for (const name of Object.keys(ORDER_VOTER_FAULTS)) {
      const { height } = await lie(name)
      await network.expectSameBlocks(height + 3, honest)
    }
    const report = await running.stop(network.at(0))
    expectExecuted('false votes', report)
    // What it alone attested obliges nobody: all these blocks would have stopped at it.
    expect((await allStops()) - before).toBeLessThan(FEW_STOPS)
  })

  it('take a block with another extension of its proposer than the one that they have, and lose no order by it', async () => {
    const running = trade()
    const decided: number[] = []
    for (let attempt = 0; attempt < ATTEMPTS && decided.length === 0; attempt++) {
      const { height, refusals } = await lie(SIGNS_AGAIN)
      expect(refusals).toEqual([])
      // Somebody else has proposed where a later round decided.
      if ((await saidIn(height)).includes(bytesToHex(SAID_AGAIN))) decided.push(height)
    }
    expect(decided.length).toBeGreaterThan(0)
    expectExecuted('two extensions for one height', await running.stop(network.at(0)))
  })

  it.skipIf(python === undefined)('pass the audit of a stranger, with the stops that they made', async () => {
    const last = await network.at(0).height()
    const first = Math.max(1, last - AUDITED_BLOCKS)
    await network.expectSameBlocks(last + 1)
    const report = await auditRun(network.at(0), first, last)
    console.log(report.trim())
    expect(report).toMatch(/^ok blocks \d+ to \d+: [1-9]\d* orders, [1-9]\d* fills, /)
    expect(report.match(/^proposer /gm)).toHaveLength(network.nodes.length)
    // Both audits say the same, also of each proposer: of stops, of votes and of power that was left out.
    const own = await auditOwn(portsOf(network.at(1)), first, last)
    console.log(`${own.lines.join('\n')}\n${own.blocksPerSecond.toFixed(1)} blocks/s`)
    expect(factsOf(own.lines)).toEqual(factsOf(report.trim().split('\n')))
    for (const lie of LIES) {
      const { finding, url } = await auditLiar(portsOf(network.at(2)), lie, last - LIED_ABOUT, last)
      expect(finding, lie.name).toMatchObject({ rule: lie.rule ?? 1, liar: url })
    }
  })

  it('are one chain with one book after all of it', async () => {
    const height = await network.at(0).height()
    await network.expectSameBlocks(height)
    const books = await Promise.all(network.nodes.map((node) => ordersOf(node, height)))
    for (const book of books) expect(book).toEqual(books[0])
    await expectConsistentHeights(network.at(0), 1, height)
    expect(honest.map((node) => node.isRunning('application'))).toEqual(honest.map(() => true))
  })
})

const proposerAt = async (height: number): Promise<string> => {
  const { block } = await network
    .at(0)
    .comet<{ readonly block: { readonly header: { readonly proposer_address: string } } }>(`block?height=${height}`)
  return encodeBech32(hexToBytes(`0x${block.header.proposer_address.toLowerCase()}`), 'natvalcons')
}

/** The extensions that the first transaction of a block holds. */
const saidIn = async (height: number): Promise<readonly string[]> => {
  const { block } = await network
    .at(0)
    .comet<{ readonly block: { readonly data: { readonly txs: readonly string[] } } }>(`block?height=${height}`)
  const injected = plainBytes(Buffer.from(block.data.txs[0] ?? '', 'base64'))
  const { votes } = fromBinary(InjectedExtensionsSchema, injected.subarray(1))
  return votes.map(({ extension }) => bytesToHex(extension))
}

const stopsOf = async (proposer: string): Promise<number> => {
  const path = `/nat/clob/v1/proposers/${proposer}`
  return Number((await askRest<{ readonly record: { readonly stops: string } }>(network.at(0), path)).record.stops)
}

/** The stops of all who proposed of late. */
const allStops = async (): Promise<number> => {
  const height = await network.at(0).height()
  const heights = Array.from({ length: 3 * network.nodes.length }, (_, index) => Math.max(1, height - index))
  const counts = await Promise.all([...new Set(await Promise.all(heights.map(proposerAt)))].map(stopsOf))
  return counts.reduce((sum, count) => sum + count, 0)
}
