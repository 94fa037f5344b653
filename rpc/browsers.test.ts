/** What a page in a browser can do to a gateway on the same machine: as the settings leave it, and as they name it. */
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startGateway, type Gateway } from './gateway.ts'
import { createHostCheck } from './hosts.ts'
import { SILENT_LOG } from './log.ts'
import { allowedOrigin, isOriginAllowed } from './origins.ts'
import { GATEWAY_DEFAULTS, type GatewaySettings } from './settings.ts'
import { createMemoryApplication } from './testing/memory-application.ts'

const ANY = '127.0.0.1:0'
let gateway: Gateway | undefined

const start = async (changes: Partial<GatewaySettings> = {}): Promise<Gateway> => {
  const addresses = { address: ANY, wsAddress: ANY, restAddress: ANY, grpcAddress: undefined }
  gateway = await startGateway({ ...GATEWAY_DEFAULTS, ...addresses, ...changes }, createMemoryApplication(), SILENT_LOG)
  return gateway
}
afterEach(async () => await gateway?.close())

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const send = (address: string | undefined, { method = 'POST', path = '/', headers = {}, body = '' }: Sent = {}) =>
  new Promise<{ status: number; text: string; origin: string | undefined }>((resolve, reject) => {
    const [host, port] = (address ?? '').split(':')
    const sent = httpRequest({ host, port, method, path, headers, setHost: headers['host'] === undefined }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, text, origin: reply.headers['access-control-allow-origin'] }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })

const CALL: Sent = {
  headers: { 'content-type': 'application/json' },
  body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}',
}
const withHeaders = (sent: Sent, headers: Readonly<Record<string, string>>): Sent => ({
  ...sent,
  headers: { ...sent.headers, ...headers },
})

const openSocket = (address: string | undefined, headers: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`ws://${address}`, { headers })
    socket.once('open', () => {
      resolve('open')
      socket.close()
    })
    socket.once('error', (error) => resolve(error.message))
  })

const PREFLIGHT: Sent = {
  method: 'OPTIONS',
  headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
}
const REFUSED_UPGRADE = 'Unexpected server response: 403'

describe('a page of elsewhere', () => {
  const from = { origin: 'https://evil.example' }

  test('reads and sends nothing through a gateway with the default settings', async () => {
    const { address, wsAddress, restAddress } = await start()
    expect(await send(address, withHeaders(CALL, from))).toMatchObject({ origin: undefined })
    expect(await send(address, withHeaders(PREFLIGHT, from))).toMatchObject({ origin: undefined })
    // What a browser sends without asking first is no JSON-RPC.
    expect(
      await send(address, withHeaders({ ...CALL, headers: { 'content-type': 'text/plain' } }, from)),
    ).toMatchObject({ status: 415 })
    expect(await openSocket(wsAddress, from)).toBe(REFUSED_UPGRADE)
    expect(await openSocket(wsAddress, { origin: 'null' })).toBe(REFUSED_UPGRADE)
    const path = '/cosmos/tx/v1beta1/txs'
    for (const origin of ['https://evil.example', 'http://127.0.0.1:1', 'null']) {
      const plain = { path, headers: { 'content-type': 'text/plain', origin }, body: '{}' }
      expect(await send(restAddress, plain), origin).toMatchObject({ status: 403, origin: undefined })
    }
    const get = { method: 'GET', path: '/cosmos/bank/v1beta1/params', headers: from }
    expect(await send(restAddress, get)).toMatchObject({ origin: undefined })
    expect(await send(restAddress, withHeaders({ ...PREFLIGHT, path }, from))).toMatchObject({ origin: undefined })
  })

  test('is let in once it is named, and none beside it', async () => {
    const named = ['https://evil.example', 'http://localhost', 'chrome-extension://']
    const { address, wsAddress, restAddress } = await start({
      corsOrigins: named,
      wsOrigins: named,
      restOrigins: named,
    })
    for (const origin of [
      ...named.slice(0, 2),
      'http://localhost:3000',
      'chrome-extension://nkbihfbeogaeaoehlefnkodb',
    ]) {
      expect(await send(address, withHeaders(CALL, { origin }))).toMatchObject({ status: 200, origin })
      expect(await send(address, withHeaders(PREFLIGHT, { origin }))).toMatchObject({ status: 204, origin })
      expect(await send(restAddress, withHeaders(PREFLIGHT, { origin }))).toMatchObject({ status: 204, origin })
      expect(await openSocket(wsAddress, { origin })).toBe('open')
    }
    for (const origin of ['https://other.example', 'http://evil.example', 'moz-extension://1', 'null']) {
      expect(await send(address, withHeaders(CALL, { origin }))).toMatchObject({ origin: undefined })
      expect(await send(restAddress, withHeaders(PREFLIGHT, { origin }))).toMatchObject({ origin: undefined })
      expect(await openSocket(wsAddress, { origin })).toBe(REFUSED_UPGRADE)
    }
  })
})

