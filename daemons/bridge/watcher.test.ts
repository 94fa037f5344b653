/** The watcher against endpoints over real HTTP that are wrong in every way: an error that says so, and never a wrong event. */
import { afterEach, describe, expect, it } from 'vitest'
import { keccak256 } from '../../core/hash.ts'
import { CHAIN_ID, CONTRACT, type Deposit, ExternalChain, ExternalEndpoint, OTHER } from '../testing/external-chain.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'
import { MOST_EVENTS } from './event-chain.ts'
import { Watcher } from './watcher.ts'
import { MOST_WINDOW } from './window.ts'

const contract = { chainId: CHAIN_ID, address: CONTRACT }
const NOW_SECONDS = 1_700_000_200
const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

interface Bench {
  readonly chain: ExternalChain
  readonly endpoints: readonly ExternalEndpoint[]
  readonly first: ExternalEndpoint
  readonly watcher: Watcher
  /** Runs until there is nothing more to read. */
  settle(): Promise<void>
}

const deposits = (count: number, from = 20): Deposit[] =>
  Array.from({ length: count }, (_, id) => ({ block: from + id, id, amount: BigInt(id) }))

const open = async (
  count = 1,
  change: (chain: ExternalChain) => void = () => undefined,
  lateMs?: number,
): Promise<Bench> => {
  const chain = new ExternalChain()
  chain.deposits = deposits(3)
  change(chain)
  const endpoints: ExternalEndpoint[] = []
  for (let index = 0; index < count; index++) endpoints.push(await new ExternalEndpoint(chain).listen())
  const opened: Endpoint[] = endpoints.map(({ url }) => openEndpoint(url))
  closers.push(() => opened.forEach((endpoint) => endpoint.close()), ...endpoints.map((each) => () => each.close()))
  const watcher = new Watcher(opened, () => NOW_SECONDS, lateMs)
  watcher.follow(contract, 0)
  const settle = async (): Promise<void> => {
    for (let rounds = 0; rounds < 200 && (await watcher.round()); rounds++)
      if (watcher.report().error !== undefined) break
  }
  const [first] = endpoints as [ExternalEndpoint]
  return { chain, endpoints, first, watcher, settle }
}

const ids = (watcher: Watcher): readonly number[] => watcher.report().events.map(({ id }) => id)

