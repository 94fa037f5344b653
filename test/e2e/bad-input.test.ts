import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Hash, type Hex, keccak256, parseGwei, type TransactionSerializable } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { MODULE_ACCOUNTS } from '../../app/genesis/module-accounts.ts'
import { setTomlValue } from '../../bin/node/config/toml-lines.ts'
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { FEE_COLLECTOR_ADDRESS, moduleAddress } from '../../core/address.ts'
import { bytesToHex } from '../../core/hex.ts'
import { accountAt, createClient, createWallet } from './clients.ts'
import { callJsonRpc, chooseNodePorts, EVM_CHAIN_ID, makeHome, portFlags, runChain, useNode } from './harness.ts'

const node = useNode({ timeoutCommitMs: 300 })
const sender = accountAt(0)
const poor = privateKeyToAccount(generatePrivateKey())
const to = accountAt(1).address

interface Refusal {
  readonly name: string
  readonly raw: Hex
  readonly message: RegExp | string
}

const base = { chainId: EVM_CHAIN_ID, nonce: 1, to, value: 1n, gas: 21_000n } as const
const fees = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') } as const

const sign = (fields: Partial<TransactionSerializable>, account = sender): Promise<Hex> =>
  account.signTransaction({ ...base, ...fees, ...fields } as TransactionSerializable)

const signLegacy = (chainId: number | undefined): Promise<Hex> => {
  const { chainId: _, ...rest } = base
  const fields = { ...rest, type: 'legacy', gasPrice: parseGwei('10') } as const
  return sender.signTransaction(chainId === undefined ? fields : { ...fields, chainId })
}

const blob = (): Promise<Hex> =>
  sign({
    type: 'eip4844',
    blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
    maxFeePerBlobGas: 1n,
  } as Partial<TransactionSerializable>)

/** Every way to be refused, with geth's words and this chain's own for the minimum price. */
const createRefusals = async (): Promise<readonly Refusal[]> => [
  { name: 'nothing', raw: '0x', message: /./ },
  { name: 'garbage', raw: '0xdeadbeef', message: /^rlp: / },
  { name: 'a type alone', raw: '0x02', message: 'typed transaction too short' },
  { name: 'an unknown type', raw: '0x7f0102', message: 'transaction type not supported' },
  { name: 'a blob transaction', raw: await blob(), message: 'transaction type not supported' },
  { name: 'another chain', raw: await sign({ chainId: 1 }), message: /invalid chain id|invalid sender/ },
  { name: 'another chain before EIP-1559', raw: await signLegacy(1), message: /invalid chain id|invalid sender/ },
  {
    name: 'no replay protection',
    raw: await signLegacy(undefined),
    message: 'only replay-protected (EIP-155) transactions allowed over RPC',
  },
  {
    name: 'a price below the minimum',
    raw: await sign({ maxFeePerGas: parseGwei('1.999999999'), maxPriorityFeePerGas: parseGwei('1') }),
    message: 'tx underpriced',
  },
  {
    name: 'a tip too small for the minimum',
    raw: await sign({ maxFeePerGas: parseGwei('3'), maxPriorityFeePerGas: 1n }),
    message: 'tx underpriced',
  },
  { name: 'no funds', raw: await sign({ nonce: 0 }, poor), message: /^insufficient funds for gas \* price \+ value: / },
  { name: 'a used nonce', raw: await sign({ nonce: 0 }), message: 'nonce too low: next nonce 1, tx nonce 0' },
  { name: 'too little gas', raw: await sign({ gas: 20_999n }), message: /^intrinsic gas too low: / },
  {
    name: 'too much gas',
    raw: await sign({ gas: 16_777_217n }),
    message: /^transaction gas limit too high \(cap: 16777216/,
  },
  {
    name: 'more than the largest size',
    raw: await sign({ gas: 10_000_000n, data: `0x${'01'.repeat(131_072)}` }),
    message: /^oversized data: transaction size \d+, limit 131072$/,
  },
]

interface CheckTx {
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly hash: string
}

const broadcast = async (raw: Hex): Promise<CheckTx> => {
  const tx = Buffer.from(raw.slice(2), 'hex').toString('base64')
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'broadcast_tx_sync', params: { tx } })
  const response = await fetch(node().urls.comet, { method: 'POST', body })
  return ((await response.json()) as { result: CheckTx }).result
}

