import {
  create,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { DescMessage } from '@bufbuild/protobuf'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import type { Hash } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { bankQuery, cometQuery } from '../../proto/index.ts'
import { accountAt, createClient, createWallet } from './clients.ts'
import { CHAIN_ID, until, useNode } from './harness.ts'

/** The ten accounts, and the stake of the validator. */
const SUPPLY = ((10n * 1_000_000n + 10n) * 10n ** 18n).toString()
const BALANCE = (1_000_000n * 10n ** 18n).toString()
/** Never spends in these tests. */
const rich = accountAt(7).address
const bech32 = encodeBech32(parseAccountAddress(rich))

const node = useNode()
let grpc: Client

const getRest = async (path: string): Promise<{ readonly status: number; readonly body: unknown }> => {
  const response = await fetch(`${node().urls.rest}${path}`)
  return { status: response.status, body: await response.json() }
}

/** One call over HTTP/2, encoded with the generated messages. */
const callGrpc = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): Promise<MessageShape<O>> =>
  new Promise((resolve, reject) => {
    grpc.makeUnaryRequest(
      `/${method.parent.typeName}/${method.name}`,
      (message: MessageShape<I>) => Buffer.from(toBinary(method.input, message)),
      (bytes: Buffer) => fromBinary(method.output, bytes),
      create(method.input, request),
      new Metadata(),
      (error, reply) => {
        if (error !== null || reply === undefined) reject(error ?? new TypeError('no reply'))
        else resolve(reply)
      },
    )
  })

interface CometBlock {
  readonly data: { readonly txs: readonly string[] }
}

const FLAGS = ['BLOCK_ID_FLAG_UNKNOWN', 'BLOCK_ID_FLAG_ABSENT', 'BLOCK_ID_FLAG_COMMIT', 'BLOCK_ID_FLAG_NIL']

/** CometBFT's JSON as REST writes it: bytes in base64, times without zeros at the end, flags by name, evidence left out. */
const toRest = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toRest)
  if (typeof value === 'string') {
    if (/^(?:[0-9A-F]{40}|[0-9A-F]{64})$/.test(value)) return Buffer.from(value, 'hex').toString('base64')
    return /^\d{4}-\d\d-\d\dT/.test(value) ? value.replace(/\.?0*Z$/, 'Z') : value
  }
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).flatMap(([key, member]) => {
    if (key === 'evidence') return []
    if (key === 'block_id_flag') return [[key, FLAGS[member as number] ?? member]]
    return [[key === 'parts' ? 'part_set_header' : key, toRest(member)]]
  })
  return Object.fromEntries(members) as unknown
}

beforeAll(() => {
  grpc = new Client(node().grpc, credentials.createInsecure())
})
afterAll(() => grpc?.close())

