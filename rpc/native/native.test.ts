/** Native REST and gRPC over real sockets: the outputs expected are those that nodes of the Cosmos SDK print. */
import {
  create,
  createFileRegistry,
  fromBinary,
  toBinary,
  type DescMessage,
  type MessageInitShape,
} from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import { bankQuery, cometQuery } from '../../proto/index.ts'
import { startGateway, type Gateway } from '../gateway.ts'
import { SILENT_LOG } from '../log.ts'
import { GATEWAY_DEFAULTS, type GatewaySettings } from '../settings.ts'
import { createMemoryApplication, type MemoryApplication } from '../testing/memory-application.ts'
import { printDecimal } from './print-message.ts'
import { MESSAGE_SERVICES, NATIVE_SERVICES } from './services.ts'

let application: MemoryApplication
let gateway: Gateway

const start = async (changes: Partial<GatewaySettings> = {}): Promise<void> => {
  application = createMemoryApplication()
  const native = { restAddress: '127.0.0.1:0', grpcAddress: '127.0.0.1:0' }
  const settings = { ...GATEWAY_DEFAULTS, ...native, address: undefined, wsAddress: undefined }
  gateway = await startGateway({ ...settings, ...changes }, application, SILENT_LOG)
}
beforeEach(() => start())
afterEach(() => gateway.close())

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const answerWith = <Type extends DescMessage>(type: Type, message: MessageInitShape<Type>): void => {
  application.answers.native = () => JSON.stringify(base64(toBinary(type, create(type, message))))
}

const get = async (
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; height: string | null; text: string }> => {
  const response = await fetch(`http://${gateway.restAddress}${path}`, { headers })
  return { status: response.status, height: response.headers.get('x-cosmos-block-height'), text: await response.text() }
}

/** The question that was asked last, its request decoded. */
const asked = <Type extends DescMessage>(type: Type): { path: string; height: number; message: object } => {
  const parameters = application.asked.at(-1)?.parameters ?? {}
  const { path, data, height } = parameters as { path: string; data: string; height: number }
  const { $typeName: _, ...message } = fromBinary(type, Buffer.from(data, 'base64'))
  return { path, height, message }
}

