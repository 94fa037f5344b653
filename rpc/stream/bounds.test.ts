/** What of the stream is limited, and that what is above a limit disturbs nothing else. */
import { afterEach, describe, expect, test } from 'vitest'
import { MAX_QUESTION_BYTES } from '../../core/limits.ts'
import { createMemoryApplication } from '../testing/memory-application.ts'
import { askers, closeAll, ended, joinAs, rawConnection, serve } from '../testing/stream.ts'
import { encodeFrame, FRAME, PROTOCOL } from './frames.ts'

const MIB = 1024 * 1024

afterEach(closeAll)

describe('bounds', () => {
  test('reading pauses at the limit of questions in flight, and goes on when they are answered', async () => {
    const application = createMemoryApplication()
    const releases: (() => void)[] = []
    let most = 0
    let running = 0
    let arrived: () => void = () => {}
    application.answers.gasPrice = () =>
      new Promise((resolve) => {
        most = Math.max(most, ++running)
        releases.push(() => {
          running--
          resolve('"0x1"')
        })
        arrived()
      })
    const remote = await joinAs((await serve(application, { maxInFlight: 4 })).address)
    const answers = Array.from({ length: 40 }, async () => {
      // One question a turn: what came in one piece is taken in one piece.
      await new Promise(setImmediate)
      return remote.ask('gasPrice', {}, 7)
    })
    let answered = 0
    while (answered < 40) {
      if (releases.length === 0) await new Promise<void>((resolve) => (arrived = resolve))
      for (const release of releases.splice(0)) {
        release()
        answered++
      }
    }
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 40 }, () => '"0x1"'))
  })

  test('as many questions as can wait for workers hold up none that needs no worker', async () => {
    const application = createMemoryApplication()
    const unanswered = Promise.withResolvers<string>()
    application.answers.call = () => unanswered.promise
    application.answers.balance = () => '"0x1"'
    const remote = await joinAs((await serve(application)).address)
    const call = { call: {}, block: { tag: 'latest' }, overrides: undefined, blockOverrides: undefined } as const
    const calls = Array.from({ length: 2_000 }, () => remote.ask('call', call as never, 7))
    expect(await remote.ask('balance', { address: '0xa', block: { number: 5 } }, 7)).toBe('"0x1"')
    unanswered.resolve('"0x"')
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['"0x"']))
  })

  test('a gateway that does not read is dropped, others are not disturbed', async () => {
    const application = createMemoryApplication()
    application.answers.block = () => `"${'x'.repeat(1_000_000)}"`
    const server = await serve(application, { dropAboveBytes: 4_000_000 })
    const remote = await joinAs(server.address)
    const slow = rawConnection(server.address)
    slow.pause()
    const gone = ended(slow)
    slow.write(encodeFrame(FRAME.hello, 0, PROTOCOL))
    // Of one connection, or of one question, few would be answered before it reads.
    for (let id = 1; id <= 60; id++) {
      const question = ['block', { block: { number: id }, full: true }, 7, 'a', String(id)]
      slow.write(encodeFrame(FRAME.ask, id, JSON.stringify(question)))
    }
    await remote.ask('block', { block: { tag: 'latest' }, full: true }, 7)
    while (!slow.destroyed) {
      application.commit()
      await remote.ask('gasPrice', {}, 7)
      slow.resume()
      await new Promise(setImmediate)
      slow.pause()
    }
    await gone
    expect(await remote.ask('gasPrice', {}, 7)).toBe('null')
  })

  test('one long answer of sixty who ask together does not end the gateway, and a short one passes', async () => {
    const application = createMemoryApplication()
    const made = Promise.withResolvers<Uint8Array>()
    application.answers.block = () => made.promise as never
    application.answers.balance = () => Promise.resolve('"0x1"')
    const remote = await joinAs((await serve(application, { dropAboveBytes: 32 * MIB })).address)
    const order: string[] = []
    const long = askers(60).map(async (asker) => {
      const text = await remote.askText('block', { block: { number: 5 }, full: true }, 7, asker)
      order.push('long')
      return text.length
    })
    await expect.poll(() => application.asked.length).toBe(60)
    made.resolve(Buffer.alloc(4 * MIB, 'x'))
    await remote.ask('balance', { address: '0xa', block: { number: 5 } }, 7)
    order.push('short')
    expect(new Set(await Promise.all(long))).toEqual(new Set([4 * MIB]))
    expect(order.indexOf('short')).toBeLessThan(30)
  })

  test('what a client still sends that goes at once arrives, whatever others have waiting', async () => {
    const application = createMemoryApplication()
    application.answers.call = () => new Promise(() => undefined)
    application.answers.sendRawTransaction = () => '"0x"'
    const remote = await joinAs((await serve(application)).address)
    const data = `0x${'00'.repeat(95_000)}` as const
    for (const asker of askers(130)) {
      const call = { call: { data }, block: { tag: 'latest' } } as const
      void Promise.resolve(remote.ask('call', call, 7, asker)).catch(() => undefined)
    }
    const [sends] = askers(1)
    const other = { ...sends, client: '192.0.2.2' } as NonNullable<typeof sends>
    const sent = Array.from({ length: 10 }, (_, nonce) =>
      remote.ask('sendRawTransaction', { raw: `0x0${nonce}${'11'.repeat(100_000)}` }, 7, other),
    )
    const settled = Promise.allSettled(sent)
    other.leave()
    for (const { status } of await settled) expect(status).toBe('rejected')
    const arrived = (): number => application.asked.filter(({ name }) => name === 'sendRawTransaction').length
    await expect.poll(arrived, { timeout: 5_000 }).toBe(10)
  })

  test('questions that come at once wait while long answers are unread, and are all answered', async () => {
    const application = createMemoryApplication()
    application.answers.block = () => `"${'x'.repeat(1_000_000)}"`
    const bounds = { pauseAboveBytes: 2_000_000, dropAboveBytes: 8_000_000 }
    const remote = await joinAs((await serve(application, bounds)).address)
    const answers = Array.from({ length: 60 }, () => remote.ask('block', { block: { tag: 'latest' }, full: true }, 7))
    expect((await Promise.all(answers)).map(({ length }) => length)).toEqual(
      Array.from({ length: 60 }, () => 1_000_002),
    )
  })

  test('a connection that is answered much waits behind others, and what it gives up is not asked', async () => {
    const application = createMemoryApplication()
    application.answers.block = () => `"${'x'.repeat(1_000_000)}"`
    const remote = await joinAs((await serve(application)).address)
    const [greedy, honest] = askers(2)
    if (greedy === undefined || honest === undefined) throw new TypeError('two ask')
    const asked: string[] = []
    const noted = async (name: string, answer: string | Promise<string>): Promise<void> => {
      await answer
      asked.push(name)
    }
    const long = { block: { tag: 'latest' }, full: true } as const
    await Promise.all([1, 2].map(() => remote.ask('block', long, 7, greedy)))
    const longs = Array.from({ length: 100 }, () => noted('long', remote.ask('block', long, 7, greedy)))
    const shorts = Array.from({ length: 5 }, () => noted('short', remote.ask('gasPrice', {}, 7, honest)))
    await Promise.all(shorts)
    expect(asked.filter((name) => name === 'long').length).toBeLessThan(20)
    greedy.leave()
    await Promise.allSettled(longs)
    await remote.ask('gasPrice', {}, 7, honest)
    expect(application.asked.filter(({ name }) => name === 'block').length).toBeLessThan(40)
  })

  test('a question whose answer is known to be long waits behind others, whoever asks it', async () => {
    const application = createMemoryApplication()
    application.answers.block = () => `"${'x'.repeat(1_000_000)}"`
    const remote = await joinAs((await serve(application)).address)
    const [first, honest, ...newcomers] = askers(62)
    const long = { block: { tag: 'latest' }, full: true } as const
    await remote.ask('block', long, 7, first)
    let answered = 0
    const longs = newcomers.map(async (each) => {
      await remote.ask('block', long, 8, each)
      answered++
    })
    await Promise.all(Array.from({ length: 5 }, () => remote.ask('gasPrice', {}, 8, honest)))
    expect(answered).toBeLessThan(20)
    await Promise.all(longs)
    expect(answered).toBe(60)
  })

  test('a SyntaxError of a handler is an internal error, and no question that is not JSON', async () => {
    const application = createMemoryApplication()
    application.answers.gasPrice = () => {
      throw new SyntaxError('Cannot convert x to a BigInt')
    }
    const remote = await joinAs((await serve(application)).address)
    await expect(remote.ask('gasPrice', {}, 7)).rejects.toMatchObject({ message: 'internal error' })
    application.answers.gasPrice = () => '"0x1"'
    expect(await remote.ask('gasPrice', {}, 7)).toBe('"0x1"')
  })

  test('a question above the limit fails alone', async () => {
    const remote = await joinAs((await serve()).address)
    const data = 'A'.repeat(MAX_QUESTION_BYTES)
    const [long, short] = await Promise.allSettled([
      remote.ask('native', { path: '/a.B/C', data, height: 0 }, 7),
      remote.ask('gasPrice', {}, 7),
    ])
    expect(long).toMatchObject({ status: 'rejected', reason: { message: 'request too large' } })
    expect(short).toMatchObject({ status: 'fulfilled', value: 'null' })
  })

  test('an answer above the limit of a frame fails alone', async () => {
    const application = createMemoryApplication()
    application.answers.block = () => `"${'x'.repeat(65 * 1024 * 1024)}"`
    const remote = await joinAs((await serve(application)).address)
    const big = remote.ask('block', { block: { tag: 'latest' }, full: true }, 7)
    await expect(big).rejects.toMatchObject({ message: 'response too large' })
    expect(await remote.ask('gasPrice', {}, 7)).toBe('null')
  })

  test('of native requests that were given up only what is broadcast is asked', async () => {
    const application = createMemoryApplication()
    application.answers.block = () => `"${'x'.repeat(1_000_000)}"`
    const remote = await joinAs((await serve(application, { pauseAboveBytes: 2_000_000 })).address)
    const [leaves] = askers(1)
    if (leaves === undefined) throw new TypeError('one asks')
    const long = { block: { tag: 'latest' }, full: true } as const
    const before = Array.from({ length: 10 }, () => remote.ask('block', long, 7, leaves))
    const paths = ['/cosmos.bank.v1beta1.Query/Params', '/cosmos.tx.v1beta1.Service/BroadcastTx']
    const given = paths.map((path) => remote.ask('native', { path, data: '', height: 0 }, 7, leaves))
    leaves.leave()
    await Promise.allSettled([...before, ...given])
    const natives = () => application.asked.flatMap(({ name, parameters }) => (name === 'native' ? [parameters] : []))
    // They were given in this order, and one connection's are asked in theirs.
    await expect.poll(natives).toEqual([{ path: paths[1], data: '', height: 0 }])
  })
})
