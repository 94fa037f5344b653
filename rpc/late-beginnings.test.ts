import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LateBeginnings } from './late-beginnings.ts'

let server: Server
let taken: Socket[]
beforeEach(async () => {
  taken = []
  server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  for (const socket of taken) socket.destroy()
  server.close()
  await once(server, 'close')
})

/** Both ends of a connection. */
const open = async (): Promise<readonly [client: Socket, socket: Socket]> => {
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
  const [socket] = await accepted
  taken.push(client, socket)
  return [client, socket]
}

test('connections begin one in a turn of the event loop, and at once where there is nothing to wait for', async () => {
  const beginnings = new LateBeginnings()
  const sockets = [await open(), await open(), await open(), await open()].map(([, socket]) => socket)
  const begun: (readonly [index: number, turn: number])[] = []
  let turn = 0
  const { promise: allBegun, resolve } = Promise.withResolvers<void>()
  for (const [index, socket] of sockets.entries()) {
    beginnings.add(socket, index === 3 ? 0 : 5, () => {
      begun.push([index, turn])
      if (begun.length === 4) resolve()
    })
  }
  expect(begun).toEqual([[3, 0]])
  const count = (): void => {
    turn++
    if (begun.length < 4) setImmediate(count)
  }
  setImmediate(count)
  await allBegun
  expect(begun.map(([index]) => index)).toEqual([3, 0, 1, 2])
  expect(new Set(begun.map(([, at]) => at)).size).toBe(4)
})

test('a connection that closes meanwhile does not begin, and none does after the end of all', async () => {
  const beginnings = new LateBeginnings()
  const begun: number[] = []
  const [first, firstSocket] = await open()
  const [, second] = await open()
  const [, third] = await open()
  for (const [index, socket] of [firstSocket, second, third].entries()) {
    beginnings.add(socket, index === 2 ? 60_000 : 20, () => begun.push(index))
  }
  const gone = once(firstSocket, 'close').catch(() => undefined)
  first.resetAndDestroy()
  await gone
  await expect.poll(() => begun).toEqual([1])
  beginnings.destroy()
  expect([second.destroyed, third.destroyed]).toEqual([false, true])
})
