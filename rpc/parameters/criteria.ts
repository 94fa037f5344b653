/** Log criteria of eth_getLogs, eth_newFilter and the logs subscription (geth's filters.FilterCriteria). */
import type { BlockReference, LogCriteria } from '../../app/ports.ts'
import type { Hex } from '../../core/hex.ts'
import { rpcError } from '../errors.ts'
import { decodeBlockNumber } from './block.ts'
import { arrayDecoder, invalidValue, optional, structDecoder, type Decode } from './go-json.ts'
import { decodeHash, has0xPrefix, HEX_TEXTS } from './hex.ts'

const MAX_TOPICS = 4
/** Addresses, or topics of one position (geth's LogQueryLimit and maxSubTopics). */
const MAX_CHOICES = 1_000

interface Input {
  readonly blockHash: Hex | undefined
  readonly fromBlock: BlockReference | undefined
  readonly toBlock: BlockReference | undefined
  readonly address: unknown
  readonly topics: readonly unknown[]
}

const decodeInput = structDecoder<Input>({
  type: 'filters.input',
  name: 'input',
  members: {
    blockHash: optional(decodeHash),
    fromBlock: optional(decodeBlockNumber),
    toBlock: optional(decodeBlockNumber),
    address: (value) => value,
    topics: arrayDecoder('[]interface {}', (value) => value),
  },
})

/** hexutil.Decode and a length. */
const decodeFixed = (text: string, bytes: number, name: string): Hex => {
  if (text === '') throw invalidValue(HEX_TEXTS.empty)
  if (!has0xPrefix(text)) throw invalidValue(HEX_TEXTS.missingPrefix)
  const digits = text.slice(2)
  if (!/^[0-9a-fA-F]*$/.test(digits)) throw invalidValue(HEX_TEXTS.syntax)
  if (digits.length % 2 !== 0) throw invalidValue(HEX_TEXTS.oddLength)
  if (digits.length !== bytes * 2) {
    throw invalidValue(`hex has invalid length ${digits.length / 2} after decoding; expected ${bytes} for ${name}`)
  }
  return `0x${digits.toLowerCase()}`
}

const decodeFilterAddress = (text: string, where: string): Hex => {
  try {
    return decodeFixed(text, 20, 'address')
  } catch (error) {
    throw error instanceof Error ? invalidValue(`invalid address${where}: ${error.message}`) : error
  }
}

const readAddresses = (value: unknown): readonly Hex[] => {
  if (value === undefined || value === null) return []
  if (typeof value === 'string') return [decodeFilterAddress(value, '')]
  if (!Array.isArray(value)) throw invalidValue('invalid addresses in query')
  return value.map((item: unknown, index) => {
    if (typeof item !== 'string') throw invalidValue(`non-string address at index ${index}`)
    return decodeFilterAddress(item, ` at index ${index}`)
  })
}

const readTopic = (value: unknown): Hex => {
  if (typeof value !== 'string') throw invalidValue('invalid topic(s)')
  return decodeFixed(value, 32, 'topic')
}

const readPosition = (value: unknown): readonly Hex[] => {
  if (value === null) return []
  if (!Array.isArray(value)) return [readTopic(value)]
  if (value.length > MAX_CHOICES) throw invalidValue('exceed max topics')
  const topics: Hex[] = []
  for (const item of value) {
    // One null among the choices lets everything through.
    if (item === null) return []
    topics.push(readTopic(item))
  }
  return topics
}

export const decodeCriteria: Decode<LogCriteria> = (value, place) => {
  const { blockHash, fromBlock, toBlock, address, topics = [] } = decodeInput(value, place)
  if (blockHash !== undefined && (fromBlock ?? toBlock) !== undefined) {
    throw invalidValue('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
  }
  const addresses = readAddresses(address)
  if (topics.length > MAX_TOPICS) throw invalidValue('exceed max topics')
  return {
    ...(blockHash === undefined ? {} : { blockHash }),
    ...(fromBlock === undefined ? {} : { fromBlock }),
    ...(toBlock === undefined ? {} : { toBlock }),
    addresses,
    topics: topics.map(readPosition),
  }
}

/** Throws rpc/failed, as eth_getLogs does, when a position offers too many choices. */
export const checkCriteriaSize = (criteria: LogCriteria): LogCriteria => {
  if (criteria.addresses.length > MAX_CHOICES || criteria.topics.some((choices) => choices.length > MAX_CHOICES)) {
    throw rpcError('failed', 'exceed max addresses or topics per search position')
  }
  return criteria
}
