/** Methods of the debug namespace that show the state itself: pages of storage and accounts, and what blocks changed. */
import { contractAddress } from '../../../core/address.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../../core/hex.ts'
import { keccak256 } from '../../../core/hash.ts'
import { assemble, deployment } from './assemble.ts'
import type { Peer } from './peer.ts'
import { GWEI, Wallet } from './wallet.ts'

const ETHER = 10n ** 18n
/** Prices that no base fee changes, so that balances are the same on every chain. */
const PRICE = 10n * GWEI
const NO_HASH: Hex = `0x${'11'.repeat(32)}`
/** Stores what is given at the slot that is given. */
const STORE = assemble('32 CALLDATALOAD 0 CALLDATALOAD SSTORE STOP')

const word = (value: number): string => value.toString(16).padStart(64, '0')

interface Reply {
  readonly result?: unknown
  readonly error?: unknown
}

/** The reply with facts of the chain taken out. */
const withoutFacts = (reply: Reply, ours: ReadonlySet<string>): unknown => {
  const { result } = reply
  if (Array.isArray(result)) return { ...reply, result: result.filter((item) => ours.has(String(item))) }
  if (typeof result !== 'object' || result === null || !('root' in result)) return reply
  return { ...reply, result: { ...result, root: '<root>', ...('next' in result ? { next: '<next>' } : {}) } }
}

export const states = async (peer: Peer, dev: Wallet): Promise<void> => {
  const wallet = new Wallet('state a')
  dev.nonce = Number(await peer.ask('eth_getTransactionCount', dev.address, 'latest'))
  await peer.include(dev.next({ to: wallet.address, value: ETHER, price: PRICE }))
  const contract = bytesToHex(contractAddress(hexToBytes(wallet.address), 0n))
  const store = (slot: number, value: number): Hex =>
    wallet.next({ to: contract, data: `0x${word(slot)}${word(value)}`, gas: 100_000n, price: PRICE })
  await peer.include(wallet.next({ data: deployment(STORE), gas: 400_000n, price: PRICE }))
  await peer.mine(...[1, 2, 3, 4].map((slot) => store(slot, slot * 16)))
  const before = peer.head
  await peer.mine(store(1, 0), store(5, 9), store(2, 7))
  const block = peer.head
  const ours = new Set([wallet.address, contract])
  const hash = bytesToHex(keccak256(hexToBytes(contract)))

  const note = async (title: string, method: string, ...params: readonly unknown[]): Promise<void> => {
    const reply = (await peer.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as Reply
    peer.record(`${method} ${title}`, withoutFacts(reply, ours))
  }
  const storage = 'debug_storageRangeAt'
  await note('of all', storage, block.hash, 0, contract, '0x', 10)
  await note('by number', storage, block.number, 0, contract, '0x00', 10)
  await note('of two', storage, block.hash, 0, contract, '0x00', 2)
  await note('of none', storage, block.hash, 0, contract, '0x00', 0)
  await note('of fewer than none', storage, block.hash, 0, contract, '0x00', -1)
  await note('from the middle of a byte', storage, block.hash, 0, contract, '0xb', 2)
  await note('from a prefix', storage, block.hash, 0, contract, '0xb1', 2)
  await note('from more than a hash', storage, block.hash, 0, contract, `0x${'b1'.repeat(33)}`, 2)
  await note('behind all', storage, block.hash, 0, contract, `0x${'ff'.repeat(32)}`, 2)
  const first = bytesToHex(keccak256(hexToBytes(`0x${word(1)}`)))
  await note('from a slot on', storage, block.hash, 0, contract, first, 2)
  await note('of an account without any', storage, block.hash, 0, wallet.address, '0x', 1)
  await note('of no account', storage, block.hash, 0, `0x${'12'.repeat(20)}`, '0x', 1)
  await note('before any was stored', storage, before.hash, 0, contract, '0x', 1)
  await note('behind the last transaction', storage, block.hash, 3, contract, '0x', 1)
  await note('before the first transaction', storage, block.hash, -1, contract, '0x', 1)
  await note('of the genesis', storage, 'earliest', 0, contract, '0x', 1)
  await note('of no number', storage, '0x99999', 0, contract, '0x', 1)
  await note('of no hash', storage, NO_HASH, 0, contract, '0x', 1)
  await note('of no block', storage, {}, 0, contract, '0x', 1)
  await note('with too little', storage, block.hash, 0)
  await note('with an index in a text', storage, block.hash, '0x0', contract, '0x', 1)
  await note('from null', storage, block.hash, 0, contract, null, 1)
  await note('of one and a half', storage, block.hash, 0, contract, '0x', 1.5)

  const accounts = 'debug_accountRange'
  await note('of a contract', accounts, block.hash, hash, 1, false, false, false)
  await note('of a contract without its code', accounts, block.hash, hash, 1, true, false, true)
  await note('of a contract without its storage', accounts, block.number, hash, 1, false, true, true)
  await note('of a contract before', accounts, before.number, hash, 1, false, false, true)
  const walletHash = bytesToHex(keccak256(hexToBytes(wallet.address)))
  await note('of a wallet', accounts, 'latest', walletHash, 1, false, false, false)
  await note('of no number', accounts, '0x99999', '0x', 1, true, true, true)
  await note('of no hash', accounts, NO_HASH, '0x', 1, true, true, true)
  await note('of the earliest', accounts, 'earliest', '0x', 1, true, true, true)
  await note('of no block', accounts, {}, '0x', 1, true, true, true)
  await note('with too little', accounts, block.hash, '0x', 1)
  await note('of too much', accounts, block.hash, '0x', 1, true, true, true, true)

  const [byNumber, byHash] = ['debug_getModifiedAccountsByNumber', 'debug_getModifiedAccountsByHash']
  const [from, to] = [Number(before.number), Number(block.number)]
  await note('of one block', byNumber, to)
  await note('of one block and null', byNumber, to, null)
  await note('of several', byNumber, from, to)
  await note('of the genesis', byNumber, 0)
  await note('from no block', byNumber, 999_999)
  await note('to no block', byNumber, 1, 999_999)
  await note('in the wrong order', byNumber, 3, 2)
  await note('of one and the same', byNumber, 3, 3)
  await note('in a text', byNumber, '0x1')
  await note('of less than nothing', byNumber, -1)
  await note('of one block', byHash, block.hash)
  await note('of several', byHash, before.hash, block.hash)
  await note('from no block', byHash, NO_HASH)
  await note('to no block', byHash, block.hash, NO_HASH)
  await note('of a number', byHash, '0x1')

  const roots = 'debug_intermediateRoots'
  await note('of no block', roots, NO_HASH)
  const genesis = await peer.ask<{ hash: Hex }>('eth_getBlockByNumber', '0x0', false)
  await note('of the genesis', roots, genesis.hash)
  await peer.freshBlock()
  await peer.freshBlock()
  const empty = await peer.ask<{ hash: Hex }>('eth_getBlockByNumber', 'latest', false)
  await note('of an empty block', roots, empty.hash)
  await note('with a configuration', roots, empty.hash, { reexec: 1 })
  await note('with a wrong configuration', roots, block.hash, { reexec: 'x' })
  const found = await peer.ask<readonly Hex[]>(roots, block.hash)
  peer.record(`${roots} of three transactions`, found.length)
}
