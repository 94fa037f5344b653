import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, erc20Abi, type Hex, parseEventLogs } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { encodeBech32 } from '../../core/bech32.ts'
import { hexToBytes } from '../../core/hex.ts'
import { converterAbi, PRECOMPILE_ADDRESSES } from '../../packages/precompiles/index.ts'
import { accountAt, createClient, createWallet } from './clients.ts'
import { auditAll, python } from './clob-audit.ts'
import { expectBatches, expectCharts, expectHistory, expectLive, expectPackageReads } from './clob-history.ts'
import { cancel, chainTime, type CometResult, orderResult, place, sendOrder, signOrder } from './clob-orders.ts'
import { askJsonRpc, repository, until, useNode } from './harness.ts'

const node = useNode({ hasTestMarkets: true })
const [maker, taker] = [accountAt(1), accountAt(2)]

interface Market {
  readonly base_denom: string
  readonly quote_denom: string
  readonly lot_size: string
  readonly factor: string
}

let market: Market

const TRADER = JSON.parse(
  readFileSync(join(repository, 'test', 'precompiles', 'contracts', 'trader.json'), 'utf8'),
) as { readonly abi: Abi; readonly bytecode: Hex }

const TOKENS = JSON.parse(readFileSync(join(repository, 'test', 'erc20', 'contracts', 'tokens.json'), 'utf8')) as {
  readonly bytecode: { readonly Honest: Hex }
}

const CONVERTER = { address: PRECOMPILE_ADDRESSES.erc20, abi: converterAbi } as const

interface BlockResults {
  readonly txs_results: readonly { readonly events: CometResult['events'] }[] | null
  readonly finalize_block_events: CometResult['events']
}

const rest = async <T>(path: string): Promise<T> => (await (await fetch(`${node().urls.rest}${path}`)).json()) as T

const balanceOf = async (address: string, denom: string): Promise<bigint> => {
  const { balance } = await rest<{ balance: { amount: string } }>(
    `/cosmos/bank/v1beta1/balances/${address}/by_denom?denom=${encodeURIComponent(denom)}`,
  )
  return BigInt(balance.amount)
}

interface BookUpdate {
  readonly height: string
  readonly sequence: string
  readonly previous_sequence: string
  readonly is_snapshot: boolean
  readonly bids: readonly { readonly price_ticks: number; readonly lots: string }[]
  readonly asks: readonly { readonly price_ticks: number; readonly lots: string }[]
}

