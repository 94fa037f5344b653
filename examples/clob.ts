/**
 * Trades on the order book with packages/clob: reads the market over REST, signs orders as typed data (EIP-712), sends them, and
 * finds the fill. Run "make devnet", then `node examples/clob.ts`. RPC_URL, REST_URL, COMET_URL, MAKER_KEY and PRIVATE_KEY override the
 * devnet's. In a page `signer` is the wallet's client: it signs by `eth_signTypedData_v4`.
 */
import { createPublicClient, formatUnits, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { clobActions } from '../packages/clob/index.ts'

const rpcUrl = process.env['RPC_URL'] ?? 'http://localhost:8545'
const restUrl = process.env['REST_URL'] ?? 'http://localhost:1317'
const cometUrl = process.env['COMET_URL'] ?? 'http://localhost:26657'
// Two accounts of the devnet: everyone knows these keys. Nobody trades with himself.
const makerKey = process.env['MAKER_KEY'] ?? '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const takerKey = process.env['PRIVATE_KEY'] ?? '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'

const ask = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T

interface NodeInfo {
  readonly default_node_info: { readonly network: string }
}
const nodeInfo = await ask<NodeInfo>(`${restUrl}/cosmos/base/tendermint/v1beta1/node_info`)
const chainId = nodeInfo.default_node_info.network
const client = createPublicClient({ transport: http(rpcUrl) }).extend(clobActions({ nativeChainId: chainId }))

type Sent = Promise<{ readonly hash: Hex }>
/** Signs an order for the next twenty blocks and sends it. */
const send = (key: string, side: 'buy' | 'sell', tif: 'gtc' | 'ioc'): Sent =>
  client.placeOrder({
    ...{ market: 1, side, priceTicks: 1_000, qtyLots: 5_000, tif },
    signer: privateKeyToAccount(key as Hex),
  })

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
const resultOf = async ({ hash }: Awaited<Sent>) => {
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
const sell = await resultOf(await send(makerKey, 'sell', 'gtc'))
console.log(`order ${sell.eventOf('order_placed')['order_seq']} rests since block ${sell.height}`)
const { record } = await ask<{ readonly record: { readonly best_ask_ticks: number } }>(
  `${restUrl}/nat/clob/v1/markets/1/record`,
)
console.log(`best ask: ${record.best_ask_ticks} ticks`)

const bid = await send(takerKey, 'buy', 'ioc')
const buy = await resultOf(bid)
const fill = buy.eventOf('fill')
console.log(`bought ${formatUnits(BigInt(fill['lots'] ?? 0) * lot, 18)} NAT in block ${buy.height}: ${bid.hash}`)
console.log(`fill: ${JSON.stringify(fill)}`)
