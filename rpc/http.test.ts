/** The HTTP port: statuses as measured on geth 1.16.8, and what is ours alone. */
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CodedError } from '../core/errors.ts'
import { startGateway, type Gateway } from './gateway.ts'
import { SILENT_LOG, type GatewayLog } from './log.ts'
import { GATEWAY_DEFAULTS, type GatewaySettings } from './settings.ts'
import { createMemoryApplication, type MemoryApplication } from './testing/memory-application.ts'

let application: MemoryApplication
let gateway: Gateway
let log: GatewayLog = SILENT_LOG

const start = async (changes: Partial<GatewaySettings> = {}): Promise<void> => {
  application = createMemoryApplication()
  const settings = {
    ...GATEWAY_DEFAULTS,
    grpcAddress: undefined,
    address: '127.0.0.1:0',
    wsAddress: undefined,
    restAddress: undefined,
  }
  gateway = await startGateway({ ...settings, ...changes }, application, log)
}
const restart = async (changes: Partial<GatewaySettings>): Promise<void> => {
  await gateway.close()
  await start(changes)
}
beforeEach(() => {
  log = SILENT_LOG
  return start()
})
afterEach(() => gateway.close())

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const RESULT = '{"jsonrpc":"2.0","id":1,"result":"0x539"}\n'

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

const send = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(`http://${gateway.address}`)
    const request = httpRequest({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    request.on('error', reject)
    request.end(body)
  })