describe('REST', () => {
  test('prints answers as the SDK does', async () => {
    answerWith(bankQuery.QueryAllBalancesResponseSchema, {
      balances: [{ denom: 'anat', amount: '1000000000000000000000' }],
      pagination: { total: 1n },
    })
    const reply = await get('/cosmos/bank/v1beta1/balances/nat1abc')
    expect(reply).toEqual({
      status: 200,
      height: '7',
      text: '{"balances":[{"denom":"anat","amount":"1000000000000000000000"}],"pagination":{"next_key":null,"total":"1"}}',
    })
    answerWith(bankQuery.QueryAllBalancesResponseSchema, {})
    expect((await get('/cosmos/bank/v1beta1/balances/nat1abc')).text).toBe('{"balances":[],"pagination":null}')
    answerWith(bankQuery.QueryParamsResponseSchema, { params: {} })
    expect((await get('/cosmos/bank/v1beta1/params')).text).toBe(
      '{"params":{"send_enabled":[],"default_send_enabled":false}}',
    )
  })

  test('prints times, bytes, enums and numbers as the SDK does', async () => {
    answerWith(cometQuery.GetLatestBlockResponseSchema, {
      block: {
        header: {
          height: 12n,
          time: { seconds: 1_700_000_000n, nanos: 120_000_000 },
          appHash: Uint8Array.of(1, 2, 255),
        },
        lastCommit: { height: 11n, round: 0, signatures: [{ blockIdFlag: 2 }] },
      },
    })
    const { block } = JSON.parse((await get('/cosmos/base/tendermint/v1beta1/blocks/latest')).text) as {
      block: { header: object; last_commit: object; data: unknown }
    }
    expect(block.header).toMatchObject({
      height: '12',
      time: '2023-11-14T22:13:20.120Z',
      app_hash: 'AQL/',
      data_hash: null,
    })
    expect(block.last_commit).toMatchObject({
      height: '11',
      round: 0,
      signatures: [{ block_id_flag: 'BLOCK_ID_FLAG_COMMIT', timestamp: '0001-01-01T00:00:00Z', signature: null }],
    })
    expect(block.data).toEqual({ txs: [] })
  })

  test('prints decimals with a point', () => {
    expect(['500000000000000000', '-1', '0', '1234000000000000000000', 'x'].map(printDecimal)).toEqual([
      '0.500000000000000000',
      '-0.000000000000000001',
      '0.000000000000000000',
      '1234.000000000000000000',
      'x',
    ])
  })

  test('reads fields from paths and queries', async () => {
    answerWith(bankQuery.QueryAllBalancesResponseSchema, {})
    await get(
      '/cosmos/bank/v1beta1/balances/nat1%61bc?pagination.limit=5&pagination.count_total=true&pagination.key=AQI%3D&resolve_denom=1&unknown=x',
    )
    const { path, message } = asked(bankQuery.QueryAllBalancesRequestSchema)
    expect(path).toBe('/cosmos.bank.v1beta1.Query/AllBalances')
    expect(message).toMatchObject({
      address: 'nat1abc',
      resolveDenom: true,
      pagination: { limit: 5n, countTotal: true, key: Buffer.of(1, 2) },
    })
    answerWith(bankQuery.QueryDenomMetadataResponseSchema, {})
    await get('/cosmos/bank/v1beta1/denoms_metadata/ibc%2FAB/x')
    expect(asked(bankQuery.QueryDenomMetadataRequestSchema).message).toMatchObject({ denom: 'ibc/AB/x' })
    answerWith(bankQuery.QuerySupplyOfResponseSchema, {})
    await get('/cosmos/bank/v1beta1/supply/by_denom?denom=anat')
    expect(asked(bankQuery.QuerySupplyOfRequestSchema)).toMatchObject({
      path: '/cosmos.bank.v1beta1.Query/SupplyOf',
      message: { denom: 'anat' },
    })
    answerWith(cometQuery.GetBlockByHeightResponseSchema, {})
    await get('/cosmos/base/tendermint/v1beta1/blocks/15')
    expect(asked(cometQuery.GetBlockByHeightRequestSchema).message).toEqual({ height: 15n })
  })

  test('asks at the height of the header and names it in the answer', async () => {
    answerWith(bankQuery.QueryTotalSupplyResponseSchema, {})
    expect((await get('/cosmos/bank/v1beta1/supply', { 'x-cosmos-block-height': '3' })).height).toBe('3')
    expect(asked(bankQuery.QueryTotalSupplyRequestSchema).height).toBe(3)
    expect((await get('/cosmos/bank/v1beta1/supply', { 'x-cosmos-block-height': 'x' })).status).toBe(400)
  })

  test('answers what is not there with 501 and code 12', async () => {
    const post = await fetch(`http://${gateway.restAddress}/cosmos/bank/v1beta1/supply`, { method: 'POST', body: '{}' })
    const replies = [
      await get('/'),
      await get('/cosmos/nope'),
      await get('/cosmos/bank/v1beta1/supply/'),
      await get('/cosmos/bank/v1beta1/%ff/x'),
    ]
    for (const text of [await post.text(), ...replies.map((reply) => reply.text)]) {
      expect(text).toBe('{"code":12,"message":"Not Implemented","details":[]}')
    }
    expect([post.status, ...replies.map(({ status }) => status)]).toEqual([501, 501, 501, 501, 501])
  })

  test('turns failures into statuses', async () => {
    const failures = [
      [new CodedError('grpc', 5, 'no such thing'), 404, 5, 'no such thing'],
      [new CodedError('sdk', 7, 'invalid address'), 400, 3, 'invalid address'],
      [new CodedError('sdk', 26, 'too high'), 500, 2, 'codespace sdk code 26: too high'],
      [new CodedError('query', 4, 'too slow'), 504, 4, 'too slow'],
      [new TypeError('a secret of the node'), 500, 13, 'internal error'],
    ] as const
    for (const [error, status, code, message] of failures) {
      application.answers.native = () => {
        throw error
      }
      const reply = await get('/cosmos/bank/v1beta1/supply')
      expect(reply.status).toBe(status)
      expect(JSON.parse(reply.text)).toEqual({ code, message, details: [] })
    }
    application.answers.native = () => 'null'
    for (const query of [
      'pagination.limit=x',
      'pagination.limit=-1',
      'pagination.key=%',
      'pagination.reverse=maybe',
      'pagination.limit=1&pagination.limit=2',
    ]) {
      expect((await get(`/cosmos/bank/v1beta1/supply?${query}`)).status, query).toBe(400)
    }
    application.connected = false
    expect((await get('/cosmos/bank/v1beta1/supply')).status).toBe(503)
  })

  test('lets browsers in when told to', async () => {
    await gateway.close()
    await start({ restOrigins: ['*'] })
    answerWith(bankQuery.QueryParamsResponseSchema, {})
    const reply = await fetch(`http://${gateway.restAddress}/cosmos/bank/v1beta1/params`)
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('gRPC', () => {
  const clients: Client[] = []
  const connect = (): Client => {
    const client = new Client(gateway.grpcAddress ?? '', credentials.createInsecure())
    clients.push(client)
    return client
  }
  afterEach(() => {
    for (const client of clients.splice(0)) client.close()
  })

  const same = (bytes: Buffer): Buffer => bytes
  const call = (
    path: string,
    request: Uint8Array,
    metadata = new Metadata(),
  ): Promise<{ reply: Buffer; height: unknown }> =>
    new Promise((resolve, reject) => {
      let height: unknown
      const made = connect().makeUnaryRequest(path, same, same, Buffer.from(request), metadata, (error, reply) => {
        if (error !== null || reply === undefined) reject(error ?? new TypeError('no reply'))
        else resolve({ reply, height })
      })
      made.on('metadata', (received: Metadata) => ([height] = received.get('x-cosmos-block-height')))
    })

  test('passes queries through as bytes, with heights in metadata', async () => {
    answerWith(bankQuery.QueryBalanceResponseSchema, { balance: { denom: 'anat', amount: '5' } })
    const request = toBinary(
      bankQuery.QueryBalanceRequestSchema,
      create(bankQuery.QueryBalanceRequestSchema, { address: 'nat1abc', denom: 'anat' }),
    )
    const { reply, height } = await call('/cosmos.bank.v1beta1.Query/Balance', request)
    expect(fromBinary(bankQuery.QueryBalanceResponseSchema, reply).balance).toMatchObject({
      denom: 'anat',
      amount: '5',
    })
    expect(height).toBe('7')
    expect(asked(bankQuery.QueryBalanceRequestSchema)).toEqual({
      path: '/cosmos.bank.v1beta1.Query/Balance',
      height: 0,
      message: { address: 'nat1abc', denom: 'anat' },
    })
    const metadata = new Metadata()
    metadata.set('x-cosmos-block-height', '4')
    expect((await call('/cosmos.bank.v1beta1.Query/Balance', request, metadata)).height).toBe('4')
    expect(asked(bankQuery.QueryBalanceRequestSchema).height).toBe(4)
  })

  test('turns failures into statuses', async () => {
    application.answers.native = () => Promise.reject(new CodedError('grpc', 5, 'no such thing'))
    await expect(call('/cosmos.bank.v1beta1.Query/Params', new Uint8Array(0))).rejects.toMatchObject({
      code: 5,
      details: 'no such thing',
    } satisfies Partial<ServiceError>)
    await expect(call('/cosmos.bank.v1beta1.Query/Nope', new Uint8Array(0))).rejects.toMatchObject({ code: 12 })
  })

  test('tells its health to orchestrators', async () => {
    const check = (service: string) =>
      call('/grpc.health.v1.Health/Check', new BinaryWriter().tag(1, WireType.LengthDelimited).string(service).finish())
    const serving = Uint8Array.of(0x08, 1)
    expect(new Uint8Array((await check('')).reply)).toEqual(serving)
    expect(new Uint8Array((await check('cosmos.bank.v1beta1.Query')).reply)).toEqual(serving)
    await expect(check('no.such.Service')).rejects.toMatchObject({ code: 5 })
    const broken = call('/grpc.health.v1.Health/Check', Uint8Array.of(0x0a, 0x7f))
    await expect(broken).rejects.toMatchObject({ code: 3 })
  })

  test('refuses messages of transactions, and heights that are none or are to come', async () => {
    await expect(call('/cosmos.bank.v1beta1.Msg/Send', new Uint8Array(0))).rejects.toMatchObject({
      code: 12,
      details: '/cosmos.bank.v1beta1.Msg/Send is a message of transactions: sign one that holds it and broadcast it',
    })
    for (const [height, code] of [
      ['8', 2],
      ['x', 3],
    ] as const) {
      const metadata = new Metadata()
      metadata.set('x-cosmos-block-height', height)
      const failure = call('/cosmos.bank.v1beta1.Query/Params', new Uint8Array(0), metadata)
      await expect(failure).rejects.toMatchObject({ code })
    }
    expect(application.asked).toEqual([])
  })

  const reflect = (version: string, field: number, text: string): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const stream = connect().makeBidiStreamRequest(
        `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
        same,
        same,
      )
      stream.on('data', resolve).on('error', reject)
      stream.write(Buffer.from(new BinaryWriter().tag(field, WireType.LengthDelimited).string(text).finish()))
      stream.end()
    })

  /** The values of one length-delimited field. */
  const fieldsOf = (bytes: Uint8Array, wanted: number): Uint8Array[] => {
    const reader = new BinaryReader(bytes)
    const found: Uint8Array[] = []
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag()
      if (number === wanted && wireType === WireType.LengthDelimited) found.push(reader.bytes())
      else reader.skip(wireType)
    }
    return found
  }

  test('describes its services to reflection of both versions', async () => {
    for (const version of ['v1', 'v1alpha']) {
      const list = await reflect(version, 7, '*')
      const names = fieldsOf(fieldsOf(list, 6)[0] ?? new Uint8Array(0), 1).map((service) =>
        Buffer.from(fieldsOf(service, 1)[0] ?? '').toString(),
      )
      expect(names).toContain('cosmos.bank.v1beta1.Query')
      for (const { typeName } of [...NATIVE_SERVICES, ...MESSAGE_SERVICES]) expect(names).toContain(typeName)
      expect(names).toContain('grpc.health.v1.Health')
      for (const symbol of [
        'cosmos.bank.v1beta1.Query',
        'cosmos.bank.v1beta1.Query.Balance',
        'cosmos.base.query.v1beta1.PageRequest',
        'cosmos.gov.v1.Msg',
        'nat.admission.v1.MsgApproveOperator',
        ...names.filter((name) => name.startsWith('grpc.')),
      ]) {
        const files = fieldsOf(fieldsOf(await reflect(version, 4, symbol), 4)[0] ?? new Uint8Array(0), 1)
        const set = create(FileDescriptorSetSchema, {
          file: files.toReversed().map((file) => fromBinary(FileDescriptorProtoSchema, file)),
        })
        const registry = createFileRegistry(set)
        expect(registry.get(symbol.replace(/\.Balance$/, ''))).toBeDefined()
      }
      expect(fieldsOf(await reflect(version, 4, 'no.such.Symbol'), 7)).toHaveLength(1)
    }
  })
})
