/** Who reaches the port and does not know the secret keeps no gateway out that does. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { SILENT_LOG } from '../log.ts'
import { createMemoryApplication } from '../testing/memory-application.ts'
import { closeAll, closeLater, joinAs, serve } from '../testing/stream.ts'

const secret = Buffer.from('a secret of thirty-two bytes ....')

afterEach(closeAll)

const portOf = (address: string): number => Number(address.split(':').at(-1))

const stranger = (address: string, localAddress = '127.0.0.1'): Socket =>
  connect({ port: portOf(address), host: '127.0.0.1', localAddress }).on('error', () => undefined)

/** Connections that say nothing, each of which begins anew when it is closed. */
const haunt = (address: string, count: number): void => {
  let isOver = false
  const sockets = new Set<Socket>()
  const begin = (): void => {
    if (isOver) return
    const socket = stranger(address)
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      setTimeout(begin, 100)
    })
  }
  for (let index = 0; index < count; index++) begin()
  closeLater({
    close: async () => {
      isOver = true
      for (const socket of sockets) socket.destroy()
      await Promise.resolve()
    },
  })
}

describe('strangers', () => {
  test('more than there may be gateways keep none out that knows the secret', async () => {
    const server = await serve(createMemoryApplication(), { secret })
    haunt(server.address, 1_100)
    const fromMs = performance.now()
    const early = await joinAs(server.address, { secret })
    await once(stranger(server.address), 'close')
    const late = await joinAs(server.address, { secret })
    // A stranger may stay for ten seconds where nobody wants his place.
    expect(performance.now() - fromMs).toBeLessThan(9_000)
    expect(await Promise.all([early, late].map((remote) => remote.ask('gasPrice', {}, 7)))).toEqual(['null', 'null'])
  })

  test('of one address lose a place at once to one of another', async () => {
    const server = await serve(createMemoryApplication(), { secret })
    const many = Array.from({ length: 64 }, () => stranger(server.address))
    await Promise.all(many.map((socket) => once(socket, 'connect')))
    const first = once(many[0] as Socket, 'close')
    const other = stranger(server.address, '127.0.0.2')
    await first
    expect(other.closed).toBe(false)
    expect(many.slice(1).filter(({ closed }) => closed)).toEqual([])
    await once(stranger(server.address), 'close')
  })

  test('have ten lines in the log between them', async () => {
    const lines: unknown[] = []
    const warn = (message: string, fields?: unknown): void => void lines.push([message, fields])
    const server = await serve(createMemoryApplication(), { secret, log: { ...SILENT_LOG, warn } })
    for (let index = 0; index < 30; index++) {
      const socket = stranger(server.address)
      socket.write('GET / HTTP/1.1\r\n\r\n')
      await once(socket, 'close')
    }
    expect(lines).toHaveLength(10)
  })
})
