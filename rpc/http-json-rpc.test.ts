/** JSON-RPC over HTTP: answers, errors and batches. */
import { describe, expect, test } from 'vitest'
import { CodedError } from '../core/errors.ts'
import { type GatewayLog, SILENT_LOG } from './log.ts'
import { useHttpWorld } from './testing/http-world.ts'

const world = useHttpWorld()

describe('answers', () => {
  test('of the head come without a question, and follow it', async () => {
    expect((await world.ask('eth_blockNumber')).result).toBe('0x7')
    world.application.commit()
    expect((await world.ask('eth_blockNumber')).result).toBe('0x8')
    expect((await world.ask('net_version')).result).toBe('1337')
    expect((await world.ask('net_listening')).result).toBe(true)
    expect((await world.ask('eth_accounts')).result).toEqual([])
    expect(world.application.asked).toEqual([])
  })

  test('name the client in one line and the namespaces that are served', async () => {
    expect((await world.ask('web3_clientVersion')).result).toMatch(
      /^nat-chain\/v\d+\.\d+\.\d+\/linux-\w+\/node\d+\.\d+\.\d+$/,
    )
    expect((await world.ask('rpc_modules')).result).toEqual({
      debug: '1.0',
      eth: '1.0',
      net: '1.0',
      rpc: '1.0',
      web3: '1.0',
    })
    expect((await world.ask('txpool_status')).error?.code).toBe(-32601)
    await world.restart({ api: ['eth', 'txpool'] })
    expect((await world.ask('rpc_modules')).result).toEqual({ eth: '1.0', rpc: '1.0', txpool: '1.0' })
    expect((await world.ask('web3_clientVersion')).error?.message).toBe(
      'the method web3_clientVersion does not exist/is not available',
    )
  })

  test('hash what web3_sha3 is given', async () => {
    // The example of Ethereum's own documentation.
    const { result } = await world.ask('web3_sha3', ['0x68656c6c6f20776f726c64'])
    expect(result).toBe('0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad')
  })

  test('count no uncles in known blocks, and nothing in unknown ones', async () => {
    world.application.answers.blockTransactionCount = ({ block }) => ('number' in block ? '"0x5"' : 'null')
    expect((await world.ask('eth_getUncleCountByBlockNumber', ['0x1'])).result).toBe('0x0')
    expect((await world.ask('eth_getUncleCountByBlockHash', [`0x${'11'.repeat(32)}`])).result).toBeNull()
    expect((await world.ask('eth_getUncleByBlockNumberAndIndex', ['0x1', '0x0'])).result).toBeNull()
  })

  test('carry parameters to the application in its words', async () => {
    const address = `0x${'aB'.repeat(20)}`
    const lower = address.toLowerCase()
    const hash = `0x${'cD'.repeat(32)}`
    await world.ask('eth_getBalance', [address, 'safe'])
    await world.ask('eth_getStorageAt', [address, '0x1', { blockHash: hash, requireCanonical: true }])
    await world.ask('eth_getCode', [address, { blockNumber: '0x5' }])
    await world.ask('eth_getBlockByHash', [hash])
    await world.ask('eth_feeHistory', ['10', '0x7fffffffffffffff', [1.5]])
    await world.ask('eth_getLogs', [{ address, topics: [null, [hash]], fromBlock: 'earliest' }])
    const call = {
      to: address,
      input: '0xAB',
      data: '0x',
      gas: '0x5',
      accessList: [{ address, storageKeys: [hash] }],
      unknown: 1,
    }
    const overrides = { [address]: { balance: '0x1', stateDiff: { [hash]: hash } } }
    await world.ask('eth_call', [call, null, overrides, { Time: '0x9', difficulty: '0x1' }])
    expect(world.application.asked.map(({ name, parameters, head }) => [name, parameters, head])).toEqual([
      ['balance', { address: lower, block: { tag: 'safe' } }, 7],
      [
        'storage',
        {
          address: lower,
          slot: `0x${'1'.padStart(64, '0')}`,
          block: { hash: hash.toLowerCase(), requireCanonical: true },
        },
        7,
      ],
      ['code', { address: lower, block: { number: 5 } }, 7],
      ['block', { block: { hash: hash.toLowerCase() }, full: false }, 7],
      ['feeHistory', { count: 10, newest: { number: Number.MAX_SAFE_INTEGER }, percentiles: [1.5] }, 7],
      ['logs', { addresses: [lower], topics: [[], [hash.toLowerCase()]], fromBlock: { tag: 'earliest' } }, 7],
      [
        'call',
        {
          call: {
            to: lower,
            data: '0xab',
            gas: '0x5',
            accessList: [{ address: lower, storageKeys: [hash.toLowerCase()] }],
          },
          block: { tag: 'latest' },
          stateOverrides: { [lower]: { balance: '0x1', stateDiff: { [hash.toLowerCase()]: hash.toLowerCase() } } },
          blockOverrides: { time: '0x9' },
        },
        7,
      ],
    ])
  })
})

