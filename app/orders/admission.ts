/** What an order must be so that this node keeps it and tells others of it. A block judges anew: none of this is a rule of validity. */
import type { Address } from '../../core/address.ts'
import { readBalance } from '../../modules/bank/index.ts'
import {
  type Action,
  type ClobBody,
  clobError,
  type ClobTx,
  doesRest,
  marketOfAction,
  MAX_BLOCKS_AHEAD,
  NONCE_WINDOW_MS,
  readAgent,
} from '../../modules/clob/index.ts'
import type { OrderPool } from './pool.ts'
import type { PooledOrder } from './pooled-order.ts'
import type { OrdersHead } from './ports.ts'
import type { Standings } from './standing.ts'

const MS_PER_SECOND = 1_000

/** Decoded once for a head: every order asks. */
type Markets = Pick<Standings, 'market' | 'parameters'>

/** How much before its time an order is taken. */
export interface Earliness {
  readonly blocks: number
  readonly ms: number
}

/** A client is told at once that an order is too early. */
export const ON_TIME: Earliness = { blocks: 0, ms: 0 }
/**
 * Peers may be a block or two ahead of this node, and their clocks too. CometBFT brings an order once: what is refused then stays
 * missing here, and at every block that this node proposes. It waits in the pool for its time.
 */
export const A_LITTLE_EARLY: Earliness = { blocks: 2, ms: 2_000 }

/** The time after which an order's nonce is too early for the block after one of this time; the chain's time is behind after a halt. */
export const latestNonceMs = (timeMs: number, wallMs: number): number => Math.max(timeMs, wallMs) + NONCE_WINDOW_MS

/** The last good_til_block that the block after one of this height takes. */
export const lastGoodTilBlock = (height: number): number => height + 1 + MAX_BLOCKS_AHEAD

/** Whether its time has come and not gone. Throws clob/124 to clob/127. */
export const checkTerms = (
  { goodTilBlock, nonceMs }: ClobTx,
  head: OrdersHead,
  wallMs: number,
  early: Earliness,
): void => {
  const { height, timeMs } = head
  if (goodTilBlock < height) {
    throw clobError('poolExpired', `good_til_block ${goodTilBlock} is past: the next block is ${height}`)
  }
  // The vote that attests it comes a block before it.
  const last = lastGoodTilBlock(height) + early.blocks
  if (goodTilBlock > last) throw clobError('poolTooFarAhead', `good_til_block ${goodTilBlock} is above ${last}`)
  if (nonceMs < timeMs - NONCE_WINDOW_MS) {
    throw clobError('poolNonceStale', `nonce_ms ${nonceMs} is more than 60 s before the time of the chain, ${timeMs}`)
  }
  const latest = latestNonceMs(timeMs, wallMs) + early.ms
  if (nonceMs > latest) throw clobError('poolNonceAhead', `nonce_ms ${nonceMs} is above ${latest}`)
}

/** Checks the account with the signer that the signature shows. Throws clob/15 and clob/128 to clob/135. */
export const checkAccount = ({ tx }: ClobBody, signer: Address, head: OrdersHead, markets: Markets): void => {
  if (tx.agent !== undefined) checkAgent(tx, tx.agent, head)
  if (head.books.isNonceUsed(signer, tx.nonceMs)) {
    throw clobError('poolNonceUsed', `nonce_ms ${tx.nonceMs} of this signer is used`)
  }
  checkLimits(tx, head, markets)
  checkFunds(tx, head, markets)
}

const checkAgent = ({ owner, actions }: ClobTx, address: Address, { state, timeMs }: OrdersHead): void => {
  const agent = readAgent(state, owner, address)
  if (agent === undefined || agent.expireS * MS_PER_SECOND <= timeMs) {
    throw clobError('poolAgent', 'the signer is no agent of the owner, or no longer')
  }
  const { markets } = agent
  if (markets.length === 0) return
  const refused = actions.map(marketOfAction).find((market) => !markets.includes(market))
  if (refused === 0) throw clobError('poolAgent', 'the agent may not act on all markets')
  if (refused !== undefined) throw clobError('poolAgent', `the agent may not act on market ${refused}`)
}

/** Which of the owner's bodies leave for this one. Throws clob/130 where it is the last of more than can run before all of them have ended. */
export const leavingFor = (
  body: ClobBody,
  pool: Pick<OrderPool, 'leavingFor'>,
  markets: Markets,
): readonly PooledOrder[] => {
  const most = markets.parameters.maxActions * MAX_BLOCKS_AHEAD
  const leaving = pool.leavingFor(body, most)
  if (leaving === undefined) throw clobError('poolActions', `the owner has more than ${most} actions waiting`)
  return leaving
}

const checkLimits = ({ owner, actions }: ClobTx, head: OrdersHead, markets: Markets): void => {
  const { maxOpenOrders } = markets.parameters
  const isFull = head.books.openOrderCount(owner) >= maxOpenOrders
  // What does not rest needs no room, unless its market is cleared at once (docs/clob-spec.md, Actions).
  const needsRoom = (action: Action): boolean =>
    action.kind === 'place' && (doesRest(action.place) || markets.market(action.place.market)?.mode === 'uniform')
  if (isFull && actions.every(needsRoom)) {
    throw clobError('poolOpenOrders', `the owner has ${maxOpenOrders} open orders, the most that there may be`)
  }
}

/**
 * Softly: what earlier orders of the same block give back or bring is not known. It is refused where the owner has nothing
 * open, every action places, and none of them is paid for.
 */
const checkFunds = ({ owner, actions }: ClobTx, { state, books }: OrdersHead, markets: Markets): void => {
  let anyMarket = false
  for (const action of actions) {
    // A Replace binds like a Cancel, whatever becomes of its Place.
    if (action.kind !== 'place') return
    const { place } = action
    const market = markets.market(place.market)
    if (market === undefined || market.status === 'halted') continue
    anyMarket = true
    const lots = BigInt(place.qtyLots)
    const [denom, needed] =
      place.side === 'buy'
        ? [market.quoteDenom, BigInt(place.priceTicks) * lots * market.factor]
        : [market.baseDenom, lots * market.lotSize]
    if (readBalance(state, owner, denom) >= needed) return
  }
  if (!anyMarket) throw clobError('poolMarket', 'no market that the order names is open')
  if (books.openOrderCount(owner) > 0) return
  throw clobError('poolFunds', 'the owner has less than any of the orders locks')
}