const askSocket = (url: string, method: string, ...params: readonly unknown[]) =>
  new Promise<{ error?: { message: string }; result?: unknown }>((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.once('error', reject)
    socket.once('open', () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
    socket.once('message', (data: Buffer) => {
      socket.close()
      resolve(JSON.parse(data.toString()) as { result?: unknown })
    })
  })

const included = async (hash: Hash) => await createClient(node()).waitForTransactionReceipt({ hash })

/** Answers at both doors, and makes blocks. */
const expectLife = async (): Promise<void> => {
  const height = await node().height()
  expect(await askSocket(node().urls.ws, 'eth_chainId')).toMatchObject({ result: '0x9d5' })
  expect(await node().untilHeight(height + 1)).toBeGreaterThan(height)
}

describe('a transaction that cannot be', () => {
  let refusals: readonly Refusal[] = []
  beforeAll(async () => {
    await included(await createWallet(node(), sender).sendTransaction({ to, value: 1n }))
    refusals = await createRefusals()
  })

  it('is refused over HTTP and WebSocket with the same words, and leaves nothing', async () => {
    for (const { name, raw, message } of refusals) {
      const overHttp = await callJsonRpc(node().urls.http, 'eth_sendRawTransaction', raw)
      expect(overHttp.result, name).toBeUndefined()
      if (typeof message === 'string') expect(overHttp.error?.message, name).toBe(message)
      else expect(overHttp.error?.message, name).toMatch(message)
      const overSocket = await askSocket(node().urls.ws, 'eth_sendRawTransaction', raw)
      expect(overSocket.error, name).toEqual(overHttp.error)
      expect(await node().ask('eth_getTransactionByHash', keccak256(raw)), name).toBeNull()
    }
    expect(await node().ask('eth_getTransactionCount', sender.address, 'pending')).toBe('0x1')
    await expectLife()
  })

  it("is refused by CometBFT's RPC with a code and a log", async () => {
    for (const { name, raw, message } of refusals) {
      const { code, codespace, log } = await broadcast(raw)
      expect(code, name).toBeGreaterThan(0)
      expect(codespace, name).not.toBe('')
      // The families of the native layer are told apart before a transaction is decoded.
      if (['nothing', 'garbage', 'an unknown type'].includes(name)) expect(log, name).not.toBe('')
      else if (typeof message === 'string') expect(log, name).toBe(message)
      else expect(log, name).toMatch(message)
    }
    await expectLife()
  })

  it('waits when only its nonce is ahead, and goes into a block by either door', async () => {
    const [gapped, next] = [await sign({ nonce: 2 }), await sign({ nonce: 1 })]
    expect(await callJsonRpc(node().urls.http, 'eth_sendRawTransaction', gapped)).toMatchObject({
      result: keccak256(gapped),
    })
    expect(await callJsonRpc(node().urls.http, 'eth_sendRawTransaction', gapped)).toMatchObject({
      error: { message: 'already known' },
    })
    await node().untilHeight((await node().height()) + 2)
    expect(await node().ask('eth_getTransactionReceipt', keccak256(gapped))).toBeNull()
    expect(await broadcast(next)).toMatchObject({ code: 0, log: '' })
    for (const raw of [next, gapped]) expect((await included(keccak256(raw))).status).toBe('success')
    const replayed = await callJsonRpc(node().urls.http, 'eth_sendRawTransaction', gapped)
    expect(replayed.error?.message).toBe('nonce too low: next nonce 3, tx nonce 2')
  })
})

const request = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [], ...fields })