const JSON_HEADERS = { 'content-type': 'application/json' }
const post = (body: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> =>
  send('POST', '/', { ...JSON_HEADERS, ...headers }, body)
const ask = async (
  method: string,
  params: unknown = [],
): Promise<{ result?: unknown; error?: { code: number; message: string; data?: unknown } }> => {
  const { body } = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return JSON.parse(body) as { result?: unknown; error?: { code: number; message: string; data?: unknown } }
}

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
      const reply = await send(method, path, headers, body)
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
    for (const type of accepted) expect((await post(CALL, { 'content-type': type })).status, type).toBe(200)
    for (const type of refused) expect((await post(CALL, { 'content-type': type })).status, type).toBe(415)
  })

  test('are found behind an absolute target, and a GET without a body is none of whatever type', async () => {
    const headers = { 'content-type': 'application/json' }
    const absolute = await send('POST', 'http://some.host/?a=b', headers, CALL)
    expect([absolute.status, absolute.body]).toEqual([200, RESULT])
    expect((await send('POST', 'http://some.host/other', headers, CALL)).status).toBe(404)
    const bare = await send('GET', '/', headers)
    expect([bare.status, bare.headers['content-type'], bare.body]).toEqual([200, undefined, ''])
  })

  test('name the length of an announced body that is too large', async () => {
    const reply = await post(Buffer.alloc(6_000_000, ' '))
    expect([reply.status, reply.body]).toEqual([413, 'content length too large (6000000>5242880)\n'])
  })

  test('of a body of unannounced length above the limit: a parse error, without reading on', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"params":"${'a'.repeat(6_000_000)}"}`
    const reply = await post(body, { 'transfer-encoding': 'chunked' })
    expect([reply.status, reply.body]).toEqual([
      200,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}',
    ])
  })

  test('are 200 with exact lengths for results, also beyond ASCII', async () => {
    application.answers.block = () => '"é\u{1f600}"'
    const reply = await post('{"jsonrpc":"2.0","id":"ü","method":"eth_getBlockByNumber","params":["latest",false]}')
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
    await restart({ corsOrigins: ['*'] })
    expect((await post(CALL, { origin: 'https://app.example' })).headers['access-control-allow-origin']).toBe('*')
    const { status, headers } = await send('OPTIONS', '/', preflight)
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type',
    })
  })

  test('are told apart when origins are named', async () => {
    await restart({ corsOrigins: ['https://app.example'] })
    expect((await post(CALL, { origin: 'https://app.example' })).headers['access-control-allow-origin']).toBe(
      'https://app.example',
    )
    expect(
      (await post(CALL, { origin: 'https://evil.example' })).headers['access-control-allow-origin'],
    ).toBeUndefined()
    expect(
      (await send('OPTIONS', '/', { ...preflight, origin: 'https://evil.example' })).headers[
        'access-control-allow-origin'
      ],
    ).toBeUndefined()
  })
})

describe('health', () => {
  test('follows the head: not catching up, and an application in reach', async () => {
    expect((await send('GET', '/healthz')).body).toBe('{"healthy":true,"height":7,"evmHeight":7,"catchingUp":false}')
    expect((await send('GET', '/readyz')).status).toBe(200)
    application.commit({ catchingUp: true })
    expect((await send('GET', '/healthz')).status).toBe(503)
    expect((await send('GET', '/readyz')).status).toBe(200)
    application.connected = false
    expect((await send('GET', '/healthz')).status).toBe(503)
    expect((await send('GET', '/readyz')).status).toBe(503)
  })

  test('an application out of reach fails every question with 200 and -32603', async () => {
    application.connected = false
    for (const method of ['eth_blockNumber', 'eth_gasPrice']) {
      const { error } = await ask(method)
      expect(error?.code).toBe(-32603)
      expect(error?.message).toMatch(/^application unavailable/)
    }
  })
})

describe('answers', () => {
  test('of the head come without a question, and follow it', async () => {
    expect((await ask('eth_blockNumber')).result).toBe('0x7')
    application.commit()
    expect((await ask('eth_blockNumber')).result).toBe('0x8')
    expect((await ask('net_version')).result).toBe('1337')
    expect((await ask('net_listening')).result).toBe(true)
    expect((await ask('eth_accounts')).result).toEqual([])
    expect(application.asked).toEqual([])
  })

  test('name the client in one line and the namespaces that are served', async () => {
    expect((await ask('web3_clientVersion')).result).toMatch(
      /^nat-chain\/v\d+\.\d+\.\d+\/linux-\w+\/node\d+\.\d+\.\d+$/,
    )
    expect((await ask('rpc_modules')).result).toEqual({ debug: '1.0', eth: '1.0', net: '1.0', rpc: '1.0', web3: '1.0' })
    expect((await ask('txpool_status')).error?.code).toBe(-32601)
    await restart({ api: ['eth', 'txpool'] })
    expect((await ask('rpc_modules')).result).toEqual({ eth: '1.0', rpc: '1.0', txpool: '1.0' })
    expect((await ask('web3_clientVersion')).error?.message).toBe(
      'the method web3_clientVersion does not exist/is not available',
    )
  })

  test('hash what web3_sha3 is given', async () => {
    // The example of Ethereum's own documentation.
    const { result } = await ask('web3_sha3', ['0x68656c6c6f20776f726c64'])
    expect(result).toBe('0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad')
  })

  test('count no uncles in known blocks, and nothing in unknown ones', async () => {
    application.answers.blockTransactionCount = ({ block }) => ('number' in block ? '"0x5"' : 'null')
    expect((await ask('eth_getUncleCountByBlockNumber', ['0x1'])).result).toBe('0x0')
    expect((await ask('eth_getUncleCountByBlockHash', [`0x${'11'.repeat(32)}`])).result).toBeNull()
    expect((await ask('eth_getUncleByBlockNumberAndIndex', ['0x1', '0x0'])).result).toBeNull()
  })

  test('carry parameters to the application in its words', async () => {
    const address = `0x${'aB'.repeat(20)}`
    const lower = address.toLowerCase()
    const hash = `0x${'cD'.repeat(32)}`
    await ask('eth_getBalance', [address, 'safe'])
    await ask('eth_getStorageAt', [address, '0x1', { blockHash: hash, requireCanonical: true }])
    await ask('eth_getCode', [address, { blockNumber: '0x5' }])
    await ask('eth_getBlockByHash', [hash])
    await ask('eth_feeHistory', ['10', '0x7fffffffffffffff', [1.5]])
    await ask('eth_getLogs', [{ address, topics: [null, [hash]], fromBlock: 'earliest' }])
    const call = {
      to: address,
      input: '0xAB',
      data: '0x',
      gas: '0x5',
      accessList: [{ address, storageKeys: [hash] }],
      unknown: 1,
    }
    const overrides = { [address]: { balance: '0x1', stateDiff: { [hash]: hash } } }
    await ask('eth_call', [call, null, overrides, { Time: '0x9', difficulty: '0x1' }])
    expect(application.asked.map(({ name, parameters, head }) => [name, parameters, head])).toEqual([
      ['balance', { address: lower, block: { tag: 'safe' } }, 7],
      [
        'storage',
        {
          address: lower,
          slot: `0x${'1'.padStart(64, '0')}`,
          block: { hash: hash.toLowerCase(), requireCanonical: true },
        },
        7,
      ],
      ['code', { address: lower, block: { number: 5 } }, 7],
      ['block', { block: { hash: hash.toLowerCase() }, full: false }, 7],
      ['feeHistory', { count: 10, newest: { number: Number.MAX_SAFE_INTEGER }, percentiles: [1.5] }, 7],
      ['logs', { addresses: [lower], topics: [[], [hash.toLowerCase()]], fromBlock: { tag: 'earliest' } }, 7],
      [
        'call',
        {
          call: {
            to: lower,
            data: '0xab',
            gas: '0x5',
            accessList: [{ address: lower, storageKeys: [hash.toLowerCase()] }],
          },
          block: { tag: 'latest' },
          stateOverrides: { [lower]: { balance: '0x1', stateDiff: { [hash.toLowerCase()]: hash.toLowerCase() } } },
          blockOverrides: { time: '0x9' },
        },
        7,
      ],
    ])
  })
})

describe('errors', () => {
  test('have the codes of their codespaces, with data where there is some', async () => {
    const cases = [
      [new CodedError('query', 1, 'header not found'), { code: -32000, message: 'header not found' }],
      [
        new CodedError('query', 2, 'invalid block range params'),
        { code: -32602, message: 'invalid block range params' },
      ],
      [
        new CodedError('query', 3, 'execution reverted: no', '0x08c379a0'),
        { code: 3, message: 'execution reverted: no', data: '0x08c379a0' },
      ],
      [new CodedError('query', 3, 'execution reverted', '0x'), { code: 3, message: 'execution reverted', data: '0x' }],
      [
        new CodedError('query', 4, 'execution aborted (timeout = 5s)'),
        { code: -32002, message: 'execution aborted (timeout = 5s)' },
      ],
      [
        new CodedError('query', 5, 'exceed maximum block range 10'),
        { code: -32005, message: 'exceed maximum block range 10' },
      ],
      [new CodedError('query', 6, 'no'), { code: -32601, message: 'no' }],
      [new CodedError('query', 7, 'too large'), { code: -32003, message: 'too large' }],
      [
        new CodedError('pool', 3, 'tx underpriced', { minimum: '1' }),
        { code: -32000, message: 'tx underpriced', data: { minimum: '1' } },
      ],
      [
        new CodedError('evm', 6, 'nonce too low: next nonce 1, tx nonce 0'),
        { code: -32000, message: 'nonce too low: next nonce 1, tx nonce 0' },
      ],
    ] as const
    for (const [error, expected] of cases) {
      application.answers.gasPrice = () => {
        throw error
      }
      expect((await ask('eth_gasPrice')).error).toEqual(expected)
      application.answers.gasPrice = () => Promise.reject(error)
      expect((await ask('eth_gasPrice')).error).toEqual(expected)
    }
  })

  test('that are faults of the node tell clients nothing and the log everything', async () => {
    const logged: unknown[] = []
    log = { ...SILENT_LOG, error: (message, fields) => logged.push(message, fields) }
    await restart({})
    application.answers.gasPrice = () => {
      throw new TypeError('a secret of the node')
    }
    expect((await ask('eth_gasPrice')).error).toEqual({ code: -32603, message: 'internal error' })
    expect(JSON.stringify(logged)).toContain('a secret of the node')
  })
})

describe('batches', () => {
  const item = (id: number, method: string): string => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`

  test('are answered in order, however long each takes', async () => {
    const releases: ((text: string) => void)[] = []
    application.answers.gasPrice = () =>
      new Promise((resolve) => {
        releases.push(resolve)
        // Last in, first out.
        if (releases.length === 3)
          for (const [index, release] of releases.toReversed().entries()) release(`"0x${index}"`)
      })
    const { body } = await post(
      `[${[1, 2, 3].map((id) => item(id, 'eth_gasPrice')).join(',')},${item(4, 'eth_chainId')}]`,
    )
    expect(JSON.parse(body)).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x2' },
      { jsonrpc: '2.0', id: 2, result: '0x1' },
      { jsonrpc: '2.0', id: 3, result: '0x0' },
      { jsonrpc: '2.0', id: 4, result: '0x539' },
    ])
  })

  test('of 1000 are answered whole', async () => {
    const { body } = await post(`[${Array.from({ length: 1_000 }, (_, id) => item(id, 'eth_chainId')).join(',')}]`)
    expect((JSON.parse(body) as { id: number }[]).map(({ id }) => id)).toEqual(
      Array.from({ length: 1_000 }, (_, id) => id),
    )
  })

  test('end with errors behind the reply that passes the limit of bytes', async () => {
    await restart({ batchResponseMaxSize: 1_000 })
    application.answers.gasPrice = () => `"${'x'.repeat(600)}"`
    const { body } = await post(`[${[1, 2, 3, 4].map((id) => item(id, 'eth_gasPrice')).join(',')}]`)
    const replies = JSON.parse(body) as { id: number; error?: { code: number; message: string } }[]
    expect(replies.map(({ id, error }) => [id, error?.message])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, 'response too large'],
      [4, 'response too large'],
    ])
    expect(replies[3]?.error?.code).toBe(-32003)
  })

  test('ask for few traces at once: their answers wait in memory', async () => {
    const asked: number[] = []
    let open = 0
    application.answers.traceTransaction = () => {
      asked.push(++open)
      return new Promise((resolve) => setImmediate(() => resolve(String(open--))))
    }
    const trace = `{"jsonrpc":"2.0","id":1,"method":"debug_traceTransaction","params":["0x${'11'.repeat(32)}"]}`
    const { body } = await post(`[${Array.from({ length: 10 }, () => trace).join(',')}]`)
    expect(JSON.parse(body)).toHaveLength(10)
    expect(asked).toHaveLength(10)
    expect(Math.max(...asked)).toBe(3)
  })
})

