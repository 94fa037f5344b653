/** Charts as an attacker asks for them. */
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import { GRPC } from '../../core/grpc-status.ts'
import { bankQuery, clobHistory, clobQuery } from '../../proto/index.ts'
import { methodPath } from '../native/services.ts'
import { useNativeGateway } from '../testing/native-gateway.ts'

/** What clients make this gateway hold: less than a chart of 5,000 bars. */
const MEMORY_BYTES = 256 * 1024

const gateway = useNativeGateway({ memoryBytes: MEMORY_BYTES })

const { markets } = clobQuery.Query.method
const { denomMetadata } = bankQuery.Query.method
const { candles } = clobHistory.History.method

const encode = <Type extends DescMessage>(type: Type, message: MessageInitShape<Type>): string =>
  JSON.stringify(Buffer.from(toBinary(type, create(type, message))).toString('base64'))

const candlesFor = (data: string): string => {
  const { toS, limit } = fromBinary(candles.input, Buffer.from(data, 'base64'))
  const price = 123_456_789
  const bar = { openTicks: price, highTicks: price, lowTicks: price, closeTicks: price, lots: '1000000000000' }
  const found = Array.from({ length: limit }, (_, index) => ({ ...bar, startS: toS - BigInt(60 * (limit - index)) }))
  return encode(candles.output, { candles: found } as MessageInitShape<typeof candles.output>)
}

/** There is one for uusd, and none for anat. */
const metadataFor = (data: string): string | Promise<string> => {
  const { denom } = fromBinary(denomMetadata.input, Buffer.from(data, 'base64'))
  if (denom !== 'uusd') return Promise.reject(new CodedError('grpc', GRPC.notFound, 'no metadata'))
  const denomUnits = ['uusd', 'usd'].map((unit, index) => ({ denom: unit, exponent: 6 * index }))
  return encode(denomMetadata.output, { metadata: { base: denom, display: 'usd', symbol: 'USD', denomUnits } })
}

/** A market that has traded in each minute. */
const trade = (): void => {
  const market = { id: 1, baseDenom: 'anat', quoteDenom: 'uusd', lotSize: '1000', factor: '10' }
  gateway().application.answers.native = ({ path, data }) => {
    if (path === methodPath(markets)) return encode(markets.output, { markets: [market] })
    return path === methodPath(candles) ? candlesFor(data) : metadataFor(data)
  }
}

test('markets and their names are read once for a block, whatever charts ask', async () => {
  trade()
  const asked = (): number =>
    gateway().application.asked.filter(({ parameters }) => JSON.stringify(parameters).includes(methodPath(markets)))
      .length
  for (const page of ['symbols?symbol=1', 'search?query=a', 'history?symbol=1&resolution=1&countback=10&to=90000'])
    expect((await gateway().get(`/udf/${page}`)).status).toBe(200)
  expect(asked()).toBe(1)
  gateway().application.commit()
  await gateway().get('/udf/symbols?symbol=1')
  expect(asked()).toBe(2)
  gateway().application.commit()
  await Promise.all(Array.from({ length: 5 }, () => gateway().get('/udf/symbols?symbol=1')))
  expect(asked()).toBe(3)
})

test('coins are found by their names, however many others there are, and one without a description has none', async () => {
  trade()
  const { text } = await gateway().get('/udf/symbols?symbol=1')
  // A tick is ten uusd for a thousand anat, each of which is its own unit.
  expect(JSON.parse(text)).toMatchObject({ name: 'anat/USD', minmov: 1, pricescale: 100_000_000 })
  const asked = JSON.stringify(gateway().application.asked)
  expect(asked).not.toContain('DenomsMetadata')
})

test('what is no resolution is refused in words, also a name that every object has', async () => {
  trade()
  for (const resolution of ['7', '', '__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const { status, text } = await gateway().get(`/udf/history?symbol=1&resolution=${resolution}&countback=10&to=90000`)
    expect([resolution, status, text]).toEqual([resolution, 200, '{"s":"error","errmsg":"unknown_resolution"}'])
  }
})

test('a long chart is counted in the memory of the gateway, and refused where there is no room', async () => {
  trade()
  const short = await gateway().get('/udf/history?symbol=1&resolution=1&countback=10&to=900000')
  expect(JSON.parse(short.text)).toMatchObject({ s: 'ok' })
  const long = await gateway().get('/udf/history?symbol=1&resolution=1&countback=5000&to=900000')
  expect(long).toMatchObject({ status: 429, text: expect.stringContaining('"code":8') as string })
})
