/** Long requests are answered by another thread: what arrives is what the thread that reads short ones would send. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { Hex } from '../../core/hex.ts'
import type { Asker } from '../../app/ports.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import { createHeadTracker } from '../head.ts'
import { SILENT_LOG } from '../log.ts'
import { NO_FIGURES, type RequestFigure } from '../request-figures.ts'
import { GATEWAY_DEFAULTS, type GatewaySettings } from '../settings.ts'
import { connectApplication, type RemoteApplication } from '../stream/connect-application.ts'
import { serveQueries } from '../stream/serve-queries.ts'
import { createMemoryApplication, type MemoryApplication } from '../testing/memory-application.ts'
import { createLongRequests, LONG_REQUEST_BYTES, type LongCaller, type LongRequests } from './long-requests.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const end of open.splice(0).reverse()) await end.close()
})

const SETTINGS: GatewaySettings = {
  ...GATEWAY_DEFAULTS,
  ...{ address: '127.0.0.1:0', wsAddress: '127.0.0.1:0', restAddress: undefined, grpcAddress: undefined },
}
/** JSON lets white space stand wherever a value may begin. */
const SPACE = ' '.repeat(LONG_REQUEST_BYTES)
const CALLEE = `0x${'aa'.repeat(20)}`
const LONG_DATA: Hex = `0x${'ab'.repeat(200_000)}`

const answering = (): MemoryApplication => {
  const application = createMemoryApplication()
  application.answers.balance = ({ address }) => JSON.stringify(address)
  application.answers.call = ({ call }) => JSON.stringify(`${call.data?.length ?? 0}`)
  application.answers.code = () => JSON.stringify('c'.repeat(100_000))
  application.answers.sendRawTransaction = () => Promise.reject(new Error('a fault'))
  return application
}

const connectTo = async (application: MemoryApplication, secret?: Uint8Array): Promise<RemoteApplication> => {
  const asked = secret === undefined ? {} : { secret }
  const server = await serveQueries({ address: 'tcp://127.0.0.1:0', application, ...asked })
  open.push(server)
  const remote = connectApplication({ address: server.address, ...asked })
  open.push(remote)
  await remote.whenConnected()
  return remote
}

const start = async (
  application: MemoryApplication | RemoteApplication,
  settings: Partial<GatewaySettings> = {},
): Promise<Gateway> => {
  const gateway = await startGateway({ ...SETTINGS, ...settings }, application, SILENT_LOG)
  open.push(gateway)
  return gateway
}

const request = (method: string, params: unknown, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

const post = async (gateway: Gateway, body: string): Promise<string> => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`http://${gateway.address}`, { method: 'POST', headers, body })
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(answer.headers.get('content-length')).toBe(String(bytes.length))
  return `${answer.status} ${bytes.toString('utf8')}`
}

const BODIES: Readonly<Record<string, string>> = {
  'what the gateway knows': `${SPACE}${request('eth_blockNumber', [])}`,
  'what the application knows': `${SPACE}${request('eth_getBalance', [CALLEE, 'latest'])}`,
  'a long question': request('eth_call', [{ to: CALLEE, data: LONG_DATA }, 'latest']),
  'a question at pending': request('eth_call', [{ to: CALLEE, data: LONG_DATA }, 'pending']),
  'a long answer': `${SPACE}${request('eth_getCode', [CALLEE, 'latest'])}`,
  'an id as it was written': `${SPACE}{"jsonrpc":"2.0","id":1.0,"method":"eth_chainId"}`,
  'a method that is not there': `${SPACE}${request('eth_nothing', [])}`,
  'a parameter that cannot be read': request('eth_getBalance', [LONG_DATA, 'latest']),
  'a fault': `${SPACE}${request('eth_sendRawTransaction', ['0x00'])}`,
  'a subscription': `${SPACE}${request('eth_subscribe', ['newHeads'])}`,
  'a notification': `${SPACE}{"jsonrpc":"2.0","method":"eth_chainId"}`,
  'a batch': `[${SPACE}${request('eth_chainId', [], 1)},${request('eth_getCode', [CALLEE, 'latest'], 'b')},{"a":1}]`,
  'a batch of too many': `[${SPACE}${'1,'.repeat(2_000)}1]`,
  'an empty batch': `[${SPACE}]`,
  'no JSON': `${SPACE}{"jsonrpc":"2.0",}`,
  'half of it': `${SPACE}{"jsonrpc":"2.0"`,
  nothing: SPACE,
  'too many values': `${SPACE}[${'1,'.repeat(100_001)}1]`,
  'nested too deeply': '['.repeat(LONG_REQUEST_BYTES),
}

