/** Codes 15 and 40 to 99 of codespace `clob`: what becomes of a transaction of the order book, and of each of its actions. */
import type { ErrorEntry } from '../../../core/error-table.ts'

export const MATCHING_ENTRIES = {
  // Also the answer of a node that does not take the order: one code for one fault.
  signature: {
    code: 15,
    text: 'the signature is not that of the owner, or of the agent that the order names',
    cause:
      'Another key signed, or something else was signed: another chain id, another domain or scheme, or another ' +
      'transaction.',
    action:
      'Sign this very transaction for this chain, with the key of the agent, or of the owner where there is no agent.',
  },
  notInPlan: {
    code: 40,
    text: 'the body does not fit the id that the validators attested',
    cause: 'The transaction is not statically valid, or the block holds orders that no votes bind.',
    action: 'Send the order again.',
  },
  phase: {
    code: 41,
    text: 'the transaction belongs to another phase than the one it was attested for',
    cause: 'Validators attested the transaction in a phase that its actions do not have.',
    action: 'Send the order again.',
  },
  agent: {
    code: 43,
    text: 'the agent must not do this for the owner',
    cause: 'The owner has no such agent, the agent has expired, or an action is not among what it may do.',
    action: 'Set the agent with MsgSetAgent, and name only markets that it has.',
  },
  goodTilPassed: {
    code: 44,
    text: 'good_til_block has passed',
    cause: 'No block up to good_til_block could hold the transaction.',
    action: 'Send it again with a later good_til_block.',
  },
  goodTilFar: {
    code: 45,
    text: 'good_til_block is more than 40 blocks ahead',
    cause: 'The transaction would stay valid longer than its nonce is remembered.',
    action: 'Set good_til_block at most 40 blocks ahead of the next block.',
  },
  nonceTime: {
    code: 46,
    text: 'nonce_ms is more than 60 s from the time of the block',
    cause: 'The clock of the client is wrong, the transaction is old, or the chain has stood still.',
    action: "Take the nonce from the chain's time, and sign again.",
  },
  nonceUsed: {
    code: 47,
    text: 'the nonce is used',
    cause: 'A transaction of the same signer with the same nonce_ms has run.',
    action: 'Take another millisecond.',
  },
  tooManyActions: {
    code: 50,
    text: 'the account has no more actions in this block',
    cause: 'An account may have as many actions in a block as the parameters say, 400 by default.',
    action: 'Send it again in the next block.',
  },
  unknownMarket: {
    code: 51,
    text: 'no such market',
    cause: 'The action names a market that does not exist.',
    action: 'Ask for the markets.',
  },
  marketHalted: {
    code: 52,
    text: 'the market is halted',
    cause: 'Governance has halted the market: no action runs in it.',
    action: 'Wait until it is opened.',
  },
  cancelOnly: {
    code: 53,
    text: 'the market takes cancels only',
    cause: 'Governance lets nobody place orders in the market.',
    action: 'Cancel, or wait until the market is opened.',
  },
  postOnlyMarket: {
    code: 54,
    text: 'the market takes post-only orders only',
    cause: 'The order could take, which the status of the market does not allow.',
    action: 'Place a post-only order.',
  },
  notInUniform: {
    code: 55,
    text: 'the market clears once a block: no FOK, no triggers',
    cause: 'The market has one price for each block, for which such an order has no meaning.',
    action: 'Place a GTC, IOC or post-only order.',
  },
  amountTooLarge: {
    code: 56,
    text: 'the order is too large',
    cause: 'The product of lots, 2^32 and factor, or of lots and lot size, is 2^127 or more.',
    action: 'Place fewer lots.',
  },
  belowMinNotional: {
    code: 57,
    text: 'the order is worth less than the market takes',
    cause: 'Price x lots is below the least notional of the market.',
    action: 'Place more lots.',
  },
  outsideBand: {
    code: 58,
    text: 'the price is beyond the band of the market',
    cause: 'An order that can take has a price farther beyond the block price than the market allows.',
    action: 'Choose a price nearer to the block price.',
  },
  expired: {
    code: 59,
    text: 'the order has expired',
    cause: 'The time expire_s is not after the time of the block.',
    action: 'Choose a later time.',
  },
  marked: {
    code: 60,
    text: 'a later cancel refuses the order',
    cause: 'A cancel, a cancel-all or a replace with a greater nonce reached the chain first.',
    action: 'Place the order again, if it is still wanted.',
  },
  clientIdTaken: {
    code: 61,
    text: 'the client id is taken',
    cause: 'An open order of the same owner, subaccount and market has this client id.',
    action: 'Choose another client id, or replace that order.',
  },
  accountOrders: {
    code: 62,
    text: 'the account has too many open orders',
    cause: 'The parameters bound the open orders of an account.',
    action: 'Cancel some.',
  },
  accountMarketOrders: {
    code: 63,
    text: 'the account has too many open orders in this market',
    cause: 'The market bounds the open orders of an account.',
    action: 'Cancel some of this market.',
  },
  marketOrders: {
    code: 64,
    text: 'this side of the market is full of orders that lock at least as much',
    cause:
      'A side of a market holds at most 100,000 open orders. The one that locks least gives way, which would be this one.',
    action: 'Place a larger order, or one that does not rest.',
  },
  insufficientFunds: {
    code: 65,
    text: 'the account has too little to lock',
    cause: 'A buy locks its notional and the highest fee on it, a sell its lots of the base denomination.',
    action: 'Place a smaller order, or cancel others.',
  },
  wouldTake: {
    code: 66,
    text: 'a post-only order would take',
    cause: 'The price meets the other side of the book, and no price beside it is left to slide to.',
    action: 'Choose another price, or let it slide.',
  },
  cannotFill: {
    code: 67,
    text: 'the order cannot be filled at once',
    cause: 'What the order may meet does not fill all of a FOK order.',
    action: 'Place fewer lots, a better price, or more max_fills.',
  },
  orderNotFound: {
    code: 68,
    text: 'no such open order',
    cause: 'The owner has no open order of this id in the market. The cancel refuses one that is on its way.',
    action: 'Nothing, or ask for the open orders.',
  },
  tooManyFloors: {
    code: 69,
    text: 'the account has too many cancel-alls under way',
    cause: 'At most 16 cancel-alls of an account may have orders left to remove.',
    action: 'Wait some blocks, or cancel all of all markets.',
  },
  noOpenOrder: {
    code: 70,
    text: 'a switch needs an open order',
    cause: 'ScheduleCancel was sent by an account without open orders.',
    action: 'Place an order first.',
  },
  switchTime: {
    code: 71,
    text: 'the time of the switch is not within the next 24 hours',
    cause: 'The time at_ms is not after the time of the block, or more than 24 hours after it.',
    action: 'Choose a time in between.',
  },
  bookOrders: {
    code: 72,
    text: 'all markets are full, and this side of this market most of all, of orders that lock at least as much',
    cause:
      'All markets together hold at most 500,000 open orders. Of the longest side the one that locks least gives way, which would be this one.',
    action: 'Place a larger order, or one that does not rest.',
  },
  maxFillsMet: {
    code: 80,
    text: 'the order has met max_fills orders: what was left is cancelled',
    cause: 'An order meets at most max_fills others. What it filled stays filled.',
    action: 'Place what is left again, or more max_fills.',
  },
  selfTrade: {
    code: 81,
    text: "the order has met the owner's own: what was left is cancelled",
    cause: 'Its self-trade prevention says so. What it filled stays filled.',
    action: 'Nothing, or place it with another self-trade prevention.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>

export type MatchingError = keyof typeof MATCHING_ENTRIES

export const codeOf = (name: MatchingError): number => MATCHING_ENTRIES[name].code
