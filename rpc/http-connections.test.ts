/** Connections of HTTP: requests one behind the other, bodies in pieces, and the end of a gateway. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { type Reply, useHttpWorld } from './testing/http-world.ts'

const world = useHttpWorld()

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const RESULT = '{"jsonrpc":"2.0","id":1,"result":"0x539"}\n'

test('requests one behind the other on one connection are answered in order', async () => {
  const { port } = world
  world.application.answers.gasPrice = () => new Promise((resolve) => setImmediate(() => resolve('"0x1"')))
  const write = (id: number, method: string): string => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method })
    return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
  const socket = connect(port, '127.0.0.1')
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

/** What comes back for some bytes until the connection is closed, or until there is `end` in it. */
const exchange = async (bytes: string, end?: string): Promise<string> => {
  const socket = connect(world.port, '127.0.0.1')
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

describe('requests ahead of their answers', () => {
  const requests = (count: number, method = 'eth_chainId'): string => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method })
    const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    return (head + body).repeat(count)
  }
  const LAST = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  const answersIn = (text: string): number => text.split('HTTP/1.1 200 OK').length - 1

  test('are answered where a hundred wait, and their connection is closed where there are more', async () => {
    expect(answersIn(await exchange(requests(100) + LAST))).toBe(101)
    expect(answersIn(await exchange(requests(5_000)))).toBeLessThan(102)
  })

  test('of many connections of a client leave a few for each, and none is lost of those that were let in', async () => {
    const answers: ((text: string) => void)[] = []
    const { promise: allAsked, resolve } = Promise.withResolvers<void>()
    world.application.answers.gasPrice = () => new Promise((answer) => answers.push(answer) === 6 && resolve())
    const ahead = [99, 99, 99, 99, 99, 11]
    const slow = ahead.map((count) => exchange(requests(1, 'eth_gasPrice') + requests(count) + LAST))
    await allAsked
    expect(answersIn(await exchange(requests(1) + LAST))).toBe(2)
    expect(answersIn(await exchange(requests(2) + LAST))).toBe(3)
    expect(answersIn(await exchange(requests(3) + LAST))).toBe(0)
    for (const answer of answers) answer('"0x1"')
    expect((await Promise.all(slow)).map(answersIn)).toEqual(ahead.map((count) => count + 2))
    // Clients that flooded wait for their next connection.
    expect(answersIn(await exchange(requests(50) + LAST))).toBe(51)
  })

  test('that expect what no server does are counted as others are', async () => {
    const expecting = 'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n\r\n'
    expect(await exchange(expecting)).toContain('HTTP/1.1 417 Expectation Failed\r\n')
    expect((await exchange(expecting.repeat(5_000))).split('HTTP/1.1 417').length - 1).toBeLessThan(2)
  })
})

describe('bodies in pieces', () => {
  const CHUNKED = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  const chunksOf = (text: string, size: number): string =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size))
      .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
      .join('')

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
    // From before it: a busy machine hears late that it has ended.
    const startedMs = performance.now()
    await exchange(CHUNKED + chunksOf(' '.repeat(20_000), 1))
    expect((await world.post(CALL)).body).toBe(RESULT)
    expect(performance.now() - startedMs).toBeGreaterThan(990)
  })
})

describe('a body that nests too deep', () => {
  test('is refused before the rest of it has come, and no other is', async () => {
    const head = (length: number): string =>
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
    const answer = await exchange(`${head(5_000_000)}${'['.repeat(100_000)}`)
    expect(answer).toContain('HTTP/1.1 200 OK')
    expect(answer).toContain('Connection: close')
    expect(answer).toContain('"code":-32700')
    const padded = `${CALL}${' '.repeat(100_000)}${'['.repeat(100_000)}`
    expect(await exchange(`${head(padded.length)}${padded}`, RESULT)).toContain('HTTP/1.1 200 OK')
  })
})

describe('a gateway that stops', () => {
  /** A question that is with the application, and how to answer it. */
  const askSlowly = async (): Promise<{ readonly reply: Promise<Reply>; readonly answer: (text: string) => void }> => {
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<(text: string) => void>()
    world.application.answers.gasPrice = () => new Promise((resolve) => onAsked(resolve))
    const reply = world.post('{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice"}', { connection: 'keep-alive' })
    return { reply, answer: await asked }
  }

  test('answers what it has been asked, whatever its connections wait for', async () => {
    const { port } = world
    const idle = connect(port, '127.0.0.1')
    const idleClosed = once(idle, 'close')
    await once(idle, 'connect')
    const { reply, answer } = await askSlowly()
    const closed = world.gateway.close()
    await idleClosed
    await expect(world.post(CALL)).rejects.toThrow('ECONNREFUSED')
    answer('"0x1"')
    expect((await reply).body).toBe('{"jsonrpc":"2.0","id":1,"result":"0x1"}\n')
    expect((await reply).headers['connection']).toBe('close')
    await closed
    await world.start()
  })

  test('waits for an answer that does not come no longer than two seconds', async () => {
    const { reply } = await askSlowly()
    const startedMs = performance.now()
    await Promise.all([world.gateway.close(), expect(reply).rejects.toThrow('socket hang up')])
    expect(performance.now() - startedMs).toBeGreaterThan(1_900)
    await world.start()
  })
})