describe('rates', () => {
  test('above the limit are refused with 429, Retry-After and a JSON-RPC error', async () => {
    await restart({ rateLimit: 1, rateLimitBurst: 3 })
    for (let count = 0; count < 3; count++) expect((await post(CALL)).status).toBe(200)
    const reply = await post(CALL)
    expect(reply.status).toBe(429)
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(JSON.parse(reply.body)).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32005 } })
  })

  test('count by method: what costs more than there is left is refused', async () => {
    await restart({ rateLimit: 1, rateLimitBurst: 60 })
    const logs = '{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{}]}'
    expect((await post(logs)).status).toBe(200)
    expect((await post(logs)).status).toBe(429)
    expect((await post(CALL)).status).toBe(200)
    expect((await post(`[${Array.from({ length: 100 }, () => CALL).join(',')}]`)).status).toBe(429)
  })

  test('are those of the forwarded address behind trusted proxies, of the proxy otherwise', async () => {
    const limits = { rateLimit: 1, rateLimitBurst: 1 }
    await restart({ ...limits, trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] })
    const from = async (forwarded: string): Promise<number> =>
      (await post(CALL, { 'x-forwarded-for': forwarded })).status
    expect(await from('192.0.2.1')).toBe(200)
    expect(await from('192.0.2.1')).toBe(429)
    expect(await from('192.0.2.2, 10.1.2.3')).toBe(200)
    // What the client itself put before its address does not count.
    expect(await from('192.0.2.9, 192.0.2.2')).toBe(429)
    await restart(limits)
    expect(await from('192.0.2.1')).toBe(200)
    expect(await from('192.0.2.2')).toBe(429)
    await expect(restart({ trustedProxies: ['nonsense'] })).rejects.toMatchObject({ codespace: 'rpc' })
    await start()
  })
})