const BODIES: readonly string[] = [
  '',
  ' ',
  '{',
  '[',
  'null',
  '1',
  '"eth_chainId"',
  '{}',
  '[]',
  '[[]]',
  '[1,null,"a",{},[]]',
  '\0\0\0',
  '\uFEFF{}',
  '{"jsonrpc":"2.0","id":1e999,"method":"eth_chainId"}',
  '['.repeat(200_000),
  `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  request({ jsonrpc: '1.0' }),
  request({ method: '' }),
  request({ method: 7 }),
  request({ method: '__proto__' }),
  request({ method: 'constructor' }),
  request({ method: 'eth_nothing' }),
  request({ method: 'x'.repeat(100_000) }),
  request({ id: {} }),
  request({ id: [1] }),
  request({ params: {} }),
  request({ params: 'latest' }),
  request({ params: Array.from({ length: 10_000 }, () => null) }),
  request({ method: 'eth_getBalance', params: [{ __proto__: null }, {}] }),
  request({ method: 'eth_getBalance', params: ['0x', '0x'] }),
  request({ method: 'eth_getBlockByNumber', params: [`0x${'f'.repeat(1_000)}`, true] }),
  request({ method: 'eth_getBlockByNumber', params: [-1, 'yes'] }),
  request({ method: 'eth_call', params: [{ to: '0x1', data: 'zz' }, 'latest'] }),
  request({ method: 'eth_call', params: [[], [], []] }),
  request({ method: 'eth_getLogs', params: [{ fromBlock: '0x0', topics: [[[[]]]] }] }),
  request({ method: 'eth_newFilter', params: [{ address: [1, 2, 3] }] }),
  request({ method: 'eth_feeHistory', params: ['0xffffffffff', 'latest', [99, 1, -5]] }),
  request({ method: 'eth_subscribe', params: ['newHeads'] }),
  request({ method: 'eth_sendRawTransaction', params: [{}] }),
  JSON.stringify(Array.from({ length: 1_001 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' }))),
  `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[${'0'.repeat(6_000_000)}]}`,
]

const BODY_LIMIT = 5 * 1024 * 1024

const post = (body: BodyInit, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(node().urls.http, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })

/** Writes bytes to a port, and settles when the other side closes or has had them. */
const throwAt = (port: number, bytes: Uint8Array): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', ({ message }) => resolve(message))
    socket.once('close', () => resolve('closed'))
    socket.once('data', () => socket.destroy())
    socket.once('connect', () => socket.end(bytes))
  })

describe('a request that nobody should send', () => {
  it('over HTTP leaves the node well', async () => {
    for (const body of BODIES) {
      // The refusal of a body that is too long may overtake the rest of it: the client then sees a broken connection.
      const isTooLong = body.length > BODY_LIMIT
      const status = await post(body).then(
        async (response) => {
          await response.text()
          return response.status
        },
        () => 'a broken connection',
      )
      expect(status, body.slice(0, 80)).toBeOneOf(isTooLong ? [413, 'a broken connection'] : [200, 400])
      expect(await node().ask('eth_chainId'), `after ${body.slice(0, 80)}`).toBe('0x9d5')
    }
    expect((await post(request({}), { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await post(Uint8Array.of(0xff, 0xfe, 0x7b, 0x7d))).status).toBeLessThan(500)
    for (const method of ['PUT', 'DELETE', 'PATCH', 'GET']) {
      expect((await fetch(node().urls.http, { method })).status, method).toBeLessThan(500)
    }
    await expectLife()
  })

  it('over a WebSocket ends at most that WebSocket', async () => {
    for (const body of BODIES) {
      const socket = new WebSocket(node().urls.ws)
      socket.on('error', () => undefined)
      await new Promise((resolve) => socket.once('open', resolve))
      const ended = new Promise((resolve) => {
        socket.once('close', () => resolve('closed'))
        socket.once('message', () => resolve('answered'))
      })
      socket.send(body)
      // Notifications and blanks get no answer: this one is asked behind them.
      socket.send(request({}))
      expect(await ended, body.slice(0, 80)).toBeOneOf(['closed', 'answered'])
      socket.terminate()
    }
    await expectLife()
  })

  it('of random bytes on any port leaves the node well', async () => {
    const { http, ws, rest, grpc, comet, p2p } = node().ports
    const bytes = Uint8Array.from({ length: 2_000 }, (_, index) => (index * 7_919) % 251)
    const kinds = [
      bytes,
      new TextEncoder().encode('POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n'),
      new TextEncoder().encode(`GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(20_000)}\r\n`),
    ]
    for (const port of [http, ws, rest, grpc, comet, p2p]) {
      for (const kind of kinds) expect(await throwAt(port, kind), `port ${port}`).not.toContain('REFUSED')
    }
    await expectLife()
  })
})

describe('an account of a module', () => {
  it.each(MODULE_ACCOUNTS)('%s is not changed by transactions without value, and the chain goes on', async (name) => {
    const address = bytesToHex(moduleAddress(name))
    const read = async () => ({
      nonce: await node().ask('eth_getTransactionCount', address, 'latest'),
      // The fees of every block arrive there.
      balance: name === 'distribution' ? '' : await node().ask('eth_getBalance', address, 'latest'),
      code: await node().ask('eth_getCode', address, 'latest'),
    })
    const before = await read()
    expect(before).toMatchObject({ nonce: '0x1', code: '0x' })
    const wallet = createWallet(node(), accountAt(2))
    for (const data of ['0x', '0xdeadbeef'] as const) {
      const receipt = await included(await wallet.sendTransaction({ to: address, value: 0n, data, gas: 100_000n }))
      expect(receipt).toMatchObject({ status: 'success', logs: [] })
    }
    expect(await read()).toEqual(before)
    await node().untilHeight((await node().height()) + 1)
  })
})

it('the fee collector keeps its nonce and has no code, and is paid by what is sent to it', async () => {
  const address = bytesToHex(FEE_COLLECTOR_ADDRESS)
  const balance = async (): Promise<bigint> => BigInt(await node().ask<string>('eth_getBalance', address, 'latest'))
  const before = await balance()
  const hash = await createWallet(node(), accountAt(2)).sendTransaction({ to: address, value: 5n, gas: 30_000n })
  const { gasUsed, effectiveGasPrice } = await included(hash)
  expect(await balance()).toBeGreaterThanOrEqual(before + 5n + gasUsed * effectiveGasPrice)
  expect(await node().ask('eth_getTransactionCount', address, 'latest')).toBe('0x1')
  expect(await node().ask('eth_getCode', address, 'latest')).toBe('0x')
})

interface MutableGenesis {
  chain_id: string
  unknown_member?: boolean
  consensus_params: { block: { max_gas: string; unknown?: number } }
  app_state: {
    evm: { chain_id: string }
    bank: { balances: { address: string; coins: { denom: string; amount: string }[] }[]; supply: { denom: string }[] }
    [module: string]: unknown
  }
}

const GENESIS_FAULTS: readonly (readonly [string, (genesis: MutableGenesis) => void, RegExp])[] = [
  ['an unknown member', (genesis) => void (genesis.unknown_member = true), /genesis\.json: .*unknown_member/],
  [
    'an unknown member of a parameter',
    ({ consensus_params: { block } }) => void (block.unknown = 1),
    /genesis\.json: .*unknown/,
  ],
  ['an unknown module', ({ app_state }) => void (app_state['casino'] = {}), /genesis\.json: .*casino/],
  [
    'an account twice',
    ({ app_state: { bank } }) => {
      const [first] = bank.balances
      if (first === undefined) return
      bank.balances.push({ ...first, address: encodeBech32(parseAccountAddress(first.address)) })
    },
    /genesis\.json: .*(duplicate|twice)/i,
  ],
  [
    'a denomination in capitals',
    ({ app_state: { bank } }) => {
      for (const coin of [...bank.balances.flatMap(({ coins }) => coins), ...bank.supply]) coin.denom = 'NA T'
    },
    /genesis\.json: .*denom/,
  ],
  [
    'a supply that is not the sum',
    ({ app_state: { bank } }) => void (bank.supply = [{ denom: 'anat', amount: '1' } as { denom: string }]),
    /genesis\.json: .*supply/,
  ],
  [
    'an EVM chain id that the known chain does not have',
    ({ app_state: { evm } }) => void (evm.chain_id = '2518'),
    /app_state\.evm\.chain_id: is 2518, but localnat-1 has the EVM chain id 2517/,
  ],
  [
    'an EVM chain id that app.toml does not have',
    (genesis) => {
      genesis.chain_id = 'other-1'
      genesis.app_state.evm.chain_id = '2518'
    },
    /app_state\.evm\.chain_id is 2518, but evm\.evm-chain-id of app\.toml is 2517/,
  ],
  [
    'the chain id of another chain than the database',
    (genesis) => void (genesis.chain_id = 'other-1'),
    /holds localnat-1 \(EVM chain id 2517\), but .* is of other-1 \(EVM chain id 2517\)/,
  ],
]

/** The fault, that no bridge daemon runs, and that each of the two gateways has not reached the application yet. */
const MOST_LINES = 4

describe('chain start', () => {
  const configFile = (name: string): string => join(node().home, 'config', name)
  it('is preceded by commands that refuse what a genesis cannot hold', async () => {
    const add = (address: string, amount: string) =>
      runChain(['genesis', 'add-account', address, amount, '--home', node().home])
    const inTheGenesis = expect.stringContaining('is in the genesis already') as string
    expect(await add(sender.address, '1nat')).toMatchObject({ status: 1, stderr: inTheGenesis })
    expect(await add('0x12', '1nat')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('an address has 20 bytes, not 1') as string,
    })
    expect(await add(poor.address, '1.5nat')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('"1.5nat" is no amount') as string,
    })
  })

  const start = (environment: Readonly<Record<string, string>> = {}) =>
    runChain(['start', ...node().flags], environment)

  it('refuses ports that are in use, and names each with what moves it', async () => {
    const home = join(node().folder, 'second')
    await makeHome(home)
    const { status, stderr } = await runChain(['start', '--home', home, ...portFlags(node().ports)])
    expect(status).toBe(1)
    const { http, ws, rest, grpc, comet, p2p } = node().ports
    for (const port of [http, ws, rest, grpc, comet, p2p]) expect(stderr).toContain(`port ${port} `)
    await expectLife()
  })

  it('refuses a home that is in use', async () => {
    const other = await chooseNodePorts()
    const { status, stderr } = await runChain(['start', '--home', node().home, ...portFlags(other)])
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('another process') as string,
    })
    await expectLife()
  })

  it('refuses wrong settings, binaries and genesis files in clear words, and leaves the data alone', async () => {
    expect(await node().stop()).toBe(0)
    const height = Number(/stopped height=(\d+)/.exec(node().output)?.[1])
    const [appToml, genesis] = [configFile('app.toml'), configFile('genesis.json')]
    const [goodToml, goodGenesis] = [readFileSync(appToml, 'utf8'), readFileSync(genesis, 'utf8')]

    writeFileSync(appToml, setTomlValue(goodToml, 'minimum-gas-prices', '"2gwei"'))
    expect(await start()).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/app\.toml:\d+: minimum-gas-prices is "2gwei", but must be /) as string,
    })
    writeFileSync(appToml, goodToml)

    const fake = join(node().folder, 'cometbft-of-another-version')
    const report = '{"cometbft":"1.0.1","abci":"2.1.0","block_protocol":11,"p2p_protocol":9}'
    writeFileSync(fake, `#!/bin/sh\necho '${report}'\n`, { mode: 0o755 })
    expect(await start({ COMETBFT_BINARY: fake })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/CometBFT 1\.0\.1.*wanted is ABCI 2\.0\.0.*make setup/) as string,
    })

    for (const [name, spoil, message] of GENESIS_FAULTS) {
      const document = JSON.parse(goodGenesis) as MutableGenesis
      spoil(document)
      writeFileSync(genesis, JSON.stringify(document))
      const { status, stderr } = await start()
      expect({ name, status, stderr }).toEqual({ name, status: 1, stderr: expect.stringMatching(message) as string })
      expect(stderr.trim().split('\n').length, `lines for ${name}: ${stderr}`).toBeLessThanOrEqual(MOST_LINES)
    }
    writeFileSync(genesis, goodGenesis)

    await node().start()
    expect(Number(/started .*?height=(\d+)/.exec(node().output)?.[1])).toBe(height)
    expect(await node().ask('eth_getTransactionCount', sender.address, 'latest')).toBe('0x3')
  })
})

describe('other commands', () => {
  it.each([
    [['init', 'a', '--chain-id', 'unknown-1'], 2, /name its EVM chain id with --evm-chain-id/],
    [['init', 'a', '--chain-id', 'nat-2517-1', '--evm-chain-id', '1'], 2, /is 2517, not 1/],
    [['init', 'a'], 2, /--chain-id/],
    [['start', '--nonsense'], 2, /unknown option '--nonsense'/],
    [['genesis', 'add-account', '0x12', '1nat'], 1, /genesis\.json does not exist/],
    [['status'], 1, /chain init/],
  ] as const)('%j is refused', async (args, status, message) => {
    const home = join(node().folder, 'none')
    const result = await runChain([...args, '--home', home])
    expect(result).toMatchObject({ status, stderr: expect.stringMatching(message) as string })
  })
})
