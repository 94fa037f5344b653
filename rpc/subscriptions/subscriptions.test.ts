/** Subscriptions of connections (WebSocket): what they are told, whole and in order, and how they end. */
import { describe, expect, test } from 'vitest'
import type WebSocket from 'ws'
import { rpcError } from '../errors.ts'
import { exampleHead } from '../testing/memory-application.ts'
import { closing, useWebSocketWorld, type WebSocketClient } from '../testing/websocket-world.ts'

const world = useWebSocketWorld()

const notification = (id: unknown, result: string): string =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id as string}","result":${result}}}\n`

describe('subscriptions', () => {
  test('to heads send the header of each new block once, behind the reply', async () => {
    const client = await world.open()
    const { result: id } = await client.request('eth_subscribe', ['newHeads'])
    const head = world.application.commit()
    expect(await client.next()).toBe(notification(id, head.header))
    // The same head again, as after a reconnection.
    world.application.announce({ type: 'head', head, isNew: false })
    const next = world.application.commit()
    expect(await client.next()).toBe(notification(id, next.header))
  })

  test('begin behind the reply that tells their id, also in a batch that waits', async () => {
    const client = await world.open()
    let release: (text: string) => void = () => {}
    world.application.answers.gasPrice = () => new Promise((resolve) => (release = resolve))
    const asked = new Promise<void>((resolve) => {
      world.application.answers.maxPriorityFeePerGas = () => {
        resolve()
        return '"0x1"'
      }
    })
    client.socket.send(
      '[{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]},{"jsonrpc":"2.0","id":2,"method":"eth_gasPrice"},{"jsonrpc":"2.0","id":3,"method":"eth_maxPriorityFeePerGas"}]',
    )
    await asked
    const head = world.application.commit()
    release('"0x2"')
    const [subscribed] = JSON.parse(await client.next()) as [{ result: string }]
    expect(await client.next()).toBe(notification(subscribed.result, head.header))
  })

  test('to logs ask once a block for all of them, page by page, only when there are logs, and filter', async () => {
    const topic = (digit: string): string => `0x${digit.repeat(64)}`
    const logs = [
      {
        address: '0x00000000000000000000000000000000000000aa',
        topics: [topic('1'), topic('2')],
        data: '0x',
        logIndex: '0x0',
      },
      { address: '0x00000000000000000000000000000000000000bb', topics: [topic('1')], data: '0x', logIndex: '0x1' },
      { address: '0x00000000000000000000000000000000000000aa', topics: [], data: '0x', logIndex: '0x2' },
    ]
    world.application.answers.logsPage = ({ from }) =>
      JSON.stringify({
        next: from.log === 2 ? null : { height: 9, log: 2 },
        logs: logs.slice(from.log, from.log === 2 ? 3 : 2),
      })
    const wanted = [
      [{}, [0, 1, 2]],
      [{ address: '0x00000000000000000000000000000000000000AA' }, [0, 2]],
      [{ topics: [topic('1')] }, [0, 1]],
      [{ topics: [null, [topic('2'), topic('3')]] }, [0]],
      [{ address: ['0x00000000000000000000000000000000000000bb'], topics: [topic('2')] }, []],
      [{ fromBlock: '0x100' }, []],
    ] as const
    const clients: { client: WebSocketClient; expected: string[] }[] = []
    for (const [criteria, indexes] of wanted) {
      const client = await world.open()
      const { result: id } = await client.request('eth_subscribe', ['logs', criteria])
      clients.push({ client, expected: indexes.map((index) => notification(id, JSON.stringify(logs[index]))) })
    }
    world.application.commit()
    world.application.commit({ logCount: 3 })
    for (const { client, expected } of clients) {
      for (const text of expected) expect(await client.next()).toBe(text)
      // Nothing else came before the answer to this.
      expect((await client.request('eth_chainId')).result).toBe('0x539')
    }
    expect(world.application.asked.filter(({ name }) => name === 'logsPage')).toHaveLength(2)
  })

  test('to pending transactions send hashes, or whole transactions with the flag', async () => {
    const hash = `0x${'ab'.repeat(32)}` as const
    const gone = `0x${'cd'.repeat(32)}` as const
    world.application.answers.pendingTransaction = (asked) => (asked.hash === hash ? `{"hash":"${hash}"}` : 'null')
    const client = await world.open()
    const full = await world.open()
    const { result: id } = await client.request('eth_subscribe', ['newPendingTransactions'])
    const { result: fullId } = await full.request('eth_subscribe', ['newPendingTransactions', true])
    world.application.announce({ type: 'pending', hashes: [gone, hash] })
    expect(await client.next()).toBe(notification(id, `"${gone}"`))
    expect(await client.next()).toBe(notification(id, `"${hash}"`))
    expect(await full.next()).toBe(notification(fullId, `{"hash":"${hash}"}`))
  })

  test('to receipts send those of a block in one notification', async () => {
    const [hash, other] = [`0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(32)}`] as const
    const receiptOf = (transactionHash: string): string => JSON.stringify({ transactionHash })
    world.application.answers.block = () => JSON.stringify({ transactions: [other, hash] })
    world.application.answers.receipt = (parameters) => receiptOf((parameters as { hash: string }).hash)
    world.application.answers.blockReceipts = () => `[${receiptOf(other)},${receiptOf(hash)}]`
    const [client, all] = [await world.open(), await world.open()]
    const { result: id } = await client.request('eth_subscribe', ['transactionReceipts', { transactionHashes: [hash] }])
    const { result: allId } = await all.request('eth_subscribe', ['transactionReceipts'])
    world.application.commit()
    expect(await client.next()).toBe(notification(id, `[${receiptOf(hash)}]`))
    expect(await all.next()).toBe(notification(allId, `[${receiptOf(other)},${receiptOf(hash)}]`))
  })

  test('to all receipts end where a block has more than an answer holds, and those to some of them stay', async () => {
    const hash = `0x${'ab'.repeat(32)}`
    world.application.answers.block = () => JSON.stringify({ transactions: [hash] })
    world.application.answers.receipt = () => '{}'
    world.application.answers.blockReceipts = () =>
      Promise.reject(rpcError('responseTooLarge', 'the answer is too large'))
    const [client, all] = [await world.open(), await world.open()]
    const { result: id } = await client.request('eth_subscribe', ['transactionReceipts', { transactionHashes: [hash] }])
    await all.request('eth_subscribe', ['transactionReceipts'])
    const closed = new Promise((resolve) => all.socket.once('close', (code, reason) => resolve([code, `${reason}`])))
    world.application.commit()
    expect(await client.next()).toBe(notification(id, '[{}]'))
    expect(await closed).toEqual([1013, 'a subscription ended: receipts of block 8: the answer is too large'])
  })

  test('to syncing speak when it begins and ends', async () => {
    world.application.answers.syncing = () => '{"currentBlock":"0x8"}'
    const client = await world.open()
    const { result: id } = await client.request('eth_subscribe', ['syncing'])
    world.application.commit({ catchingUp: true })
    world.application.commit({ catchingUp: true })
    world.application.commit()
    expect(await client.next()).toBe(notification(id, '{"syncing":true,"status":{"currentBlock":"0x8"}}'))
    expect(await client.next()).toBe(notification(id, 'false'))
  })

  test('whose logs cannot be told whole end with their connection and a reason', async () => {
    world.application.answers.logsPage = () => Promise.reject(rpcError('responseTooLarge', 'the answer is too large'))
    const [client, other] = [await world.open(), await world.open()]
    await client.request('eth_subscribe', ['logs', {}])
    const { result: id } = await other.request('eth_subscribe', ['newHeads'])
    const closed = new Promise((resolve) => client.socket.once('close', (code, reason) => resolve([code, `${reason}`])))
    const head = world.application.commit({ logCount: 1 })
    expect(await closed).toEqual([1013, 'a subscription ended: logs of block 8: the answer is too large'])
    expect(await other.next()).toBe(notification(id, head.header))
  })

  test('made before the head is known are not told of it as of something new', async () => {
    const client = await world.open()
    const { result: id } = await client.request('eth_subscribe', ['newHeads'])
    await client.request('eth_subscribe', ['logs', {}])
    // A gateway that begins is told of the head as it is, and so is one that has connected again.
    world.application.announce({ type: 'head', head: exampleHead(7, { logCount: 5 }), isNew: false })
    const head = world.application.commit()
    expect(await client.next()).toBe(notification(id, head.header))
    expect(world.application.asked).toEqual([])
  })

  test('belong to their connection and end with it', async () => {
    const client = await world.open()
    const other = await world.open()
    const { result: id } = await client.request('eth_subscribe', ['newHeads'])
    expect((await other.request('eth_unsubscribe', [id])).error?.message).toBe('subscription not found')
    expect((await client.request('eth_unsubscribe', [id])).result).toBe(true)
    expect((await client.request('eth_unsubscribe', [id])).error?.message).toBe('subscription not found')
    world.application.commit()
    expect((await client.request('eth_chainId')).result).toBe('0x539')
  })

  test('are bounded in number', async () => {
    await world.restart({ wsSubscriptionLimit: 2 })
    const client = await world.open()
    await client.request('eth_subscribe', ['newHeads'])
    await client.request('eth_subscribe', ['newHeads'])
    expect((await client.request('eth_subscribe', ['newHeads'])).error?.code).toBe(-32005)
  })

  test('are bounded in what they look for, over all connections of a client', async () => {
    const topics = Array.from({ length: 4 }, (_, position) =>
      Array.from({ length: 1_000 }, (_, index) => `0x${(1_000 * position + index).toString(16).padStart(64, '0')}`),
    )
    const clients = [await world.open(), await world.open()]
    const replies = []
    for (let count = 0; count < 8; count++)
      replies.push(await clients[count % 2]?.request('eth_subscribe', ['logs', { topics }]))
    expect(replies.map((reply) => reply?.error?.code)).toEqual([...Array(6).fill(undefined), -32005, -32005])
    const [first] = replies
    await clients[0]?.request('eth_unsubscribe', [first?.result])
    expect((await clients[1]?.request('eth_subscribe', ['logs', { topics }]))?.error).toBe(undefined)
    // What ends with its connection is given back.
    const gone = closing(clients[1]?.socket as WebSocket)
    clients[1]?.socket.close()
    await gone
    expect((await clients[0]?.request('eth_subscribe', ['logs', { topics }]))?.error).toBe(undefined)
  })

  /** Half of them have the one address, half the one topic, and the last has both. */
  const logsThatHardlyMatch = (count: number): unknown[] => {
    const [one, other] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`]
    const [topic, more] = [`0x${'3'.repeat(64)}`, `0x${'4'.repeat(64)}`]
    const pair = [
      { address: one, topics: [more] },
      { address: other, topics: [topic] },
    ]
    return [...Array.from({ length: count - 1 }, (_, index) => pair[index % 2]), { address: one, topics: [topic] }]
  }
  const HARDLY = { address: `0x${'1'.repeat(40)}`, topics: [`0x${'3'.repeat(64)}`] }

  test('of many to many logs hold up no request of others', async () => {
    const logs = logsThatHardlyMatch(1_000)
    world.application.answers.logsPage = () => JSON.stringify({ next: null, logs })
    const [client, other] = [await world.open(), await world.open()]
    for (let count = 0; count < 500; count++) await client.request('eth_subscribe', ['logs', HARDLY])
    const order: string[] = []
    const tellAll = async (): Promise<void> => {
      for (let count = 0; count < 500; count++) await client.next()
      order.push('logs')
    }
    const told = tellAll()
    const answered = other.request('eth_chainId').then(() => order.push('reply'))
    world.application.commit({ logCount: logs.length })
    await Promise.all([told, answered])
    expect(order).toEqual(['reply', 'logs'])
  })

  test('of one client keep those of another waiting for none of theirs', async () => {
    await world.restart({ trustedProxies: ['127.0.0.0/8'] })
    const logs = logsThatHardlyMatch(4_000)
    world.application.answers.logsPage = () => JSON.stringify({ next: null, logs })
    const [greedy, modest] = [
      await world.open('/', { 'x-forwarded-for': '192.0.2.1' }),
      await world.open('/', { 'x-forwarded-for': '192.0.2.2' }),
    ]
    for (let count = 0; count < 450; count++) await greedy.request('eth_subscribe', ['logs', HARDLY])
    for (let count = 0; count < 20; count++) await modest.request('eth_subscribe', ['logs', HARDLY])
    const order: string[] = []
    const follow = async (client: WebSocketClient, name: string, logsToCome: number): Promise<void> => {
      for (let count = 0; count < logsToCome; count++) await client.next()
      order.push(name)
    }
    const all = Promise.all([follow(greedy, 'greedy', 450), follow(modest, 'modest', 20)])
    world.application.commit({ logCount: logs.length })
    await all
    expect(order).toEqual(['modest', 'greedy'])
  })

  test('to logs that nearly match, thousands of times, end with a reason', async () => {
    const logs = logsThatHardlyMatch(5_000)
    world.application.answers.logsPage = () => JSON.stringify({ next: null, logs })
    const client = await world.open()
    for (let count = 0; count < 450; count++) await client.request('eth_subscribe', ['logs', HARDLY])
    const closed = new Promise((resolve) => client.socket.once('close', (code, reason) => resolve([code, `${reason}`])))
    world.application.commit({ logCount: logs.length })
    expect(await closed).toEqual([
      1013,
      'a subscription ended: logs of block 8: they are held against too many subscriptions',
    ])
  })
})