test('a request with more values than any has use for is refused before it is read', async () => {
  const call = (items: number): string =>
    `{"jsonrpc":"2.0","id":1,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"calls":[${'{},'.repeat(items)}{}]}]}]}`
  expect((await post(call(90_000))).body).toContain('"result"')
  expect(JSON.parse((await post(call(1_000_000))).body)).toMatchObject({
    id: null,
    error: { code: -32005, message: 'request with more than 100000 values' },
  })
  expect(application.asked.map(({ name }) => name)).toEqual(['simulate'])
})

test('requests one behind the other on one connection are answered in order', async () => {
  const { port } = new URL(`http://${gateway.address}`)
  application.answers.gasPrice = () => new Promise((resolve) => setImmediate(() => resolve('"0x1"')))
  const write = (id: number, method: string): string => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method })
    return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
  const socket = connect(Number(port), '127.0.0.1')
  let text = ''
  const done = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('"id":3')) resolve()
    })
  })
  socket.write(write(1, 'eth_gasPrice') + write(2, 'eth_chainId') + write(3, 'eth_gasPrice'))
  await done
  expect([...text.matchAll(/"id":(\d)/g)].map(([, id]) => id)).toEqual(['1', '2', '3'])
  socket.destroy()
})

describe('bodies in pieces', () => {
  const CHUNKED = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  const chunksOf = (text: string, size: number): string =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size))
      .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
      .join('')

  /** What comes back for some bytes until the connection is closed, or until there is `end` in it. */
  const exchange = async (bytes: string, end?: string): Promise<string> => {
    const socket = connect(Number(new URL(`http://${gateway.address}`).port), '127.0.0.1')
    let text = ''
    const done = new Promise<void>((resolve) => {
      socket.on('error', () => resolve()).on('close', () => resolve())
      socket.on('data', (data: Buffer) => {
        text += data.toString()
        if (end !== undefined && text.includes(end)) resolve()
      })
    })
    socket.write(bytes)
    await done
    socket.destroy()
    return text
  }

  test('of one byte without end are refused, and the connection is closed', async () => {
    const answer = await exchange(CHUNKED + chunksOf(' '.repeat(20_000), 1))
    expect(answer).toContain('HTTP/1.1 400 Bad Request\r\n')
    expect(answer).toContain('Connection: close\r\n')
    expect(answer).toContain('\r\n\r\nthe body comes in too many small pieces\n')
  })

  test('of one byte are counted from one request of a connection to the next', async () => {
    const request = `${CHUNKED}${chunksOf(`${CALL}${' '.repeat(200)}`, 1)}0\r\n\r\n`
    const answer = await exchange(request.repeat(100))
    expect(answer.split('"result"').length - 1).toBeLessThan(5)
    expect(answer.split('HTTP/1.1 ').length - 1).toBeLessThan(6)
  })

  test('of one byte end a connection where nobody reads them', async () => {
    const head = CHUNKED.replace('POST /', 'POST /nothing')
    expect(await exchange(head + chunksOf(' '.repeat(200_000), 1))).toContain('HTTP/1.1 404 ')
  })

  test('are answered where the body is short, or the pieces are as long as a buffer', async () => {
    const short = await exchange(`${CHUNKED}${chunksOf(CALL, 1)}0\r\n\r\n`, RESULT)
    expect(short).toContain('HTTP/1.1 200 OK')
    const padded = `${CALL}${' '.repeat(500_000)}`
    expect(await exchange(`${CHUNKED}${chunksOf(padded, 200)}0\r\n\r\n`, RESULT)).toContain('HTTP/1.1 200 OK')
  })

  test('have the next connections of their client wait', async () => {
    await exchange(CHUNKED + chunksOf(' '.repeat(20_000), 1))
    const startedMs = performance.now()
    expect((await post(CALL)).body).toBe(RESULT)
    expect(performance.now() - startedMs).toBeGreaterThan(800)
  })
})

