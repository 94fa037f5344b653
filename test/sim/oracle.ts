/** Roots, hashes and blooms computed again from public data with libraries that are not ours. */
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { keccak256, toHex, toRlp, trim } from 'viem'
import type { Column, Entry, KeyValueStore } from '../../store/store.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../core/hex.ts'
import type { SimNode } from './sim-node.ts'

type Fields = Readonly<Record<string, Hex>>
type Nested = Hex | readonly Nested[]

/** RLP of integers drops zeros: 0x0 is the empty string. */
const integer = (quantity: Hex): Hex => (BigInt(quantity) === 0n ? '0x' : toHex(BigInt(quantity)))

const rlp = (value: Nested): Hex => toRlp(value as Hex)

const HEADER_INTEGERS = ['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'] as const

/** Fields of a header in the order of the Yellow Paper and its later forks, from a JSON-RPC block. */
export const headerFields = (block: Fields): readonly Hex[] => {
  const read = (name: string): Hex => block[name] as Hex
  return [
    ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'logsBloom'].map(read),
    ...HEADER_INTEGERS.map((name) => integer(read(name))),
    ...['extraData', 'mixHash', 'nonce'].map(read),
    integer(read('baseFeePerGas')),
    read('withdrawalsRoot'),
    ...['blobGasUsed', 'excessBlobGas'].map((name) => integer(read(name))),
    ...['parentBeaconBlockRoot', 'requestsHash'].map(read),
  ]
}

export const headerHash = (block: Fields): Hex => keccak256(rlp(headerFields(block)))

const listRoot = async (items: readonly Hex[]): Promise<Hex> => {
  const trie = new MerklePatriciaTrie()
  for (const [index, item] of items.entries()) {
    await trie.put(hexToBytes(rlp(integer(toHex(index)))), hexToBytes(item))
  }
  return bytesToHex(trie.root())
}

interface JsonLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}
interface JsonReceipt {
  readonly type: Hex
  readonly status: Hex
  readonly cumulativeGasUsed: Hex
  readonly gasUsed: Hex
  readonly logsBloom: Hex
  readonly logs: readonly JsonLog[]
}
export interface JsonBlock {
  readonly hash: Hex
  readonly parentHash: Hex
  readonly stateRoot: Hex
  readonly number: Hex
  readonly size: Hex
  readonly gasUsed: Hex
  readonly baseFeePerGas: Hex
  readonly transactions: readonly Hex[]
}

const bloomOf = (logs: readonly JsonLog[]): Hex => {
  let bloom = 0n
  for (const item of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    const hash = keccak256(item).slice(2)
    for (const at of [0, 4, 8]) bloom |= 1n << BigInt(Number.parseInt(hash.slice(at, at + 4), 16) & 2047)
  }
  return toHex(bloom, { size: 256 })
}

const receiptItem = ({ type, status, cumulativeGasUsed, logs }: JsonReceipt): Hex => {
  const listed = logs.map(({ address, topics, data }) => [address, topics, data])
  const payload = rlp([integer(status), integer(cumulativeGasUsed), bloomOf(logs), listed])
  return type === '0x0' ? payload : `0x0${type.slice(2)}${payload.slice(2)}`
}

export interface BlockFacts {
  readonly json: JsonBlock
  readonly headerHash: Hex
  readonly transactionsRoot: Hex
  readonly receiptsRoot: Hex
  readonly logsBloom: Hex
  readonly gasUsed: bigint
  readonly sizeBytes: number
}

/** What the answers of a node about a block say that its header must hold. */
export const blockFacts = async (node: SimNode, number: number): Promise<BlockFacts> => {
  const block = { number }
  const json = (await node.ask('block', { block, full: false })) as JsonBlock
  const raws: Hex[] = []
  for (const hash of json.transactions) raws.push((await node.ask('rawTransaction', { hash })) as Hex)
  const receipts = (await node.ask('blockReceipts', { block })) as readonly JsonReceipt[]
  // Typed transactions are byte strings in the block, legacy ones are lists.
  const listed = raws.map((raw) => (Number.parseInt(raw.slice(2, 4), 16) >= 0xc0 ? raw : rlp(raw)))
  const content = listed.reduce((length, item) => length + (item.length - 2) / 2, 0)
  const filler = (length: number): Hex => `0x${'01'.repeat(Math.max(0, length))}`
  const headerLength = (rlp(headerFields(json as unknown as Fields)).length - 2) / 2
  // Lists and strings of more than 55 bytes have prefixes of equal length: a string stands in for each list.
  const listLength = (length: number): number => (length < 56 ? 1 + length : (rlp(filler(length)).length - 2) / 2)
  return {
    json,
    headerHash: headerHash(json as unknown as Fields),
    transactionsRoot: await listRoot(raws),
    receiptsRoot: await listRoot(receipts.map(receiptItem)),
    logsBloom: bloomOf(receipts.flatMap(({ logs }) => logs)),
    gasUsed: receipts.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n),
    sizeBytes: listLength(headerLength + listLength(content) + 2),
  }
}

export const scanAll = (store: KeyValueStore, column: Column): readonly Entry[] =>
  store.scan(column, { limit: 10_000_000 })

const ROOT_OF_NOTHING: Hex = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const HASH_OF_NOTHING: Hex = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'

/** Splits RLP [nonce, balance, storageRoot or "", codeHash or ""] of short strings. */
const readSlimAccount = (value: Uint8Array): readonly Hex[] => {
  const items: Hex[] = []
  for (let at = (value[0] ?? 0) >= 0xf8 ? 2 : 1; at < value.length; ) {
    const first = value[at] ?? 0
    const [start, end] = first < 0x80 ? [at, at + 1] : [at + 1, at + 1 + first - 0x80]
    items.push(bytesToHex(value.subarray(start, end)))
    at = end
  }
  return items
}

/** The state root of the flat state, from nothing: accounts, contract storage, and module values. */
export const stateRootOf = async (store: KeyValueStore): Promise<Hex> => {
  const accounts = new Map<Hex, readonly Hex[]>()
  const storage = new Map<Hex, MerklePatriciaTrie>()
  for (const [key, value] of scanAll(store, 'state')) {
    const tag = String.fromCharCode(key[0] ?? 0)
    const address = bytesToHex(key.subarray(1, 21))
    if (tag === 'a') {
      accounts.set(address, readSlimAccount(value))
      continue
    }
    let trie = storage.get(address)
    if (trie === undefined) storage.set(address, (trie = new MerklePatriciaTrie()))
    const name = bytesToHex(key.subarray(21))
    const slot = tag === 's' ? name : keccak256(name)
    const held = tag === 's' ? bytesToHex(value) : trim(keccak256(value))
    await trie.put(keccak256(slot, 'bytes'), hexToBytes(rlp(held)))
  }
  const state = new MerklePatriciaTrie()
  for (const [address, [nonce = '0x', balance = '0x', heldRoot, codeHash]] of accounts) {
    const trie = storage.get(address)
    storage.delete(address)
    const root = trie === undefined ? ROOT_OF_NOTHING : bytesToHex(trie.root())
    if (root !== (heldRoot === '0x' ? ROOT_OF_NOTHING : heldRoot)) return `0x${'00'.repeat(32)}`
    const leaf = rlp([nonce, balance, root, codeHash === '0x' || codeHash === undefined ? HASH_OF_NOTHING : codeHash])
    await state.put(keccak256(address, 'bytes'), hexToBytes(leaf))
  }
  return storage.size === 0 ? bytesToHex(state.root()) : `0x${'ff'.repeat(32)}`
}
