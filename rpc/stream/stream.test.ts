/** Both ends of the stream over real sockets. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Announcement } from '../../app/ports.ts'
import { CodedError } from '../../core/errors.ts'
import { textToString } from '../../core/text.ts'
import { createMemoryApplication, exampleHead } from '../testing/memory-application.ts'
import { askers, closeAll, closeLater, ended, joinAs, rawConnection, serve } from '../testing/stream.ts'
import { SILENT_LOG } from '../log.ts'
import { connectApplication, type ConnectApplicationOptions } from './connect-application.ts'
import { createFrameReader, encodeFrame, FRAME, PROTOCOL } from './frames.ts'
import { serveQueries, type ServeQueriesOptions } from './serve-queries.ts'

afterEach(closeAll)

/** Seeded, so that a failure can be seen again. */
const createRandom = (seed: number): ((below: number) => number) => {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % below
  }
}

describe('the stream', () => {
  test('carries questions and answers over TCP and unix sockets, texts as they are', async () => {
    const application = createMemoryApplication()
    application.answers.balance = ({ address }) => `"${address} é\u{1f600} ${'x'.repeat(300_000)}"`
    const path = join(mkdtempSync(join(tmpdir(), 'stream-')), 'queries.sock')
    for (const address of ['tcp://127.0.0.1:0', `unix://${path}`]) {
      const server = await serve(application, { address })
      const remote = await joinAs(server.address)
      const answers = await Promise.all(
        ['0xa', '0xb'].map((name) => remote.ask('balance', { address: name as '0xa', block: { number: 5 } }, 7)),
      )
      expect(answers).toEqual(
        ['0xa', '0xb'].map((name) => application.answers.balance?.({ address: name as '0xa', block: { number: 5 } })),
      )
    }
    expect(application.asked[0]).toEqual({
      name: 'balance',
      parameters: { address: '0xa', block: { number: 5 } },
      head: 7,
    })
  })

  test('is served anew where the file of its socket was removed, and gateways stay connected', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'stream-')), 'queries.sock')
    const server = await serve(createMemoryApplication(), { address: `unix://${path}` })
    const before = await joinAs(server.address)
    rmSync(path)
    server.listenAgain()
    const after = await joinAs(server.address)
    for (const remote of [before, after]) expect(await remote.ask('gasPrice', {}, 7)).toBe('null')
  })

  test('carries who asks', async () => {
    const application = createMemoryApplication()
    const remote = await joinAs((await serve(application)).address)
    const [stays] = askers(1)
    await remote.ask('gasPrice', {}, 7, stays)
    await remote.ask('gasPrice', {}, 7)
    const [first, second] = application.askers
    expect(first).toMatchObject({ client: '192.0.2.1', connection: expect.stringMatching(/^\w+\.c0$/) as string })
    expect(second).toMatchObject({ client: '', connection: '' })
  })

  test('tells the application of questions that nobody waits for any more', async () => {
    const application = createMemoryApplication()
    const taken = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    application.answers.call = () => {
      taken.resolve()
      application.askers[0]?.onGone(gone.resolve)
      return new Promise(() => {})
    }
    const remote = await joinAs((await serve(application)).address)
    const [leaves, stays] = askers(2)
    const answer = remote.ask('call', { call: {}, block: { tag: 'latest' } }, 7, leaves)
    await taken.promise
    leaves?.leave()
    await expect(answer).rejects.toThrow('nobody waits')
    await gone.promise
    expect(await remote.ask('gasPrice', {}, 7, stays)).toBe('null')
  })

  test('a question whose client has gone already still arrives, and the application knows', async () => {
    const application = createMemoryApplication()
    const remote = await joinAs((await serve(application, { maxInFlight: 1 })).address)
    const [leaves, stays] = askers(2)
    const first = Promise.withResolvers<string>()
    application.answers.balance = () => first.promise
    const before = remote.ask('balance', { address: '0xa', block: { number: 5 } }, 7, stays)
    const answer = remote.ask('sendRawTransaction', { raw: '0x01' }, 7, leaves)
    leaves?.leave()
    await expect(answer).rejects.toThrow('nobody waits')
    first.resolve('"0x1"')
    await before
    expect(await remote.ask('gasPrice', {}, 7, stays)).toBe('null')
    expect(application.asked.map(({ name }) => name)).toEqual(['balance', 'sendRawTransaction', 'gasPrice'])
    let isGone = false
    application.askers[1]?.onGone(() => (isGone = true))
    expect(isGone).toBe(true)
  })

  test('gives up what a gateway asked that has gone', async () => {
    const application = createMemoryApplication()
    const gone = Promise.withResolvers<void>()
    application.answers.call = () => {
      application.askers[0]?.onGone(gone.resolve)
      return new Promise(() => {})
    }
    const remote = await joinAs((await serve(application)).address)
    const answers = Promise.allSettled([remote.ask('call', { call: {}, block: { tag: 'latest' } }, 7)])
    await expect.poll(() => application.asked).toHaveLength(1)
    await remote.close()
    await gone.promise
    expect(await answers).toMatchObject([{ reason: { message: expect.stringMatching('unavailable') as string } }])
  })

  test('carries failures with codespace, code, message and data', async () => {
    const application = createMemoryApplication()
    application.answers.call = () => Promise.reject(new CodedError('query', 3, 'execution reverted: é', '0x1234'))
    application.answers.logs = () => {
      throw new TypeError('a secret of the node')
    }
    const remote = await joinAs((await serve(application)).address)
    const call = remote.ask('call', { call: {}, block: { tag: 'latest' } }, 7)
    await expect(call).rejects.toMatchObject({
      codespace: 'query',
      code: 3,
      message: 'execution reverted: é',
      data: '0x1234',
    })
    const logs = remote.ask('logs', { addresses: [], topics: [] }, 7)
    await expect(logs).rejects.toMatchObject({ codespace: 'rpc', message: 'internal error' })
  })

  test('shows a head before any answer that knows of it', async () => {
    const application = createMemoryApplication()
    application.answers.transaction = () => `"${application.commit().height}"`
    const remote = await joinAs((await serve(application)).address)
    const seen: string[] = []
    remote.subscribe((announcement) => {
      if (announcement.type === 'head') seen.push(`head ${announcement.head.height}`)
    })
    const asking = Array.from({ length: 50 }, async () =>
      seen.push(`answer ${await remote.ask('transaction', { hash: '0x' }, 7)}`),
    )
    await Promise.all(asking)
    for (const [index, entry] of seen.entries()) {
      if (entry.startsWith('answer')) {
        const height = entry.replace(/\D/g, '')
        expect(seen.slice(0, index)).toContain(`head ${height}`)
      }
    }
    expect(seen.filter((entry) => entry.startsWith('head')).map((entry) => Number(entry.slice(5)))).toEqual(
      Array.from({ length: 51 }, (_, index) => 7 + index),
    )
  })

  test('has handed a head to the system when its commit goes on, before CometBFT can tell anybody of it', async () => {
    const application = createMemoryApplication()
    const { address } = await serve(application)
    const folder = mkdtempSync(join(tmpdir(), 'stream-'))
    const told = join(folder, 'told')
    const gateway = `
      const socket = require('node:net').connect(${Number(address.split(':').at(-1))}, '127.0.0.1')
      socket.write(Buffer.from('${encodeFrame(FRAME.hello, 0, PROTOCOL).toString('hex')}', 'hex'))
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        if (text.includes('"height":7')) process.stdout.write('joined')
        if (text.includes('"height":8')) require('node:fs').writeFileSync('${told}', '')
      })
    `
    const child = spawn(process.execPath, ['-e', gateway], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(child.stdout, 'data')
      application.commit()
      // Nothing more runs here: what was not written by now is not.
      const deadline = performance.now() + 120_000
      while (!existsSync(told) && performance.now() < deadline) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
      }
      expect(existsSync(told)).toBe(true)
    } finally {
      child.kill()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('announces to many gateways', async () => {
    const application = createMemoryApplication()
    const server = await serve(application)
    const remotes = await Promise.all([1, 2, 3].map(() => joinAs(server.address)))
    const heads = remotes.map(
      (remote) =>
        new Promise<Announcement>((resolve) => {
          remote.subscribe((announcement) => {
            if (announcement.type === 'pending') resolve(announcement)
          })
        }),
    )
    application.announce({ type: 'pending', hashes: ['0xab'] })
    expect(await Promise.all(heads)).toEqual(remotes.map(() => ({ type: 'pending', hashes: ['0xab'] })))
  })

  test('fails questions at once while the application is away, and comes back by itself', async () => {
    const application = createMemoryApplication()
    application.answers.gasPrice = () => new Promise(() => {})
    const server = await serveQueries({ address: 'tcp://127.0.0.1:0', application })
    const remote = await joinAs(server.address)
    const changes: boolean[] = []
    remote.onConnection(() => changes.push(remote.connected))
    const waiting = remote.ask('gasPrice', {}, 7)
    await server.close()
    await expect(waiting).rejects.toMatchObject({
      codespace: 'rpc',
      message: expect.stringContaining('unavailable') as string,
    })
    expect(remote.connected).toBe(false)
    await expect(remote.ask('gasPrice', {}, 7)).rejects.toMatchObject({ codespace: 'rpc' })
    await serve(createMemoryApplication(9), { address: server.address })
    await remote.whenConnected()
    const height = await new Promise((resolve) => {
      remote.subscribe((announcement) => {
        if (announcement.type === 'head' && announcement.head.height === 9) resolve(announcement.head.height)
      })
    })
    expect(height).toBe(9)
    expect(await remote.ask('transaction', { hash: '0x' }, 9)).toBe('null')
    expect(changes).toEqual([false, true])
  })

  test('tells what the application answered before it went away, refusals too', async () => {
    const COUNT = 300
    const refusal = JSON.stringify({ codespace: 'query', code: 9, message: 'missing trie node' })
    const server = createServer((socket) => {
      const reader = createFrameReader(() => 1_000_000)
      const replies: Buffer[] = []
      socket.write(encodeFrame(FRAME.hello, 0, PROTOCOL))
      socket
        .on('error', () => {})
        .on('data', (chunk: Buffer) => {
          for (const { kind, id } of reader.push(chunk)) {
            if (kind !== FRAME.ask) continue
            replies.push(
              id % 2 === 0 ? encodeFrame(FRAME.answer, id, '"0x1"') : encodeFrame(FRAME.failure, id, refusal),
            )
          }
          // More than the gateway takes in a turn, and the end right behind them.
          if (replies.length === COUNT) socket.end(Buffer.concat(replies.splice(0)))
        })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const remote = await joinAs(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const asked = await Promise.allSettled(Array.from({ length: COUNT }, () => remote.ask('gasPrice', {}, 7)))
    const kinds = asked.map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as CodedError).code))
    expect(new Set(kinds)).toEqual(new Set(['"0x1"', 9]))
    server.close()
  })

  test('fails a question that gets no answer in time', async () => {
    const application = createMemoryApplication()
    application.answers.gasPrice = () => new Promise(() => {})
    const remote = await joinAs((await serve(application)).address, { timeoutMs: 50 })
    await expect(remote.ask('gasPrice', {}, 7)).rejects.toMatchObject({ message: 'request timed out' })
  })

  test('takes a unix socket over from a process that is gone, not from one that lives', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'stream-')), 'queries.sock')
    const address = `unix://${path}`
    await serve(createMemoryApplication(), { address })
    await expect(serve(createMemoryApplication(), { address })).rejects.toMatchObject({ codespace: 'rpc' })
  })
})