describe('errors', () => {
  test('have the codes of their codespaces, with data where there is some', async () => {
    const cases = [
      [new CodedError('query', 1, 'header not found'), { code: -32000, message: 'header not found' }],
      [
        new CodedError('query', 2, 'invalid block range params'),
        { code: -32602, message: 'invalid block range params' },
      ],
      [
        new CodedError('query', 3, 'execution reverted: no', '0x08c379a0'),
        { code: 3, message: 'execution reverted: no', data: '0x08c379a0' },
      ],
      [new CodedError('query', 3, 'execution reverted', '0x'), { code: 3, message: 'execution reverted', data: '0x' }],
      [
        new CodedError('query', 4, 'execution aborted (timeout = 5s)'),
        { code: -32002, message: 'execution aborted (timeout = 5s)' },
      ],
      [
        new CodedError('query', 5, 'exceed maximum block range 10'),
        { code: -32005, message: 'exceed maximum block range 10' },
      ],
      [new CodedError('query', 6, 'no'), { code: -32601, message: 'no' }],
      [new CodedError('query', 7, 'too large'), { code: -32003, message: 'too large' }],
      [
        new CodedError('pool', 3, 'tx underpriced', { minimum: '1' }),
        { code: -32000, message: 'tx underpriced', data: { minimum: '1' } },
      ],
      [
        new CodedError('evm', 6, 'nonce too low: next nonce 1, tx nonce 0'),
        { code: -32000, message: 'nonce too low: next nonce 1, tx nonce 0' },
      ],
    ] as const
    for (const [error, expected] of cases) {
      world.application.answers.gasPrice = () => {
        throw error
      }
      expect((await world.ask('eth_gasPrice')).error).toEqual(expected)
      world.application.answers.gasPrice = () => Promise.reject(error)
      expect((await world.ask('eth_gasPrice')).error).toEqual(expected)
    }
  })

  test('that are faults of the node tell clients nothing and the log everything', async () => {
    const logged: unknown[] = []
    const log: GatewayLog = { ...SILENT_LOG, error: (message, fields) => logged.push(message, fields) }
    await world.restart({}, log)
    world.application.answers.gasPrice = () => {
      throw new TypeError('a secret of the node')
    }
    expect((await world.ask('eth_gasPrice')).error).toEqual({ code: -32603, message: 'internal error' })
    expect(JSON.stringify(logged)).toContain('a secret of the node')
  })
})

