/** What an audit does where a connection breaks, against a server that closes it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { AuditNode } from './audit-node.ts'

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** Breaks the first connections, and answers the questions after them. */
const nodeThatBreaks = async (breaks: number): Promise<{ readonly node: AuditNode; asked(): number }> => {
  let asked = 0
  const server = createServer((request, response) => {
    if (++asked <= breaks) request.socket.destroy()
    else response.end(JSON.stringify({ result: { sync_info: { latest_block_height: '7' } } }))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { node: new AuditNode(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), asked: () => asked }
}

it('asks once more where the connection was closed', async () => {
  const { node, asked } = await nodeThatBreaks(1)
  expect(await node.latestHeight()).toBe(7)
  expect(asked()).toBe(2)
})

it('gives up where it is closed again', async () => {
  const { node, asked } = await nodeThatBreaks(5)
  await expect(node.latestHeight()).rejects.toMatchObject({ codespace: 'cli', code: 10 })
  expect(asked()).toBe(2)
})
