import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { CLI_CODES } from '../../errors.ts'
import { CometClient } from './comet-client.ts'

const MAX_ANSWER_BYTES = 10_000

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

const clientOf = async (answer: (response: ServerResponse) => void): Promise<CometClient> => {
  server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return new CometClient(`127.0.0.1:${(server.address() as AddressInfo).port}`, MAX_ANSWER_BYTES)
}

describe('a command that asks a node', () => {
  it('gets the result of the method', async () => {
    const client = await clientOf((response) => response.end('{"result":{"a":1}}'))
    expect(await client.call('status')).toEqual({ a: 1 })
  })

  it('stops reading an answer without an end', async () => {
    let closed: Promise<unknown> | undefined
    const client = await clientOf((response) => {
      closed = once(response, 'close')
      response.writeHead(200)
      const write = (): void => {
        while (!response.destroyed && response.write(' '.repeat(4_096)));
      }
      response.on('drain', write)
      write()
    })
    await expect(client.call('status')).rejects.toMatchObject({
      codespace: 'cli',
      code: CLI_CODES.unreachable,
      message: `${client.url} answers more than ${MAX_ANSWER_BYTES} bytes`,
    })
    await closed
  })

  it('tells the status of what is no answer of a node, as of a proxy before it', async () => {
    const client = await clientOf((response) => response.writeHead(502).end('Bad Gateway'))
    await expect(client.call('status')).rejects.toMatchObject({
      code: CLI_CODES.unreachable,
      message: expect.stringMatching(/cannot be asked: HTTP status 502: .*; name a node with --node$/),
    })
  })

  it('says what to do where no node is', async () => {
    const client = await clientOf((response) => response.destroy())
    await expect(client.call('status')).rejects.toMatchObject({
      code: CLI_CODES.unreachable,
      message: expect.stringMatching(/cannot be asked: fetch failed: .*; name a node with --node$/),
    })
  })
})
