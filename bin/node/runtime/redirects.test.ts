/** Redirects of whoever a genesis is fetched from: another host was not named by the operator. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { fetchJson } from './comet-rpc.ts'

const servers: Server[] = []
const serve = async (locations: Readonly<Record<string, string>>): Promise<{ url: string; asked: string[] }> => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const location = locations[request.url ?? '']
    if (location === undefined) return response.end('{"found":true}')
    return response.writeHead(302, { location }).end()
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

test('to the same host are followed, a few of them', async () => {
  const { url } = await serve({ '/genesis': '/files/genesis.json', '/loop': '/loop' })
  expect(await fetchJson(`${url}/genesis`)).toEqual({ found: true })
  await expect(fetchJson(`${url}/loop`)).rejects.toMatchObject({
    codespace: 'cli',
    message: expect.stringContaining('more than 5 times'),
  })
})

test('to another host or port are not followed, and nobody there is asked', async () => {
  const other = await serve({})
  const port = new URL(other.url).port
  const { url } = await serve({
    '/a': `${other.url}/x`,
    '/b': `http://localhost:${port}/x`,
    '/c': `//localhost:${port}/x`,
    '/d': 'file:///etc/passwd',
  })
  for (const path of ['/a', '/b', '/c', '/d']) {
    await expect(fetchJson(url + path), path).rejects.toThrow('redirects to another host')
  }
  expect(other.asked).toEqual([])
})