describe('long requests over HTTP', () => {
  it('get the answers of short ones', async () => {
    const [near, far] = [answering(), answering()]
    const [one, other] = [await start(near), await start(await connectTo(far))]
    for (const [what, body] of Object.entries(BODIES)) {
      expect(await post(other, body), what).toBe(await post(one, body))
    }
    expect(far.asked).toEqual(near.asked)
    expect(far.asked.length).toBeGreaterThan(5)
  })

  it('prove the secret of the application, and name who asks', async () => {
    const application = answering()
    const gateway = await start(await connectTo(application, Buffer.from('a secret of some length')))
    expect(await post(gateway, BODIES['what the application knows'] ?? '')).toContain(`"result":"${CALLEE}"`)
    expect(application.askers.at(-1)).toMatchObject({
      client: '127.0.0.1',
      connection: expect.stringMatching(/\.\w+$/),
    })
  })

  it('are answered as of the newest head, in any order of arrival', async () => {
    const application = answering()
    const remote = await connectTo(application)
    const gateway = await start(remote)
    for (let count = 0; count < 5; count++) {
      const heard = new Promise((resolve) => {
        const stop = remote.subscribe((news) => {
          if (news.type === 'head' && news.isNew) resolve(stop)
        })
      })
      const { height } = application.commit()
      await heard
      const answer = await post(gateway, BODIES['what the gateway knows'] ?? '')
      expect(answer).toContain(`"result":"0x${height.toString(16)}"`)
    }
  })

  it('end their questions with the client', async () => {
    const application = answering()
    const asked = Promise.withResolvers<Asker | undefined>()
    application.answers.call = () => {
      asked.resolve(application.askers.at(-1))
      return new Promise<string>(() => undefined)
    }
    const gateway = await start(await connectTo(application))
    const body = BODIES['a long question'] ?? ''
    const [host = '', port = ''] = gateway.address?.split(':') ?? []
    const socket = connect(Number(port), host)
    const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
    socket.write(`${head}\r\n\r\n${body}`)
    const asker = await asked.promise
    const gone = new Promise<string>((resolve) => asker?.onGone(() => resolve('gone')))
    socket.destroy()
    expect(await gone).toBe('gone')
  })
})

describe('long messages over WebSocket', () => {
  const conversation = async (gateway: Gateway, messages: readonly string[]): Promise<string[]> => {
    const socket = new WebSocket(`ws://${gateway.wsAddress}`)
    await once(socket, 'open')
    const answers: string[] = []
    for (const message of messages) {
      const answer = once(socket, 'message')
      socket.send(message)
      const [data] = (await answer) as [Buffer]
      answers.push(data.toString('utf8'))
    }
    socket.terminate()
    return answers
  }

  it('get the answers of short ones', async () => {
    const [one, other] = [await start(answering()), await start(await connectTo(answering()))]
    const silent = ['a notification', 'a subscription', 'no JSON', 'half of it', 'nothing', 'nested too deeply']
    const messages = Object.entries(BODIES).flatMap(([what, body]) => (silent.includes(what) ? [] : [body]))
    expect(await conversation(other, messages)).toEqual(await conversation(one, messages))
  })

  it.each([
    ['eth_subscribe', BODIES['a subscription'] ?? ''],
    ['an escaped name', `${SPACE}{"jsonrpc":"2.0","id":1,"method":"eth_\\u0073ubscribe","params":["newHeads"]}`],
  ])('subscribe on their own connection: %s', async (_what, body) => {
    const application = answering()
    const gateway = await start(await connectTo(application))
    const socket = new WebSocket(`ws://${gateway.wsAddress}`)
    await once(socket, 'open')
    const answer = once(socket, 'message')
    socket.send(body)
    const [made] = (await answer) as [Buffer]
    const { result } = JSON.parse(made.toString('utf8')) as { result: string }
    const news = once(socket, 'message')
    application.commit()
    const [told] = (await news) as [Buffer]
    expect(JSON.parse(told.toString('utf8'))).toMatchObject({ params: { subscription: result } })
    socket.terminate()
  })

  it('that are no JSON end the connection with the reason', async () => {
    const gateway = await start(await connectTo(answering()))
    const socket = new WebSocket(`ws://${gateway.wsAddress}`)
    await once(socket, 'open')
    const answer = once(socket, 'message')
    const closed = once(socket, 'close')
    socket.send(BODIES['no JSON'] ?? '')
    const [said] = (await answer) as [Buffer]
    expect(said.toString('utf8')).toContain("invalid character '}' looking for beginning of object key string")
    await closed
  })
})

