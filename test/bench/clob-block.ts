/**
 * Full blocks of the order book through two applications, without CometBFT: what each step costs the node that follows, what it
 * is spent on, and what the vote costs. Run: node test/bench/clob-block.ts [takers] [rounds] [functions|plain]
 * A profile costs up to a fifth: `plain` takes none. As many takers as a block of the default weight holds when left out: 1,950.
 */
import { spawnSync } from 'node:child_process'
import { LARGE_SEMI_SPACE } from '../../bin/node/runtime/young-objects.ts'
import { BookChain, NO_ORDERS, type Timed } from './support/book-chain.ts'
import { BookTrader, limit } from './support/book-traders.ts'
import { machine } from './support/devnet.ts'
import { type Parts, ProfiledParts } from './support/profiled-parts.ts'

// This process runs with the flag that the node's own process has.
if (!process.execArgv.includes(LARGE_SEMI_SPACE)) {
  const { status } = spawnSync(process.execPath, [LARGE_SEMI_SPACE, ...process.argv.slice(1)], { stdio: 'inherit' })
  process.exit(status ?? 1)
}

const TAKERS = Number(process.argv[2] ?? 1_950)
const rounds = Number(process.argv[3] ?? 1)
const showsFunctions = process.argv[4] === 'functions'
const isPlain = process.argv[4] === 'plain'

const FILLS = 20
/** More than are taken, so that no taker comes in vain. */
const MAKERS = Math.ceil(TAKERS * FILLS * 1.02)
const ORDERS_A_BLOCK = Math.min(6_900, Math.ceil(MAKERS / 2))
const BATCHES = Math.round(TAKERS * 0.4)
const ACTIONS_A_BATCH = 50
const LOWEST_ASK = 10_000
const LEVELS = 2_000
const EMPTY_BLOCKS = 5

const PARTS: Parts = {
  'votes verified and decoded': ['injected.ts:readAttestations'],
  'orders decoded': ['orders.ts:readBody'],
  plan: ['block.ts:planOfBlock'],
  signatures: ['orders.ts:signerOf'],
  step: ['step.ts:streamClobStep'],
  'state writes of the step': ['finish.ts:finishStep'],
  'results encoded': ['live-batch.ts:encodeResult'],
  'trie and values': ['commitment.ts:computeCommitment'],
  'candidate, block around it': ['execute.ts:executeProposal', 'candidate.ts:buildCandidate'],
  'system calls, hooks': ['run.ts:begin', 'run.ts:end'],
  'step undone and made again': ['books.ts:apply'],
  'written to disk': ['rocks-store.ts:write'],
  'write assembled': ['write-state.ts:writeState', 'write-block.ts:writeBlock'],
  'pool settled': ['app.ts:#settleOrders', 'orders.ts:settle'],
  'rest of Commit': ['app.ts:commit'],
}

const EXECUTED = new Set(['ProcessProposal', 'FinalizeBlock', 'Commit'])

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

interface Steps {
  readonly wall: Map<string, number[]>
  readonly cpu: Map<string, number[]>
  orders: number
}

const note = (times: Map<string, number[]>, name: string, value: number): void =>
  void times.set(name, [...(times.get(name) ?? []), value])

const measured = new Map<string, Steps>()
const profiles = new Map<string, ProfiledParts>()

const profileOf = async (name: string): Promise<ProfiledParts> => {
  const known = profiles.get(name)
  if (known !== undefined) return known
  const opened = new ProfiledParts(PARTS)
  await opened.open()
  profiles.set(name, opened)
  return opened
}

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Votes are made of a block and counted for the case whose orders they hold; all else belongs to the block's own orders. */
const timedFor = (own: string | undefined, voted: string | undefined): Timed => {
  return async (step, work) => {
    const name = step === 'CheckTx' || step === 'ExtendVote' ? voted : own
    if (name === undefined) return await work()
    const profile = EXECUTED.has(step) && !isPlain ? await profileOf(name) : undefined
    await profile?.start()
    const steps = measured.get(name) ?? { wall: new Map(), cpu: new Map(), orders: 0 }
    measured.set(name, steps)
    const [wall, cpu] = [performance.now(), threadMs()]
    const result = await work()
    note(steps.wall, step, performance.now() - wall)
    note(steps.cpu, step, threadMs() - cpu)
    await profile?.stop()
    return result
  }
}

