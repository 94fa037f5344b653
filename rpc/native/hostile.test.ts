/** Clients of REST and reflection that mean no good. */
import { once } from 'node:events'
import { connect } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { expect, it } from 'vitest'
import { bankQuery, txService } from '../../proto/index.ts'
import { GATEWAY_DEFAULTS } from '../settings.ts'
import { startGateway } from '../gateway.ts'
import { rpcError } from '../errors.ts'
import { SILENT_LOG } from '../log.ts'
import { createMemoryApplication } from '../testing/memory-application.ts'
import { NativeGateway } from '../testing/native-gateway.ts'
import { serveGrpcHttp2 } from '../grpc/server.ts'
import { frameMessage } from '../grpc/message.ts'
import { createHeadTracker } from '../head.ts'
import { createNativeQueries } from './native-queries.ts'
import { readRequest } from './read-request.ts'
import { reflectionMethods } from './reflection.ts'
import { createTypeRegistry, methodPath, NATIVE_SERVICES } from './services.ts'
import { GRPC } from '../grpc/status.ts'
import { toGrpcStatus } from './status.ts'

const registry = createTypeRegistry(NATIVE_SERVICES)

it('a query string is gone through once, however many names it has', () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `n${index}=1`).join('&')
  const query = `${names}&events=a&n1=2&events=b&pagination.limit=7`
  let calls = 0
  const { getAll } = URLSearchParams.prototype
  URLSearchParams.prototype.getAll = function (this: URLSearchParams, name) {
    calls++
    return getAll.call(this, name)
  }
  try {
    const schema = txService.GetTxsEventRequestSchema
    expect(readRequest(schema, { fields: {}, query, body: undefined }, registry)).toMatchObject({
      events: ['a', 'b'],
      pagination: { limit: 7n },
    })
  } finally {
    URLSearchParams.prototype.getAll = getAll
  }
  expect(calls).toBe(0)
  const twice = { fields: {}, query: 'denom=a&denom=b', body: undefined }
  expect(() => readRequest(bankQuery.QuerySupplyOfRequestSchema, twice, registry)).toThrow('too many values')
})

it('a question mark within a query belongs to its value', async () => {
  const application = createMemoryApplication()
  const settings = {
    ...GATEWAY_DEFAULTS,
    grpcAddress: undefined,
    address: undefined,
    wsAddress: undefined,
    restAddress: '127.0.0.1:0',
  }
  const gateway = await startGateway(settings, application, SILENT_LOG)
  try {
    await fetch(`http://${gateway.restAddress}/cosmos/bank/v1beta1/supply/by_denom?denom=a?b`)
    const asked = application.asked.at(-1)?.parameters ?? {}
    const { data } = asked as { data: string }
    expect(Buffer.from(data, 'base64').subarray(2).toString()).toBe('a?b')
  } finally {
    await gateway.close()
  }
})

