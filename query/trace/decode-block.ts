/** The RLP of a whole block, read as strictly as geth reads it and with its texts. */
import { CodedError } from '../../core/errors.ts'
import { type Hash, keccak256 } from '../../core/hash.ts'
import { encodeRlpList } from '../../core/rlp.ts'
import { decodeTransaction } from '../../evm/transaction/decode-transaction.ts'
import { FieldReader, readFixed } from '../../evm/transaction/field-reader.ts'
import { malformed, RlpStream, type Wrap } from '../../evm/transaction/rlp-stream.ts'
import { queryFailed } from '../../app/errors.ts'

/** What executing a block needs of its header. */
export interface DecodedHeader {
  readonly parentHash: Hash
  readonly miner: Uint8Array
  readonly number: bigint
  readonly gasLimit: bigint
  /** Seconds. */
  readonly timestamp: bigint
  readonly mixHash: Hash
  readonly baseFeePerGas: bigint
  readonly parentBeaconBlockRoot: Hash | undefined
}

export interface DecodedBlock {
  readonly header: DecodedHeader
  readonly hash: Hash
  /** Wire forms. */
  readonly transactions: readonly Uint8Array[]
}

const BLOCK = '(types.Block)(types.extblock)'
const HEADER = `${BLOCK}.Header`

const wrapBlock: Wrap = (message) => malformed(`${message} for types.extblock`)
const listWrap =
  (type: string, field: string): Wrap =>
  (message) =>
    malformed(`${message} for ${type}, decoding into ${BLOCK}.${field}`)

/** Undefined at the end of a list. */
const readHeader = (stream: RlpStream, path: string): DecodedHeader | undefined => {
  const wrapHeader: Wrap = (message) => malformed(`${message} for types.Header, decoding into ${path}`)
  const reader = FieldReader.element(stream, 'types.Header', path)
  if (reader === undefined) return undefined
  const fixed = (field: string, type = 'common.Hash', bytes = 32): Uint8Array => {
    const value = readFixed(stream, type, `${path}.${field}`, bytes)
    if (value === undefined) throw wrapHeader('too few elements')
    return value.slice()
  }
  const isMore = (): boolean => stream.peek(wrapHeader) !== undefined
  const parentHash = fixed('ParentHash')
  fixed('UncleHash')
  const miner = reader.address('Coinbase')
  for (const field of ['Root', 'TxHash', 'ReceiptHash']) fixed(field)
  fixed('Bloom', 'types.Bloom', 256)
  reader.bigInteger('Difficulty')
  const number = reader.bigInteger('Number')
  const gasLimit = reader.uint('GasLimit', 64)
  reader.uint('GasUsed', 64)
  const timestamp = reader.uint('Time', 64)
  reader.bytes('Extra')
  const mixHash = fixed('MixDigest')
  fixed('Nonce', 'types.BlockNonce', 8)
  // Those that forks added.
  const baseFeePerGas = isMore() ? reader.bigInteger('BaseFee') : 0n
  if (isMore()) fixed('WithdrawalsHash')
  for (const field of ['BlobGasUsed', 'ExcessBlobGas']) if (isMore()) reader.uint(field, 64)
  const parentBeaconBlockRoot = isMore() ? fixed('ParentBeaconRoot') : undefined
  if (isMore()) fixed('RequestsHash')
  reader.end()
  return { parentHash, miner, number, gasLimit, timestamp, mixHash, baseFeePerGas, parentBeaconBlockRoot }
}

const readUncles = (stream: RlpStream): void => {
  const wrap = listWrap('[]*types.Header', 'Uncles')
  if (!stream.open(wrap)) throw wrapBlock('too few elements')
  let count = 0
  while (readHeader(stream, `${BLOCK}.Uncles[${count}]`) !== undefined) count++
  stream.close(wrap)
}

/** The items of the list ahead: lists in their RLP, strings without it. */
const readItems = (stream: RlpStream, wrap: Wrap): Uint8Array[] => {
  if (!stream.open(wrap)) throw wrapBlock('too few elements')
  const items: Uint8Array[] = []
  for (let item = stream.peek(wrap); item !== undefined; item = stream.peek(wrap)) {
    const content = stream.take(item)
    items.push(item.kind === 'list' ? encodeRlpList([content]) : content)
  }
  stream.close(wrap)
  return items
}

const decode = (bytes: Uint8Array): DecodedBlock => {
  const stream = new RlpStream(bytes)
  stream.open(wrapBlock)
  const header = readHeader(stream, HEADER)
  if (header === undefined) throw wrapBlock('too few elements')
  const transactions = readItems(stream, listWrap('[]*types.Transaction', 'Txs'))
  for (const raw of transactions) decodeTransaction(raw)
  readUncles(stream)
  const wrapWithdrawals = listWrap('[]*types.Withdrawal', 'Withdrawals')
  if (stream.peek(wrapWithdrawals) !== undefined) readItems(stream, wrapWithdrawals)
  stream.close(wrapBlock)
  stream.finish()
  return { header, hash: hashOfHeader(bytes), transactions }
}

/** The header is the first item of a block that has been read. */
const hashOfHeader = (bytes: Uint8Array): Hash => {
  const stream = new RlpStream(bytes)
  stream.open(wrapBlock)
  const item = stream.peek(wrapBlock)
  return keccak256(item === undefined ? new Uint8Array(0) : encodeRlpList([stream.take(item)]))
}

/** Throws query/1. */
export const decodeBlock = (bytes: Uint8Array): DecodedBlock => {
  if (bytes.length === 0) throw queryFailed('could not decode block: EOF')
  try {
    return decode(bytes)
  } catch (error) {
    if (error instanceof CodedError) throw queryFailed(`could not decode block: ${error.message}`)
    throw error
  }
}
