import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { createGossip } from './gossip.ts'

/** A CometBFT that answers when it is told to. */
const taken: number[][] = []
const held: (() => void)[] = []
const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const calls = JSON.parse(Buffer.concat(parts).toString()) as { readonly params: { readonly tx: string } }[]
    taken.push(calls.map(({ params }) => Buffer.from(params.tx, 'base64')[0] as number))
    held.push(() => response.end('[]'))
  })
})
afterAll(() => server.close())

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

it('orders overtake a flood of others, and lose no place to it', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const gossip = createGossip(`http://127.0.0.1:${port}`, {
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  })
  const transfers = Array.from({ length: 30_000 }, () => Uint8Array.of(0x02, 1))
  gossip.offer(transfers)
  await until(() => held.length === 1)
  gossip.offer(Array.from({ length: 150 }, () => Uint8Array.of(0x70, 1)))
  for (let batch = 0; batch < 3; batch++) {
    held[batch]?.()
    await until(() => held.length === batch + 2)
  }
  expect(taken.map((batch) => [batch.length, ...new Set(batch)])).toEqual([
    [100, 0x02],
    [100, 0x70],
    [50, 0x70],
    [100, 0x02],
  ])
  for (const answer of held) answer()
  expect(gossip.losses).toBe(0)
  await gossip.close()
})

it('counts what a CometBFT that is away has lost', async () => {
  const away = createServer().listen(0, '127.0.0.1')
  await once(away, 'listening')
  const { port } = away.address() as AddressInfo
  await new Promise((resolve) => away.close(resolve))
  const silent = (): void => undefined
  const gossip = createGossip(`http://127.0.0.1:${port}`, { info: silent, warn: silent, error: silent })
  for (let count = 1; count <= 2; count++) {
    gossip.offer([Uint8Array.of(0x70, 1)])
    await expect.poll(() => gossip.losses).toBe(count)
  }
  await gossip.close()
})

it('loses no more to a CometBFT that is slow than what it did not answer in time', async () => {
  const numbers: number[] = []
  const slow = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const calls = JSON.parse(Buffer.concat(parts).toString()) as { readonly params: { readonly tx: string } }[]
      for (const { params } of calls) numbers.push(Buffer.from(params.tx, 'base64').readUInt32BE(1))
      // The first batch has no answer.
      if (numbers[0] !== numbers.at(-100)) response.end('[]')
    })
  }).listen(0, '127.0.0.1')
  await once(slow, 'listening')
  const { port } = slow.address() as AddressInfo
  const silent = (): void => undefined
  const gossip = createGossip(`http://127.0.0.1:${port}`, { info: silent, warn: silent, error: silent }, 200)
  const transfers = Array.from({ length: 1_000 }, (_, index) => {
    const raw = Buffer.alloc(5, 0x02)
    raw.writeUInt32BE(index, 1)
    return raw
  })
  gossip.offer(transfers)
  await expect.poll(() => numbers.length).toBe(1_000)
  expect(numbers).toEqual(transfers.map((_, index) => index))
  expect(gossip.losses).toBe(1)
  await gossip.close()
  slow.closeAllConnections()
  slow.close()
})

it('counts orders that CometBFT refuses, and none that it has had', async () => {
  const refusal = (data: string): unknown => ({ id: 1, error: { code: -32603, message: 'Internal error', data } })
  const answers: { readonly status?: number; readonly body: unknown; readonly isLost: boolean }[] = [
    { body: [{ id: 0, result: { code: 0 } }], isLost: false },
    { body: [refusal('tx already exists in cache')], isLost: false },
    { body: [refusal('mempool is full: number of txs 5000 (max: 5000), total txs bytes 1 (max: 2)')], isLost: true },
    { body: { id: -1, error: { code: -32600, message: 'Invalid Request' } }, isLost: true },
    { status: 500, body: 'no', isLost: true },
  ]
  const replies = [...answers]
  const comet = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status = 200, body } = replies.shift() ?? { body: [] }
      response.writeHead(status).end(JSON.stringify(body))
    })
  }).listen(0, '127.0.0.1')
  await once(comet, 'listening')
  const silent = (): void => undefined
  const { port } = comet.address() as AddressInfo
  const gossip = createGossip(`http://127.0.0.1:${port}`, { info: silent, warn: silent, error: silent })
  // A batch each, in their order.
  gossip.offer(answers.flatMap(() => Array.from({ length: 100 }, () => Uint8Array.of(0x70, 1))))
  const expected = answers.filter(({ isLost }) => isLost).length
  await expect.poll(() => [replies.length, gossip.losses]).toEqual([0, expected])
  // Nobody waits for transfers as for orders.
  replies.push({ body: [refusal('mempool is full')], isLost: false })
  gossip.offer([Uint8Array.of(0x02, 1)])
  await expect.poll(() => replies.length).toBe(0)
  await gossip.close()
  expect(gossip.losses).toBe(expected)
  gossip.offer(Array.from({ length: 20_001 }, () => Uint8Array.of(0x70, 1)))
  expect(gossip.losses).toBeGreaterThan(expected)
  comet.closeAllConnections()
  comet.close()
})
