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
