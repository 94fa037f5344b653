import { create, toBinary } from '@bufbuild/protobuf'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import { GRPC } from '../../core/grpc-status.ts'
import { clobBatches, clobHistory, clobLive, clobQuery } from '../../proto/index.ts'
import { startGateway, type Gateway } from '../gateway.ts'
import { SILENT_LOG } from '../log.ts'
import { GATEWAY_DEFAULTS } from '../settings.ts'
import { createMemoryApplication, type MemoryApplication } from '../testing/memory-application.ts'
import type { Questions } from '../../app/ports.ts'
import type { CallContext } from '../method.ts'
import { printMessage } from '../native/print-message.ts'
import { createTypeRegistry, NATIVE_SERVICES } from '../native/services.ts'
import { CLOB_METHODS } from './queries.ts'

const RECORD = { sequence: 7n, blockPriceTicks: 5, priceMs: '12', sinceMs: 3n, bookRoot: new Uint8Array([1, 2]) }
const DEPTH = {
  height: 9n,
  timeMs: 1_000n,
  sequence: 7n,
  blockPriceTicks: 5,
  bids: [{ priceTicks: 4, lots: '10', orders: 2 }],
  asks: [],
}

describe('clob_get methods', () => {
  let application: MemoryApplication
  let gateway: Gateway

  beforeEach(async () => {
    application = createMemoryApplication()
    const free = '127.0.0.1:0'
    const settings = { ...GATEWAY_DEFAULTS, address: free, restAddress: free, grpcAddress: free, wsAddress: undefined }
    gateway = await startGateway(settings, application, SILENT_LOG)
  })
  afterEach(async () => {
    await gateway.close()
  })

  const call = async (method: string, params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(`http://${gateway.address}`, { method: 'POST', headers, body })
    return (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
  }
  const get = async (path: string): Promise<unknown> =>
    await (await fetch(`http://${gateway.restAddress}/nat/clob/v1/${path}`)).json()

  it('are one for each question of nat.clob.v1', () => {
    const names = [
      ...clobQuery.Query.methods,
      ...clobLive.Live.methods,
      ...clobHistory.History.methods,
      ...clobBatches.Batches.methods,
    ].map(({ name }) => `clob_get${name}`)
    expect(CLOB_METHODS.map(({ name }) => name)).toEqual(names)
  })

  it('answer what REST answers', async () => {
    const { output } = clobQuery.Query.method.record
    const bytes = toBinary(output, create(output, { record: RECORD }))
    application.answers.native = () => JSON.stringify(Buffer.from(bytes).toString('base64'))
    const { result } = await call('clob_getRecord', [{ market: 3 }])
    const { parameters } = application.asked.at(-1) ?? {}
    expect(result).toEqual(await get('markets/3/record'))
    expect(parameters).toEqual(application.asked.at(-1)?.parameters)
    expect(result).toMatchObject({ record: { sequence: '7', block_price_ticks: 5, book_root: 'AQI=' } })
  })

  it('print a long answer in turns, as they print it at once', async () => {
    const { output } = clobQuery.Query.method.orders
    const orders = Array.from({ length: 20_000 }, (_, at) => ({ market: 3, orderSeq: BigInt(at), lots: 5n }))
    const message = create(output, { orders })
    application.answers.native = () => JSON.stringify(Buffer.from(toBinary(output, message)).toString('base64'))
    let turns = 0
    const takeTurn = <Result>(work: () => Result): Promise<Result> => {
      turns++
      return Promise.resolve(work())
    }
    const method = CLOB_METHODS.find(({ name }) => name === 'clob_getOrders')
    const context = { head: { current: () => ({ head: { height: 9 } }) }, takeTurn }
    const ask = (name: 'native', parameters: Questions['native']) => application.ask(name, parameters, 9)
    const told = await method?.call([{ market: 3 }], { ...context, ask } as unknown as CallContext, () => 'somebody')
    expect(turns).toBeGreaterThan(3)
    expect(String(told)).toBe(printMessage(output, message, createTypeRegistry(NATIVE_SERVICES)))
    expect((await call('clob_getOrders', [{ market: 3 }])).result).toEqual(JSON.parse(String(told)))
  })

  it('answer from the book in memory, with its own height', async () => {
    const { output } = clobLive.Live.method.depth
    const bytes = toBinary(output, create(output, DEPTH))
    application.answers.native = () => JSON.stringify(Buffer.from(bytes).toString('base64'))
    const { result } = await call('clob_getDepth', [{ market: 1 }])
    expect(result).toEqual({
      height: '9',
      time_ms: '1000',
      sequence: '7',
      block_price_ticks: 5,
      bids: [{ price_ticks: 4, lots: '10', orders: 2 }],
      asks: [],
    })
    expect(result).toEqual(await get('markets/1/depth'))
  })

  it('take a height, also the request by the names of JSON', async () => {
    const { output } = clobQuery.Query.method.order
    application.answers.native = () => JSON.stringify(Buffer.from(toBinary(output, create(output))).toString('base64'))
    await call('clob_getOrder', [{ market: 1, orderSeq: '5' }, '0x1'])
    const request = toBinary(
      clobQuery.Query.method.order.input,
      create(clobQuery.Query.method.order.input, { market: 1, orderSeq: 5n }),
    )
    const data = Buffer.from(request).toString('base64')
    expect(application.asked.at(-1)?.parameters).toEqual({ path: '/nat.clob.v1.Query/Order', data, height: 1 })
  })

  it.each([
    [[7], 'the request is no object'],
    [[[]], 'the request is no object'],
    [[{ marke: 1 }], 'marke'],
    [[{ market: -1 }], 'market'],
    [[{ market: 1 }, 'x'], 'invalid hex or decimal integer'],
    [[{ market: 1 }, 1, 2], 'too many arguments'],
  ])('refuse %j', async (params, words) => {
    const { error } = await call('clob_getRecord', params)
    expect(error?.code).toBe(-32602)
    expect(error?.message).toContain(words)
  })

  it('are described by rpc_discover, with all that is served', async () => {
    const { result } = await call('rpc_discover', [])
    const { methods, components } = result as {
      methods: { name: string; params: { required: boolean; schema: { $ref?: string } }[] }[]
      components: { schemas: Record<string, { properties: Record<string, unknown> }> }
    }
    const depth = methods.find(({ name }) => name === 'clob_getDepth')
    const reference = depth?.params[0]?.schema.$ref?.split('/').at(-1) ?? ''
    expect(Object.keys(components.schemas[reference]?.properties ?? {})).toEqual(['market', 'levels'])
    const served = CLOB_METHODS.map(({ name }) => name)
    const names = methods.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...served, 'clob_sendOrder', 'eth_call', 'rpc_discover']))
    expect(methods.find(({ name }) => name === 'eth_call')?.params.map(({ required }) => required)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  it('tell what the application refuses', async () => {
    application.answers.native = () => {
      throw new CodedError('grpc', GRPC.notFound, 'there is no market 9')
    }
    expect((await call('clob_getMarket', [{ market: 9 }])).error).toMatchObject({ message: 'there is no market 9' })
  })
})