describe('a secret', () => {
  const secret = Buffer.from('a secret of thirty-two bytes ....')
  const hello = encodeFrame(FRAME.hello, 0, PROTOCOL)
  const refusal = async (served: Partial<ServeQueriesOptions>, joined: Partial<ConnectApplicationOptions>) => {
    const reasons: string[] = []
    const log = {
      ...SILENT_LOG,
      warn: (_: string, details?: Record<string, unknown>) => void reasons.push(JSON.stringify(details)),
    }
    const error = (_: string, details?: Record<string, unknown>): void => void reasons.push(JSON.stringify(details))
    const server = await serve(createMemoryApplication(), { ...served, log })
    const remote = connectApplication({ address: server.address, ...joined, log: { ...SILENT_LOG, error } })
    closeLater(remote)
    await expect.poll(() => reasons.length).toBeGreaterThan(0)
    expect(remote.connected).toBe(false)
    return reasons[0]
  }

  test('that both know lets a gateway ask, also when it comes back', async () => {
    const application = createMemoryApplication()
    const server = await serve(application, { secret })
    const remote = await joinAs(server.address, { secret })
    expect(await remote.ask('gasPrice', {}, 7)).toBe('null')
    await server.close()
    await serve(application, { secret, address: server.address })
    await expect.poll(async () => await remote.ask('gasPrice', {}, 7)).toBe('null')
  })

  test.each([
    [{ secret }, {}, 'it shows no secret'],
    [{ secret }, { secret: Buffer.from('another') }, 'does not know the secret'],
    [{}, { secret }, 'it has a secret, and this has none'],
  ])('that one of them does not know keeps it out: %j %j', async (served, joined, reason) => {
    expect(await refusal(served, joined)).toContain(reason)
  })

  test('is asked of who only pretends to be the application', async () => {
    const pretender = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.write(hello))
    })
    pretender.listen(0, '127.0.0.1')
    await once(pretender, 'listening')
    const reasons: string[] = []
    const error = (_: string, details?: Record<string, unknown>): void => void reasons.push(JSON.stringify(details))
    const address = `tcp://127.0.0.1:${(pretender.address() as AddressInfo).port}`
    const remote = connectApplication({ address, secret, log: { ...SILENT_LOG, error } })
    await expect.poll(() => reasons[0]).toContain('shows none')
    expect(remote.connected).toBe(false)
    await remote.close()
    pretender.close()
  })

  test('does not let a stranger send a long frame, nor wait for his hello', async () => {
    const server = await serve(createMemoryApplication(), { secret })
    const socket = rawConnection(server.address)
    socket.resume().write(encodeFrame(FRAME.hello, 0, 'x'.repeat(100_000)))
    await ended(socket)
    const heard: Buffer[] = []
    const asking = rawConnection(server.address)
    asking.on('data', (chunk: Buffer) => heard.push(chunk))
    asking.write(Buffer.concat([hello, encodeFrame(FRAME.ask, 1, '["gasPrice",{},7,"",""]')]))
    await ended(asking)
    expect(heard).toEqual([])
  })
})

