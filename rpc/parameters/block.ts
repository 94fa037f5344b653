/** Block parameters: a number or tag (rpc.BlockNumber), and those with hashes (rpc.BlockNumberOrHash, EIP-1898). */
import type { BlockReference, BlockTag } from '../../app/ports.ts'
import type { Hex } from '../../core/hex.ts'
import { rpcError } from '../errors.ts'
import { decodeBoolean, invalidValue, isObject, mismatch, optional, structDecoder, type Decode } from './go-json.ts'
import { decodeHash, has0xPrefix, HEX_TEXTS } from './hex.ts'

/** One object a tag: nothing is allocated for the usual parameter. */
const TAGS: ReadonlyMap<string, BlockReference> = new Map(
  (['latest', 'safe', 'finalized', 'earliest', 'pending'] satisfies BlockTag[]).map((tag) => [tag, { tag }]),
)

export const LATEST: BlockReference = { tag: 'latest' }

const MAX_INT64 = 0x7fff_ffff_ffff_ffffn

/** hexutil.DecodeUint64, then the bound of Go's int64. Heights above 2^53 stay above every head. */
const parseNumber = (text: string, tooLarge: string): BlockReference => {
  if (text === '') throw invalidValue(HEX_TEXTS.empty)
  if (!has0xPrefix(text)) throw invalidValue(HEX_TEXTS.missingPrefix)
  const digits = text.slice(2)
  if (digits === '') throw invalidValue(HEX_TEXTS.emptyNumber)
  if (digits.length > 1 && digits.startsWith('0')) throw invalidValue(HEX_TEXTS.leadingZero)
  if (!/^[0-9a-fA-F]+$/.test(digits)) throw invalidValue(HEX_TEXTS.syntax)
  if (digits.length > 16) throw invalidValue('hex number > 64 bits')
  const number = BigInt(`0x${digits}`)
  if (number > MAX_INT64) throw invalidValue(tooLarge)
  return { number: Math.min(Number(number), Number.MAX_SAFE_INTEGER) }
}

export const decodeBlockNumber: Decode<BlockReference> = (value) => {
  if (typeof value !== 'string') throw invalidValue(HEX_TEXTS.missingPrefix)
  return TAGS.get(value) ?? parseNumber(value, 'block number larger than int64')
}

interface BlockObject {
  readonly blockNumber: BlockReference | undefined
  readonly blockHash: Hex | undefined
  readonly requireCanonical: boolean
}

const decodeBlockObject = structDecoder<BlockObject>({
  type: 'rpc.erased',
  name: 'erased',
  members: {
    blockNumber: optional(decodeBlockNumber),
    blockHash: optional(decodeHash),
    requireCanonical: decodeBoolean,
  },
})

/** An object that cannot be read is then tried as a text: so the error that is shown speaks of a string. */
const readBlockObject = (value: unknown): Partial<BlockObject> => {
  try {
    return decodeBlockObject(value, '')
  } catch {
    throw mismatch(value, '', 'string')
  }
}

/** {@link NO_BLOCK} stands for an object that names no block: geth refuses it later, and in other words. */
export const decodeBlockReference: Decode<BlockReference> = (value) => {
  if (typeof value === 'string') {
    const tag = TAGS.get(value)
    if (tag !== undefined) return tag
    if (value.length !== 66) return parseNumber(value, 'blocknumber too high')
    return { hash: decodeHashText(value) }
  }
  if (value !== null && !isObject(value)) throw mismatch(value, '', 'string')
  const { blockNumber, blockHash, requireCanonical } = readBlockObject(value)
  if (blockHash === undefined) return blockNumber ?? NO_BLOCK
  if (blockNumber !== undefined) {
    throw invalidValue('cannot specify both BlockHash and BlockNumber, choose one or the other')
  }
  return { hash: blockHash, requireCanonical: requireCanonical ?? false }
}

/** The hash of a text of 66 characters: errors lack the words that JSON's parser puts around them. */
const decodeHashText = (text: string): Hex => {
  if (!has0xPrefix(text)) throw invalidValue(HEX_TEXTS.missingPrefix)
  if (!/^[0-9a-fA-F]{64}$/.test(text.slice(2))) throw invalidValue(HEX_TEXTS.syntax)
  return `0x${text.slice(2).toLowerCase()}`
}

export const NO_BLOCK: BlockReference = { tag: 'latest' }

/** Throws rpc/failed for {@link NO_BLOCK}; to be called when the parameters have been read. */
export const requireBlock = (block: BlockReference): BlockReference => {
  if (block === NO_BLOCK) throw rpcError('failed', 'invalid arguments; neither block nor hash specified')
  return block
}
