/** Tokens of a contract on a chain of two nodes: registered, deposited, traded for NAT by the order book, withdrawn, and exported. */
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeFunctionData, erc20Abi, getContractAddress, type Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { replayBlocks } from '../../app/replay.ts'
import { concatBytes, padLeft } from '../../core/bytes.ts'
import { bytesToBigint } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { readBalance } from '../../modules/bank/index.ts'
import { DEFAULT_CLOB_PARAMETERS, formatParameters } from '../../modules/clob/index.ts'
import { ERC20_ADDRESS, readAllowance, viewAddress } from '../../modules/erc20/index.ts'
import type { Place } from '../../modules/clob/orders/index.ts'
import { clobAbi, converterAbi, PRECOMPILE_ADDRESSES } from '../../packages/precompiles/index.ts'
import { abci, bankTx, erc20Query, erc20Tx, txService } from '../../proto/index.ts'
import { heavyNativeQuery } from '../../query/native.ts'
import { simulateBlocks } from '../../query/simulated-blocks/simulate-blocks.ts'
import { traceBlock } from '../../query/trace/trace-questions.ts'
import { exportText, forkWorld } from './fork.ts'
import { bech32Of, type Packed, signNative } from './native-transactions.ts'
import { makeTrader, type Trader, Traders, walletOf } from './orders/traders.ts'
import { openView } from './open-view.ts'
import { seeded } from './random.ts'
import { createSimulatedEngine, type SimNode } from './sim-node.ts'
import { signTransaction } from './traffic.ts'
import { checkInvariants, committedState, gossip, makeGenesis, makeWorld, pendingNonce, type World } from './world.ts'

const { bytecode } = JSON.parse(readFileSync(join(import.meta.dirname, '../erc20/contracts/tokens.json'), 'utf8')) as {
  readonly bytecode: { readonly Honest: Hex }
}

const [BUYER, SELLER] = [makeTrader('trader 0'), makeTrader('trader 1')]
const TOKEN = getContractAddress({ from: walletOf(BUYER).address, nonce: 0n }).toLowerCase() as Hex
const DENOM = `erc20/${TOKEN}`
const LOT = 10n ** 15n
const VIEWED = 'ibc/1234'
const PRICES = { maxFeePerGas: 40_000_000_000n, tip: 1_000_000_000n }

const MARKET = {
  ...{ id: 1, base_denom: 'anat', quote_denom: DENOM, lot_size: LOT.toString(), factor: '1' },
  settings: {
    ...{ fees: [{ volume: '0', maker_ppm: 0, taker_ppm: 0 }], min_notional: '1', band_ppm: 200_000, min_equity: '0' },
    ...{ max_open_orders: 200, trigger_notional: '1', status: 'MARKET_STATUS_ACTIVE', mode: 'MARKET_MODE_CONTINUOUS' },
  },
}

const pack = <Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): Packed => ({
  typeUrl: `/${schema.typeName}`,
  value: toBinary(schema, create(schema, init)),
})

/** Executes all blocks once more; what differs, or undefined. */
const replay = async ({ store, application }: SimNode) => {
  const { parameters, height: head } = application
  invariant(parameters !== undefined, 'the chain has begun')
  const environment = { clock: { nowMs: () => 0, wallMs: () => 0 }, yieldToEventLoop: () => Promise.resolve() }
  const [engine, from] = [await createSimulatedEngine(), parameters.initialHeight]
  return await replayBlocks({ store, parameters, head, engine, environment, from, to: head })
}

class Chain {
  readonly world: World
  readonly #traders: Traders

  constructor(world: World, traders: Traders) {
    this.world = world
    this.#traders = traders
  }

  get node(): SimNode {
    const [node] = this.world.nodes
    invariant(node !== undefined, 'a world has nodes')
    return node
  }

