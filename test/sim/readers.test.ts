/**
 * Workers that answer questions while a block is executed elsewhere: what is long never stands before what is short,
 * what nobody waits for is not computed, and a worker that has grown is replaced. What is counted is what was computed.
 */
import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Asker, QueryApplication, Questions } from '../../app/ports.ts'
import { invariant } from '../../core/errors.ts'
import { withAskers } from '../../bin/node/runtime/current-asker.ts'
import type { ReaderCounts } from '../../bin/node/runtime/heavy-questions.ts'
import { askerOn } from '../../rpc/asker.ts'
import { seeded } from './random.ts'
import type { SimNode } from './sim-node.ts'
import { makeWorld } from './world.ts'

const TO = '0x00000000000000000000000000000000000c0de1'
const BLOCK = { tag: 'latest' } as const
/** JUMPDEST PUSH1 0 JUMP, for as long as there is gas: a few slices on a fast machine, within the time of a call on a busy one. */
const LOOP = '0x5b600056'
/** Gas of a loop that is long on any machine: of the usual one a fast machine does all within the first slice. */
const MANY_SLICES = 50_000_000
/**
 * How a loop ends: of its gas; on a machine that is busy, where the threads of long ones come last, of the time that a
 * call has, or of the time that it may wait.
 */
const ENDED = /out of gas|timeout|waited too long/
/** A word of memory, and the end. */
const SHORT = '0x60205ff3'

const callOf = (code: `0x${string}`, gas = 10_000_000): Questions['call'] => ({
  block: BLOCK,
  call: { to: TO, gas: `0x${gas.toString(16)}` },
  stateOverrides: { [TO]: { code } },
})

const client = (name: string): Asker & { leave(): void } => {
  const socket = new EventEmitter()
  return { ...askerOn(socket, name), leave: () => void socket.emit('close') }
}

interface Scene {
  readonly node: SimNode
  readonly counts: () => ReaderCounts
  call(code: `0x${string}`, asker: Asker, gas?: number): Promise<string>
  readonly application: QueryApplication
}

const withWorkers = (seed: number, use: (scene: Scene) => Promise<void>) =>
  seeded(seed, async (random) => {
    const folder = mkdtempSync(join(tmpdir(), 'readers-'))
    const world = await makeWorld({ random, nodes: [{ name: 'a', path: join(folder, 'a'), workers: 1 }] })
    try {
      await world.driver.step()
      const [node] = world.nodes
      invariant(node !== undefined, 'a world has nodes')
      const application = withAskers(node.application)
      const { height } = node.application
      const counts = (): ReaderCounts => {
        invariant(node.readers !== undefined, 'the node has workers')
        return node.readers
      }
      const call = async (code: `0x${string}`, asker: Asker, gas?: number): Promise<string> =>
        await application.ask('call', callOf(code, gas), height, asker)
      await use({ node, counts, call, application })
    } finally {
      await world.close()
      rmSync(folder, { recursive: true })
    }
  })

it(
  'endless loops of many connections stand behind the short calls of another, and all are answered',
  withWorkers(431, async ({ call, counts }) => {
    const [honest, first] = [client('honest'), client('loops')]
    expect(await call(SHORT, honest)).toMatch(/^"0x0{64}"$/)
    let ended = 0
    const loops = [first, ...Array.from({ length: 15 }, () => client('loops'))].map(async (asker) => {
      await expect(call(LOOP, asker)).rejects.toThrow(ENDED)
      ended++
    })
    // Each short call is one that begins while all of these wait, or after a slice of one.
    for (let count = 0; count < 20; count++) await call(SHORT, honest)
    expect(ended).toBeLessThan(16)
    await Promise.all(loops)
    const { long, begun } = counts()
    // A loop that was tried was given up, and answered where it may take its time. When many of a client were long, the
    // rest is not tried.
    expect(long).toBeGreaterThanOrEqual(1)
    expect(long).toBeLessThan(16)
    expect(begun).toBeGreaterThanOrEqual(21 + long)
    expect(begun).toBeLessThanOrEqual(21 + 16 + long)
    await expect(call(LOOP, first)).rejects.toThrow(ENDED)
    expect(counts().long).toBe(long)
    expect(counts().begun).toBeLessThanOrEqual(begun + 1)
  }),
)