let lastCase: string | undefined

/** The orders go into the next block but one: the block of this height is that of the last case. */
const step = async (
  chain: BookChain,
  name: string | undefined,
  orders: readonly Uint8Array[],
  isKnown: boolean,
): Promise<void> => {
  const own = lastCase
  const held = await chain.block({ orders, isKnown }, timedFor(own, name))
  lastCase = name
  const steps = own === undefined ? undefined : measured.get(own)
  if (steps !== undefined) steps.orders = held
}

const print = (name: string, { wall, cpu, orders }: Steps): void => {
  console.log(`\n${name}: ${orders} ClobTx in the block; medians in ms, and of the thread's processor time`)
  let total = [0, 0]
  for (const [each, values] of wall) {
    const [wallMs, cpuMs] = [median(values), median(cpu.get(each) ?? [])]
    if (EXECUTED.has(each)) total = [(total[0] ?? 0) + wallMs, (total[1] ?? 0) + cpuMs]
    console.log(`  ${each.padEnd(44)} ${wallMs.toFixed(1).padStart(8)} ${cpuMs.toFixed(1).padStart(8)}`)
  }
  const text = total.map((each) => each.toFixed(1).padStart(8)).join(' ')
  console.log(`  ${'Process, Finalize and Commit'.padEnd(44)} ${text}`)
  const profile = profiles.get(name)
  if (profile === undefined) return
  console.log('  of these, by a profile:')
  // Each block has three profiles: one for each of the steps.
  for (const [part, ms] of profile.parts()) console.log(`    ${part.padEnd(42)} ${(ms * 3).toFixed(1).padStart(8)}`)
  if (!showsFunctions) return
  for (const [each, ms] of profile.functions())
    console.log(`      ${each.padEnd(50)} ${(ms * 3).toFixed(1).padStart(8)}`)
}

const traders = Array.from({ length: MAKERS + TAKERS }, (_, index) => BookTrader.at(index))
const makers = traders.slice(0, MAKERS)
const takers = traders.slice(MAKERS)

const oneRound = async (chain: BookChain): Promise<void> => {
  const terms = () => ({ nonceMs: chain.timeMs, goodTilBlock: chain.height + 20 })
  for (let at = 0, isKnown = true; at < MAKERS; at += ORDERS_A_BLOCK, isKnown = !isKnown) {
    const orders = makers
      .slice(at, at + ORDERS_A_BLOCK)
      .map((maker, index) => maker.sign([limit('sell', 1, LOWEST_ASK + (index % LEVELS))], terms()))
    const name = `(a) ClobTx of one order, an owner each, signatures ${isKnown ? 'known' : 'unknown'}`
    await step(chain, name, orders, isKnown)
  }
  const take = [limit('buy', FILLS, LOWEST_ASK + LEVELS, { tif: 'ioc' })]
  const taking = takers.map((taker) => taker.sign(take, terms()))
  await step(chain, '(c) takers of 20 fills, an owner each', taking, true)
  const posts = Array.from({ length: ACTIONS_A_BATCH }, (_, index) => limit('buy', 1, LOWEST_ASK - 1 - index))
  const batches = makers.slice(0, BATCHES).map((maker) => maker.sign(posts, terms()))
  await step(chain, '(b) actions that cannot take, 50 a ClobTx', batches, true)
  for (let count = 0; count < EMPTY_BLOCKS; count++) await step(chain, '(d) an empty block', [], true)
}

console.log(`machine: ${machine()}`)
const chain = await BookChain.open(traders)
const untimed: Timed = async (_, work) => await work()
await chain.block(NO_ORDERS, untimed)
for (let round = 0; round < rounds; round++) await oneRound(chain)
for (const [name, steps] of measured) print(name, steps)
for (const profile of profiles.values()) profile.close()
await chain.close()
