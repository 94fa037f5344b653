/** Requests of native methods that are small, or nearly, and would become much. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { describe, expect, it } from 'vitest'
import { mostRequestBytes, REQUEST_BOUNDS } from '../../core/request-limits.ts'
import { evmQuery, txService } from '../../proto/index.ts'
import { GRPC } from '../grpc/status.ts'
import { createHeadTracker } from '../head.ts'
import { createMemoryApplication } from '../testing/memory-application.ts'
import { countFields } from './count-fields.ts'
import { createNativeQueries } from './native-queries.ts'
import { readRequest } from './read-request.ts'
import { createTypeRegistry, methodPath, NATIVE_SERVICES } from './services.ts'

const application = createMemoryApplication()
const queries = createNativeQueries({
  application,
  head: createHeadTracker(application),
  services: NATIVE_SERVICES,
  traces: true,
})

/** A field of two bytes, again and again. */
const empties = (number: number, count: number): Uint8Array => Buffer.alloc(2 * count, Buffer.from([8 * number + 2, 0]))

describe('the bound of a request', () => {
  it('is named for methods that there are', () => {
    const paths = new Set(NATIVE_SERVICES.flatMap(({ methods }) => methods.map(methodPath)))
    for (const path of REQUEST_BOUNDS.keys()) expect(paths, path).toContain(path)
  })

  it.each([
    '/cosmos.bank.v1beta1.Query/Balance',
    '/cosmos.tx.v1beta1.Service/GetTxsEvent',
    '/cosmos.tx.v1beta1.Service/TxEncode',
  ])('holds before anything is asked: %s', async (path) => {
    const before = application.asked.length
    const most = mostRequestBytes(path)
    await expect(queries.ask(path, empties(9, most / 2 + 1), undefined)).rejects.toMatchObject({
      codespace: 'grpc',
      code: GRPC.resourceExhausted,
    })
    expect(application.asked).toHaveLength(before)
  })

  it('leaves room for the largest transaction', () => {
    for (const name of ['Simulate', 'BroadcastTx', 'TxEncode', 'TxDecode', 'TxDecodeAmino', 'TxEncodeAmino']) {
      expect(mostRequestBytes(`/${txService.Service.typeName}/${name}`), name).toBeGreaterThan(2 * 131_072 - 1)
    }
  })
})

describe('fields of a message', () => {
  const schema = evmQuery.QueryTraceBlockRequestSchema

  it('are counted with those within them, up to a bound', () => {
    const inner = empties(1, 10)
    const block = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(inner).finish()
    expect(countFields(schema, block, 1_000)).toBe(11)
    expect(countFields(schema, empties(1, 500_000), 1_000)).toBe(1_001)
  })

  it('are few in what is traced', async () => {
    const path = `/${evmQuery.Query.typeName}/TraceBlock`
    await expect(queries.ask(path, empties(1, 100_000), undefined)).rejects.toThrow('more than 50000 fields')
  })
})

describe('JSON of a body', () => {
  const registry = createTypeRegistry(NATIVE_SERVICES)
  const read = (body: string) => readRequest(txService.TxEncodeRequestSchema, { fields: {}, query: '', body }, registry)

  it('has no number that takes long to read', () => {
    expect(() => read(`{"tx":{"body":{"timeoutHeight":"${'9'.repeat(400_000)}"}}}`)).toThrow(
      'a number of 400000 digits',
    )
  })

  it('has no more values than a transaction', () => {
    expect(() => read(`{"tx":{"signatures":[${'"",'.repeat(9_000)}""]}}`)).toThrow('request with more than 8192 values')
    expect(read(`{"tx":{"signatures":[${'"",'.repeat(100)}""]}}`)).toMatchObject({ tx: {} })
  })
})
