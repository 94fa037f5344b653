/** Requests at their edges: which fault is told first, bounds of ranges, headers, raw transactions by their place. */
import type { Hex } from '../../../core/hex.ts'
import { ONES, RICH, TARGET } from './calls.ts'
import type { Peer } from './peer.ts'
import type { World } from './transactions.ts'

const OTHER: Hex = '0x00000000000000000000000000000000000000aa'
const UNKNOWN = { blockHash: ONES }
const BARE = OTHER.slice(2)

/** Each with a fault of its own; the block that they are asked at has one too, or none. */
const FAULTY_CALLS: Readonly<Record<string, readonly unknown[]>> = {
  'both prices': [{ gasPrice: '0x1', maxFeePerGas: '0x1' }],
  'both storages': [{}, { [OTHER]: { state: {}, stateDiff: {} } }],
  'no precompile to move': [{}, { [OTHER]: { movePrecompileToAddress: TARGET } }],
  'a beacon root': [{}, {}, { beaconRoot: ONES }],
  withdrawals: [{}, {}, { withdrawals: [] }],
  'both storages and withdrawals': [{}, { [OTHER]: { state: {}, stateDiff: {} } }, { withdrawals: [] }],
  'both prices and both storages': [
    { gasPrice: '0x1', maxFeePerGas: '0x1' },
    { [OTHER]: { state: {}, stateDiff: {} } },
  ],
}

/** Several faults in one parameter: Go's order of reading decides. */
const UNREADABLE: Readonly<Record<string, readonly unknown[]>> = {
  'a bare address over a bad balance': [{}, { [BARE]: { balance: '0x' } }],
  'a bare address over a bare slot': [{}, { [BARE]: { stateDiff: { [ONES.slice(2)]: ONES } } }],
  'a bare address over an account of text': [{}, { [BARE]: '' }],
  'a short address over a number': [{}, { '0xaa': { nonce: 1 } }],
  'a short address over a short slot': [{}, { '0xaa': { state: { '0x1': '0x2' } } }],
  'an account of text, then a bare slot': [{}, { [OTHER]: '', [TARGET]: { stateDiff: { [BARE]: ONES } } }],
  'an account of text, then a right one': [{}, { [OTHER]: '', [TARGET]: { nonce: '0x1' } }],
  'two accounts of other kinds': [{}, { [OTHER]: 5, [TARGET]: [] }],
  'slots of another kind, then a bad balance': [{}, { [OTHER]: { state: 5, balance: '1' } }],
  'a tuple of another kind, then a bad nonce': [{ authorizationList: [5], nonce: [] }],
  'an access list of text, then a tuple of another kind': [{ accessList: '', authorizationList: [5] }],
  'an access tuple of another kind, then a bad nonce': [{ accessList: [5], nonce: 'x' }],
  'slots of an access tuple of another kind, then a bad nonce': [
    { accessList: [{ address: OTHER, storageKeys: 5 }], nonce: 'x' },
  ],
  'a short blob': [{ blobs: ['0x'] }],
  'a blob of no text': [{ blobs: [5] }],
  'blobs of another kind': [{ blobs: 5 }],
  'a short commitment': [{ commitments: ['0x01'] }],
  'a short proof, then a bad value': [{ proofs: [ONES], value: {} }],
  'a bad value, then a short proof': [{ value: {}, proofs: [ONES] }],
  'a member given twice, at last as null': [{ gas: 'x', GAS: null }],
}

