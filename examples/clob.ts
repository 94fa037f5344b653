/**
 * Trades on the order book with viem: reads the market over REST, signs orders as typed data (EIP-712), sends them, and finds
 * the fill. Run "make devnet", then `node examples/clob.ts`. RPC_URL, REST_URL, COMET_URL, MAKER_KEY and PRIVATE_KEY override the
 * devnet's. In a page `account.signTypedData` is `eth_signTypedData_v4` of the wallet.
 */
import {
  createPublicClient,
  formatUnits,
  type Hex,
  http,
  type PrivateKeyAccount,
  rpcSchema,
  sha256,
  toBytes,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const rpcUrl = process.env['RPC_URL'] ?? 'http://localhost:8545'
const restUrl = process.env['REST_URL'] ?? 'http://localhost:1317'
const cometUrl = process.env['COMET_URL'] ?? 'http://localhost:26657'
// Two accounts of the devnet: everyone knows these keys. Nobody trades with himself.
const makerKey = process.env['MAKER_KEY'] ?? '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const takerKey = process.env['PRIVATE_KEY'] ?? '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'

const types = {
  ClobTx: [
    { name: 'owner', type: 'address' },
    { name: 'agent', type: 'address' },
    { name: 'subaccount', type: 'uint32' },
    { name: 'nonceMs', type: 'uint64' },
    { name: 'goodTilBlock', type: 'uint32' },
    { name: 'actions', type: 'Action[]' },
  ],
  Action: [
    { name: 'kind', type: 'string' },
    { name: 'market', type: 'uint32' },
    { name: 'side', type: 'string' },
    { name: 'priceTicks', type: 'uint64' },
    { name: 'qtyLots', type: 'uint64' },
    { name: 'tif', type: 'string' },
    { name: 'stp', type: 'string' },
    { name: 'clientId', type: 'bytes' },
    { name: 'expireS', type: 'uint64' },
    { name: 'triggerTicks', type: 'uint64' },
    { name: 'triggerKind', type: 'string' },
    { name: 'maxFills', type: 'uint32' },
    { name: 'postOnlyMode', type: 'string' },
    { name: 'targetClientId', type: 'bytes' },
    { name: 'targetSeq', type: 'uint64' },
    { name: 'keepPriority', type: 'bool' },
    { name: 'atMs', type: 'uint64' },
  ],
} as const

/** A limit order. Every kind of action has all members: those that it lacks are empty. */
const limitOrder = (side: 'buy' | 'sell', priceTicks: bigint, qtyLots: bigint, tif: 'gtc' | 'ioc') => ({
  ...{ kind: 'place', market: 1, side, priceTicks, qtyLots, tif, stp: 'cancel_maker', clientId: '0x' as Hex },
  ...{ expireS: 0n, triggerTicks: 0n, triggerKind: 'none', maxFills: 0, postOnlyMode: 'reject' },
  ...{ targetClientId: '0x' as Hex, targetSeq: 0n, keepPriority: false, atMs: 0n },
})

type Schema = [{ Method: 'clob_sendOrder'; Parameters: [{ message: object; signature: Hex }]; ReturnType: Hex }]
const client = createPublicClient({ transport: http(rpcUrl), rpcSchema: rpcSchema<Schema>() })
const ask = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T

interface NodeInfo {
  readonly default_node_info: { readonly network: string }
}
const nodeInfo = await ask<NodeInfo>(`${restUrl}/cosmos/base/tendermint/v1beta1/node_info`)
const chainId = nodeInfo.default_node_info.network
const domain = { name: 'nat clob', version: '1', chainId: await client.getChainId(), salt: sha256(toBytes(chainId)) }

/** Signs an order for the next twenty blocks and sends it. */
const send = async (account: PrivateKeyAccount, action: ReturnType<typeof limitOrder>): Promise<Hex> => {
  const { number, timestamp } = await client.getBlock()
  const message = {
    owner: account.address,
    agent: '0x0000000000000000000000000000000000000000',
    subaccount: 0,
    // Used once by each signer, and within 60 seconds of the chain's time.
    nonceMs: timestamp * 1_000n + BigInt(Date.now() % 1_000),
    goodTilBlock: Number(number) + 20,
    actions: [action],
  } as const
  const signature = await account.signTypedData({ domain, types, primaryType: 'ClobTx', message })
  return await client.request({ method: 'clob_sendOrder', params: [{ message, signature }] })
}

interface Event {
  readonly type: string
  readonly attributes: readonly { readonly key: string; readonly value: string }[]
}
interface Included {
  /** Absent until a block has the transaction. */
  readonly result?: {
    readonly height: string
    readonly tx_result: { readonly code: number; readonly log: string; readonly events: readonly Event[] }
  }
}

/** What a block made of an order: its height, and the attributes of its first event of a type. */
const resultOf = async (hash: Hex) => {
  let { result } = await ask<Included>(`${cometUrl}/tx?hash=${hash}`)
  while (result === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    result = (await ask<Included>(`${cometUrl}/tx?hash=${hash}`)).result
  }
  const { code, log, events } = result.tx_result
  if (code !== 0) throw new TypeError(`code ${code}: ${log}`)
  const eventOf = (type: string): Record<string, string> => {
    const { attributes = [] } = events.find((event) => event.type === type) ?? {}
    return Object.fromEntries(attributes.map(({ key, value }) => [key, value]))
  }
  return { height: result.height, eventOf }
}

interface Market {
  readonly base_denom: string
  readonly quote_denom: string
  readonly lot_size: string
}
const { market } = await ask<{ readonly market: Market }>(`${restUrl}/nat/clob/v1/markets/1`)
const lot = BigInt(market.lot_size)
console.log(`market 1: ${market.base_denom} for ${market.quote_denom}, lots of ${lot}`)

// A price of 1,000 ticks is 1,000 x factor of quote a lot.
const sell = await resultOf(await send(privateKeyToAccount(makerKey as Hex), limitOrder('sell', 1_000n, 5_000n, 'gtc')))
console.log(`order ${sell.eventOf('order_placed')['order_seq']} rests since block ${sell.height}`)
const { record } = await ask<{ readonly record: { readonly best_ask_ticks: number } }>(
  `${restUrl}/nat/clob/v1/markets/1/record`,
)
console.log(`best ask: ${record.best_ask_ticks} ticks`)

const hash = await send(privateKeyToAccount(takerKey as Hex), limitOrder('buy', 1_000n, 5_000n, 'ioc'))
const buy = await resultOf(hash)
const fill = buy.eventOf('fill')
console.log(`bought ${formatUnits(BigInt(fill['lots'] ?? 0) * lot, 18)} NAT in block ${buy.height}: ${hash}`)
console.log(`fill: ${JSON.stringify(fill)}`)
