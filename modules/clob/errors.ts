/** The codes of the order book. Those of a transaction's result are part of the protocol: LastResultsHash covers them. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'
import { MATCHING_ENTRIES } from './matching/error-entries.ts'

export const CLOB_ERRORS = errorTable(
  'clob',
  'Transactions of the order book: as answers of a broadcast, as codes of a transaction, and as codes of each of its actions.',
  {
    // Codes 1 to 19 are those of static validity, which the bytes alone show, and of the signature.
    wireForm: {
      code: 1,
      text: 'a transaction of the order book has 2 to 4096 bytes and begins with 0x70; this one has ... bytes',
      cause: 'The transaction is too long, or it belongs to another family.',
      action: 'Write the byte 0x70 and the ClobTx behind it; put fewer actions into it.',
    },
    encoding: {
      code: 2,
      text: 'not the canonical encoding: ...',
      cause:
        'The bytes end too early, or hold unknown fields, fields out of order or written twice, default values, or ' +
        'integers that are longer than they need to be.',
      action: 'Encode the ClobTx with a library that leaves out default values and writes fields in ascending order.',
    },
    version: {
      code: 3,
      text: 'the version of a ClobTx is 1, not ...',
      cause: 'The transaction is of a version that this chain does not have.',
      action: 'Write version 1.',
    },
    addressBytes: {
      code: 4,
      text: '... has 20 bytes, not ... | the agent is the zero address',
      cause: 'The owner or the agent is no address.',
      action: 'Write 20 bytes. Leave the agent out where there is none.',
    },
    range: {
      code: 5,
      text: '... is not within 0 to ... | ... is missing: it is within 1 to ...',
      cause: 'A value is out of its range, as docs/clob-spec.md has it.',
      action: 'Write a value within the range.',
    },
    actionCount: {
      code: 6,
      text: 'a ClobTx has 1 to 50 actions | an action is empty',
      cause: 'There are no actions or too many of them, or one says nothing.',
      action: 'Write 1 to 50 actions.',
    },
    target: {
      code: 7,
      text: 'a target is a client id of 1 to 16 bytes or an order_seq from 1',
      cause: 'A Cancel or a Replace does not say which order it means.',
      action: 'Name the order by its client id or by its order_seq.',
    },
    replaceMarkets: {
      code: 8,
      text: 'a Replace is of one market, not of ... and ... | a Replace has a ...',
      cause: 'The order that is replaced and the one in its place are of two markets, or one of them is missing.',
      action: 'Write both of one market, or a Cancel and a Place.',
    },
    trigger: {
      code: 9,
      text: 'trigger_ticks stand with a trigger_kind, and a trigger_kind with trigger_ticks',
      cause: 'Only one of both is written.',
      action: 'Write both, or neither.',
    },
    expiry: {
      code: 10,
      text: 'expire_s stands with GTC and POST_ONLY only',
      cause: 'The order cannot rest, so that it cannot expire.',
      action: 'Leave expire_s out.',
    },
    reserved: {
      code: 11,
      text: 'builder, builder_fee_ppm and group are reserved',
      cause: 'The Place has a field that is kept for later.',
      action: 'Leave the field out.',
    },
    clientIdBytes: {
      code: 12,
      text: 'a client id has at most 16 bytes, not ...',
      cause: 'The client id of a Place is too long.',
      action: 'Write at most 16 bytes.',
    },
    signatureForm: {
      code: 13,
      text: 'a signature is 65 bytes: r, s of at most half the order of secp256k1, v of 0 or 1',
      cause: 'The signature has another form: a high s, a v of 27 or 28, or zeros.',
      action: 'Take 27 from v; for a high s write the order less s, and the other v.',
    },
    txWeight: {
      code: 14,
      text: 'the weight of a ClobTx is at most 1000, not ...',
      cause: 'Its actions together may take too many orders.',
      action: 'Write fewer actions, or lower max_fills.',
    },
    typedMessage: {
      code: 16,
      text: '... is no ...',
      cause: 'The JSON of a signed order is not the message of its typed data.',
      action: 'Send the message that was signed, as docs/clob-spec.md has it, with its signature.',
    },
    // 20 to 39: messages of governance and of owners, as results of native transactions.
    marketDenoms: {
      code: 20,
      text: 'a market has two different denominations, not ... and ... | ... is no denomination | nobody has any ...',
      cause: 'A denomination is malformed or does not exist, or base and quote are the same.',
      action: 'Name two denominations that have a supply.',
    },
    marketSizes: {
      code: 21,
      text: '... must be an integer from ... to ..., not ...',
      cause: 'The lot size or the factor of a market is out of its range. Neither can be changed later.',
      action: 'Choose sizes so that one tick of one lot is worth at least one smallest unit of quote.',
    },
    marketFees: {
      code: 22,
      text: 'fees: ...',
      cause:
        'The tiers of a market do not ascend from volume 0, a fee is 10% or more, or the rebate of one tier is no less than ' +
        'the fee of another.',
      action: 'Write 1 to 16 tiers by volume, and lower the rebates.',
    },
    marketSettings: {
      code: 23,
      text: '... must be from ... to ..., not ... | settings are missing | ... is no status | ... is no mode',
      cause: 'A setting of a market is missing or out of its range.',
      action: 'Write all settings, each within its range.',
    },
    tooManyMarkets: {
      code: 24,
      text: 'there are 256 markets already',
      cause: 'Every market is a book in the memory of every node, and none is ever removed.',
      action: 'Use a market that is there.',
    },
    noMarket: {
      code: 25,
      text: 'there is no market ...',
      cause: 'A message names a market that was never made.',
      action: 'Ask for the markets that there are: nat.clob.v1.Query/Markets.',
    },
    modeInUse: {
      code: 26,
      text: 'the mode of market ... cannot change while ... orders are open',
      cause: 'Who placed these orders did so under the rules of the other mode.',
      action: 'Set the status to cancel-only and wait, or make another market of the same denominations.',
    },
    parameters: {
      code: 27,
      text: '... must be between ... and ..., not ... | params are missing',
      cause: 'A parameter of the order book is missing or out of its range.',
      action: 'Write all parameters, each within its range.',
    },
    agentTerms: {
      code: 28,
      text:
        'an agent is neither its owner nor the zero address | the name of an agent has at most 32 bytes of UTF-8 | the ' +
        'markets of an agent are at most 64, ascending | an agent that is removed has neither name nor markets | expire_s is out ' +
        'of range',
      cause: 'What an owner says of an agent is not what it may be.',
      action: 'Correct the message.',
    },
    agentExpired: {
      code: 29,
      text: 'the agent would expire at ..., which is past',
      cause: 'The end of an agent is not behind the time of the block.',
      action: 'Write a later expire_s, or 0 to remove the agent.',
    },
    tooManyAgents: {
      code: 30,
      text: 'an owner has at most 16 agents',
      cause: 'The owner has 16 agents, those that have expired too.',
      action: 'Remove one first: expire_s 0.',
    },
    unknownAgent: {
      code: 31,
      text: 'there is no agent with this address',
      cause: 'The owner removes an agent that it does not have.',
      action: 'Ask for the agents that there are: nat.clob.v1.Query/Agents.',
    },
    queueFull: {
      code: 32,
      text: 'the queue of this block has room for a weight of ..., not of ...',
      cause: 'Contracts may queue actions of so much weight in a block as the parameter contract_weight says.',
      action: 'Call again in the next block, or place with fewer max_fills or post-only.',
    },
    // 120 to 139: why a node does not keep an order. They are told to whoever sends it, and never stand in a block.
    poolFull: {
      code: 120,
      text: 'the pool of orders is full',
      cause:
        'The pool is full of orders of owners who have fewer there, or who have funds where this one has none; or it holds as many of owners without funds as it takes.',
      action: 'Wait for a block, bring funds to the market, or cancel less and batch more.',
    },
    poolKnown: {
      code: 121,
      text: 'already known',
      cause: 'The node has this very order already, and keeps the time at which it came first.',
      action: 'Nothing: the order waits for a block.',
    },
    poolIncluded: {
      code: 122,
      text: 'a block has the order already',
      cause: 'The order was in a block of late.',
      action: 'Read its result.',
    },
    poolTooLong: {
      code: 123,
      text: 'an order of ... bytes is longer than votes can attest now, ...',
      cause: 'With so many validators a vote has less room, and an order must fit into half of it.',
      action: 'Write fewer actions into an order.',
    },
    poolExpired: {
      code: 124,
      text: 'good_til_block ... is past: the next block is ...',
      cause: 'The order came too late for the block that it names last.',
      action: 'Sign again with a later good_til_block.',
    },
    poolTooFarAhead: {
      code: 125,
      text: 'good_til_block ... is above ...',
      cause: 'An order can wait for 40 blocks at most.',
      action: 'Sign with an earlier good_til_block. GTC orders rest in the book for as long as they like.',
    },
    poolNonceStale: {
      code: 126,
      text: 'nonce_ms ... is more than 60 s before the time of the chain, ...',
      cause: 'The order was signed long ago, or by a clock that is behind.',
      action: 'Ask for the time of the chain, and sign again.',
    },
    poolNonceAhead: {
      code: 127,
      text: 'nonce_ms ... is above ...',
      cause: 'The order was signed by a clock that is ahead.',
      action: 'Ask for the time of the chain, and sign again.',
    },
    poolNonceUsed: {
      code: 128,
      text: 'nonce_ms ... of this signer is used',
      cause: 'Another order of this signer had the same nonce.',
      action: 'Sign with another nonce.',
    },
    poolAgent: {
      code: 129,
      text: 'the signer is no agent of the owner, or no longer | the agent may not act on ...',
      cause: 'The owner has not named this agent, or not for these markets, or its time is over.',
      action: 'Name the agent with MsgSetAgent, or sign with the key of the owner.',
    },
    poolActions: {
      code: 130,
      text: 'the owner has more than ... actions waiting',
      cause: 'More could not run before all of them have ended.',
      action: 'Wait for blocks.',
    },
    poolOpenOrders: {
      code: 131,
      text: 'the owner has ... open orders, the most that there may be',
      cause: 'The order would place, and the owner has no room for another open order.',
      action: 'Cancel first, or replace.',
    },
    poolFunds: {
      code: 132,
      text: 'the owner has less than any of the orders locks',
      cause: 'None of the Places is paid for, and there is nothing open that could come back.',
      action: 'Bring funds first.',
    },
    poolMarket: {
      code: 133,
      text: 'no market that the order names is open',
      cause: 'There are no such markets, or governance has halted them.',
      action: 'Read the list of markets.',
    },
    poolNotStored: {
      code: 134,
      text: 'the order cannot be stored: the disk of the node does not take it',
      cause: 'The journal of orders cannot be written.',
      action: 'Send through another node; operators free some space.',
    },
    poolGone: {
      code: 135,
      text: 'no longer in the pool of orders',
      cause: 'CometBFT asked again for an order that was in a block, has ended, or had to leave a full pool.',
      action: 'Nothing: CometBFT drops it.',
    },
    notPlanned: {
      code: 100,
      text: 'the orders of this block are not executed: ...',
      cause:
        'The block was decided though its orders are not those that the votes of the block before oblige it to hold.',
      action: 'Send the order again. Operators: more than a third of the power runs other rules than this node.',
    },
    poolWaits: {
      code: 136,
      text: 'the gossip has no more room for orders without funds: the order waits in the pool of this node',
      cause: 'Orders of owners without funds have their part of what CometBFT keeps.',
      action: 'Nothing, or bring funds to the market.',
    },
    catchingUp: {
      code: 137,
      text: 'this node catches up with the network (it is at block ...): send the order to another one, or again once /healthz says so',
      cause: 'The node was away. Its height is not that of the network, where the order may have ended already.',
      action: 'Send the order to another node, or wait until `eth_syncing` answers false.',
    },
    ...MATCHING_ENTRIES,
  },
)

export type ClobErrorName = keyof typeof CLOB_ERRORS.codes

export const clobError = (name: ClobErrorName, message: string): CodedError =>
  new CodedError('clob', CLOB_ERRORS.codes[name], message)

/** The error for bytes that decode and encode to others, or do not decode. */
export const notCanonical = (detail: string): CodedError =>
  clobError('encoding', `not the canonical encoding: ${detail}`)
