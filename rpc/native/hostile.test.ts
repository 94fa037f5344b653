/** Clients of REST and reflection that mean no good. */
import { EventEmitter } from 'node:events'
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
import { readRequest } from './read-request.ts'
import { reflectionServices } from './reflection.ts'
import { createTypeRegistry, NATIVE_SERVICES } from './services.ts'
import { GRPC, toGrpcStatus } from './status.ts'

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

it('reflection asks no more of a client that does not read its answers', () => {
  const [[, handlers] = []] = reflectionServices(NATIVE_SERVICES)
  const serve = handlers?.['ServerReflectionInfo'] as unknown as (call: EventEmitter) => void
  const done: string[] = []
  const call = Object.assign(new EventEmitter(), {
    write: () => done.push('write') > 1_000,
    pause: () => void done.push('pause'),
    resume: () => void done.push('resume'),
    end: () => undefined,
  })
  serve(call)
  call.emit('data', Buffer.from(new BinaryWriter().tag(7, WireType.LengthDelimited).string('*').finish()))
  expect(done).toEqual(['write', 'pause'])
  call.emit('drain')
  expect(done).toEqual(['write', 'pause', 'resume'])
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