const faults = async (peer: Peer): Promise<void> => {
  for (const method of ['eth_call', 'eth_estimateGas']) {
    for (const [name, [call, ...overrides]] of Object.entries(FAULTY_CALLS)) {
      await peer.note(
        [`${method} with ${name}`, method, call, 'latest', ...overrides],
        [`${method} with ${name} beyond the head`, method, call, '0xffffffff', ...overrides],
        [`${method} with ${name} at an unknown block`, method, call, UNKNOWN, ...overrides],
        [`${method} with ${name} at no block`, method, call, {}, ...overrides],
      )
    }
    for (const [name, [call, ...overrides]] of Object.entries(UNREADABLE)) {
      await peer.note([`${method} with ${name}`, method, call, 'latest', ...overrides])
    }
  }
  for (const key of [' ', 'zz', '0xz', `${ONES}0`, '0x ', '']) {
    await peer.note(
      [`storage of the key "${key}"`, 'eth_getStorageAt', OTHER, key, 'latest'],
      [`storage of the key "${key}" beyond the head`, 'eth_getStorageAt', OTHER, key, '0xffffffff'],
      [`storage of the key "${key}" at an unknown block`, 'eth_getStorageAt', OTHER, key, UNKNOWN],
      [`storage of the key "${key}" at no block`, 'eth_getStorageAt', OTHER, key, {}],
      [`proof of the key "${key}" beyond the head`, 'eth_getProof', OTHER, [key], '0xffffffff'],
    )
  }
}

const BOUNDS = [
  undefined,
  null,
  '0x0',
  '0x1',
  '0x2',
  'HEAD',
  '0xfffffff',
  '0x7fffffffffffffff',
  'earliest',
  'latest',
  'safe',
  'finalized',
  'pending',
]

const ranges = async (peer: Peer): Promise<void> => {
  const at = (bound: string | null | undefined): string | null | undefined =>
    bound === 'HEAD' ? peer.head.number : bound
  for (const from of BOUNDS) {
    const ends = BOUNDS.map((to) => [`from ${from} to ${to}`, { fromBlock: at(from), toBlock: at(to) }] as const)
    await peer.note(
      ...ends.map(([name, range]) => [`logs ${name}`, 'eth_getLogs', { ...range, address: OTHER }] as const),
    )
    for (const [name, range] of ends) {
      const made = await peer.ask<string>('eth_newFilter', range).catch((error: unknown) => String(error))
      peer.record(`filter ${name}`, made.startsWith('0x') ? '<id>' : made)
      if (made.startsWith('0x')) await peer.ask('eth_uninstallFilter', made)
    }
  }
}

const places = async (peer: Peer, { alice }: World): Promise<void> => {
  const { number, hash } = peer.head
  await peer.note(
    ['header by number', 'eth_getHeaderByNumber', number],
    ['header by hash', 'eth_getHeaderByHash', hash],
    ['header beyond the head', 'eth_getHeaderByNumber', '0xffffffff'],
    ['header of an unknown hash', 'eth_getHeaderByHash', ONES],
    ['header of nothing', 'eth_getHeaderByNumber'],
    ['header of the pending block', 'eth_getHeaderByNumber', 'pending'],
    ['header with a flag', 'eth_getHeaderByNumber', number, true],
    ['header of a bad tag', 'eth_getHeaderByNumber', 'Latest'],
    ['blob base fee', 'eth_blobBaseFee'],
    ['blob base fee of a block', 'eth_blobBaseFee', 'latest'],
    ['own pending transactions', 'eth_pendingTransactions'],
  )
  for (const index of ['0x0', '0x1', '0x3', '0x4', '0xffffffffffffffff', '0x', 5]) {
    await peer.note(
      [`raw by number and ${index}`, 'eth_getRawTransactionByBlockNumberAndIndex', number, index],
      [`raw by hash and ${index}`, 'eth_getRawTransactionByBlockHashAndIndex', hash, index],
      [`raw by an unknown hash and ${index}`, 'eth_getRawTransactionByBlockHashAndIndex', ONES, index],
      [`raw beyond the head and ${index}`, 'eth_getRawTransactionByBlockNumberAndIndex', '0xffffffff', index],
    )
  }
  await peer.freshBlock()
  const waiting = alice.next({ to: RICH, value: 1n, price: 300_000_000_000n })
  await peer.send([waiting])
  await peer.note(
    ['raw of the pending block', 'eth_getRawTransactionByBlockNumberAndIndex', 'pending', '0x0'],
    ['none of the pending block', 'eth_getRawTransactionByBlockNumberAndIndex', 'pending', '0x1'],
  )
  await peer.mined([waiting])
}

/** Runs after {@link transactions}: the head is a block of four. */
export const edges = async (peer: Peer, world: World): Promise<void> => {
  await faults(peer)
  await ranges(peer)
  await places(peer, world)
}