describe('REST', () => {
  it('tells of the node', async () => {
    expect(await getRest('/cosmos/base/tendermint/v1beta1/syncing')).toMatchObject({
      status: 200,
      body: { syncing: false },
    })
    expect(await getRest('/cosmos/base/tendermint/v1beta1/node_info')).toMatchObject({
      status: 200,
      body: { default_node_info: { network: CHAIN_ID, moniker: 'e2e' } },
    })
  })

  it('shows blocks as CometBFT has them', async () => {
    const height = await node().untilHeight(2)
    // REST is another process than JSON-RPC, and may hear of a block a moment later.
    await expect.poll(async () => (await getRest('/cosmos/base/tendermint/v1beta1/blocks/2')).status).toBe(200)
    const { body } = await getRest('/cosmos/base/tendermint/v1beta1/blocks/2')
    const comet = await node().comet<{ block: { header: Record<string, unknown> }; block_id: { hash: string } }>(
      'block?height=2',
    )
    const hash = Buffer.from(comet.block_id.hash, 'hex').toString('base64')
    expect(body).toMatchObject({ block_id: { hash }, block: { header: { chain_id: CHAIN_ID, height: '2' } } })
    // Protobuf's JSON writes fractions of three, six or nine digits.
    const { time } = (body as typeof comet).block.header
    expect(String(time).replace(/0+Z$/, 'Z')).toBe(comet.block.header['time'])
    const latest = (await getRest('/cosmos/base/tendermint/v1beta1/blocks/latest')).body
    expect(Number((latest as typeof comet).block.header['height'])).toBeGreaterThanOrEqual(height)
  })

  it('shows a block of many bytes, which it makes of its own transactions, as CometBFT has it', async () => {
    const wallet = createWallet(node(), accountAt(6))
    const client = createClient(node())
    const nonce = await client.getTransactionCount({ address: accountAt(6).address })
    // One of them makes a block long: a busy machine may give each a block of its own.
    const sent = Array.from({ length: 3 }, (_, index) =>
      wallet.sendTransaction({ to: rich, data: `0x${'5a'.repeat(100_000)}`, gas: 4_500_000n, nonce: nonce + index }),
    )
    const receipts = await Promise.all(
      (await Promise.all(sent)).map((hash) => client.waitForTransactionReceipt({ hash })),
    )
    const height = Number(receipts[0]?.blockNumber)
    const comet = toRest(await node().comet(`block?height=${height}`)) as { block_id: unknown; block: CometBlock }
    const { body } = await getRest(`/cosmos/base/tendermint/v1beta1/blocks/${height}`)
    expect(toRest(body)).toMatchObject({ block_id: comet.block_id, block: comet.block })
    expect((body as typeof comet).block.data.txs.length).toBeGreaterThan(1)
    const shown = (await getRest(`/cosmos/tx/v1beta1/txs/block/${height}?pagination.limit=1`)).body
    expect(toRest(shown)).toMatchObject({ block_id: comet.block_id, block: comet.block, txs: [{ body: {} }] })
    // The newest block has the commit that CometBFT has seen, and none behind it.
    const latest = await callGrpc(cometQuery.Service.method.getLatestBlock, {})
    expect(Number(latest.block?.lastCommit?.height)).toBe(Number(latest.block?.header?.height) - 1)
  })

  it.each([
    ['hex', rich],
    ['bech32', bech32],
  ])('shows balances of an address in %s', async (_form, address) => {
    const coin = { denom: 'anat', amount: BALANCE }
    const all = await getRest(`/cosmos/bank/v1beta1/balances/${address}`)
    expect(all).toMatchObject({ status: 200, body: { balances: [coin], pagination: { next_key: null, total: '1' } } })
    const one = await getRest(`/cosmos/bank/v1beta1/balances/${address}/by_denom?denom=anat`)
    expect(one).toEqual({ status: 200, body: { balance: coin } })
  })

  it('shows the supply', async () => {
    const coin = { denom: 'anat', amount: SUPPLY }
    expect((await getRest('/cosmos/bank/v1beta1/supply')).body).toMatchObject({ supply: [coin] })
    expect((await getRest('/cosmos/bank/v1beta1/supply/by_denom?denom=anat')).body).toEqual({ amount: coin })
  })

  it('refuses what is wrong, as the SDK does', async () => {
    expect(await getRest('/cosmos/bank/v1beta1/balances/nonsense')).toMatchObject({ status: 400, body: { code: 3 } })
    expect(await getRest('/cosmos/nothing/v1/here')).toMatchObject({ status: 501, body: { code: 12 } })
    expect(await getRest('/cosmos/base/tendermint/v1beta1/blocks/99999999')).toMatchObject({
      status: 400,
      body: { code: 3, message: 'requested block height is bigger than the chain length' },
    })
  })
})