test('wallets, which send as extensions, and clients that are no browsers are answered by default', async () => {
  const { address, wsAddress, restAddress } = await start()
  for (const headers of [{}, { origin: 'chrome-extension://abc' }, { origin: 'moz-extension://8a-1' }]) {
    expect(await send(address, withHeaders(CALL, headers))).toMatchObject({ status: 200 })
    const { status } = await send(restAddress, { path: '/cosmos/tx/v1beta1/txs', headers, body: '{}' })
    expect(status).not.toBe(403)
  }
  expect(await openSocket(wsAddress, {})).toBe('open')
  // The page at /swagger is of this origin.
  const own = { path: '/cosmos/tx/v1beta1/txs', headers: { origin: `http://${restAddress}` }, body: '{}' }
  expect((await send(restAddress, own)).status).not.toBe(403)
})

describe('the name that a client calls a server of loopback by', () => {
  const foreign = ['evil.example', 'evil.example:8545', '192.0.2.1', 'localhost.evil.example', '127.0.0.1.evil.example']

  test.each([...foreign, '0.0.0.0', 'a b', '127.0.0.1:x', '[::1'])('is not %s', async (host) => {
    const { address, wsAddress, restAddress } = await start()
    const refused = { status: 403, text: 'invalid host specified\n' }
    expect(await send(address, withHeaders(CALL, { host }))).toMatchObject(refused)
    expect(await send(address, { method: 'GET', path: '/healthz', headers: { host } })).toMatchObject(refused)
    expect(await send(wsAddress, { method: 'GET', headers: { host } })).toMatchObject(refused)
    expect(await openSocket(wsAddress, { host })).toBe(REFUSED_UPGRADE)
    const paths = ['/cosmos/bank/v1beta1/params', '/swagger']
    for (const path of paths)
      expect(await send(restAddress, { method: 'GET', path, headers: { host } })).toMatchObject(refused)
    const web = { path: '/cosmos.bank.v1beta1.Query/Params', headers: { 'content-type': 'application/grpc-web', host } }
    expect(await send(restAddress, web)).toMatchObject(refused)
  })

  test.each(['localhost', 'LOCALHOST:3000', '127.0.0.1', '127.1.2.3:8545', '[::1]', '[::1]:80', '[0:0:0:0:0:0:0:1]'])(
    'is %s',
    async (host) => {
      const { address, wsAddress, restAddress } = await start()
      expect(await send(address, withHeaders(CALL, { host }))).toMatchObject({ status: 200 })
      expect(await openSocket(wsAddress, { host })).toBe('open')
      expect(await send(restAddress, { method: 'GET', path: '/swagger', headers: { host } })).toMatchObject({
        status: 200,
      })
    },
  )

  test('is one that the settings name, for JSON-RPC and for REST apart', async () => {
    const headers = { host: 'Node.Example:443' }
    const { address, wsAddress, restAddress } = await start({ vhosts: ['node.example'] })
    expect(await send(address, withHeaders(CALL, headers))).toMatchObject({ status: 200 })
    expect(await openSocket(wsAddress, headers)).toBe('open')
    expect(await send(restAddress, { method: 'GET', path: '/swagger', headers })).toMatchObject({ status: 403 })
  })
})

