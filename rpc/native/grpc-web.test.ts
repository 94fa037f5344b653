/** gRPC-Web as browsers speak it: frames by hand, and the client of Connect. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Code, createClient } from '@connectrpc/connect'
import { createGrpcWebTransport } from '@connectrpc/connect-web'
import { describe, expect, test } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import { bankQuery, bankTx } from '../../proto/index.ts'
import { NativeGateway, useNativeGateway } from '../testing/native-gateway.ts'

const gateway = useNativeGateway()
const BALANCE = '/cosmos.bank.v1beta1.Query/Balance'

const request = toBinary(
  bankQuery.QueryBalanceRequestSchema,
  create(bankQuery.QueryBalanceRequestSchema, { address: 'nat1abc', denom: 'anat' }),
)
const answer = () =>
  gateway().answerWith(bankQuery.QueryBalanceResponseSchema, { balance: { denom: 'anat', amount: '5' } })

const frame = (flags: number, bytes: Uint8Array): Buffer => {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt8(flags)
  prefix.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([prefix, bytes])
}

const framesOf = (body: Buffer): { flags: number; bytes: Buffer }[] => {
  const frames: { flags: number; bytes: Buffer }[] = []
  for (let at = 0; at < body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1)
    frames.push({ flags: body.readUInt8(at), bytes: body.subarray(at + 5, end) })
    at = end
  }
  return frames
}

const call = async (
  path: string,
  body: Buffer | string,
  type = 'application/grpc-web+proto',
  headers: Record<string, string> = {},
) => {
  const response = await fetch(`${gateway().url}${path}`, {
    method: 'POST',
    headers: { 'content-type': type, 'x-grpc-web': '1', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const frames = framesOf(type.includes('text') ? Buffer.from(bytes.toString(), 'base64') : bytes)
  return { response, frames, trailers: frames.at(-1)?.bytes.toString() ?? '' }
}

describe('frames', () => {
  test('are a message and the trailers', async () => {
    answer()
    for (const type of ['application/grpc-web', 'application/grpc-web+proto']) {
      const { response, frames, trailers } = await call(BALANCE, frame(0, request), type)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/grpc-web+proto')
      expect(response.headers.get('x-cosmos-block-height')).toBe('7')
      expect(frames.map(({ flags }) => flags)).toEqual([0, 0x80])
      const reply = fromBinary(bankQuery.QueryBalanceResponseSchema, frames[0]?.bytes ?? Buffer.alloc(0))
      expect(reply.balance).toMatchObject({ denom: 'anat', amount: '5' })
      expect(trailers).toBe('grpc-status: 0\r\n')
    }
    expect(gateway().asked(bankQuery.QueryBalanceRequestSchema)).toEqual({
      path: BALANCE,
      height: 0,
      message: { address: 'nat1abc', denom: 'anat' },
    })
  })

  test('are base64 in the text mode, each for itself if the client likes', async () => {
    answer()
    const framed = frame(0, request)
    const parts = [framed.subarray(0, 5), framed.subarray(5)].map((part) => part.toString('base64')).join('')
    for (const body of [framed.toString('base64'), parts]) {
      const { response, frames, trailers } = await call(BALANCE, body, 'application/grpc-web-text')
      expect(response.headers.get('content-type')).toBe('application/grpc-web-text+proto')
      expect([frames.length, trailers]).toEqual([2, 'grpc-status: 0\r\n'])
    }
  })

  test('carry statuses in the trailers, messages percent-encoded', async () => {
    gateway().failWith(new CodedError('grpc', 5, 'Zürich 100% <not> found'))
    const { response, trailers } = await call(BALANCE, frame(0, request))
    expect(response.status).toBe(200)
    expect(trailers).toBe('grpc-status: 5\r\ngrpc-message: Z%C3%BCrich 100%25 <not> found\r\n')
  })

  test('that are broken, compressed or too large are refused', async () => {
    answer()
    const statusOf = async (body: Buffer): Promise<string> => (await call(BALANCE, body)).trailers.slice(0, 15).trim()
    expect(await statusOf(Buffer.alloc(0))).toBe('grpc-status: 3')
    expect(await statusOf(Buffer.of(0, 0, 0, 0, 9, 1))).toBe('grpc-status: 3')
    expect(await statusOf(frame(2, request))).toBe('grpc-status: 3')
    expect(await statusOf(frame(1, request))).toBe('grpc-status: 12')
    expect(await statusOf(frame(0, new Uint8Array(1_100_000)))).toBe('grpc-status: 3')
    expect((await call(BALANCE, frame(0, request), 'application/grpc-web+json')).trailers).toContain('grpc-status: 3')
  })

  test('of more bytes than their method takes are not read, in text neither', async () => {
    for (const [bytes, type] of [
      [Buffer.alloc(40_000), 'application/grpc-web'],
      [Buffer.from(' '.repeat(80_000)), 'application/grpc-web-text'],
    ] as const) {
      expect((await call(BALANCE, bytes, type)).trailers).toContain('grpc-message: http: request body too large')
    }
    const large = await call(BALANCE, frame(0, new Uint8Array(16_000)))
    expect(large.trailers).not.toContain('too large')
  })

  test('of thousands of parts of text are refused before they are joined', async () => {
    const { trailers } = await call(BALANCE, Buffer.from('a='.repeat(4_000)), 'application/grpc-web-text')
    expect(trailers).toContain('grpc-status: 3')
    expect(trailers).toContain('more than 1000 parts')
  })

  test('name heights in headers', async () => {
    answer()
    const { response } = await call(BALANCE, frame(0, request), undefined, { 'x-cosmos-block-height': '3' })
    expect(response.headers.get('x-cosmos-block-height')).toBe('3')
    expect(gateway().asked(bankQuery.QueryBalanceRequestSchema).height).toBe(3)
    const future = await call(BALANCE, frame(0, request), undefined, { 'x-cosmos-block-height': '99' })
    expect(future.trailers).toContain('grpc-status: 2')
  })
})

describe('a client', () => {
  const connect = (url = gateway().url) => createGrpcWebTransport({ baseUrl: url })

  test('asks and is answered', async () => {
    answer()
    const client = createClient(bankQuery.Query, connect())
    const { balance } = await client.balance({ address: 'nat1abc', denom: 'anat' })
    expect(balance).toMatchObject({ denom: 'anat', amount: '5' })
  })

  test('reads failures', async () => {
    gateway().failWith(new CodedError('sdk', 7, 'decoding bech32 failed'))
    const failure = createClient(bankQuery.Query, connect()).balance({})
    await expect(failure).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: 'decoding bech32 failed',
    })
  })

  test('is told that messages travel in transactions', async () => {
    const failure = createClient(bankTx.Msg, connect()).send({})
    await expect(failure).rejects.toMatchObject({ code: Code.Unimplemented })
    await expect(failure).rejects.toThrow('broadcast')
  })

  test('of another origin may send what it needs, where the node allows it', async () => {
    const open = await NativeGateway.start({ restOrigins: ['*'] })
    try {
      const preflight = await fetch(`${open.url}${BALANCE}`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://wallet.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-grpc-web,x-user-agent,authorization',
        },
      })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
      expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
      const allowed = preflight.headers.get('access-control-allow-headers')?.split(/, ?/)
      expect(allowed).toEqual(
        expect.arrayContaining(['content-type', 'x-grpc-web', 'x-user-agent', 'grpc-timeout', 'authorization']),
      )
      open.answerWith(bankQuery.QueryBalanceResponseSchema, {})
      const reply = await fetch(`${open.url}${BALANCE}`, {
        method: 'POST',
        headers: { 'content-type': 'application/grpc-web+proto', origin: 'https://wallet.example' },
        body: new Uint8Array(frame(0, request)),
      })
      expect(reply.headers.get('access-control-allow-origin')).toBe('*')
      expect(reply.headers.get('access-control-expose-headers')).toContain('grpc-status')
    } finally {
      await open.close()
    }
  })

  test('finds nothing where gRPC-Web is off', async () => {
    const closed = await NativeGateway.start({ grpcWeb: false })
    try {
      await expect(createClient(bankQuery.Query, connect(closed.url)).balance({})).rejects.toThrow('HTTP 501')
    } finally {
      await closed.close()
    }
  })
})

test('an address that asks too much is told to wait', async () => {
  const limited = await NativeGateway.start({ rateLimit: 5, rateLimitBurst: 5 })
  try {
    limited.answerWith(bankQuery.QueryBalanceResponseSchema, {})
    const client = createClient(bankQuery.Query, createGrpcWebTransport({ baseUrl: limited.url }))
    await client.balance({})
    await expect(client.balance({})).rejects.toMatchObject({ code: Code.ResourceExhausted })
    const rest = await limited.get('/cosmos/bank/v1beta1/supply')
    expect([rest.status, rest.text.includes('"code":8')]).toEqual([429, true])
  } finally {
    await limited.close()
  }
})