describe('gRPC', () => {
  const { Query } = bankQuery
  const { Service } = cometQuery

  it('tells of the node and its blocks', async () => {
    expect((await callGrpc(Service.method.getSyncing, {})).syncing).toBe(false)
    const info = await callGrpc(Service.method.getNodeInfo, {})
    expect(info.defaultNodeInfo?.network).toBe(CHAIN_ID)
    const before = await node().height()
    const latest = await callGrpc(Service.method.getLatestBlock, {})
    expect(Number(latest.sdkBlock?.header?.height)).toBeGreaterThanOrEqual(before)
  })

  it('shows balances and the supply', async () => {
    const { balances } = await callGrpc(Query.method.allBalances, { address: bech32 })
    expect(balances).toMatchObject([{ denom: 'anat', amount: BALANCE }])
    const { amount } = await callGrpc(Query.method.supplyOf, { denom: 'anat' })
    expect(amount?.amount).toBe(SUPPLY)
  })

  it('refuses what is wrong with a code', async () => {
    await expect(callGrpc(Query.method.allBalances, { address: 'nonsense' })).rejects.toMatchObject({ code: 3 })
    await expect(callGrpc(Query.method.denomMetadata, { denom: 'nothing' })).rejects.toMatchObject({
      code: expect.toBeOneOf([5, 12]) as number,
    })
  })
})

describe("CometBFT's RPC", () => {
  interface QueryReply {
    readonly response: { readonly code?: number; readonly value?: string; readonly height?: string }
  }

  it('answers native queries by path, at a height', async () => {
    const request = toBinary(
      bankQuery.QueryAllBalancesRequestSchema,
      create(bankQuery.QueryAllBalancesRequestSchema, { address: bech32 }),
    )
    const route = `abci_query?path="/cosmos.bank.v1beta1.Query/AllBalances"&data=0x${Buffer.from(request).toString('hex')}`
    await node().untilHeight(2)
    for (const height of [0, 1]) {
      const { response } = await node().comet<QueryReply>(`${route}&height=${height}`)
      expect(response.code ?? 0).toBe(0)
      const value = Buffer.from(response.value ?? '', 'base64')
      const { balances } = fromBinary(bankQuery.QueryAllBalancesResponseSchema, value)
      expect(balances).toMatchObject([{ denom: 'anat', amount: BALANCE }])
    }
    const unknown = await node().comet<QueryReply>('abci_query?path="/nothing.Query/Here"')
    expect(unknown.response.code).toBeGreaterThan(0)
  })

  it('reports a height that rises with that of the EVM', async () => {
    interface Status {
      readonly node_info: { readonly network: string }
      readonly sync_info: { readonly latest_block_height: string; readonly catching_up: boolean }
    }
    const heights = async (): Promise<readonly number[]> => {
      const before = await node().height()
      const status = await node().comet<Status>('status')
      expect(status).toMatchObject({ node_info: { network: CHAIN_ID }, sync_info: { catching_up: false } })
      return [before, Number(status.sync_info.latest_block_height), await node().height()]
    }
    const [before = 0, native = 0, after = 0] = await heights()
    expect(native).toBeGreaterThanOrEqual(before)
    expect(native).toBeLessThanOrEqual(after + 1)
    await node().untilHeight(after + 1)
    const [, later = 0] = await heights()
    expect(later).toBeGreaterThan(native)
  })

  it('finds a transaction by its Ethereum hash', async () => {
    const to = accountAt(1).address
    const hash: Hash = await createWallet(node(), accountAt(0)).sendTransaction({ to, value: 1n })
    const { blockNumber } = await createClient(node()).waitForTransactionReceipt({ hash })
    interface Found {
      readonly txs: readonly { readonly height: string; readonly tx_result: { readonly gas_used: string } }[]
    }
    const search = encodeURIComponent(`"ethereum_tx.ethereumTxHash='${hash}'"`)
    // CometBFT indexes after the commit.
    const found = await until('the index', async () => {
      const { txs } = await node().comet<Found>(`tx_search?query=${search}`)
      return txs.length > 0 ? txs : undefined
    })
    expect(found).toMatchObject([{ height: blockNumber.toString(), tx_result: { gas_used: '21000' } }])
  })
})
