/**
 * Whether an owner has what the markets ask of those who trade there (`min_equity`): an open order, or funds in one of the first
 * markets that the actions of a transaction name. Each owner and market is looked at once for a state, and so is all else that every order asks.
 */
import type { Address } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { readBalance } from '../../modules/bank/index.ts'
import {
  type ClobParameters,
  type ClobTx,
  listMarkets,
  longestClobTx,
  type Market,
  marketOfAction,
  readParameters,
  readRecord,
} from '../../modules/clob/index.ts'
import type { StateReader } from '../../store/state.ts'
import { extensionCapBytes } from '../attestations/cap.ts'
import type { Rank } from './pooled-order.ts'
import type { OrderBookReader } from './ports.ts'

interface PricedMarket {
  readonly market: Market
  /** 0 before the first. */
  readonly blockPriceTicks: bigint
  /** What each owner has there, as far as somebody asked. */
  readonly standings: Map<string, MarketStanding>
}

/** What an owner has in a market. */
interface MarketStanding {
  readonly hasMinEquity: boolean
  /** Enough to place an order there, too. */
  readonly canTrade: boolean
}

const NOTHING: MarketStanding = { hasMinEquity: false, canTrade: false }
const MIN_EQUITY_ALONE: MarketStanding = { hasMinEquity: true, canTrade: false }
const BOTH: MarketStanding = { hasMinEquity: true, canTrade: true }

/**
 * Different markets of a transaction in which funds are looked for. Each takes two reads of state, for each of 40,000 orders and in
 * every block: actions that name fifty markets, or all, must not make a vote take seconds.
 */
const MARKETS_LOOKED_AT = 4

/** The most known owners of a market. Whoever sends under many names while no block comes must not fill the memory. */
const MAX_KNOWN_OWNERS = 50_000

export class Standings {
  readonly #state: StateReader
  readonly #books: OrderBookReader
  /** All that there are, by number; read when the first is asked for. */
  #markets: ReadonlyMap<number, PricedMarket> | undefined
  #parameters: ClobParameters | undefined
  #longestOrder: number | undefined

  constructor(state: StateReader, books: OrderBookReader) {
    this.#state = state
    this.#books = books
  }

  /** Whether votes attest the transaction. An open order is enough: whoever has one must be able to cancel it. */
  hasMinEquity(tx: ClobTx): boolean {
    // Where a market asks for nothing there is nothing to look at, and the first one says it of most transactions: a vote asks of 40,000.
    const [action] = tx.actions
    const first = action && this.#known().get(marketOfAction(action))
    if (first?.market.minEquity === 0n) return true
    const named = this.#named(tx)
    if (named.some(({ market }) => market.minEquity === 0n)) return true
    if (this.#books.hasOpenOrder(tx.owner, 0)) return true
    return named.some((priced) => this.#of(tx.owner, priced).hasMinEquity)
  }

  /**
   * How long a full pool keeps it. Coins that somebody merely has are his again in a minute, under the next name; an open order has
   * locked them, and is in danger of being filled.
   */
  rankOf(tx: ClobTx): Rank {
    if (this.#books.hasOpenOrder(tx.owner, 0)) return 2
    return this.#named(tx).some((priced) => this.#of(tx.owner, priced).canTrade) ? 1 : 0
  }

  get parameters(): ClobParameters {
    return (this.#parameters ??= readParameters(this.#state))
  }

  /** Bytes of the longest order that votes for block `height` can attest: that of the state's next block. */
  longestOrder(height: number): number {
    return (this.#longestOrder ??= longestClobTx(extensionCapBytes(this.#state, height)))
  }

  /** Undefined where there is none of this number. */
  market(id: number): Market | undefined {
    return this.#known().get(id)?.market
  }

  #known(): ReadonlyMap<number, PricedMarket> {
    return (this.#markets ??= readMarkets(this.#state))
  }

  /** The first different markets that the actions name, in their order; 0 names all of them by number. */
  #named({ actions }: ClobTx): readonly PricedMarket[] {
    const markets = this.#known()
    const found = new Set<PricedMarket>()
    for (const action of actions) {
      const id = marketOfAction(action)
      const named = id === 0 ? markets.values() : [markets.get(id)]
      for (const priced of named) {
        if (priced !== undefined) found.add(priced)
        if (found.size === MARKETS_LOOKED_AT) return [...found]
      }
    }
    return [...found]
  }

  #of(owner: Address, priced: PricedMarket): MarketStanding {
    const { standings } = priced
    const key = bytesToKey(owner)
    const known = standings.get(key)
    if (known !== undefined) return known
    if (standings.size >= MAX_KNOWN_OWNERS) standings.clear()
    const standing = this.#look(owner, priced)
    standings.set(key, standing)
    return standing
  }

  /** The standing of somebody without open orders, so that there is no escrow. */
  #look(owner: Address, { market, blockPriceTicks }: PricedMarket): MarketStanding {
    const { minEquity, minNotional } = market
    const quote = readBalance(this.#state, owner, market.quoteDenom)
    // Often one balance is enough to know.
    if (quote > 0n && quote >= minEquity && quote >= minNotional) return BOTH
    const base = readBalance(this.#state, owner, market.baseDenom)
    // Before the first price nobody knows what base is worth, and somebody must be able to sell it.
    if (blockPriceTicks === 0n && base > 0n) return BOTH
    const equity = quote + (base / market.lotSize) * blockPriceTicks * market.factor
    if (equity < minEquity) return NOTHING
    return equity > 0n && equity >= minNotional ? BOTH : MIN_EQUITY_ALONE
  }
}

const readMarkets = (state: StateReader): ReadonlyMap<number, PricedMarket> =>
  new Map(
    listMarkets(state).map((market) => {
      const blockPriceTicks = BigInt(readRecord(state, market.id)?.blockPriceTicks ?? 0)
      return [market.id, { market, blockPriceTicks, standings: new Map() }]
    }),
  )
