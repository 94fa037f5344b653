/** Signatures of many transactions that come at once: the answers of the thread are those of the main thread. */
import { afterEach, describe, expect, it } from 'vitest'
import { keccak256 } from '../../../core/hash.ts'
import { runSignatureTask, signDigest, type SignatureTask } from '../../../core/signature.ts'
import { concatBytes } from '../../../core/bytes.ts'
import { SignatureQueue } from '../../../app/pool/signature-queue.ts'
import { Random } from '../../../test/sim/random.ts'
import { createSignatureThread, type RunningSignatureThread } from './signature-thread.ts'

const warnings: string[] = []
const log = { warn: (message: string, fields?: object) => void warnings.push(`${message} ${JSON.stringify(fields)}`) }
const ENVIRONMENT = {
  clock: { nowMs: () => performance.now(), wallMs: () => Date.now() },
  yieldToEventLoop: () => new Promise<void>((resolve) => setImmediate(resolve)),
}
const NO_SUCH_SCRIPT = new URL('./no-such-worker.ts', import.meta.url)

let thread: RunningSignatureThread | undefined
afterEach(async () => {
  await thread?.close()
  warnings.length = 0
})

/** Makes tasks of both kinds; a third of them do not hold. */
const makeTasks = (count: number): readonly SignatureTask[] => {
  const random = new Random(count)
  return Array.from({ length: count }, (_, index): SignatureTask => {
    const digest = keccak256(random.bytes(20))
    const { r, s, yParity } = signDigest(digest, random.bytes(32))
    const signature = concatBytes(r, s)
    const recover = { kind: 'recover', digest, signature, yParity } as const
    const point = concatBytes(Uint8Array.of(4), runSignatureTask(recover) ?? new Uint8Array(64))
    const isGood = index % 3 !== 2
    if (index % 2 === 0) {
      return { kind: 'verify', digest: isGood ? digest : keccak256(digest), signature, publicKey: point }
    }
    return isGood ? recover : { ...recover, signature: new Uint8Array(64).fill(random.below(256)) }
  })
}

/** The answers as plain arrays: those of a thread are views. */
const plain = (answers: readonly (Uint8Array | undefined)[]): readonly (string | undefined)[] =>
  answers.map((answer) => answer && Buffer.from(answer).toString('hex'))

describe('the thread for signatures', () => {
  it('answers what the main thread answers, in order', async () => {
    thread = createSignatureThread({ log })
    const lots = [1, 7, 200].map(makeTasks)
    const answers = await Promise.all(lots.map((lot) => thread?.check(lot)))
    expect(answers.map((each) => plain(each ?? []))).toEqual(lots.map((lot) => plain(lot.map(runSignatureTask))))
    expect(plain(answers[2] ?? []).filter((answer) => answer === undefined).length).toBeGreaterThan(40)
  })

  it('has what follows its answers done in turns of the event loop, in order', async () => {
    thread = createSignatureThread({ log })
    const queue = new SignatureQueue(thread, ENVIRONMENT)
    const done: number[] = []
    const follow = async (task: SignatureTask, index: number): Promise<void> => {
      await queue.check(task)
      for (const endMs = performance.now() + 2; performance.now() < endMs; );
      done.push(index)
    }
    const all = Promise.all(makeTasks(40).map(follow))
    const inTurns: number[] = []
    let before = 0
    while (done.length < 40) {
      await new Promise(setImmediate)
      inTurns.push(done.length - before)
      before = done.length
    }
    await all
    expect(done).toEqual(Array.from({ length: 40 }, (_, index) => index))
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(3)
  })

  it('is there only while it has work', async () => {
    thread = createSignatureThread({ log, idleMs: 1 })
    expect(thread.isRunning).toBe(false)
    for (let round = 0; round < 2; round++) {
      expect(await thread.check(makeTasks(5))).toHaveLength(5)
      await expect.poll(() => thread?.isRunning).toBe(false)
    }
    expect(warnings).toEqual([])
  })

  it('says once that it cannot be started, and is not asked again for a while', async () => {
    thread = createSignatureThread({ log, script: NO_SUCH_SCRIPT })
    const asked = [thread.check(makeTasks(5)), thread.check(makeTasks(5))]
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(thread.check(makeTasks(5))).rejects.toThrow('there is no thread')
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(
      'the thread for signatures has ended: signatures are checked on the main thread for a while',
    )
  })
})

describe('the queue before it', () => {
  it.each([
    ['a thread', undefined],
    ['a thread that cannot be started', NO_SUCH_SCRIPT],
  ])('gives every answer in the order of the questions, with %s', async (_, script) => {
    thread = createSignatureThread({ log, ...(script && { script }) })
    const queue = new SignatureQueue(thread, ENVIRONMENT)
    // Some have nothing to ask, and wait for their turn.
    const tasks = makeTasks(300).map((task, index) => (index % 5 === 4 ? undefined : task))
    const order: number[] = []
    const answers: Promise<Uint8Array | undefined>[] = []
    const random = new Random(4)
    // The loop asks in lots of all sizes: the thread is asked about some tasks, and behind those comes every other one.
    for (let at = 0; at < tasks.length; ) {
      for (const end = at + 1 + random.below(12); at < end && at < tasks.length; at++) {
        const index = at
        const answer = queue.check(tasks[index])
        answers.push(answer)
        void answer.then(() => order.push(index))
      }
      if (random.below(3) === 0) await Promise.all(answers)
      else await Promise.resolve()
    }
    expect(plain(await Promise.all(answers))).toEqual(plain(tasks.map((task) => task && runSignatureTask(task))))
    expect(order).toEqual(tasks.map((_task, index) => index))
  })

  it('asks nobody for a few', async () => {
    thread = createSignatureThread({ log })
    const queue = new SignatureQueue(thread, ENVIRONMENT)
    const tasks = makeTasks(3)
    expect(plain(await Promise.all(tasks.map((task) => queue.check(task))))).toEqual(plain(tasks.map(runSignatureTask)))
    expect(thread.isRunning).toBe(false)
  })
})