describe('events', () => {
  it('are those of finalized blocks, in order, with all that they hold', async () => {
    const recipient = new Uint8Array(20).fill(0xaa)
    const data = new Uint8Array(100).fill(1)
    const { watcher, settle, chain, first } = await open(1, (each) => {
      each.deposits = [
        { block: 20, id: 0, amount: 2n ** 256n - 1n, recipient, data },
        { block: 101, id: 1 },
      ]
    })
    await settle()
    expect(watcher.report()).toMatchObject({ error: undefined, warnings: [], finalized: 100, scanned: 101 })
    expect(watcher.report().events).toEqual([
      {
        id: 0,
        amount: 2n ** 256n - 1n,
        from: new Uint8Array(20).fill(9),
        recipient,
        dataHash: keccak256(data),
        externalHeight: 20n,
      },
    ])
    expect(first.ranges[0]?.[0]).toBe(chain.deployedAt)
    chain.finalized = 101
    await settle()
    expect(ids(watcher)).toEqual([0, 1])
  })

  it('have any recipient, cut to 64 bytes', async () => {
    const { watcher, settle } = await open(1, (chain) => {
      chain.deposits = [0, 1, 19, 21, 65, 5_000].map((length, id) => ({
        block: 30,
        id,
        recipient: new Uint8Array(length).fill(3),
      }))
    })
    await settle()
    expect(watcher.report().events.map(({ recipient }) => recipient.length)).toEqual([0, 1, 19, 21, 64, 64])
  })

  it('wait until the node acknowledges, however many there are in a block', async () => {
    const { watcher, settle } = await open(1, (chain) => {
      chain.deposits = Array.from({ length: MOST_EVENTS * 2 + 7 }, (_, id) => ({
        block: 30 + Math.floor(id / 700),
        id,
      }))
    })
    const seen: number[] = []
    for (let next = 0; next < MOST_EVENTS * 2 + 7; ) {
      await settle()
      const fresh = ids(watcher)
      expect(fresh.length).toBeLessThanOrEqual(MOST_EVENTS)
      seen.push(...fresh)
      next = seen.length
      watcher.follow(contract, next)
    }
    expect(seen).toEqual(Array.from({ length: MOST_EVENTS * 2 + 7 }, (_, id) => id))
  })

  it('begin where the node asks, and are read again where it asks for older ones', async () => {
    const { watcher, settle } = await open()
    watcher.follow(contract, 2)
    await settle()
    expect(ids(watcher)).toEqual([2])
    watcher.follow(contract, 1)
    await settle()
    expect(ids(watcher)).toEqual([1, 2])
  })

  it('are those of the contract that is followed now', async () => {
    const { watcher, settle } = await open()
    await settle()
    watcher.follow({ chainId: CHAIN_ID, address: OTHER }, 0)
    expect(ids(watcher)).toEqual([])
    await settle()
    const { events, error, warnings } = watcher.report()
    expect({ events, error }).toEqual({ events: [], error: undefined })
    expect(warnings.join()).toMatch(/no contract at 0x0+c1/)
    watcher.follow(undefined, 0)
    await settle()
    expect(watcher.report()).toMatchObject({ error: undefined, warnings: [], events: [] })
  })

  it('are found in ranges that a provider limits, and in larger ones elsewhere', async () => {
    const limit = 100
    const { watcher, settle, first } = await open(1, (chain) => {
      chain.finalized = 20_000
      chain.deposits = [{ block: 12_345, id: 0 }]
    })
    first.fault = (method, [filter]) => {
      if (method !== 'eth_getLogs') return undefined
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string }
      return Number(toBlock) - Number(fromBlock) < limit
        ? undefined
        : { error: { code: -32_005, message: 'range too large' } }
    }
    await settle()
    expect(ids(watcher)).toEqual([0])
    expect(watcher.report()).toMatchObject({ error: undefined, scanned: 20_001 })
    const other = await open(1, (chain) => {
      chain.finalized = 1_000_000
      chain.deposits = []
    })
    await other.settle()
    expect(other.first.ranges.every(([from, to]) => to - from < MOST_WINDOW)).toBe(true)
    expect(other.first.ranges.length).toBeLessThan(30)
  })

  it('are read without old states, from the first block on', async () => {
    const { watcher, settle, first } = await open()
    first.fault = (method, [, tag]) =>
      method === 'eth_getCode' && tag !== '0x64'
        ? { error: { code: -32_000, message: 'missing trie node' } }
        : undefined
    await settle()
    expect(first.ranges[0]?.[0]).toBe(0)
    expect(ids(watcher)).toEqual([0, 1, 2])
  })
})