test('a server that the network reaches answers to every name, unless names are given', () => {
  expect(createHostCheck('0.0.0.0:8545', [])('anything.example')).toBe(true)
  expect(createHostCheck('[::]:8545', [])('anything.example')).toBe(true)
  for (const listener of ['0.0.0.0:8545', '127.0.0.1:8545', '[::1]:8545', 'localhost:8545']) {
    const check = createHostCheck(listener, ['node.example', '192.0.2.7', '2001:db8::1'])
    for (const host of [undefined, '', 'node.example', '192.0.2.7:80', '[2001:db8::1]:80', 'localhost:1', '[::1]']) {
      expect(check(host), `${host}`).toBe(true)
    }
    for (const host of ['evil.example', 'sub.node.example', '192.0.2.8']) expect(check(host), host).toBe(false)
    expect(createHostCheck(listener, ['*'])('evil.example')).toBe(true)
  }
  for (const listener of ['127.0.0.1:0', '127.9.9.9:0', '[::1]:0', 'localhost:0']) {
    expect(createHostCheck(listener, [])('evil.example'), listener).toBe(false)
  }
})

test('no text that a client names as its origin is taken for another one', () => {
  const rules = ['https://app.example', 'http://localhost']
  for (const origin of [
    'https://app.example.evil.example',
    'https://evil.example/https://app.example',
    'https://app.example@evil.example',
    'app.example',
    'localhost',
    'http://localhost.evil.example',
    'http://localhost:3000/x',
    '',
    '*',
  ]) {
    expect(allowedOrigin(rules, origin), origin).toBeUndefined()
    expect(isOriginAllowed(rules, origin), origin).toBe(false)
  }
  expect(allowedOrigin([''], 'https://app.example')).toBeUndefined()
})

describe('the host of a request', () => {
  /** The first line of the answer and the rest. */
  const sendRaw = (address: string | undefined, head: readonly string[], body = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const [host = '', port = ''] = (address ?? '').split(':')
      let text = ''
      const socket = connect(Number(port), host).on('error', reject)
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      socket.on('close', () => resolve(text))
      socket.write(`${[...head, `Content-Length: ${body.length}`, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)
    })
  const JSON_TYPE = 'Content-Type: application/json'
  const { body } = CALL

  test('is that of a target which is a whole URL, on both ports', async () => {
    const { address, restAddress } = await start()
    for (const target of ['http://127.0.0.1:8545/', 'HTTP://localhost', 'http://[::1]/?x=1']) {
      const answer = await sendRaw(address, [`POST ${target} HTTP/1.1`, 'Host: 127.0.0.1', JSON_TYPE], body)
      expect(answer, target).toMatch(/^HTTP\/1.1 200 /)
    }
    const evil = await sendRaw(address, ['POST http://evil.example/ HTTP/1.1', 'Host: 127.0.0.1', JSON_TYPE], body)
    expect(evil).toMatch(/^HTTP\/1.1 403 [^]*invalid host specified/)
    const path = '/swagger/openapi.json'
    const rest = await sendRaw(restAddress, [`GET http://127.0.0.1${path} HTTP/1.1`, 'Host: 127.0.0.1'])
    expect(rest).toMatch(/^HTTP\/1.1 200 /)
    expect(await sendRaw(restAddress, [`GET http://evil.example${path} HTTP/1.1`, 'Host: 127.0.0.1'])).toMatch(
      /^HTTP\/1.1 403 /,
    )
  })

  test('is one', async () => {
    const { address } = await start()
    const head = ['POST / HTTP/1.1', 'Host: 127.0.0.1', 'HOST: evil.example', JSON_TYPE]
    expect(await sendRaw(address, head, body)).toMatch(/^HTTP\/1.1 400 [^]*too many Host headers/)
  })
})