describe('a gateway that stops', () => {
  /** A question that is with the application, and how to answer it. */
  const askSlowly = async (): Promise<{ readonly reply: Promise<Reply>; readonly answer: (text: string) => void }> => {
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<(text: string) => void>()
    application.answers.gasPrice = () => new Promise((resolve) => onAsked(resolve))
    const reply = post('{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice"}', { connection: 'keep-alive' })
    return { reply, answer: await asked }
  }

  test('answers what it has been asked, whatever its connections wait for', async () => {
    const { port } = new URL(`http://${gateway.address}`)
    const idle = connect(Number(port), '127.0.0.1')
    const idleClosed = once(idle, 'close')
    await once(idle, 'connect')
    const { reply, answer } = await askSlowly()
    const closed = gateway.close()
    await idleClosed
    await expect(post(CALL)).rejects.toThrow('ECONNREFUSED')
    answer('"0x1"')
    expect((await reply).body).toBe('{"jsonrpc":"2.0","id":1,"result":"0x1"}\n')
    expect((await reply).headers['connection']).toBe('close')
    await closed
    await start()
  })

  test('waits for an answer that does not come no longer than two seconds', async () => {
    const { reply } = await askSlowly()
    const startedMs = performance.now()
    await Promise.all([gateway.close(), expect(reply).rejects.toThrow('socket hang up')])
    expect(performance.now() - startedMs).toBeGreaterThan(1_900)
    await start()
  })
})