describe('the thread for long requests', () => {
  const nobody: Asker = { client: 'a', connection: '1', onGone: () => () => undefined }
  const caller = (changes: Partial<LongCaller> = {}): LongCaller => ({
    asker: nobody,
    canSubscribe: false,
    admit: () => 0,
    hold: () => true,
    ...changes,
  })

  const begin = async (
    changes: { restMs?: number; settings?: Partial<GatewaySettings>; figures?: RequestFigure[] } = {},
  ): Promise<{ application: MemoryApplication; long: LongRequests }> => {
    const application = answering()
    const remote = await connectTo(application)
    const long = createLongRequests({
      endpoint: remote.endpoint,
      head: createHeadTracker(remote),
      settings: { ...SETTINGS, ...changes.settings },
      figures: { ...NO_FIGURES, note: (figure) => changes.figures?.push(figure) },
      log: SILENT_LOG,
      ...(changes.restMs === undefined ? {} : { restMs: changes.restMs }),
    })
    open.push(long)
    return { application, long }
  }
  const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

  it('tells of figures, and of its cost before it is asked', async () => {
    const figures: RequestFigure[] = []
    const { application, long } = await begin({ figures })
    const costs: number[] = []
    const admit = (cost: number): number => {
      expect(application.asked).toEqual([])
      costs.push(cost)
      return 0
    }
    const body = `[${request('eth_call', [{ to: CALLEE }, 'latest'])},${request('eth_nothing', [])}]`
    const outcome = await long.answer(bytes(body), caller({ admit }))
    expect(outcome).toMatchObject({ kind: 'reply' })
    expect(costs).toEqual([21])
    expect(figures.map(({ method, isFailed }) => ({ method, isFailed }))).toEqual([
      { method: 'eth_nothing', isFailed: true },
      { method: 'eth_call', isFailed: false },
    ])
  })

  it('ends a batch whose answers nobody has room for', async () => {
    const { long } = await begin()
    const batch = Array.from({ length: 200 }, (_, id) => request('eth_getCode', [CALLEE, 'latest'], id))
    let held = 0
    const hold = (more: number): boolean => {
      held += more
      return held < 1_000_000
    }
    const outcome = await long.answer(bytes(`[${batch.join(',')}]`), caller({ hold }))
    const reply =
      outcome.kind === 'reply' && typeof outcome.reply === 'object' ? outcome.reply.toBuffer() : Buffer.from('')
    const answers = JSON.parse(reply.toString('utf8')) as { error?: { message: string } }[]
    expect(answers).toHaveLength(200)
    expect(answers.at(-1)?.error?.message).toContain('too many bytes are held for this client')
    expect(held).toBeLessThan(10_000_000)
  })

  it('asks nothing of what is not admitted', async () => {
    const { application, long } = await begin()
    const admit = (): number => 3
    const outcome = await long.answer(bytes(request('eth_getBalance', [CALLEE, 'latest'], 7)), caller({ admit }))
    expect(outcome).toEqual({ kind: 'refused', waitSeconds: 3, replyId: '7' })
    expect(await long.answer(bytes(request('eth_chainId', [])), caller())).toMatchObject({ kind: 'reply' })
    expect(application.asked).toEqual([])
  })

  it('has turns by clients, and reads no more of one than it may keep', async () => {
    const { application, long } = await begin()
    const held = Promise.withResolvers<string>()
    application.answers.call = () => held.promise
    const from = (client: string, connection: string): Asker => ({ ...nobody, client, connection })
    const call = request('eth_call', [{ to: CALLEE, data: `0x${'ab'.repeat(1_000_000)}` }, 'latest'])
    const greedy = Array.from({ length: 20 }, (_, index) =>
      long.answer(bytes(call), caller({ asker: from('greedy', String(index)) })),
    )
    const balance = bytes(request('eth_getBalance', [CALLEE, 'latest']))
    expect(await long.answer(balance, caller({ asker: from('honest', '1') }))).toMatchObject({ kind: 'reply' })
    // Each is two million characters, and a client may keep eight million.
    expect(application.asked.filter(({ name }) => name === 'call').length).toBeLessThanOrEqual(5)
    held.resolve('"0x"')
    for (const outcome of await Promise.all(greedy)) expect(outcome).toMatchObject({ kind: 'reply' })
    expect(application.asked.filter(({ name }) => name === 'call')).toHaveLength(20)
  })

  it('has a time in which a request that waits is read', async () => {
    const { application, long } = await begin({ settings: { httpTimeoutMs: 300 } })
    application.answers.call = () => new Promise<string>(() => undefined)
    const call = request('eth_call', [{ to: CALLEE, data: `0x${'ab'.repeat(5_000_000)}` }, 'latest'])
    const first = long.answer(bytes(call), caller())
    const second = await long.answer(bytes(call), caller())
    expect(second).toMatchObject({ kind: 'reply', reply: expect.stringContaining('request timed out') as string })
    await long.close()
    expect(await first).toMatchObject({ kind: 'lost' })
  })

  it('lives through values that take forty times their text, and are kept meanwhile', async () => {
    const { application, long } = await begin({ settings: { httpTimeoutMs: 600_000 } })
    const held = Promise.withResolvers<string>()
    const asked = Promise.withResolvers<void>()
    application.answers.call = () => {
      if (application.asked.length === 40) asked.resolve()
      return held.promise
    }
    const junk = `{"to":"${CALLEE}","x":[${'{},'.repeat(99_900)}{}]}`
    const requests = Array.from({ length: 40 }, (_, id) =>
      long.answer(bytes(request('eth_call', [JSON.parse(junk), 'latest'], id)), {
        ...caller({ asker: { ...nobody, client: String(id) } }),
      }),
    )
    const large = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","x":["${'\u20ac'.padEnd(29_000_000, 'a')}"]}`
    const answers = await Promise.all(Array.from({ length: 3 }, () => long.answer(bytes(large), caller())))
    for (const outcome of answers) expect(outcome).toMatchObject({ kind: 'reply' })
    const ended = Promise.all(requests)
    await Promise.race([asked.promise, ended])
    held.resolve('"0x"')
    expect(application.asked).toHaveLength(40)
    for (const outcome of await ended) expect(outcome).toMatchObject({ kind: 'reply' })
  })

  it('ends when it has nothing to do, and begins anew', async () => {
    const { long } = await begin({ restMs: 1 })
    for (let count = 0; count < 3; count++) {
      const begun = once(process, 'worker') as Promise<[Worker]>
      const outcome = await long.answer(bytes(request('eth_blockNumber', [])), caller())
      expect(outcome).toMatchObject({ kind: 'reply', reply: '{"jsonrpc":"2.0","id":1,"result":"0x7"}\n' })
      const [worker] = await begun
      await once(worker, 'exit')
    }
  })

  it('does not end under a request because one before was refused', async () => {
    const restMs = 200
    const { application, long } = await begin({ restMs })
    const held = Promise.withResolvers<string>()
    application.answers.call = () => held.promise
    const body = (): Uint8Array => bytes(request('eth_call', [{ to: CALLEE }, 'latest']))
    expect(await long.answer(body(), caller({ admit: () => 3 }))).toMatchObject({ kind: 'refused' })
    // The thread tells of the end of the refused one too, and nobody here hears of that.
    await delay(restMs / 2)
    const outcome = long.answer(body(), caller())
    await delay(3 * restMs)
    held.resolve('"0x"')
    expect(await outcome).toMatchObject({ kind: 'reply' })
  })

  it('reads nothing that nobody waits for', async () => {
    const { application, long } = await begin()
    const gone: Asker = {
      ...nobody,
      onGone(listener) {
        listener()
        return () => undefined
      },
    }
    const body = bytes(request('eth_getBalance', [CALLEE, 'latest']))
    expect(await long.answer(body, caller({ asker: gone }))).toEqual({ kind: 'reply', reply: undefined })
    expect(application.asked).toEqual([])
  })

  it('fails what it was asked when it stops, and what comes later', async () => {
    const { application, long } = await begin()
    const asked = Promise.withResolvers<void>()
    application.answers.call = () => {
      asked.resolve()
      return new Promise<string>(() => undefined)
    }
    const first = long.answer(bytes(request('eth_call', [{ to: CALLEE }, 'latest'])), caller())
    await asked.promise
    await long.close()
    expect(await first).toMatchObject({ kind: 'lost' })
    expect(await long.answer(bytes('{}'), caller())).toMatchObject({ kind: 'lost' })
  })
})
