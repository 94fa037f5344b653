/** Transactions of every type, their receipts, blocks, logs, filters, fees and subscriptions. */
import { bytesToHex, type Hex, hexToBytes } from '../../../core/hex.ts'
import { contractAddress } from '../../../core/address.ts'
import { assemble, deployment, memory } from './assemble.ts'
import { ONES, RICH } from './calls.ts'
import type { Peer } from './peer.ts'
import { type Fields, GWEI, hashOf, Wallet } from './wallet.ts'

const ETHER = 10n ** 18n
const SINK: Hex = '0x2222222222222222222222222222222222222222'
const NOBODY: Hex = '0x4444444444444444444444444444444444444444'
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`

/**
 * The contract acts by the first byte of the call data: 1 reverts, 2 runs out of gas, 3 stores, 4 clears, else as many
 * logs as it says.
 */
const CONTRACT = assemble(`
  0 CALLDATALOAD 0xf8 SHR
  DUP1 1 EQ @reverts JUMPI DUP1 2 EQ @invalid JUMPI DUP1 3 EQ @stores JUMPI DUP1 4 EQ @clears JUMPI
  0xaa 0 MSTORE
  next: DUP1 16 LT ISZERO @end JUMPI
  DUP1 0xbb 0xcc 32 0 LOG3
  DUP1 32 0 LOG1
  1 SWAP1 SUB @next JUMP
  end: STOP
  reverts: ${memory('deadbeef')} 4 0 REVERT
  invalid: INVALID
  stores: 7 1 SSTORE STOP
  clears: 0 1 SSTORE STOP`)

export interface World {
  readonly dev: Wallet
  readonly alice: Wallet
  readonly bob: Wallet
  readonly carol: Wallet
  readonly dave: Wallet
  /** Pay prices that no base fee changes: their balances are the same on every chain. */
  readonly erin: Wallet
  readonly frank: Wallet
  readonly contract: Hex
}

/** The key of the account that geth's development chain is founded on. */
const DEV_KEY = 'b71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291'

export const createWorld = (): World => {
  const [alice, bob, carol, dave, erin, frank] = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'].map(
    (name) => new Wallet(name),
  ) as [Wallet, Wallet, Wallet, Wallet, Wallet, Wallet]
  const contract = bytesToHex(contractAddress(hexToBytes(alice.address), 0n))
  return { dev: new Wallet(hexToBytes(`0x${DEV_KEY}`)), alice, bob, carol, dave, erin, frank, contract }
}

const places = async (peer: Peer, name: string, raw: Hex): Promise<void> => {
  const hash = hashOf(raw)
  await peer.note(
    [`receipt of ${name}`, 'eth_getTransactionReceipt', hash],
    [`transaction ${name}`, 'eth_getTransactionByHash', hash],
    [`raw transaction ${name}`, 'eth_getRawTransactionByHash', hash],
  )
}

/** One block of everything: its order is that of the tips. */
const traffic = async (peer: Peer, { alice, bob, carol, dave, contract }: World): Promise<void> => {
  const target: Fields = { to: contract, gas: 200_000n }
  const types: Readonly<Record<string, Hex>> = {
    'with logs': alice.next({ ...target, data: '0x12', price: 50n * GWEI }),
    'that reverts': alice.next({ ...target, data: '0x01', price: 40n * GWEI }),
    'of type 1': bob.next({
      ...target,
      type: 1,
      data: '0x11',
      price: 45n * GWEI,
      accessList: [
        { address: contract, storageKeys: [word(1), word(2)] },
        { address: SINK, storageKeys: [] },
      ],
    }),
    'of type 2': bob.next({ ...target, type: 2, data: '0x03', tip: 3n * GWEI, fee: 300n * GWEI }),
    'of type 2 that fails': carol.next({
      ...target,
      type: 2,
      data: '0x02',
      tip: 5n * GWEI,
      fee: 300n * GWEI,
      value: 5n,
    }),
    'of type 4': carol.next({
      ...target,
      type: 4,
      to: dave.address,
      data: '0x11',
      tip: 2n * GWEI,
      fee: 300n * GWEI,
      authorizations: [dave.authorize(contract, 0n), dave.authorize(SINK, 9n), dave.authorize(SINK, 1n, 5n)],
    }),
    'of value': alice.next({ to: SINK, value: 1_234n, price: 39n * GWEI }),
    'unlike a call': alice.next({ data: '0xfe', gas: 100_000n, price: 38n * GWEI }),
    'that stores nothing': alice.next({ data: '0x', gas: 100_000n, price: 37n * GWEI }),
    'to itself': alice.next({ to: alice.address, gas: 30_000n, price: 36n * GWEI, data: '0x0102' }),
    'that clears': bob.next({ ...target, data: '0x04', price: 10n * GWEI }),
  }
  const raws = Object.values(types)
  await peer.mine(...raws)
  for (const [name, raw] of Object.entries(types)) await places(peer, name, raw)
  const { number, hash } = peer.head
  await peer.note(
    ['block in full', 'eth_getBlockByNumber', number, true],
    ['block by hash', 'eth_getBlockByHash', hash, false],
    ['block receipts', 'eth_getBlockReceipts', number],
    ['block receipts by hash', 'eth_getBlockReceipts', hash],
    ['count by number', 'eth_getBlockTransactionCountByNumber', number],
    ['count by hash', 'eth_getBlockTransactionCountByHash', hash],
    ['by index', 'eth_getTransactionByBlockNumberAndIndex', number, '0x2'],
    ['by hash and index', 'eth_getTransactionByBlockHashAndIndex', hash, '0x0'],
    ['by index too large', 'eth_getTransactionByBlockNumberAndIndex', number, '0x10'],
    ['code after delegation', 'eth_getCode', dave.address, 'latest'],
    ['nonce after delegation', 'eth_getTransactionCount', dave.address, 'latest'],
    ['storage of the delegated', 'eth_getStorageAt', dave.address, '0x1', 'latest'],
    ['storage stored', 'eth_getStorageAt', contract, '0x1', number],
    ['storage by block hash', 'eth_getStorageAt', contract, '0x01', { blockHash: hash }],
    [
      'storage by block hash, canonical',
      'eth_getStorageAt',
      contract,
      '1',
      { blockHash: hash, requireCanonical: true },
    ],
    ['storage of a long key', 'eth_getStorageAt', contract, word(1), { blockNumber: number }],
    ['storage of a key too long', 'eth_getStorageAt', contract, `${word(1)}00`, number],
    ['storage of an empty key', 'eth_getStorageAt', contract, '0x', number],
    ['storage of no key', 'eth_getStorageAt', contract, 'xyz', number],
    ['proof of slots', 'eth_getProof', contract, ['0x1', '0x01', '1', '', word(1), '0x7', `${word(0)}`], number],
    ['proof by block hash', 'eth_getProof', contract, ['0x1'], { blockHash: hash, requireCanonical: true }],
    ['proof of the delegated', 'eth_getProof', dave.address, ['0x1'], 'latest'],
    ['proof of an account without storage', 'eth_getProof', SINK, ['0x1', '0x001'], number],
    ['proof of no account', 'eth_getProof', NOBODY, ['0x0'], number],
    ['proof without keys', 'eth_getProof', contract, [], number],
    ['proof of null keys', 'eth_getProof', contract, null, number],
    ['proof before the contract', 'eth_getProof', contract, ['0x1'], 'earliest'],
    ['proof at no block', 'eth_getProof', contract, ['0x1'], '0xffffff'],
    ['proof at no block by hash', 'eth_getProof', contract, ['0x1'], { blockHash: word(1) }],
    ['proof of a key too long', 'eth_getProof', contract, ['0x1', `${word(1)}0`], '0xffffff'],
    ['proof of no key', 'eth_getProof', contract, ['0x1', 'xyz'], number],
    ['proof at the pending block', 'eth_getProof', contract, ['0x1'], 'pending'],
    ['balance of the receiver', 'eth_getBalance', SINK, number],
    ['balance by both', 'eth_getBalance', SINK, { blockHash: hash, blockNumber: number }],
    ['balance of the legacy sender', 'eth_getBalance', alice.address, number],
    ['uncles', 'eth_getUncleCountByBlockHash', hash],
    ['proof', 'eth_call', { to: contract, from: alice.address, data: '0x01' }, { blockHash: hash }],
    ['sent again', 'eth_sendRawTransaction', raws[0]],
    ['sent again the last', 'eth_sendRawTransaction', raws.at(-1)],
  )
}

const LOGS: Readonly<Record<string, (world: World) => object>> = {
  'of the contract': ({ contract }) => ({ address: contract }),
  'of a list': ({ contract }) => ({ address: [contract, SINK] }),
  'of an empty list': () => ({ address: [] }),
  'of another': () => ({ address: SINK }),
  'by first topic': () => ({ topics: [word(0xcc)] }),
  'by null topics': () => ({ topics: [null, null, null] }),
  'by an empty set': () => ({ topics: [[], word(0xbb)] }),
  'by a set': () => ({ topics: [[word(0xcc), word(0x11)]] }),
  'by a set with null': () => ({ topics: [[word(0xcc), null], word(0xbb)] }),
  'by the third': () => ({ topics: [null, null, word(0x12)] }),
  'by four': () => ({ topics: [null, null, null, null] }),
  'by nothing that is': () => ({ topics: [ONES] }),
  'by address and topics': ({ contract }) => ({
    address: contract,
    topics: [[word(0xcc)], [word(0xbb)], [word(0x11), word(0x12)]],
  }),
}

const logs = async (peer: Peer, world: World): Promise<void> => {
  const { number, hash } = peer.head
  const place = { fromBlock: number, toBlock: number }
  for (const [name, criteria] of Object.entries(LOGS)) {
    await peer.note(
      [`logs ${name}`, 'eth_getLogs', { ...place, ...criteria(world) }],
      [`logs ${name} by hash`, 'eth_getLogs', { blockHash: hash, ...criteria(world) }],
      [`logs ${name} from the start`, 'eth_getLogs', { fromBlock: 'earliest', toBlock: 'latest', ...criteria(world) }],
    )
  }
  await peer.note(
    ['logs of the genesis block', 'eth_getLogs', { fromBlock: '0x0', toBlock: '0x0' }],
    ['logs reversed', 'eth_getLogs', { fromBlock: number, toBlock: '0x1' }],
    ['logs of the future', 'eth_getLogs', { fromBlock: '0xffffff', toBlock: '0xffffffff' }],
    ['logs up to the future', 'eth_getLogs', { fromBlock: number, toBlock: '0xffffffff' }],
  )
}

/** Filters over a block that is mined in between. */
const filters = async (peer: Peer, world: World): Promise<void> => {
  const { alice, contract } = world
  await peer.freshBlock()
  const ids = {
    logs: await peer.ask('eth_newFilter', { address: contract, topics: [word(0xcc)] }),
    all: await peer.ask('eth_newFilter', {}),
    others: await peer.ask('eth_newFilter', { address: SINK }),
    past: await peer.ask('eth_newFilter', { fromBlock: '0x0', toBlock: peer.head.number }),
    blocks: await peer.ask('eth_newBlockFilter'),
    pending: await peer.ask('eth_newPendingTransactionFilter'),
    full: await peer.ask('eth_newPendingTransactionFilter', true),
  }
  const raw = alice.next({ to: contract, gas: 200_000n, data: '0x11' })
  await peer.mine(raw)
  const blocks = await peer.ask<readonly Hex[]>('eth_getFilterChanges', ids.blocks)
  peer.record('blocks of the filter', blocks.includes(peer.head.hash))
  for (const [name, id] of Object.entries(ids)) {
    if (name !== 'blocks') await peer.note([`changes of the filter ${name}`, 'eth_getFilterChanges', id])
    if (name !== 'blocks') await peer.note([`changes of the filter ${name} again`, 'eth_getFilterChanges', id])
    await peer.note(
      [`logs of the filter ${name}`, 'eth_getFilterLogs', id],
      [`uninstall the filter ${name}`, 'eth_uninstallFilter', id],
      [`uninstall the filter ${name} twice`, 'eth_uninstallFilter', id],
      [`changes of the filter ${name} that is gone`, 'eth_getFilterChanges', id],
      [`logs of the filter ${name} that is gone`, 'eth_getFilterLogs', id],
    )
  }
}

const fees = async (peer: Peer, world: World): Promise<void> => {
  const { alice, bob, carol, contract } = world
  const raws = [
    alice.next({ type: 2, to: contract, gas: 300_000n, data: '0x13', tip: 7n * GWEI, fee: 200n * GWEI }),
    bob.next({ type: 2, to: SINK, value: 1n, tip: 1n * GWEI, fee: 200n * GWEI }),
    carol.next({ type: 2, to: contract, gas: 300_000n, data: '0x12', tip: 4n * GWEI, fee: 200n * GWEI }),
    carol.next({ type: 2, to: SINK, tip: 2n * GWEI, fee: 200n * GWEI }),
  ]
  await peer.mine(...raws)
  const { number } = peer.head
  await peer.note(
    ['rewards', 'eth_feeHistory', '0x1', number, [0, 5, 10, 25, 33.3, 50, 75, 90, 99, 100]],
    ['rewards of none', 'eth_feeHistory', '0x1', number, []],
    ['rewards not ascending', 'eth_feeHistory', '0x1', number, [10, 10]],
    ['rewards falling', 'eth_feeHistory', '0x1', number, [10.5, 10.25]],
    ['rewards above', 'eth_feeHistory', '0x1', number, [100.1]],
    ['rewards below', 'eth_feeHistory', '0x1', number, [-1]],
    ['rewards many', 'eth_feeHistory', '0x1', number, Array.from({ length: 101 }, (_, index) => index / 2)],
    ['rewards of the future', 'eth_feeHistory', '0x1', '0xffffff', [50]],
    ['block of the rewards', 'eth_getBlockReceipts', number],
  )
}

export const transactions = async (peer: Peer, world: World): Promise<void> => {
  const { dev, alice } = world
  const funded = [alice, world.bob, world.carol, world.erin, world.frank]
  const funding = funded.map(({ address }) => dev.next({ to: address, value: 100n * ETHER, price: 20n * GWEI }))
  await peer.include(...funding)
  const deploy = alice.next({ data: deployment(CONTRACT), gas: 1_000_000n })
  await peer.include(deploy)
  await places(peer, 'that creates', deploy)
  await peer.note(
    ['code created', 'eth_getCode', world.contract, 'latest'],
    ['nonce of the created', 'eth_getTransactionCount', world.contract, 'latest'],
    ['balance of the funder', 'eth_getTransactionCount', RICH, 'latest'],
  )
  await traffic(peer, world)
  await logs(peer, world)
  await filters(peer, world)
  await fees(peer, world)
}