describe('batches', () => {
  const item = (id: number, method: string): string => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`

  test('are answered in order, however long each takes', async () => {
    const releases: ((text: string) => void)[] = []
    world.application.answers.gasPrice = () =>
      new Promise((resolve) => {
        releases.push(resolve)
        // Last in, first out.
        if (releases.length === 3)
          for (const [index, release] of releases.toReversed().entries()) release(`"0x${index}"`)
      })
    const { body } = await world.post(
      `[${[1, 2, 3].map((id) => item(id, 'eth_gasPrice')).join(',')},${item(4, 'eth_chainId')}]`,
    )
    expect(JSON.parse(body)).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x2' },
      { jsonrpc: '2.0', id: 2, result: '0x1' },
      { jsonrpc: '2.0', id: 3, result: '0x0' },
      { jsonrpc: '2.0', id: 4, result: '0x539' },
    ])
  })

  test('of 1000 are answered whole', async () => {
    const { body } = await world.post(
      `[${Array.from({ length: 1_000 }, (_, id) => item(id, 'eth_chainId')).join(',')}]`,
    )
    expect((JSON.parse(body) as { id: number }[]).map(({ id }) => id)).toEqual(
      Array.from({ length: 1_000 }, (_, id) => id),
    )
  })

  test('end with errors behind the reply that passes the limit of bytes', async () => {
    await world.restart({ batchResponseMaxSize: 1_000 })
    world.application.answers.gasPrice = () => `"${'x'.repeat(600)}"`
    const { body } = await world.post(`[${[1, 2, 3, 4].map((id) => item(id, 'eth_gasPrice')).join(',')}]`)
    const replies = JSON.parse(body) as { id: number; error?: { code: number; message: string } }[]
    expect(replies.map(({ id, error }) => [id, error?.message])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, 'response too large'],
      [4, 'response too large'],
    ])
    expect(replies[3]?.error?.code).toBe(-32003)
  })

  test('ask for few traces at once: their answers wait in memory', async () => {
    const asked: number[] = []
    let open = 0
    world.application.answers.traceTransaction = () => {
      asked.push(++open)
      return new Promise((resolve) => setImmediate(() => resolve(String(open--))))
    }
    const trace = `{"jsonrpc":"2.0","id":1,"method":"debug_traceTransaction","params":["0x${'11'.repeat(32)}"]}`
    const { body } = await world.post(`[${Array.from({ length: 10 }, () => trace).join(',')}]`)
    expect(JSON.parse(body)).toHaveLength(10)
    expect(asked).toHaveLength(10)
    expect(Math.max(...asked)).toBe(3)
  })

  const SEND = (id: number): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"eth_sendRawTransaction","params":["0x0${id}"]}`
  const COUNT = (id: number): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"eth_getTransactionCount","params":["0x${'11'.repeat(20)}","pending"]}`

  test('have requests see what those before them sent, and nothing of those behind them', async () => {
    let sent = 0
    world.application.answers.sendRawTransaction = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return `"0x${(++sent).toString(16)}"`
    }
    world.application.answers.transactionCount = () => `"0x${sent.toString(16)}"`
    const { body } = await world.post(`[${[COUNT(1), SEND(2), SEND(3), COUNT(4), SEND(5), COUNT(6)].join(',')}]`)
    const replies = JSON.parse(body) as { id: number; result: string }[]
    expect(replies.map(({ id, result }) => [id, result])).toEqual([
      [1, '0x0'],
      [2, '0x1'],
      [3, '0x2'],
      [4, '0x2'],
      [5, '0x3'],
      [6, '0x3'],
    ])
  })

  test('send nothing that they answer with an error of their length, and tell all that they sent', async () => {
    await world.restart({ batchResponseMaxSize: 300 })
    const sent: string[] = []
    world.application.answers.code = () => `"${'x'.repeat(600)}"`
    world.application.answers.sendRawTransaction = ({ raw }) => {
      sent.push(raw)
      return `"0x${'ab'.repeat(32)}"`
    }
    const code = (id: number): string =>
      `{"jsonrpc":"2.0","id":${id},"method":"eth_getCode","params":["0x${'11'.repeat(20)}","latest"]}`
    const resultsOf = async (requests: readonly string[]): Promise<readonly (number | false)[]> => {
      const { body } = await world.post(`[${requests.join(',')}]`)
      return (JSON.parse(body) as { id: number; result?: string }[]).map(({ id, result }) => result !== undefined && id)
    }
    expect(await resultsOf([code(1), SEND(2)])).toEqual([1, false])
    expect(sent).toEqual([])
    // The third passes the limit, the fourth was sent with it; what reads behind them is not asked.
    expect(await resultsOf([SEND(1), SEND(2), SEND(3), SEND(4), COUNT(5)])).toEqual([1, 2, 3, 4, false])
    expect(sent).toEqual(['0x01', '0x02', '0x03', '0x04'])
  })
})
