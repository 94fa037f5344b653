import { describe, expect, it } from 'vitest'
import { ConsensusReplies } from './consensus-replies.ts'
import { readReply } from './comet-rpc.ts'

const MIB = 1024 * 1024
const resultOf = (value: unknown): string => `{"jsonrpc":"2.0","id":-1,"result":${JSON.stringify(value)}}`
const REFUSED = '{"jsonrpc":"2.0","id":-1,"error":{"code":-32603,"message":"Internal error","data":"not yet"}}'

const createWorld = (replyTo: (route: string, times: number) => string) => {
  const fetched: string[] = []
  const replies = new ConsensusReplies({
    fetch: async (route) => {
      fetched.push(route)
      await new Promise(setImmediate)
      return replyTo(route, fetched.filter((each) => each === route).length)
    },
    read: readReply,
    searches: 1,
  })
  return { fetched, replies }
}

describe('replies of CometBFT', () => {
  it('about a decided block are asked for once, by however many at once and later', async () => {
    const { fetched, replies } = createWorld((route) => resultOf(route))
    const ask = () => replies.ask('block?height=7')
    const all = await Promise.all(Array.from({ length: 300 }, ask))
    expect(new Set(all)).toEqual(new Set(['block?height=7']))
    await ask()
    await replies.ask('block_results?height=7')
    expect(fetched).toEqual(['block?height=7', 'block_results?height=7'])
  })

  it.each([
    'block',
    'status',
    'commit?height=7',
    'block_results',
    'tx_search?query="a=1"',
    'validators?height=7&page=1',
  ])('to %s are asked for anew', async (route) => {
    const { fetched, replies } = createWorld((_, times) => resultOf(times))
    expect([await replies.ask(route), await replies.ask(route)]).toEqual([1, 2])
    expect(fetched).toEqual([route, route])
  })

  it('that refuse are not kept, and one that is too long to be read here is', async () => {
    const long = 'x'.repeat(MIB)
    const { fetched, replies } = createWorld((_, times) => (times === 1 ? REFUSED : resultOf(long)))
    const ask = (accepts?: (reply: string) => boolean) => replies.ask('block?height=7', accepts)
    await expect(ask()).rejects.toMatchObject({ code: 20, message: 'not yet' })
    const lengths: number[] = []
    const look = (reply: string): boolean => lengths.push(reply.length) === 0
    await expect(ask(look)).rejects.toThrow('read elsewhere')
    await expect(ask(look)).rejects.toThrow('read elsewhere')
    expect(await ask()).toBe(long)
    expect(lengths).toEqual([resultOf(long).length, resultOf(long).length])
    expect(fetched).toHaveLength(2)
  })

  it('are kept up to a bound of characters', async () => {
    const { fetched, replies } = createWorld(() => resultOf('x'.repeat(3 * MIB)))
    for (let height = 1; height <= 10; height++) await replies.ask(`block?height=${height}`)
    await replies.ask('block?height=10')
    expect(fetched).toHaveLength(10)
    await replies.ask('block?height=1')
    expect(fetched).toHaveLength(11)
  })
})
