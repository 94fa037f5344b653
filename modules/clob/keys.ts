/** Keys of the order book's store: ASCII, then big-endian integers and addresses. Each value is RLP; an empty list has no key. */
import { type Address, moduleAddress } from '../../core/address.ts'
import { concatBytes, uint32ToBytes, uint64ToBytes, utf8ToBytes } from '../../core/bytes.ts'

/** Holds the coins in escrow too. */
export const CLOB_ACCOUNT: Address = moduleAddress('clob')

export const PARAMS_KEY = utf8ToBytes('params')
/** Time of the newest block, in milliseconds. */
export const TIME_KEY = utf8ToBytes('time')
/** The order_seq that the next accepted Place gets. */
export const NEXT_KEY = utf8ToBytes('next')
export const CAPS_KEY = utf8ToBytes('caps')
export const CARRIED_KEY = utf8ToBytes('carried')
/** SHA-256 over the records of the last CLOB step that no transaction made. */
export const AFTER_KEY = utf8ToBytes('after')
/** What contracts asked for in the last block: the next step takes it. */
export const QUEUE_KEY = utf8ToBytes('queue')
/** How many of them there are in the running block, and what they weigh. No state after a block has it, nor those below. */
export const QUEUED_KEY = utf8ToBytes('queued')
/** One of them, by its place from 0. */
export const queuedKey = (place: number): Uint8Array => concatBytes(QUEUED_KEY, uint32ToBytes(place))

export const MARKET_PREFIX = utf8ToBytes('market')
export const marketKey = (market: number): Uint8Array => concatBytes(MARKET_PREFIX, uint32ToBytes(market))

const RECORD_PREFIX = utf8ToBytes('record')
export const recordKey = (market: number): Uint8Array => concatBytes(RECORD_PREFIX, uint32ToBytes(market))

export const ORDER_PREFIX = utf8ToBytes('order')
/** Orders of a market, by seq. */
export const orderPrefix = (market: number): Uint8Array => concatBytes(ORDER_PREFIX, uint32ToBytes(market))
export const orderKey = (market: number, seq: number): Uint8Array =>
  concatBytes(ORDER_PREFIX, uint32ToBytes(market), uint64ToBytes(seq))

export const ACCOUNT_PREFIX = utf8ToBytes('account')
export const accountKey = (owner: Address): Uint8Array => concatBytes(ACCOUNT_PREFIX, owner)

export const AGENT_PREFIX = utf8ToBytes('agent')
/** Its agents' addresses: to look for them in a range would pass over those that the owner has removed. */
export const OWNED_PREFIX = utf8ToBytes('owned')
export const agentsOfKey = (owner: Address): Uint8Array => concatBytes(OWNED_PREFIX, owner)
export const agentKey = (owner: Address, agent: Address): Uint8Array => concatBytes(AGENT_PREFIX, owner, agent)

export const NONCES_PREFIX = utf8ToBytes('nonces')
export const noncesKey = (height: number): Uint8Array => concatBytes(NONCES_PREFIX, uint64ToBytes(height))

export const MARKS_PREFIX = utf8ToBytes('marks')
export const marksKey = (height: number): Uint8Array => concatBytes(MARKS_PREFIX, uint64ToBytes(height))

export const VOLUME_PREFIX = utf8ToBytes('volume')
export const volumeKey = (owner: Address, denom: string): Uint8Array =>
  concatBytes(VOLUME_PREFIX, owner, utf8ToBytes(denom))

export const PROPOSER_PREFIX = utf8ToBytes('proposer')
export const proposerKey = (address: Uint8Array): Uint8Array => concatBytes(PROPOSER_PREFIX, address)