/** Follows market 1 over WebSocket. */
const watchBook = async () => {
  const socket = new WebSocket(node().urls.ws)
  const updates: BookUpdate[] = []
  socket.on('message', (data: Buffer) => {
    const { params } = JSON.parse(data.toString()) as { params?: { result: BookUpdate } }
    if (params !== undefined) updates.push(params.result)
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.send('{"jsonrpc":"2.0","id":1,"method":"clob_subscribe","params":["book",{"market":1}]}')
  await until('a snapshot of the book', () => updates[0])
  return { updates, close: () => socket.close() }
}

interface OptimisticUpdate {
  readonly height: string
  readonly is_snapshot: boolean
  readonly orders: readonly {
    readonly tx_hash: string
    readonly stage: string
    readonly height: string
    readonly tx: { readonly actions: readonly { readonly place?: { readonly price_ticks: string } }[] } | null
  }[]
}

/** Follows orders of market 1 that no block holds yet. */
const watchOptimistic = async () => {
  const socket = new WebSocket(node().urls.ws)
  const updates: OptimisticUpdate[] = []
  socket.on('message', (data: Buffer) => {
    const { params } = JSON.parse(data.toString()) as { params?: { result: OptimisticUpdate } }
    if (params !== undefined) updates.push(params.result)
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.send('{"jsonrpc":"2.0","id":1,"method":"clob_subscribe","params":["optimistic",{"market":1}]}')
  await until('a snapshot of what waits', () => updates[0])
  const of = (hash: string) => {
    const key = Buffer.from(hash.slice(2), 'hex').toString('base64')
    return updates.flatMap(({ orders }) => orders).filter(({ tx_hash }) => tx_hash === key)
  }
  return { updates, of, close: () => socket.close() }
}

beforeAll(async () => {
  await node().untilHeight(2)
  market = (await rest<{ market: Market }>('/nat/clob/v1/markets/1')).market
})

describe('an order that a wallet signs as typed data', () => {
  it('rests, is met by another one, and funds move in the one ledger', async () => {
    expect(market.base_denom).toBe('anat')
    const { base_denom: base, quote_denom: quote } = market
    const before = await Promise.all([
      balanceOf(maker.address, quote),
      balanceOf(taker.address, base),
      createClient(node()).getBalance({ address: maker.address }),
    ])
    const stream = await watchBook()
    const optimistic = await watchOptimistic()
    const sell = await sendOrder(node(), maker, [
      place({ market: 1, side: 'sell', priceTicks: 1_000, qtyLots: 5_000, clientId: '0x01' }),
    ])
    const waiting = await askJsonRpc<{ order: { stage: string } }>(node().urls.http, 'clob_getOrderTransaction', {
      tx_hash: sell.hash,
    })
    expect(waiting.order.stage).toMatch(/^ORDER_STAGE_(?:PENDING|ATTESTED|INCLUDED)$/)
    const resting = await orderResult(node(), sell.hash)
    expect(resting).toMatchObject({ code: 0, actions: [{ code: 0, filledLots: 0 }] })
    expect(resting.actions[0]?.orderSeq).toBeGreaterThan(0)
    // Attested with the votes of the block after it was sent, and matched in the next.
    expect(resting.height).toBeLessThanOrEqual(sell.sentAt + 3)

    const buy = await sendOrder(node(), taker, [
      place({ market: 1, side: 'buy', priceTicks: 1_001, qtyLots: 2_000, tif: 'ioc' }),
    ])
    const filled = await orderResult(node(), buy.hash)
    const notional = 1_000n * 2_000n * BigInt(market.factor)
    expect(filled).toMatchObject({ code: 0, actions: [{ code: 0, filledLots: 2_000, quote: notional }] })
    expect(filled.events.map(({ type }) => type)).toContain('fill')

    // Before its block had it, it was told as what it was, and apart from what blocks have done.
    await until('the end of what waited', () => optimistic.of(buy.hash).find(({ stage }) => stage.endsWith('INCLUDED')))
    optimistic.close()
    expect(optimistic.updates.map(({ is_snapshot }) => is_snapshot)).toEqual(
      optimistic.updates.map((_, at) => at === 0),
    )
    for (const [hash, height] of [
      [sell.hash, resting.height],
      [buy.hash, filled.height],
    ] as const) {
      const told = optimistic.of(hash)
      expect(told.map(({ stage }) => stage.slice(12))).toEqual(['PENDING', 'ATTESTED', 'INCLUDED'])
      expect(told.map(({ tx }) => tx?.actions.length)).toEqual([1, undefined, undefined])
      expect(told.at(-1)?.height).toBe(String(height))
    }
    const known = await rest<{ order: { stage: string; height: string } }>(`/nat/clob/v1/transactions/${sell.hash}`)
    expect(known.order).toMatchObject({ stage: 'ORDER_STAGE_INCLUDED', height: String(resting.height) })

    // A reader of the stream has every block from its snapshot on, and the level as each left it.
    const { updates } = stream
    await until('the block of the fill', () => updates.find(({ height }) => Number(height) === filled.height))
    stream.close()
    const [first] = updates
    expect(updates.map(({ height }) => Number(height))).toEqual(updates.map((_, at) => Number(first?.height) + at))
    expect(updates.map(({ is_snapshot }) => is_snapshot)).toEqual(updates.map((_, at) => at === 0))
    for (const [at, update] of updates.slice(1).entries()) expect(update.previous_sequence).toBe(updates[at]?.sequence)
    const asksAt = (height: number) => updates.find((update) => Number(update.height) === height)?.asks
    expect(asksAt(resting.height)).toEqual([{ price_ticks: 1_000, lots: '5000', orders: 1 }])
    expect(asksAt(filled.height)).toEqual([{ price_ticks: 1_000, lots: '3000', orders: 1 }])

    const lot = BigInt(market.lot_size)
    expect(await balanceOf(taker.address, base)).toBe(before[1] + 2_000n * lot)
    // The maker's whole order left its account when it was placed; what it gets is the notional less its fee, or with its rebate.
    expect(await createClient(node()).getBalance({ address: maker.address })).toBe(before[2] - 5_000n * lot)
    const received = (await balanceOf(maker.address, quote)) - before[0]
    expect(received).toBeGreaterThan((notional * 99n) / 100n)
    expect(received).toBeLessThan((notional * 101n) / 100n)
  })

  it('is cancelled by its client id, and its funds come back', async () => {
    const client = createClient(node())
    const before = await client.getBalance({ address: maker.address })
    const { hash } = await sendOrder(node(), maker, [cancel(1, '0x01')])
    expect(await orderResult(node(), hash)).toMatchObject({ code: 0, actions: [{ code: 0 }] })
    expect(await client.getBalance({ address: maker.address })).toBe(before + 3_000n * BigInt(market.lot_size))
  })

  it('is refused with a code where it cannot be right', async () => {
    const ended = { ...(await chainTime(node())), height: -19 }
    const late = await signOrder(maker, [place({ market: 1, side: 'buy', priceTicks: 1, qtyLots: 1 })], ended)
    await expect(askJsonRpc(node().urls.http, 'clob_sendOrder', late)).rejects.toThrow('good_til_block 1 is past')
    await expect(
      sendOrder(node(), maker, [place({ market: 1, side: 'buy', priceTicks: 0, qtyLots: 1 })]),
    ).rejects.toThrow('price_ticks is missing: it is within 1 to 4294967295')
    await expect(
      sendOrder(node(), maker, [place({ market: 77, side: 'buy', priceTicks: 5, qtyLots: 1 })]),
    ).rejects.toThrow('no market that the order names is open')
    // What can only be known when its turn comes is a result.
    const { hash } = await sendOrder(node(), maker, [cancel(1, '0x77')])
    const unknown = await orderResult(node(), hash)
    expect(unknown.code).toBe(0)
    expect(unknown.actions[0]?.code).toBeGreaterThan(0)
  })

  it('is met by a contract, whose call the next block runs behind the batch', async () => {
    const client = createClient(node())
    const wallet = createWallet(node(), taker)
    const { quote_denom: quote, lot_size: lotSize } = market
    const value = 2_000n * BigInt(lotSize)
    const deployed = await wallet.deployContract({ ...TRADER, value })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployed })
    const address = contractAddress ?? taker.address
    const { hash } = await sendOrder(node(), maker, [
      place({ market: 1, side: 'buy', priceTicks: 990, qtyLots: 3_000, clientId: '0x03' }),
    ])
    expect(await orderResult(node(), hash)).toMatchObject({ code: 0, actions: [{ code: 0 }] })

    const trade = { address, abi: TRADER.abi, functionName: 'takeBest', args: [2, 2_000n], account: taker } as const
    // What is only simulated queues nothing: it has the first place of its block each time.
    for (let times = 0; times < 2; times++) expect((await client.simulateContract(trade)).result).toBe(0)
    const gas = await client.estimateContractGas(trade)
    const called = await wallet.writeContract({ ...trade, gas })
    const receipt = await client.waitForTransactionReceipt({ hash: called })
    expect(receipt).toMatchObject({ status: 'success', logs: [] })
    const height = Number(receipt.blockNumber)
    await node().untilHeight(height + 2)

    const queuing = await node().comet<BlockResults>(`block_results?height=${height}`)
    expect(queuing.txs_results?.flatMap(({ events }) => events.map(({ type }) => type))).toContain('order_queued')
    const { finalize_block_events: events } = await node().comet<BlockResults>(`block_results?height=${height + 1}`)
    const ours = events.filter(({ type }) => type === 'order_placed' || type === 'fill')
    expect(ours.map(({ type }) => type)).toEqual(['order_placed', 'fill'])
    const owner = ours[0]?.attributes.find(({ key }) => key === 'owner')?.value
    expect(owner).toBe(encodeBech32(hexToBytes(address)))
    expect(await client.getBalance({ address })).toBe(0n)
    const received = await balanceOf(owner ?? '', quote)
    expect(received).toBeGreaterThan((990n * 2_000n * BigInt(market.factor) * 99n) / 100n)

    const trace = await askJsonRpc<{ readonly gasUsed: string; readonly calls: readonly { readonly to: string }[] }>(
      node().urls.http,
      'debug_traceTransaction',
      called,
      { tracer: 'callTracer' },
    )
    expect(BigInt(trace.gasUsed)).toBe(receipt.gasUsed)
    expect(trace.calls.map(({ to }) => to)).toEqual([PRECOMPILE_ADDRESSES.clob, PRECOMPILE_ADDRESSES.clob])
    await orderResult(node(), (await sendOrder(node(), maker, [cancel(1, '0x03')])).hash)
  })

  it('may be paid in coins that a wallet sees as an ERC-20 contract', async () => {
    const client = createClient(node())
    const wallet = createWallet(node(), taker)
    const { quote_denom: quote } = market
    const register = { ...CONVERTER, functionName: 'registerView', args: [quote], account: taker } as const
    const registered = await wallet.writeContract({ ...register, gas: await client.estimateContractGas(register) })
    expect(await client.waitForTransactionReceipt({ hash: registered })).toMatchObject({ status: 'success' })
    const [address, isThere] = await client.readContract({ ...CONVERTER, functionName: 'viewOf', args: [quote] })
    expect(isThere).toBe(true)
    expect(await rest(`/nat/erc20/v1/views/${quote}`)).toEqual({
      view: { denom: quote, address: address.toLowerCase() },
      registered: true,
    })
    expect((await client.getCode({ address }))?.length).toBeGreaterThan(2)

    const token = { address, abi: erc20Abi } as const
    const held = (): Promise<readonly bigint[]> =>
      Promise.all(
        [maker, taker].map((owner) =>
          client.readContract({ ...token, functionName: 'balanceOf', args: [owner.address] }),
        ),
      )
    const before = await held()
    expect(before).toEqual(await Promise.all([maker, taker].map((owner) => balanceOf(owner.address, quote))))
    expect(await client.readContract({ ...token, functionName: 'symbol' })).not.toBe('')
    expect(await client.readContract({ ...token, functionName: 'decimals' })).toBeTypeOf('number')
    const supply = await rest<{ amount: { amount: string } }>(`/cosmos/bank/v1beta1/supply/by_denom?denom=${quote}`)
    expect(await client.readContract({ ...token, functionName: 'totalSupply' })).toBe(BigInt(supply.amount.amount))

    const transfer = { ...token, functionName: 'transfer', args: [maker.address, 77n], account: taker } as const
    const sent = await wallet.writeContract({ ...transfer, gas: await client.estimateContractGas(transfer) })
    const { status, logs, blockNumber } = await client.waitForTransactionReceipt({ hash: sent })
    expect(status).toBe('success')
    const moved = { eventName: 'Transfer', args: { from: taker.address, to: maker.address, value: 77n } }
    expect(parseEventLogs({ abi: erc20Abi, logs })).toMatchObject([moved])
    expect(await client.getContractEvents({ ...token, fromBlock: blockNumber, toBlock: blockNumber })).toMatchObject([
      moved,
    ])
    expect(await held()).toEqual([(before[0] ?? 0n) + 77n, (before[1] ?? 0n) - 77n])
  })

  it('may be paid in tokens of a contract, which a wallet deposits and withdraws', async () => {
    const client = createClient(node())
    const wallet = createWallet(node(), taker)
    const deployed = await wallet.deployContract({ abi: [], bytecode: TOKENS.bytecode.Honest })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployed })
    const address = contractAddress ?? taker.address
    const denom = `erc20/${address.toLowerCase()}`
    const calls = [
      { ...CONVERTER, functionName: 'registerToken', args: [address] },
      { address, abi: erc20Abi, functionName: 'approve', args: [CONVERTER.address, 500n] },
      { ...CONVERTER, functionName: 'deposit', args: [address, 500n, maker.address] },
    ] as const
    for (const call of calls) {
      const request = { ...call, account: taker } as never
      const gas = await client.estimateContractGas(request)
      const hash = await wallet.writeContract({ ...(call as object), gas } as never)
      expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    }
    expect(await balanceOf(maker.address, denom)).toBe(500n)
    expect(await rest(`/nat/erc20/v1/tokens/${denom}`)).toMatchObject({
      token: { address: address.toLowerCase(), denom, symbol: 'HON', decimals: 6, booked: '500', measured: '500' },
    })
    const { metadata } = await rest<{ metadata: object }>(`/cosmos/bank/v1beta1/denoms_metadata/${denom}`)
    expect(metadata).toMatchObject({ name: 'Honest Token', display: `${denom}/HON` })
    const back = { ...CONVERTER, functionName: 'withdraw', args: [address, 200n, taker.address] } as const
    const withdrawn = await createWallet(node(), maker).writeContract({ ...back, gas: 400_000n })
    const receipt = await client.waitForTransactionReceipt({ hash: withdrawn })
    expect(receipt).toMatchObject({ status: 'success' })
    expect(receipt.logs.map((log) => log.address)).toEqual([address.toLowerCase(), CONVERTER.address])
    expect(await client.readContract({ ...CONVERTER, functionName: 'coinsOf', args: [address, maker.address] })).toBe(
      300n,
    )

    // The token's code shows in traces below the precompile, and the gas of both is the transaction's.
    const trace = await askJsonRpc<{
      readonly gasUsed: string
      readonly calls: readonly { readonly to: string; readonly from: string }[]
    }>(node().urls.http, 'debug_traceTransaction', withdrawn, { tracer: 'callTracer' })
    expect(BigInt(trace.gasUsed)).toBe(receipt.gasUsed)
    expect(trace.calls.map(({ to }) => to)).toEqual([1, 2, 3].map(() => address.toLowerCase()))
  })

  it('is in the books again after the node was killed', async () => {
    const { hash } = await sendOrder(node(), maker, [
      place({ market: 1, side: 'sell', priceTicks: 1_050, qtyLots: 7_000, clientId: '0x02' }),
    ])
    await orderResult(node(), hash)
    const height = await node().height()
    node().kill('application')
    await node().untilHeight(height + 3)
    const buy = await sendOrder(node(), taker, [
      place({ market: 1, side: 'buy', priceTicks: 1_050, qtyLots: 7_000, tif: 'fok' }),
    ])
    expect(await orderResult(node(), buy.hash)).toMatchObject({ code: 0, actions: [{ code: 0, filledLots: 7_000 }] })
    const orders = await until('no open order', async () => {
      const reply = await rest<{ orders: readonly unknown[] }>(`/nat/clob/v1/owners/${maker.address}/orders`)
      return reply.orders?.length === 0 ? reply.orders : undefined
    })
    expect(orders).toEqual([])
  })

  it('has a history that is what the blocks of all heights say, also after a kill', async () => {
    expect(await expectHistory(node(), 1)).toBeGreaterThanOrEqual(3)
    await expectCharts(node())
    const owner = maker.address
    await expectPackageReads(node(), owner)
    await expectLive(node(), owner)
    expect(await expectBatches(node())).toBeGreaterThan(5)
    const byId = async (id: Hex) =>
      (await askJsonRpc<{ order: object }>(node().urls.http, 'clob_getOrderByClientId', { owner, client_id: id })).order
    expect(await byId('0x02')).toMatchObject({ lots: '7000', state: 'ORDER_STATE_FILLED', client_id: 'Ag==' })
    // Nobody sells so much: the placement fails, and never becomes an order.
    const failing = {
      market: 1,
      side: 'buy',
      priceTicks: 1_000,
      qtyLots: 900_000,
      tif: 'fok',
      clientId: '0x77',
    } as const
    const { hash } = await sendOrder(node(), maker, [place(failing)])
    const { actions, height } = await orderResult(node(), hash)
    const [{ code } = { code: 0 }] = actions
    expect(code).toBeGreaterThan(0)
    const rejected = await until('the history of the block', () => byId('0x77').catch(() => undefined))
    expect(rejected).toMatchObject({ state: 'ORDER_STATE_REJECTED', code, height: `${height}`, lots: '900000' })
    for (const [path, status] of [
      ['markets/77/trades', 404],
      ['markets/1/candles/61', 400],
      ['markets/1/trades?limit=501', 400],
      ['markets/1/trades?before=zz', 400],
      ['markets/1/orders/99999999/status', 404],
      [`owners/${owner}/client_ids/0x0102030405060708091011121314151617`, 400],
      ['owners/nobody/fills', 400],
    ] as const) {
      expect((await fetch(`${node().urls.rest}/nat/clob/v1/${path}`)).status, path).toBe(status)
    }
  })

  it.skipIf(python === undefined)('passes the audit of a stranger, with all the rest', async () => {
    const report = await auditAll(node())
    console.log(report.trim())
    expect(report).toMatch(/^ok blocks 2 to \d+: [1-9]\d* orders, [1-9]\d* fills, /)
  })
})