describe('one endpoint', () => {
  it.each<readonly [string, (bench: Bench) => void, RegExp]>([
    ['of another chain', ({ chain }) => (chain.chainId = 5n), /is of chain 5, and the bridge is on chain 31337/],
    [
      'that is syncing',
      ({ first }) => (first.fault = (m) => (m === 'eth_syncing' ? { result: { currentBlock: '0x1' } } : undefined)),
      /still syncing/,
    ],
    [
      'that answers no JSON',
      ({ first }) => (first.fault = () => '<html>hello'),
      /malformed answer to eth_chainId: no JSON/,
    ],
    ['that answers null', ({ first }) => (first.fault = () => ({ result: null })), /malformed/],
    ['that answers deep nests', ({ first }) => (first.fault = () => '['.repeat(1_000_000)), /no JSON/],
    [
      'that answers hugely',
      ({ first }) => (first.fault = () => `"${'x'.repeat(3_000_000)}"`),
      /longer than 2097152 bytes/,
    ],
    [
      'that refuses with what is no text',
      ({ first }) => (first.fault = () => ({ error: { message: { toString: 1, valueOf: 1 } } })),
      /^127\.0\.0\.1:\d+: eth_chainId refused: no text$/,
    ],
    ['that closes connections', ({ first }) => (first.raw = (response) => response.destroy() && true), /no answer/],
    [
      'that limits requests',
      ({ first }) => (first.raw = (response) => response.writeHead(429).end() && true),
      /HTTP 429/,
    ],
    [
      'that redirects',
      ({ first }) => (first.raw = (response) => response.writeHead(302, { location: '/' }).end() && true),
      /HTTP 302/,
    ],
    [
      'that says no finality',
      ({ first }) =>
        (first.fault = (_method, [tag]) =>
          tag === 'finalized' ? { error: { message: 'unknown\u001b[2J tag' } } : undefined),
      /refused: unknown \[2J tag/,
    ],
    ['that skips an id', ({ chain }) => chain.deposits.splice(1, 1), /event 2 of block 22 follows event 0/],
    ['that skips the first id', ({ chain }) => chain.deposits.splice(0, 1), /event 1 of block 21 is the first/],
    [
      'that repeats an id',
      ({ chain }) => chain.deposits.splice(1, 0, { block: 21, id: 0 }),
      /event 0 of block 21 follows event 0/,
    ],
    [
      'whose events are of a later id than 2^32',
      ({ chain }) => (chain.deposits = [{ block: 30, id: 2 ** 32 }]),
      /above 2\^32/,
    ],
    [
      'that has fewer events than are acknowledged',
      ({ watcher }) => watcher.follow(contract, 9),
      /has 3 finalized events, though 9 are acknowledged/,
    ],
  ])('%s is an error', async (_, wrong, message) => {
    const bench = await open()
    wrong(bench)
    const acknowledged = bench.watcher.report().events.length
    expect(acknowledged).toBe(0)
    await bench.settle()
    expect(bench.watcher.report().error).toMatch(message)
    const told = ids(bench.watcher)
    expect(told).toEqual(told.map((_each, index) => index))
  })

  it.each<readonly [string, object]>([
    ['another contract', { address: '0x00000000000000000000000000000000000000ff' }],
    ['another event', { topics: ['0x' + '11'.repeat(32), '0x' + '00'.repeat(32)] }],
    ['another block', { blockNumber: '0xffff' }],
    ['a removed log', { removed: true }],
    ['no data', { data: '0x' }],
    ['data cut short', { data: '0x' + '00'.repeat(100) }],
    ['an offset beyond the end', { data: '0x' + '00'.repeat(64) + 'ff'.repeat(64) }],
    ['a dirty address', { data: '0x' + '00'.repeat(32) + 'ff'.repeat(32) + '00'.repeat(64) }],
    ['an odd number of digits', { data: '0x0' }],
    ['no hash', { blockHash: null }],
  ])('that answers a log with %s is an error', async (_, change) => {
    const { first, chain, settle, watcher } = await open()
    first.fault = (method) =>
      method === 'eth_getLogs' ? { result: [{ ...chain.logs(0, 100)[0], ...change }] } : undefined
    await settle()
    expect(watcher.report().error).toMatch(/malformed answer to eth_getLogs/)
    expect(ids(watcher)).toEqual([])
  })

  it('that is back again is no error any more, and nothing was lost', async () => {
    const { first, settle, watcher, chain } = await open()
    await settle()
    first.raw = (response) => response.destroy() && true
    await settle()
    expect(watcher.report().error).toMatch(/no answer/)
    expect(ids(watcher)).toEqual([0, 1, 2])
    chain.finalized = 200
    chain.deposits.push({ block: 150, id: 3 })
    first.raw = () => false
    await settle()
    expect(watcher.report().error).toBeUndefined()
    expect(ids(watcher)).toEqual([0, 1, 2, 3])
  })

  it('that falls behind what was finalized is an error', async () => {
    const { settle, watcher, chain } = await open()
    await settle()
    chain.finalized = 90
    await settle()
    expect(watcher.report().error).toBe('finalized is block 90, though block 100 was')
  })

  it.each([100, 120])(
    'that is re-organised below finality, now at %i, is an error as long as it is',
    async (finalized) => {
      const { settle, watcher, chain } = await open()
      await settle()
      chain.salt = 'another'
      chain.finalized = finalized
      for (let rounds = 0; rounds < 3; rounds++) {
        await settle()
        expect(watcher.report().error).toMatch(/re-organised below finality: block 100 was 0x[0-9a-f]{64}, and is 0x/)
        expect(ids(watcher)).toEqual([])
      }
      chain.salt = ''
      await settle()
      expect(watcher.report().error).toBeUndefined()
      expect(ids(watcher)).toEqual([0, 1, 2])
    },
  )

  it('that skips an id stays unhealthy while all is read again', async () => {
    const { settle, watcher, chain } = await open(1, (each) => {
      each.finalized = 300_000
      each.deposits = [
        { block: 20, id: 0 },
        { block: 290_000, id: 2 },
      ]
    })
    await settle()
    for (let rounds = 0; rounds < 10; rounds++) {
      await watcher.round()
      expect(watcher.report().error).toMatch(/event 2 of block 290000 follows event 0/)
    }
    chain.deposits.splice(1, 0, { block: 1_000, id: 1 })
    await settle()
    await settle()
    await settle()
    expect(watcher.report().error).toBeUndefined()
    expect(ids(watcher)).toEqual([0, 1, 2])
  })

  it('whose host has a key in its URL is named without it', async () => {
    const endpoint = openEndpoint('http://user:secret@127.0.0.1:1/v3/key')
    const watcher = new Watcher([endpoint], () => NOW_SECONDS)
    watcher.follow(contract, 0)
    await watcher.round()
    expect(watcher.report().error).toMatch(/^127\.0\.0\.1:1: no answer/)
    expect(watcher.report().error).not.toMatch(/secret|key/)
  })
})

describe('a quorum', () => {
  it.each<readonly [string, (endpoint: ExternalEndpoint) => void, RegExp]>([
    ['is down', (each) => (each.raw = (response) => response.destroy() && true), /no answer/],
    ['hangs', (each) => (each.raw = () => true), /is slow/],
    [
      'hides events',
      (each) => (each.fault = (method) => (method === 'eth_getLogs' ? { result: [] } : undefined)),
      /lies: it contradicts the majority/,
    ],
    [
      'invents events',
      (each) =>
        (each.fault = (method) =>
          method === 'eth_getLogs'
            ? {
                result: [
                  ...each.chain.logs(0, 100),
                  ...each.chain.logs(22, 22).map((log) => ({ ...log, logIndex: '0x9' })),
                ],
              }
            : undefined),
      /lies/,
    ],
    [
      'tells of another block',
      (each) =>
        (each.fault = (method, [tag]) =>
          method === 'eth_getBlockByNumber' && tag === '0x64'
            ? { result: { ...each.chain.block(100), hash: '0x' + '22'.repeat(32) } }
            : undefined),
      /lies/,
    ],
    [
      'is of another chain',
      (each) => (each.fault = (method) => (method === 'eth_chainId' ? { result: '0x1' } : undefined)),
      /is of chain 1/,
    ],
    [
      'is behind',
      (each) => (each.fault = (_method, [tag]) => (tag === 'finalized' ? { result: each.chain.block(15) } : undefined)),
      /^$/,
    ],
    [
      'is far ahead',
      (each) =>
        (each.fault = (_method, [tag]) =>
          tag === 'finalized' ? { result: { ...each.chain.block(100), number: '0xfffff' } } : undefined),
      /^$/,
    ],
  ])('of three goes on where one %s', async (_, wrong, complaint) => {
    const { endpoints, settle, watcher } = await open(3)
    const [, liar] = endpoints as [ExternalEndpoint, ExternalEndpoint]
    wrong(liar)
    await settle()
    const { error, warnings } = watcher.report()
    expect(error).toBeUndefined()
    expect(ids(watcher)).toEqual([0, 1, 2])
    expect(warnings.join('; ')).toMatch(complaint)
    for (const warning of warnings) expect(warning).toContain(liar.name)
  })

  it.each<readonly [string, (liar: ExternalEndpoint) => void]>([
    ['hides events', (liar) => (liar.fault = (method) => (method === 'eth_getLogs' ? { result: [] } : undefined))],
    [
      'refuses logs',
      (liar) => (liar.fault = (method) => (method === 'eth_getLogs' ? { error: { message: 'no' } } : undefined)),
    ],
    [
      'claims to be at the beginning',
      (liar) => (liar.fault = (_, [tag]) => (tag === 'finalized' ? { result: liar.chain.block(0) } : undefined)),
    ],
    [
      'tells of another block',
      (liar) =>
        (liar.fault = (method, [tag]) =>
          method === 'eth_getBlockByNumber' && tag === '0x64'
            ? { result: { ...liar.chain.block(100), hash: '0x' + '22'.repeat(32) } }
            : undefined),
    ],
  ])('of three goes on where one %s and another one is slow', async (_, wrong) => {
    const lateMs = 10
    const { endpoints, settle, watcher } = await open(3, () => undefined, lateMs)
    const [, liar, slow] = endpoints as [ExternalEndpoint, ExternalEndpoint, ExternalEndpoint]
    wrong(liar)
    slow.delayMs = 3 * lateMs
    for (let rounds = 0; rounds < 20 && ids(watcher).length < 3; rounds++) await settle()
    expect(ids(watcher)).toEqual([0, 1, 2])
    await settle()
    expect(watcher.report().error).toBeUndefined()
  })

  it('takes nothing of a slow one that has another finalized block', async () => {
    const { chain, endpoints, settle, watcher } = await open(3, () => undefined, 10)
    const [, liar, slow] = endpoints as [ExternalEndpoint, ExternalEndpoint, ExternalEndpoint]
    // Both have a false event, and one of them says that it is on the chain of the others.
    const fork = new ExternalChain()
    fork.salt = 'fork'
    fork.deposits = [...deposits(3), { block: 40, id: 3 }]
    const onFork = { result: fork.logs(0, 100) }
    liar.fault = (method) => (method === 'eth_getLogs' ? onFork : undefined)
    slow.fault = (method, [tag]) =>
      method === 'eth_getLogs'
        ? onFork
        : method === 'eth_getBlockByNumber' && tag === '0x64'
          ? { result: fork.block(100) }
          : undefined
    slow.delayMs = 30
    for (let rounds = 0; rounds < 6; rounds++) await settle()
    expect(ids(watcher)).toEqual([])
    expect(watcher.report().error).toMatch(/no majority of 3 endpoints/)
    expect(chain.deposits).toHaveLength(3)
  })

  it('of two does not go on where one lies', async () => {
    const { endpoints, settle, watcher } = await open(2)
    const [, liar] = endpoints as [ExternalEndpoint, ExternalEndpoint]
    liar.fault = (method) => (method === 'eth_getLogs' ? { result: [] } : undefined)
    await settle()
    expect(watcher.report().error).toMatch(/no majority of 2 endpoints for the logs of blocks 10 to 100/)
    expect(ids(watcher)).toEqual([])
  })

  it('of three does not go on where two are down, and says so of each', async () => {
    const { endpoints, settle, watcher } = await open(3)
    for (const endpoint of endpoints.slice(1)) endpoint.raw = (response) => response.destroy() && true
    await settle()
    const { error } = watcher.report()
    expect(error).toMatch(/no majority of 3 endpoints/)
    for (const { name } of endpoints.slice(1)) expect(error).toContain(name)
  })
})