it(
  'what a client that has gone still wanted is not begun, and what was being computed ends',
  withWorkers(433, async ({ call, counts }) => {
    const gone = client('gone')
    await call(SHORT, client('honest'))
    const loops = Promise.allSettled(Array.from({ length: 30 }, () => call(LOOP, gone)))
    await expect.poll(() => counts().long).toBeGreaterThan(0)
    gone.leave()
    for (const one of await loops) expect(one.status).toBe('rejected')
    const { begun, cancelled } = counts()
    expect(cancelled).toBeGreaterThan(0)
    // The worker for long questions is free again: the next one is not behind thirty loops, of which most never began.
    await expect(call(LOOP, client('next'))).rejects.toThrow(ENDED)
    const next = counts().begun
    expect(next).toBeLessThanOrEqual(begun + 2)
    expect(begun).toBeLessThan(1 + 30)
    await expect(call(SHORT, gone)).rejects.toThrow('nobody waits')
    expect(counts().begun).toBe(next)
  }),
)

it(
  'a worker that has grown is replaced when it rests, and answers go on',
  withWorkers(439, async ({ call, counts, application, node }) => {
    const honest = client('honest')
    await call(SHORT, honest)
    const shown = { enableMemory: true, disableStack: false, disableStorage: false, enableReturnData: true }
    const options = { tracer: { name: 'structLogger', ...shown, limit: 0 }, timeoutMs: 5_000 } as const
    const question: Questions['traceCall'] = { ...callOf(LOOP, 40_000_000), options }
    const traced = application.ask('traceCall', question, node.application.height, client('traces'))
    await expect(Promise.resolve(traced)).rejects.toThrow(/larger than|timeout/)
    await expect.poll(() => counts().replaced).toBeGreaterThan(0)
    expect(await call(SHORT, honest)).toMatch(/^"0x0{64}"$/)
    await expect(call(LOOP, client('loop'))).rejects.toThrow(ENDED)
  }),
)

it(
  'a new client beside many loops, whose first call is taken for a long one, is soon known for short ones',
  withWorkers(443, async ({ call, counts }) => {
    const loops = Array.from({ length: 10 }, () => client('same'))
    for (const loop of loops) await expect(call(LOOP, loop, MANY_SLICES)).rejects.toThrow(ENDED)
    // They were tried once, up to where the client itself was known for them.
    const { long } = counts()
    expect(long).toBeLessThan(10)
    const wallet = client('same')
    for (let index = 0; index < 3; index++) await call(SHORT, wallet)
    // The next call does not stand behind loops: all of these end after it.
    let ended = 0
    const rest = loops.map(async (loop) => {
      await expect(call(LOOP, loop, MANY_SLICES)).rejects.toThrow(ENDED)
      ended++
    })
    await call(SHORT, wallet)
    expect(ended).toBeLessThan(2)
    await Promise.all(rest)
    expect(counts().long).toBe(long)
  }),
)

it(
  'a trace of a block is made once, by its tracer, and one of what is newest each time',
  withWorkers(437, async ({ node, counts, application }) => {
    const { height } = node.application
    const trace = async (
      block: Questions['traceBlock']['block'],
      tracer: Questions['traceBlock']['options']['tracer'],
    ) => await application.ask('traceBlock', { block, options: { timeoutMs: 5_000, tracer } }, height)
    const [calls, noop] = [{ name: 'callTracer', onlyTopCall: false, withLog: false }, { name: 'noopTracer' }] as const
    const first = await trace({ number: height }, calls)
    const begun = counts().begun
    expect(await trace({ number: height }, calls)).toBe(first)
    expect(counts().begun).toBe(begun)
    await trace({ number: height }, noop)
    expect(counts().begun).toBe(begun + 1)
    expect(await trace({ tag: 'latest' }, calls)).toBe(first)
    expect(await trace({ tag: 'latest' }, calls)).toBe(first)
    expect(counts().begun).toBe(begun + 3)
  }),
)

it(
  'what many clients ask of one block at once is made for all of them, also where the one whose question began has gone',
  withWorkers(449, async ({ node, counts, application, call }) => {
    await call(SHORT, client('honest'))
    const { height } = node.application
    const trace = async (asker: Asker): Promise<string> => {
      const options = { timeoutMs: 5_000, tracer: { name: 'structLogger' } }
      const question = { block: { number: height }, options } as unknown as Questions['traceBlock']
      return await application.ask('traceBlock', question, height, asker)
    }
    const before = counts()
    const gone = client('gone')
    const left = trace(gone)
    const traces = Array.from({ length: 150 }, (_, index) => trace(client(`client ${index}`)))
    gone.leave()
    await expect(left).rejects.toThrow('nobody waits')
    const [first, ...others] = await Promise.all(traces)
    expect(first).toMatch(/^\[/)
    for (const other of others) expect(other).toBe(first)
    const { begun, cancelled } = counts()
    // A worker that asks is given a few at once.
    expect(begun - before.begun).toBeLessThan(75)
    expect(cancelled - before.cancelled).toBe(1)
  }),
)