  /** Runs a transaction in the next block; gives its result. */
  async #run(raw: Uint8Array) {
    expect(gossip(this.world.nodes, raw)).toBe(true)
    const { response } = await this.world.driver.step()
    const result = response.transactionResults.at(-1)
    invariant(result !== undefined, 'the block has the transaction')
    const { events } = fromBinary(abci.ExecTxResultSchema, result.events)
    const { code, codespace, log, gasUsed } = result
    return { code, codespace, log, gasUsed, events: events.map(({ type }) => type) }
  }

  async native(account: PrivateKeyAccount, ...messages: readonly Packed[]) {
    const { chainId } = this.world.driver.setup
    const sequence = await pendingNonce(this.node, account)
    return this.#run(await signNative({ chainId, messages, signers: [{ account, sequence }], gas: 800_000n }))
  }

  /** Gas of a message that is not sent, as wallets ask for it. */
  async dryRun(account: PrivateKeyAccount, message: Packed): Promise<bigint> {
    const { chainId } = this.world.driver.setup
    const signers = [{ account, sequence: await pendingNonce(this.node, account) }]
    const txBytes = await signNative({ chainId, messages: [message], signers, gas: 800_000n })
    const { input, output, parent, name } = txService.Service.method.simulate
    const data = Buffer.from(toBinary(input, create(input, { txBytes }))).toString('base64')
    const view = await openView(this.node)
    try {
      const answer = heavyNativeQuery(view, { path: `/${parent.typeName}/${name}`, data, height: 0 })
      return fromBinary(output, Buffer.from(answer, 'base64')).gasInfo?.gasUsed ?? 0n
    } finally {
      view.close()
    }
  }

  /** Both in one block: a deposit by a native message, and behind it a transfer of what it left; as traces see the block. */
  async depositAndTransfer(account: PrivateKeyAccount, deposit: Packed, transfer: Hex) {
    const { driver, nodes } = this.world
    const sequence = await pendingNonce(this.node, account)
    const signers = [{ account, sequence }]
    const raw = await signNative({ chainId: driver.setup.chainId, messages: [deposit], signers, gas: 800_000n })
    const call = { to: TOKEN, data: transfer, nonce: sequence + 1, gas: 200_000n, ...PRICES }
    for (const each of [raw, await signTransaction(account, 2, call)]) expect(gossip(nodes, each)).toBe(true)
    const { block, response } = await driver.step()
    const view = await openView(this.node)
    try {
      const options = { tracer: { name: 'callTracer', onlyTopCall: false, withLog: true }, timeoutMs: 1_000 } as const
      const traces = JSON.parse(await traceBlock(view, { block: { number: block.height }, options })) as readonly {
        readonly result: { readonly gasUsed: string; readonly error?: string }
      }[]
      return { results: response.transactionResults, traces, receipts: view.reader.receipts(block.height) }
    } finally {
      view.close()
    }
  }

  async ethereum(account: PrivateKeyAccount, to: Hex | undefined, data: Hex) {
    const nonce = await pendingNonce(this.node, account)
    const call = { ...(to !== undefined && { to }), data, nonce, gas: 2_000_000n, ...PRICES }
    return this.#run(await signTransaction(account, 2, call))
  }

  /** Two blocks of calls that nobody sends, each a cancel and a deposit by the precompiles: what these return. */
  async simulateTwice({ address: from }: PrivateKeyAccount) {
    const view = await openView(this.node)
    const approve = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [PRECOMPILE_ADDRESSES.erc20, 7n],
    })
    const cancel = encodeFunctionData({ abi: clobAbi, functionName: 'cancelOrder', args: [1, 1n] })
    const deposit = encodeFunctionData({ abi: converterAbi, functionName: 'deposit', args: [TOKEN, 7n, from] })
    const calls = [
      { from, to: TOKEN, data: approve },
      { from, to: PRECOMPILE_ADDRESSES.clob, data: cancel },
      { from, to: PRECOMPILE_ADDRESSES.erc20, data: deposit },
    ]
    const block = { calls, blockOverrides: {}, stateOverrides: {} }
    try {
      const blocks = (await simulateBlocks(view, {
        ...{ block: { tag: 'latest' }, blocks: [block, block] },
        ...{ traceTransfers: false, validation: false, fullTransactions: false },
      })) as readonly { readonly calls: readonly { readonly returnData: Hex }[] }[]
      return blocks.map((each) => each.calls.slice(1).map(({ returnData }) => String(BigInt(returnData))))
    } finally {
      view.close()
    }
  }

  order(trader: Trader, side: Place['side'], priceTicks: number, qtyLots: number): void {
    const { driver, clock, nodes } = this.world
    const place: Place = {
      ...{ market: 1, side, priceTicks, qtyLots, clientId: new Uint8Array(0) },
      ...({ tif: 'gtc', stp: 'cancel_taker', triggerKind: 'none', postOnlyMode: 'reject' } as const),
      ...{ expireS: 0, triggerTicks: 0, maxFills: 0 },
    }
    const time = { height: driver.height + 1, wallMs: clock.wallMs ?? 0 }
    const { raw } = this.#traders.sign(trader, [{ kind: 'place', place }], time)
    expect(gossip(nodes, raw)).toBe(true)
  }

  coins(trader: Trader, denom = DENOM): bigint {
    return readBalance(committedState(this.node), trader.address, denom)
  }

  /** The tokens as the contract has them: the mapping is its first slot. */
  tokens(owner: Uint8Array): bigint {
    const slot = keccak256(concatBytes(padLeft(owner, 32), new Uint8Array(32)))
    return bytesToBigint(committedState(this.node).storage(hexToBytes(TOKEN), slot))
  }

  async token() {
    const { input, output } = erc20Query.Query.method.token
    const data = toBinary(input, create(input, { token: DENOM }))
    const path = '/nat.erc20.v1.Query/Token'
    const { value } = await this.node.application.abciQuery({ path, data, height: 0, prove: false })
    return fromBinary(output, value).token
  }
}