it('requests of one connection begin one after another, and are answered in order', async () => {
  const gateway = await NativeGateway.start()
  const { application } = gateway
  const waiting: ((text: string) => void)[] = []
  application.answers.native = () => new Promise((resolve) => waiting.push(resolve))
  const [, port] = new URL(gateway.url).host.split(':')
  const socket = connectTcp(Number(port), '127.0.0.1')
  let text = ''
  socket.on('data', (data: Buffer) => (text += data.toString()))
  try {
    const get = (denom: number): string =>
      `GET /cosmos/bank/v1beta1/supply/by_denom?denom=d${denom} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    socket.write(Array.from({ length: 40 }, (_, index) => get(index)).join(''))
    for (let index = 0; index < 40; index++) {
      await expect.poll(() => waiting.length, { interval: 1 }).toBe(index + 1)
      // Another connection does not wait for those behind.
      if (index === 20) expect((await gateway.get('/nothing')).status).toBe(501)
      const amount = { amount: { denom: `d${index}`, amount: '1' } }
      const bytes = toBinary(
        bankQuery.QuerySupplyOfResponseSchema,
        create(bankQuery.QuerySupplyOfResponseSchema, amount),
      )
      waiting[index]?.(JSON.stringify(Buffer.from(bytes).toString('base64')))
    }
    await expect.poll(() => text.split('"denom"').length).toBe(41)
    expect([...text.matchAll(/"d(\d+)"/g)].map(([, index]) => Number(index))).toEqual(
      Array.from({ length: 40 }, (_, index) => index),
    )
    // What waits when its connection ends is never begun.
    socket.write(get(40).repeat(5))
    await expect.poll(() => waiting.length).toBe(41)
    const gone = new Promise<void>((resolve) => application.askers.at(-1)?.onGone(resolve))
    socket.destroy()
    await gone
    waiting[40]?.('"AA=="')
    expect((await gateway.get('/nothing')).status).toBe(501)
    expect(waiting).toHaveLength(41)
  } finally {
    socket.destroy()
    await gateway.close()
  }
})

it('a request that cannot be read is the fault of the client, and nothing for the log', async () => {
  const queries = createNativeQueries({
    application: createMemoryApplication(),
    head: createHeadTracker(createMemoryApplication()),
    services: NATIVE_SERVICES,
    traces: true,
  })
  for (const service of NATIVE_SERVICES.filter(({ typeName }) => typeName.startsWith('cosmos.base.reflection.'))) {
    for (const method of service.methods) {
      const asked = queries.ask(methodPath(method), Uint8Array.of(0x0a, 0xff), undefined)
      await expect(asked, method.name).rejects.toMatchObject({ codespace: 'grpc', code: GRPC.invalidArgument })
    }
  }
})

it('reflection asks no more of a client that does not read its answers', async () => {
  let answers = 0
  const methods = new Map(
    [...reflectionMethods(NATIVE_SERVICES)].map(([path, method]) => {
      const answer: typeof method.answer = (request, caller) => {
        answers++
        return method.answer(request, caller)
      }
      return [path, { ...method, answer }] as const
    }),
  )
  const server = await serveGrpcHttp2({
    host: '127.0.0.1',
    port: 0,
    methods,
    maxReceiveBytes: 1_000,
    maxSendBytes: 10_000_000,
    toStatus: (error, path) => toGrpcStatus(error, path, SILENT_LOG),
  })
  const session = connect(`http://127.0.0.1:${server.port}`)
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      'content-type': 'application/grpc',
    })
    const question = frameMessage(
      new BinaryWriter().tag(4, WireType.LengthDelimited).string('cosmos.bank.v1beta1.Query').finish(),
    )
    const questions = 1_000
    stream.end(Buffer.concat(Array.from({ length: questions }, () => question)))
    await expect.poll(() => answers).toBeGreaterThan(0)
    await delay(100)
    // What HTTP/2 sends unasked, and one more: an answer has the files of all types that the service needs.
    expect(answers).toBeLessThan(10)
    stream.resume()
    await once(stream, 'end')
    expect(answers).toBe(questions)
  } finally {
    session.destroy()
    await server.close()
  }
})

it('an answer too long for the stream has exhausted a resource, as one too long for gRPC', () => {
  const { code } = toGrpcStatus(rpcError('responseTooLarge', 'response too large'), '/a.B/C', SILENT_LOG)
  expect(code).toBe(GRPC.resourceExhausted)
})

it('gRPC is limited with everything else that an address asks, also behind a proxy', async () => {
  const gateway = await NativeGateway.start({ rateLimit: 5, rateLimitBurst: 10, trustedProxies: ['127.0.0.1'] })
  gateway.answerWith(bankQuery.QueryParamsResponseSchema, {})
  const client = new Client(gateway.grpcAddress, credentials.createInsecure())
  const same = (bytes: Buffer): Buffer => bytes
  const statusFor = (address: string): Promise<number> =>
    new Promise((resolve) => {
      const metadata = new Metadata()
      metadata.set('x-forwarded-for', address)
      const path = '/cosmos.bank.v1beta1.Query/Params'
      client.makeUnaryRequest(path, same, same, Buffer.alloc(0), metadata, (error) => resolve(error?.code ?? 0))
    })
  try {
    const ask = async (address: string): Promise<number> =>
      (await gateway.get('/cosmos/bank/v1beta1/params', { 'x-forwarded-for': address })).status
    expect([await statusFor('10.0.0.1'), await ask('10.0.0.1'), await statusFor('10.0.0.1')]).toEqual([0, 200, 8])
    expect([await statusFor('10.0.0.2'), await ask('10.0.0.1')]).toEqual([0, 429])
  } finally {
    client.close()
    await gateway.close()
  }
})
