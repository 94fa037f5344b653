/** Charts as an attacker asks for them: over one connection, very many at once, and reading nothing. */
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { bankQuery, clobHistory, clobQuery } from '../../proto/index.ts'
import { methodPath } from '../native/services.ts'
import { useNativeGateway } from '../testing/native-gateway.ts'

/** What clients make this gateway hold: a few charts of 5,000 bars. */
const MEMORY_BYTES = 2 * 1024 * 1024
const CHARTS = 40
const PAGE = '/udf/history?symbol=1&resolution=1&countback=5000&to=900000'

const gateway = useNativeGateway({ memoryBytes: MEMORY_BYTES })

const { markets } = clobQuery.Query.method
const { denomsMetadata } = bankQuery.Query.method
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

/** A market that has traded in each minute. */
const trade = (): void => {
  const market = { id: 1, baseDenom: 'anat', quoteDenom: 'uusd', lotSize: '1000', factor: '10' }
  gateway().application.answers.native = ({ path, data }) => {
    if (path === methodPath(markets)) return encode(markets.output, { markets: [market] })
    return path === methodPath(candles) ? candlesFor(data) : encode(denomsMetadata.output, {})
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
})

test('charts that nobody reads are held as far as the budget goes, and others are answered', async () => {
  trade()
  const whole = (await gateway().get(PAGE)).text.length
  expect(whole).toBeGreaterThan(200_000)
  const { port } = new URL(gateway().url)
  const socket = connect(Number(port), '127.0.0.1')
  let read = ''
  socket.on('error', () => undefined).pause()
  const ended = once(socket, 'close')
  await once(socket, 'connect')
  socket.write(`GET ${PAGE} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(CHARTS))
  // It comes behind all of its charts, and over another connection.
  await gateway().get(PAGE)
  const answers = (status: RegExp): number => read.match(status)?.length ?? 0
  const all = new Promise((resolve) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      read += text
      if (answers(/HTTP\/1.1 \d/g) === CHARTS) resolve(undefined)
    })
  })
  socket.resume()
  await Promise.race([ended, all])
  expect(answers(/HTTP\/1.1 200/g)).toBeLessThan(CHARTS)
  socket.destroy()
  expect((await gateway().get(PAGE)).text).toHaveLength(whole)
})