it(
  'a market trades NAT for tokens of a contract, and an export goes on with all of it',
  seeded(4_801, async (random) => {
    const accounts = [walletOf(BUYER), walletOf(SELLER)] as const
    const clob = { params: formatParameters(DEFAULT_CLOB_PARAMETERS), markets: [{ market: MARKET }] }
    const world = await makeWorld({
      ...{ random, accounts, extensionsFrom: 1, nodes: [{ name: 'a' }, { name: 'b' }] },
      appState: { ...makeGenesis(accounts, undefined), clob },
    })
    const chain = new Chain(world, new Traders(random, 2, 'localnat-1'))
    const [buyer, seller] = accounts
    await chain.ethereum(buyer, undefined, bytecode.Honest)
    const registered = await chain.native(
      buyer,
      pack(erc20Tx.MsgRegisterTokenSchema, { sender: bech32Of(buyer), token: TOKEN }),
    )
    expect(registered).toMatchObject({ code: 0, events: expect.arrayContaining(['erc20_token']) as string[] })
    const deposit = { sender: bech32Of(buyer), token: TOKEN, amount: '500000' }
    const wanted = await chain.dryRun(buyer, pack(erc20Tx.MsgDepositSchema, deposit))
    expect(await chain.native(buyer, pack(erc20Tx.MsgDepositSchema, deposit))).toMatchObject({
      ...{ code: 0, gasUsed: wanted },
      events: expect.arrayContaining(['evm_log', 'erc20_deposit']) as string[],
    })
    const tooMuch = { ...deposit, amount: '500001' }
    expect(await chain.native(buyer, pack(erc20Tx.MsgDepositSchema, tooMuch))).toMatchObject({
      ...{ code: 6, codespace: 'erc20', log: expect.stringContaining('refused to move 500001') as string },
    })
    // What the contract wrote goes with the message behind it.
    const more = pack(erc20Tx.MsgDepositSchema, { ...deposit, amount: '1000' })
    const all = {
      fromAddress: bech32Of(buyer),
      toAddress: bech32Of(seller),
      amount: [{ denom: DENOM, amount: '501001' }],
    }
    expect(await chain.native(buyer, more, pack(bankTx.MsgSendSchema, all))).toMatchObject({
      code: 5,
      codespace: 'sdk',
    })
    expect([chain.coins(BUYER), chain.tokens(ERC20_ADDRESS)]).toEqual([500_000n, 500_000n])

    // 100 lots of NAT at 2,000 units of the token each.
    const before = chain.coins(BUYER, 'anat')
    chain.order(SELLER, 'sell', 2_000, 100)
    for (let i = 0; i < 4; i++) await world.driver.step()
    chain.order(BUYER, 'buy', 2_000, 60)
    for (let i = 0; i < 4; i++) await world.driver.step()
    expect([chain.coins(BUYER), chain.coins(SELLER)]).toEqual([380_000n, 120_000n])
    expect(chain.coins(BUYER, 'anat')).toBe(before + 60n * LOT)

    const withdraw = { sender: bech32Of(seller), token: TOKEN, amount: '120000' }
    expect(await chain.native(seller, pack(erc20Tx.MsgWithdrawSchema, withdraw))).toMatchObject({ code: 0 })
    expect([chain.tokens(SELLER.address), chain.tokens(ERC20_ADDRESS)]).toEqual([120_000n, 380_000n])
    expect(await chain.token()).toMatchObject({ denom: DENOM, booked: '380000', measured: '380000', symbol: 'HON' })

    // A view, with an approval by an ordinary transaction.
    const view = pack(erc20Tx.MsgRegisterViewSchema, { sender: bech32Of(seller), denom: VIEWED })
    expect(await chain.native(seller, view)).toMatchObject({ code: 0 })
    const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [seller.address, 40n] })
    await chain.ethereum(buyer, bytesToHex(viewAddress(VIEWED)), approval)
    const take = encodeFunctionData({
      ...{ abi: erc20Abi, functionName: 'transferFrom' },
      args: [buyer.address, seller.address, 15n],
    })
    await chain.ethereum(seller, bytesToHex(viewAddress(VIEWED)), take)
    expect([chain.coins(BUYER, VIEWED), chain.coins(SELLER, VIEWED)]).toEqual([62n, 15n])
    checkInvariants(chain.node)

    const rest = chain.tokens(BUYER.address)
    const last = pack(erc20Tx.MsgDepositSchema, { ...deposit, amount: '1' })
    const transfer = encodeFunctionData({
      ...{ abi: erc20Abi, functionName: 'transfer' },
      args: [seller.address, rest - 1n],
    })
    const { results, traces, receipts } = await chain.depositAndTransfer(buyer, last, transfer)
    expect(results.slice(-2).map(({ code, log }) => [code, log])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(traces.map(({ result }) => [BigInt(result.gasUsed), result.error])).toEqual([
      [receipts[0]?.gasUsed, undefined],
    ])
    expect([chain.tokens(BUYER.address), chain.tokens(ERC20_ADDRESS)]).toEqual([0n, 380_001n])
    for (const node of world.nodes) expect(await replay(node)).toBeUndefined()

    // Each block of a simulation has the queue of contracts for itself, and two deposits stand on one another.
    expect(await chain.simulateTwice(seller)).toEqual([
      ['0', '7'],
      ['0', '7'],
    ])

    const { height } = chain.node.application
    const { erc20 } = JSON.parse(exportText(chain.node, height)) as { readonly erc20: object }
    expect(erc20).toMatchObject({
      tokens: [{ address: TOKEN, booked: '380001', measured: '380001', decimals: 6 }],
      views: [{ denom: VIEWED }],
      allowances: [{ denom: VIEWED, owner: buyer.address.toLowerCase(), amount: '25' }],
    })
    const fork = await forkWorld(world, height, [{ name: 'c' }, { name: 'd' }])
    const next = new Chain(fork, new Traders(random, 2, 'localnat-1'))
    const allowed = readAllowance(committedState(next.node), viewAddress(VIEWED), BUYER.address, SELLER.address)
    expect(allowed).toBe(25n)
    expect(
      await next.native(buyer, pack(erc20Tx.MsgWithdrawSchema, { ...withdraw, sender: bech32Of(buyer) })),
    ).toMatchObject({
      code: 0,
    })
    const send = { fromAddress: bech32Of(buyer), toAddress: bech32Of(seller), amount: [{ denom: DENOM, amount: '7' }] }
    expect(await next.native(buyer, pack(bankTx.MsgSendSchema, send))).toMatchObject({ code: 0 })
    expect([next.coins(SELLER), next.tokens(ERC20_ADDRESS)]).toEqual([7n, 260_001n])
    checkInvariants(next.node)
    await fork.close()
    await world.close()
  }),
)
