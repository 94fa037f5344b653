import { describe, expect, it } from 'vitest'
import type { Hex } from '../../core/hex.ts'
import { BlockReceipts } from './block-receipts.ts'
import type { Notification } from './notification.ts'

const hashOf = (index: number): Hex => `0x${index.toString(16).padStart(64, '0')}`
const receiptOf = (hash: Hex, length = 10): string =>
  JSON.stringify({ data: 'x'.repeat(length), transactionHash: hash })

const textOf = (result: Notification | undefined): unknown =>
  result === undefined
    ? undefined
    : JSON.parse(typeof result === 'string' ? result : Buffer.concat(result).toString('utf8'))

const createBlock = (count: number, length?: number) => {
  const asked: Hex[] = []
  const askText = async (_: string, parameters: object): Promise<string> => {
    const { hash } = parameters as { hash: Hex }
    asked.push(hash)
    return receiptOf(hash, length)
  }
  const receipts = new BlockReceipts(
    askText,
    Array.from({ length: count }, (_, index) => hashOf(index)),
  )
  return { asked, receipts }
}

describe('receipts of a block', () => {
  it('are those of the hashes that are in it, in its order, and asked for once', async () => {
    const { asked, receipts } = createBlock(100)
    expect(textOf(await receipts.pick(new Set([hashOf(70), hashOf(500), hashOf(3)])))).toEqual(
      [3, 70].map((index) => JSON.parse(receiptOf(hashOf(index))) as unknown),
    )
    expect(await receipts.pick(new Set([hashOf(500)]))).toBe(undefined)
    const many = new Set(Array.from({ length: 60 }, (_, index) => hashOf(index)))
    expect(textOf(await receipts.pick(many))).toHaveLength(60)
    expect(asked).toHaveLength(61)
    expect(new Set(asked).size).toBe(61)
  })

  it('are asked for once by several who want them at the same time', async () => {
    const { asked, receipts } = createBlock(3)
    const both = await Promise.all([
      receipts.pick(new Set([hashOf(1)])),
      receipts.pick(new Set([hashOf(1), hashOf(2)])),
    ])
    expect(both.map(textOf)).toMatchObject([[{}], [{}, {}]])
    expect(asked).toEqual([hashOf(1), hashOf(2)])
  })

  it('that are long are shared as bytes', async () => {
    const { receipts } = createBlock(3, 100_000)
    const [one, other] = [await receipts.pick(new Set([hashOf(1)])), await receipts.pick(new Set([hashOf(1)]))]
    expect(textOf(one)).toEqual([JSON.parse(receiptOf(hashOf(1), 100_000))])
    expect(one?.[1]).toBe(other?.[1])
  })

  it('are refused together where they are more than a notification may have', async () => {
    const { receipts } = createBlock(20, 8 * 1024 * 1024)
    const all = new Set(Array.from({ length: 20 }, (_, index) => hashOf(index)))
    await expect(receipts.pick(all)).rejects.toThrow('the receipts have more than 67108864 bytes')
    expect(textOf(await receipts.pick(new Set([hashOf(2)])))).toHaveLength(1)
  })

  it('are an error where one is gone', async () => {
    const receipts = new BlockReceipts(() => 'null', [hashOf(1)])
    await expect(receipts.pick(new Set([hashOf(1)]))).rejects.toThrow('is not there any more')
  })
})
