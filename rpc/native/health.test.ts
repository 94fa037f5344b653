/** grpc.health.v1.Health against grpc-js's client: one answer, and one more for each change. */
import { EventEmitter } from 'node:events'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { Client, type ClientReadableStream, credentials, type ServiceError, status } from '@grpc/grpc-js'
import { afterEach, expect, it } from 'vitest'
import type { GrpcCaller } from '../grpc/methods.ts'
import { createHeadTracker } from '../head.ts'
import { createMemoryApplication } from '../testing/memory-application.ts'
import { useNativeGateway } from '../testing/native-gateway.ts'
import { createHealth } from './health.ts'
import { NATIVE_SERVICES } from './services.ts'

const [SERVING, NOT_SERVING, SERVICE_UNKNOWN] = [1, 2, 3]
const gateway = useNativeGateway()
const clients: Client[] = []

afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

const requestFor = (service: string): Buffer =>
  Buffer.from(new BinaryWriter().tag(1, WireType.LengthDelimited).string(service).finish())

const readStatus = (bytes: Uint8Array): number => {
  const reader = new BinaryReader(bytes)
  reader.tag()
  return reader.uint32()
}

const connect = (): Client => {
  const client = new Client(gateway().grpcAddress, credentials.createInsecure())
  clients.push(client)
  return client
}

interface Watch {
  readonly call: ClientReadableStream<number>
  readonly seen: readonly number[]
  readonly errors: readonly ServiceError[]
}

const watch = (service: string, client = connect()): Watch => {
  const pass = (bytes: Buffer): Buffer => bytes
  const path = '/grpc.health.v1.Health/Watch'
  const call = client.makeServerStreamRequest(path, pass, readStatus, requestFor(service))
  const [seen, errors] = [[] as number[], [] as ServiceError[]]
  call.on('data', (each: number) => seen.push(each))
  call.on('error', (error: ServiceError) => errors.push(error))
  return { call, seen, errors }
}

it('watched, says how it is at once and each time that it changes', async () => {
  const { application } = gateway()
  const watches = ['', 'cosmos.bank.v1beta1.Query'].map((service) => watch(service))
  await expect.poll(() => watches.map(({ seen }) => seen)).toEqual([[SERVING], [SERVING]])
  application.connected = false
  await expect.poll(() => watches[1]?.seen).toEqual([SERVING, NOT_SERVING])
  // A head says nothing new.
  application.connected = true
  application.commit()
  application.commit()
  const late = watch('')
  await expect.poll(() => late.seen).toEqual([SERVING])
  for (const { seen, errors } of watches) expect([seen, errors]).toEqual([[SERVING, NOT_SERVING, SERVING], []])
  application.commit({ catchingUp: true })
  application.commit({ catchingUp: true })
  application.commit({ catchingUp: false })
  await expect.poll(() => late.seen).toEqual([SERVING, NOT_SERVING, SERVING])
})

it('watched for a service that there is not, says so and goes on', async () => {
  const { application } = gateway()
  const { seen, errors, call } = watch('no.such.Service')
  await expect.poll(() => seen).toEqual([SERVICE_UNKNOWN])
  application.connected = false
  application.connected = true
  const other = watch('')
  await expect.poll(() => other.seen).toEqual([SERVING])
  expect([seen, errors]).toEqual([[SERVICE_UNKNOWN], []])
  const ended = new Promise((resolve) => call.on('error', resolve))
  call.cancel()
  expect(await ended).toMatchObject({ code: status.CANCELLED })
})

it('watched with what cannot be read, refuses', async () => {
  const pass = (bytes: Buffer): Buffer => bytes
  const path = '/grpc.health.v1.Health/Watch'
  const call = connect().makeServerStreamRequest(path, pass, pass, Buffer.from([0x0a, 0x7f]))
  call.on('data', () => undefined)
  const error = await new Promise((resolve) => call.on('error', resolve))
  expect(error).toMatchObject({ code: status.INVALID_ARGUMENT })
})

it('has so many watchers of a client, and takes one again for each that goes', async () => {
  const client = connect()
  const all = Array.from({ length: 33 }, () => watch('', client))
  await expect.poll(() => all.filter(({ errors }) => errors.length > 0)).toHaveLength(1)
  const refused = all.find(({ errors }) => errors.length > 0)
  expect(refused?.errors[0]).toMatchObject({ code: status.RESOURCE_EXHAUSTED })
  await expect.poll(() => all.filter(({ seen }) => seen.length === 1)).toHaveLength(32)
  all.find(({ seen }) => seen.length === 1)?.call.cancel()
  const isServed = async (): Promise<boolean> => {
    const again = watch('', client)
    await expect.poll(() => again.seen.length + again.errors.length).toBe(1)
    return again.seen[0] === SERVING
  }
  await expect.poll(isServed).toBe(true)
})

it('ends the oldest watcher of who has most where all are too many', () => {
  const head = createHeadTracker(createMemoryApplication())
  const bounds = { all: 3, ofClient: 2 }
  const findAddress = ({ socket }: { readonly socket: { readonly remoteAddress?: string | undefined } }): string =>
    socket.remoteAddress ?? ''
  const { watch: method } = createHealth({ services: NATIVE_SERVICES, head, findAddress, bounds })
  const ended: string[] = []
  const open = (name: string, remoteAddress: string): (() => void) => {
    const caller: GrpcCaller = { path: '', headers: {}, remoteAddress, stream: new EventEmitter(), isOver: false }
    return method.open(requestFor(''), caller, { send: () => undefined, end: () => void ended.push(name) })
  }
  open('a1', '10.0.0.1')
  const stop = open('a2', '10.0.0.1')
  expect(() => open('a3', '10.0.0.1')).toThrow('too many')
  open('b1', '10.0.0.2')
  open('c1', '10.0.0.3')
  expect(ended).toEqual(['a1'])
  stop()
  stop()
  open('d1', '10.0.0.4')
  expect(ended).toEqual(['a1'])
})