describe('garbage', () => {
  const hello = encodeFrame(FRAME.hello, 0, PROTOCOL)
  const question = encodeFrame(FRAME.ask, 1, '["gasPrice",{},7,"",""]')

  test('frames survive every way of being cut into pieces', () => {
    const bodies = ['', 'a', 'é'.repeat(100), 'x'.repeat(70_000)]
    const bytes = Buffer.concat(bodies.map((body, index) => encodeFrame(3, index, body)))
    const random = createRandom(1)
    for (let round = 0; round < 200; round++) {
      const reader = createFrameReader(() => 100_000)
      const frames = []
      for (let at = 0; at < bytes.length; ) {
        const end = Math.min(bytes.length, at + 1 + random(round % 2 === 0 ? 20_000 : 300))
        frames.push(...reader.push(Buffer.from(bytes.subarray(at, end))))
        at = end
      }
      // A long answer is not read.
      const whole = frames.map(({ kind, id, body }) => ({ kind, id, body: textToString(body) }))
      expect(whole).toEqual(bodies.map((body, index) => ({ kind: 3, id: index, body })))
      expect(frames.map(({ body }) => typeof body)).toEqual(['string', 'string', 'string', 'object'])
    }
  })

  test('sent to the application ends its connection and nothing else', async () => {
    const server = await serve()
    const remote = await joinAs(server.address)
    const random = createRandom(2)
    const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random(256)))
    const oversized = Buffer.alloc(9)
    oversized.writeUInt32BE(0xffff_fff0, 0)
    const short = Buffer.from([0, 0, 0, 4, 2, 0, 0, 0, 0])
    const bad = [
      noise(5),
      noise(500),
      noise(50_000),
      oversized,
      short,
      question,
      encodeFrame(FRAME.hello, 0, 'nat-query/0'),
      Buffer.concat([hello, oversized]),
      Buffer.concat([hello, hello]),
      Buffer.concat([hello, encodeFrame(FRAME.answer, 1, '1')]),
      Buffer.concat([hello, encodeFrame(FRAME.ask, 1, 'not json')]),
      Buffer.concat([hello, noise(300)]),
    ]
    for (const bytes of bad) {
      const socket = rawConnection(server.address)
      const gone = ended(socket)
      socket.resume()
      socket.end(bytes)
      await gone
    }
    expect(await remote.ask('gasPrice', {}, 7)).toBe('null')
  })

  test('in a question is told to the one who asked', async () => {
    const server = await serve()
    const bad = [
      '5',
      'null',
      '{}',
      '[]',
      '["nope",{},1]',
      '["toString",{},1]',
      '["gasPrice"]',
      '["gasPrice",5,1]',
      '["gasPrice",{},"1"]',
      '["gasPrice",{},1.5]',
    ]
    const socket = rawConnection(server.address)
    const reader = createFrameReader(() => 1_000_000)
    const failures: number[] = []
    const done = new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        for (const frame of reader.push(chunk)) if (frame.kind === FRAME.failure) failures.push(frame.id)
        if (failures.length === bad.length) resolve()
      })
    })
    socket.write(Buffer.concat([hello, ...bad.map((body, index) => encodeFrame(FRAME.ask, index, body))]))
    await done
    expect(failures).toEqual(bad.map((_, index) => index))
    socket.destroy()
  })

  test('sent to the gateway makes it connect anew', async () => {
    const random = createRandom(3)
    let rounds = 0
    const server = createServer((socket) => {
      socket.on('error', () => {}).resume()
      rounds++
      if (rounds > 20) {
        const head = JSON.stringify({ type: 'head', head: exampleHead(5), isNew: true } satisfies Announcement)
        socket.write(Buffer.concat([hello, encodeFrame(FRAME.announcement, 0, head)]))
      } else {
        const noise = Buffer.from(Array.from({ length: 10 + random(400) }, () => random(256)))
        socket.end(rounds % 2 === 0 ? noise : Buffer.concat([hello, encodeFrame(FRAME.announcement, 0, '{'), noise]))
      }
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const remote = connectApplication({
      address: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
      reconnectMs: { first: 1, most: 2 },
    })
    const height = await new Promise((resolve) => {
      remote.subscribe((announcement) => {
        if (announcement.type === 'head') resolve(announcement.head.height)
      })
    })
    expect(height).toBe(5)
    expect(rounds).toBe(21)
    await remote.close()
    await new Promise((resolve) => server.close(resolve))
  })
})
