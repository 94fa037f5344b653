/**
 * Takes from both sides of a market with packages/clob: keeps a local book, buys at the best ask, then sells at the best bid, and
 * follows its own fills. Run "make devnet", `node examples/market-maker.ts`, then `node examples/taker.ts`. WS_URL, REST_URL,
 * PRIVATE_KEY and MARKET override what it takes of the devnet.
 */
import { createPublicClient, type Hex, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { clobActions, LocalBook, type OwnOrdersUpdate } from '../packages/clob/index.ts'

const wsUrl = process.env['WS_URL'] ?? 'ws://localhost:8546'
const restUrl = process.env['REST_URL'] ?? 'http://localhost:1317'
// The second account of the devnet: everyone knows this key.
const key = process.env['PRIVATE_KEY'] ?? '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const market = Number(process.env['MARKET'] ?? 2)
const LOTS = 10

const info = (await (await fetch(`${restUrl}/cosmos/base/tendermint/v1beta1/node_info`)).json()) as {
  readonly default_node_info: { readonly network: string }
}
const signer = privateKeyToAccount(key as Hex)
const client = createPublicClient({ transport: webSocket(wsUrl) }).extend(
  clobActions({ nativeChainId: info.default_node_info.network, signer }),
)

const failed = Promise.withResolvers<never>()
const book = new LocalBook(market)
/** Called with each block of the book and of the own orders, until it answers true. */
let onBook = (): boolean => false
let onOwn = (_: OwnOrdersUpdate): boolean => false

const stopBook = client.watchBook({
  market,
  onUpdate: (update) => {
    book.apply(update)
    onBook()
  },
  onError: failed.reject,
})
const stopOwn = client.watchOwnOrders({
  owner: signer.address,
  onUpdate: (update) => {
    onOwn(update)
  },
  onError: failed.reject,
})

const untilBook = (isSo: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    onBook = () => {
      const done = isSo()
      if (done) resolve()
      return done
    }
    if (book.isReady) onBook()
  })

/** Sends an order that never rests, and waits for the block that has it. */
const take = async (side: 'buy' | 'sell'): Promise<void> => {
  const levels = () => (side === 'buy' ? book.asks : book.bids)
  await untilBook(() => levels().length > 0)
  const best = levels()[0]?.priceTicks ?? 0
  // It pays up to one percent more where others were faster.
  const bound = side === 'buy' ? Math.ceil(best * 1.01) : Math.floor(best * 0.99)
  const told = new Promise<OwnOrdersUpdate>((resolve) => {
    onOwn = (update) => {
      const isTold = update.records.length > 0 || update.rejected.length > 0
      if (isTold) resolve(update)
      return isTold
    }
  })
  const order = { market, side, priceTicks: bound, qtyLots: LOTS, tif: 'ioc' } as const
  const { goodTilBlock } = await client.placeOrder({ ...order, head: book })
  const tooLate = untilBook(() => book.height > goodTilBlock).then(() => undefined)
  const update = await Promise.race([told, tooLate])
  if (update === undefined) throw new TypeError(`no block up to ${goodTilBlock} has the order`)
  for (const { code, reason } of update.rejected) throw new TypeError(`code ${code}: ${reason}`)
  for (const { fill } of update.records) {
    if (fill === undefined) continue
    const verb = side === 'buy' ? 'bought' : 'sold'
    console.log(`${verb} ${fill.lots} lots at ${fill.priceTicks} ticks in block ${update.height}, fee ${fill.takerFee}`)
  }
}

const { items: markets } = await client.getMarkets()
const { baseDenom = '', quoteDenom = '', lotSize = 0n } = markets.find(({ id }) => id === market) ?? {}
console.log(`market ${market}: ${baseDenom} for ${quoteDenom}, lots of ${lotSize}`)

const takeBoth = async (): Promise<void> => {
  await take('buy')
  await take('sell')
}
await Promise.race([takeBoth(), failed.promise])
console.log(`book at block ${book.height}: ${book.bids.length} bid, ${book.asks.length} ask, sequence ${book.sequence}`)
stopBook()
stopOwn()
;(await client.transport.getRpcClient()).close()
