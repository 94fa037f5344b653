/** The HTTP port: statuses as measured on geth 1.16.8, and what is ours alone. */
import { describe, expect, test } from 'vitest'
import { JSON_HEADERS, useHttpWorld } from './testing/http-world.ts'

const world = useHttpWorld()

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const RESULT = '{"jsonrpc":"2.0","id":1,"result":"0x539"}\n'

describe('statuses', () => {
  test('are those of geth', async () => {
    const measured: readonly (readonly [string, string, Record<string, string>, string | undefined, number, string])[] =
      [
        ['GET', '/', {}, undefined, 200, ''],
        ['GET', '/?x', {}, undefined, 415, 'invalid content type, only application/json is supported\n'],
        ['HEAD', '/', {}, undefined, 415, ''],
        ['PUT', '/', JSON_HEADERS, CALL, 405, 'method not allowed\n'],
        ['DELETE', '/', {}, undefined, 405, 'method not allowed\n'],
        ['OPTIONS', '/', {}, undefined, 200, ''],
        ['PATCH', '/', JSON_HEADERS, CALL, 200, RESULT],
        ['PATCH', '/', {}, undefined, 415, 'invalid content type, only application/json is supported\n'],
        ['POST', '/?x=1', JSON_HEADERS, CALL, 200, RESULT],
        ['POST', '//', JSON_HEADERS, CALL, 404, ''],
        ['POST', '/foo', JSON_HEADERS, CALL, 404, ''],
        ['GET', '/foo', {}, undefined, 404, ''],
        // Ours: no stack trace for what cannot be decoded.
        ['GET', '/%ff', {}, undefined, 404, ''],
      ]
    for (const [method, path, headers, body, status, text] of measured) {
      const reply = await world.send(method, path, headers, body)
      expect([method, path, reply.status, reply.body]).toEqual([method, path, status, text])
    }
  })

  test('follow the content type as geth reads it', async () => {
    const accepted = [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/json-rpc',
      'application/jsonrequest',
      'application/json;',
    ]
    const refused = [
      'text/plain',
      '',
      'application/json, text/plain',
      'application/json; x',
      'application/jsonx',
      'text/json',
    ]
    for (const type of accepted) expect((await world.post(CALL, { 'content-type': type })).status, type).toBe(200)
    for (const type of refused) expect((await world.post(CALL, { 'content-type': type })).status, type).toBe(415)
  })

  test('are found behind an absolute target, and a GET without a body is none of whatever type', async () => {
    const headers = { 'content-type': 'application/json' }
    const absolute = await world.send('POST', 'http://localhost/?a=b', headers, CALL)
    expect([absolute.status, absolute.body]).toEqual([200, RESULT])
    expect((await world.send('POST', 'http://localhost/other', headers, CALL)).status).toBe(404)
    const bare = await world.send('GET', '/', headers)
    expect([bare.status, bare.headers['content-type'], bare.body]).toEqual([200, undefined, ''])
  })

  test('name the length of an announced body that is too large', async () => {
    const reply = await world.post(Buffer.alloc(6_000_000, ' '))
    expect([reply.status, reply.body]).toEqual([413, 'content length too large (6000000>5242880)\n'])
  })

  test('of a body of unannounced length above the limit: a parse error, without reading on', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"params":"${'a'.repeat(6_000_000)}"}`
    const reply = await world.post(body, { 'transfer-encoding': 'chunked' })
    expect([reply.status, reply.body]).toEqual([
      200,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}',
    ])
  })

  test('are 200 with exact lengths for results, also beyond ASCII', async () => {
    world.application.answers.block = () => '"é\u{1f600}"'
    const reply = await world.post(
      '{"jsonrpc":"2.0","id":"ü","method":"eth_getBlockByNumber","params":["latest",false]}',
    )
    expect(reply.body).toBe('{"jsonrpc":"2.0","id":"ü","result":"é\u{1f600}"}\n')
    expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.body)))
    expect(reply.headers['content-type']).toBe('application/json')
  })
})

describe('browsers', () => {
  const preflight = {
    origin: 'https://app.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  }

  test('of every origin are let in where the settings say so', async () => {
    await world.restart({ corsOrigins: ['*'] })
    expect((await world.post(CALL, { origin: 'https://app.example' })).headers['access-control-allow-origin']).toBe('*')
    const { status, headers } = await world.send('OPTIONS', '/', preflight)
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type',
    })
  })

  test('are told apart when origins are named', async () => {
    await world.restart({ corsOrigins: ['https://app.example'] })
    expect((await world.post(CALL, { origin: 'https://app.example' })).headers['access-control-allow-origin']).toBe(
      'https://app.example',
    )
    expect(
      (await world.post(CALL, { origin: 'https://evil.example' })).headers['access-control-allow-origin'],
    ).toBeUndefined()
    expect(
      (await world.send('OPTIONS', '/', { ...preflight, origin: 'https://evil.example' })).headers[
        'access-control-allow-origin'
      ],
    ).toBeUndefined()
  })
})

describe('health', () => {
  const pages = async (): Promise<Readonly<Record<string, number>>> => {
    const paths = ['/healthz', '/readyz', '/livez']
    const statuses = paths.map(async (path) => [path, (await world.send('GET', path)).status] as const)
    return Object.fromEntries(await Promise.all(statuses))
  }

  test('follows the head: not catching up, and an application in reach', async () => {
    expect((await world.send('GET', '/healthz')).body).toBe(
      '{"healthy":true,"height":7,"evmHeight":7,"catchingUp":false}',
    )
    expect(await pages()).toEqual({ '/healthz': 200, '/readyz': 200, '/livez': 200 })
    world.application.commit({ catchingUp: true })
    expect(await pages()).toEqual({ '/healthz': 503, '/readyz': 503, '/livez': 200 })
    world.application.connected = false
    expect(await pages()).toEqual({ '/healthz': 503, '/readyz': 503, '/livez': 503 })
  })

  test('an application out of reach fails every question with 200 and -32603', async () => {
    world.application.connected = false
    for (const method of ['eth_blockNumber', 'eth_gasPrice']) {
      const { error } = await world.ask(method)
      expect(error?.code).toBe(-32603)
      expect(error?.message).toMatch(/^application unavailable/)
    }
  })
})

describe('rates', () => {
  test('above the limit are refused with 429, Retry-After and a JSON-RPC error', async () => {
    await world.restart({ rateLimit: 1, rateLimitBurst: 3 })
    for (let count = 0; count < 3; count++) expect((await world.post(CALL)).status).toBe(200)
    const reply = await world.post(CALL)
    expect(reply.status).toBe(429)
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(JSON.parse(reply.body)).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32005 } })
  })

  test('count by method: what costs more than there is left is refused', async () => {
    await world.restart({ rateLimit: 1, rateLimitBurst: 60 })
    const logs = '{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{}]}'
    expect((await world.post(logs)).status).toBe(200)
    expect((await world.post(logs)).status).toBe(429)
    expect((await world.post(CALL)).status).toBe(200)
    expect((await world.post(`[${Array.from({ length: 100 }, () => CALL).join(',')}]`)).status).toBe(429)
  })

  test('are those of the forwarded address behind trusted proxies, of the proxy otherwise', async () => {
    const limits = { rateLimit: 1, rateLimitBurst: 1 }
    await world.restart({ ...limits, trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] })
    const from = async (forwarded: string): Promise<number> =>
      (await world.post(CALL, { 'x-forwarded-for': forwarded })).status
    expect(await from('192.0.2.1')).toBe(200)
    expect(await from('192.0.2.1')).toBe(429)
    expect(await from('192.0.2.2, 10.1.2.3')).toBe(200)
    // What the client itself put before its address does not count.
    expect(await from('192.0.2.9, 192.0.2.2')).toBe(429)
    await world.restart(limits)
    expect(await from('192.0.2.1')).toBe(200)
    expect(await from('192.0.2.2')).toBe(429)
    await expect(world.restart({ trustedProxies: ['nonsense'] })).rejects.toMatchObject({ codespace: 'rpc' })
    await world.start()
  })
})

test('a request with more values than any has use for is refused before it is read', async () => {
  const call = (items: number): string =>
    `{"jsonrpc":"2.0","id":1,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"calls":[${'{},'.repeat(items)}{}]}]}]}`
  expect((await world.post(call(90_000))).body).toContain('"result"')
  expect(JSON.parse((await world.post(call(1_000_000))).body)).toMatchObject({
    id: null,
    error: { code: -32005, message: 'request with more than 100000 values' },
  })
  expect(world.application.asked.map(({ name }) => name)).toEqual(['simulate'])
})
