/** What endpoints answer, read strictly: whatever is not as it must be is a fault of that endpoint. */
import type { BridgeContract, BridgeEvent } from '../../core/bridge-event.ts'
import { MAX_EVENT_ID, MAX_RECIPIENT_BYTES } from '../../core/bridge-event.ts'
import { bytesToBigint, isZeroBytes, utf8ToBytes } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { daemonError } from './errors.ts'

/** keccak-256 of `Bridge(uint256,uint256,address,bytes,bytes)`. */
export const BRIDGE_TOPIC: string = bytesToHex(keccak256(utf8ToBytes('Bridge(uint256,uint256,address,bytes,bytes)')))

export interface BlockName {
  readonly number: number
  /** 32 bytes in lower case. */
  readonly hash: string
  /** Seconds since 1970. */
  readonly timestamp: number
}

/** An event as its log tells it; its id may be any. */
export interface LoggedEvent {
  readonly event: BridgeEvent
  readonly blockHash: string
  readonly logIndex: number
}

const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]{0,12})$/
const BIG_QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/
const HASH = /^0x[0-9a-f]{64}$/
const DATA = /^0x(?:[0-9a-f]{2})*$/

type Fields = Readonly<Record<string, unknown>>

/** Says what is wrong; the caller knows the endpoint. */
const wrong = (what: string): Error => daemonError('malformed', what)

const matched = (value: unknown, pattern: RegExp, what: string): string => {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (!pattern.test(text)) throw wrong(`${what} is malformed`)
  return text
}

const fieldsOf = (value: unknown, what: string): Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(`${what} is no object`)
  return value as Fields
}

const numberOf = (value: unknown, what: string): number => {
  const number = Number(matched(value, QUANTITY, what))
  if (!Number.isSafeInteger(number)) throw wrong(`${what} is too large`)
  return number
}

export const readChainId = (value: unknown): bigint => BigInt(matched(value, BIG_QUANTITY, 'the chain id'))

/** False where it has reached its head. */
export const readSyncing = (value: unknown): boolean => {
  if (typeof value === 'boolean') return value
  fieldsOf(value, 'the state of the sync')
  return true
}

/** Undefined where there is no such block. */
export const readBlock = (value: unknown): BlockName | undefined => {
  if (value === null) return undefined
  const { number, hash, timestamp } = fieldsOf(value, 'the block')
  return {
    number: numberOf(number, 'the number of the block'),
    hash: matched(hash, HASH, 'the hash of the block'),
    timestamp: numberOf(timestamp, 'the time of the block'),
  }
}

/** Whether there is code. */
export const readHasCode = (value: unknown): boolean => matched(value, DATA, 'the code').length > 2

const WORD = 32

const word = (data: Uint8Array, at: number): bigint => {
  if (at + WORD > data.length) throw wrong('the data of a log is cut short')
  return bytesToBigint(data.subarray(at, at + WORD))
}

/** A `bytes` of the ABI whose offset stands in the word at `head`. */
const dynamicBytes = (data: Uint8Array, head: number): Uint8Array => {
  const offset = word(data, head)
  if (offset > data.length) throw wrong('the data of a log points beyond its end')
  const start = Number(offset) + WORD
  const length = word(data, Number(offset))
  if (length > data.length - start) throw wrong('the data of a log is cut short')
  return data.subarray(start, start + Number(length))
}

/** Data of the event: amount, from, accAddress, data. */
export const decodeEventData = (data: Uint8Array): Pick<BridgeEvent, 'amount' | 'from' | 'recipient' | 'dataHash'> => {
  const amount = word(data, 0)
  const sender = data.subarray(WORD, 2 * WORD)
  if (sender.length < WORD || !isZeroBytes(sender.subarray(0, 12))) throw wrong('a log has no address for its sender')
  return {
    amount,
    from: sender.slice(12),
    recipient: dynamicBytes(data, 2 * WORD).slice(0, MAX_RECIPIENT_BYTES),
    dataHash: keccak256(dynamicBytes(data, 3 * WORD)),
  }
}

const readTopics = (value: unknown): bigint => {
  const topics: readonly unknown[] = Array.isArray(value) ? value : []
  if (topics.length !== 2 || matched(topics[0], HASH, 'a topic') !== BRIDGE_TOPIC) {
    throw wrong('a log is of another event')
  }
  return BigInt(matched(topics[1], HASH, 'a topic'))
}

const readLog = (contract: BridgeContract, value: unknown): LoggedEvent => {
  const { address, topics, data, blockNumber, blockHash, logIndex, removed } = fieldsOf(value, 'a log')
  if (matched(address, DATA, 'the address of a log') !== bytesToHex(contract.address)) {
    throw wrong('a log is of another contract')
  }
  if (removed === true) throw wrong('a log of a finalized block is said to be removed')
  const id = readTopics(topics)
  if (id > BigInt(MAX_EVENT_ID)) throw wrong('the id of an event is above 2^32')
  const height = numberOf(blockNumber, 'the block of a log')
  const content = decodeEventData(hexToBytes(matched(data, DATA, 'the data of a log')))
  return {
    event: { id: Number(id), ...content, externalHeight: BigInt(height) },
    blockHash: matched(blockHash, HASH, 'the hash of the block of a log'),
    logIndex: numberOf(logIndex, 'the index of a log'),
  }
}

/** All of blocks `from` to `to`, in the order of the chain. */
export const readLogs = (
  contract: BridgeContract,
  from: number,
  to: number,
  value: unknown,
): readonly LoggedEvent[] => {
  if (!Array.isArray(value)) throw wrong('the logs are no list')
  const logs = value.map((each: unknown) => readLog(contract, each))
  let last: LoggedEvent | undefined
  for (const each of logs) {
    const height = each.event.externalHeight
    if (height < BigInt(from) || height > BigInt(to))
      throw wrong(`a log is of block ${height}, which was not asked for`)
    const isLater =
      last === undefined ||
      height > last.event.externalHeight ||
      (height === last.event.externalHeight && each.logIndex > last.logIndex)
    if (!isLater) throw wrong('the logs are out of order')
    last = each
  }
  return logs
}
