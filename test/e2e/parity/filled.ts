/** eth_fillTransaction and eth_config: what does not follow from the facts of one chain. */
import { ARGUMENTS, ONES, POOR, RICH, TARGET } from './calls.ts'
import type { Peer } from './peer.ts'
import type { World } from './transactions.ts'

const METHOD = 'eth_fillTransaction'
const PRICE = '0x2540be400'

type Members = Record<string, unknown>
const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null

/**
 * Blobs are taken there alone, where geth's handler crashes an error is told, and its estimate without authorizations is
 * too low.
 */
const isComparable = (call: Members): boolean => {
  const isLegacy = call['gasPrice'] !== undefined
  if (call['blobs'] !== undefined) return false
  const authorizations = call['authorizationList'] as readonly unknown[] | undefined
  const isUnlike = call['to'] === undefined || (call['gas'] === undefined && authorizations?.length !== 0)
  if (authorizations !== undefined && isUnlike) return isLegacy
  const blobs = call['blobVersionedHashes'] as readonly unknown[] | undefined
  return blobs === undefined || blobs.length === 0 || blobs.length > 6 || call['to'] === undefined || isLegacy
}

const fill = async (peer: Peer, title: string, call: Members): Promise<void> => {
  if (isComparable(call)) await peer.note([`filled: ${title}`, METHOD, call])
}

/** Records the reply without the fees that follow from the chain, and what holds them. */
const fillFees = async (peer: Peer, title: string, call: Members): Promise<void> => {
  const reply = await peer.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: METHOD, params: [call] }))
  if (isObject(reply) && isObject(reply['result']) && isObject(reply['result']['tx'])) {
    const { tx } = reply['result']
    const [tip, fee] = [tx['maxPriorityFeePerGas'], tx['maxFeePerGas']].map((quantity) => BigInt(quantity as string))
    const isTwice = tip !== undefined && fee !== undefined && fee > tip && (fee - tip) % 2n === 0n
    const hidden = { maxFeePerGas: isTwice ? '<tip + 2 base>' : fee, hash: '<hash>' }
    const tips = call['maxPriorityFeePerGas'] === undefined ? { maxPriorityFeePerGas: '<tip>' } : {}
    reply['result'] = { ...reply['result'], raw: '<raw>', tx: { ...tx, ...hidden, ...tips } }
  }
  peer.record(`filled with fees: ${title}`, reply)
}

const argumentsOfCalls = async (peer: Peer): Promise<void> => {
  for (const [name, call] of Object.entries(ARGUMENTS as Readonly<Record<string, Members>>)) {
    const hasFees = (call['gasPrice'] ?? call['maxFeePerGas'] ?? call['maxPriorityFeePerGas']) !== undefined
    const rich = { ...call, from: RICH }
    const legacy = hasFees ? rich : { ...rich, gasPrice: PRICE }
    const dynamic = hasFees ? rich : { ...rich, maxFeePerGas: PRICE, maxPriorityFeePerGas: '0x5' }
    // When only one of the two is given, the other follows from the chain.
    const isWhole = !hasFees || (call['maxFeePerGas'] === undefined) === (call['maxPriorityFeePerGas'] === undefined)
    if (!isWhole) continue
    await fill(peer, name, legacy)
    await fill(peer, `${name}, with a fee`, dynamic)
    await fill(peer, `${name}, with gas and nonce`, { ...dynamic, gas: '0x12345', nonce: '0x9' })
    await fill(peer, `${name}, of the poor`, { ...legacy, from: POOR })
  }
}

const members = async (peer: Peer, { alice, carol, contract }: World): Promise<void> => {
  const from = alice.address
  const call = { from, to: contract, gasPrice: PRICE }
  const cases: Readonly<Record<string, Members>> = {
    'a call that stores': { ...call, data: '0x03' },
    'a call that stores, by input': { ...call, input: '0x03' },
    'a call that reverts': { ...call, data: '0x01' },
    'a call that fails': { ...call, data: '0x02' },
    'a call with too much value': { ...call, value: '0xffffffffffffffffffff' },
    'a call that reverts, with gas': { ...call, data: '0x01', gas: '0x5208' },
    'equal datas': { ...call, data: '0x03', input: '0x03' },
    'different datas': { ...call, data: '0x03', input: '0x04' },
    'different datas and the wrong chain': { ...call, data: '0x03', input: '0x04', chainId: '0x1' },
    'an empty input': { ...call, data: '0x03', input: '0x' },
    'an empty data': { ...call, data: '0x', input: '0x03' },
    'a creation': { from, gasPrice: PRICE, data: '0x600160005360016000f3' },
    'a creation without data': { from, gasPrice: PRICE },
    'a creation with empty data': { from, gasPrice: PRICE, data: '0x', to: null },
    'a creation that fails': { from, gasPrice: PRICE, data: '0xfe' },
    'no sender': { to: contract, gasPrice: PRICE, gas: '0x5208' },
    'no sender and no gas': { to: contract, gasPrice: PRICE },
    'the wrong chain': { ...call, chainId: '0x1' },
    'the wrong chain and a call that reverts': { ...call, chainId: '0x1', data: '0x01' },
    'the right chain': { ...call, chainId: '0x539' },
    'an access list': { ...call, accessList: [{ address: contract, storageKeys: [ONES] }] },
    'a fee and an access list': {
      from,
      to: contract,
      data: '0x03',
      maxFeePerGas: PRICE,
      maxPriorityFeePerGas: '0x0',
      accessList: [{ address: contract, storageKeys: [ONES] }],
    },
    'a fee and a null access list': {
      from,
      to: contract,
      maxFeePerGas: PRICE,
      maxPriorityFeePerGas: '0x1',
      accessList: null,
    },
    'the sender of others': { ...call, from: carol.address, nonce: '0x0', value: '0x1' },
    'a nonce of 2^64-1': { ...call, nonce: '0xffffffffffffffff', gas: '0x5208' },
    'gas of 2^64-1': { ...call, gas: '0xffffffffffffffff' },
    'gas of zero': { ...call, gas: '0x0' },
    'price of zero': { ...call, gasPrice: '0x0' },
    'price and fee': { ...call, maxFeePerGas: PRICE },
    'price and tip': { ...call, maxPriorityFeePerGas: PRICE },
    'fee of zero and tip': { from, to: contract, maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' },
    'fee below the tip': { from, to: contract, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
    'fee below the base fee': { from, to: contract, maxFeePerGas: '0x2', maxPriorityFeePerGas: '0x1', gas: '0x1' },
    'blob fee of zero': { ...call, maxFeePerBlobGas: '0x0' },
    'blob fee of zero and price and fee': { ...call, maxFeePerGas: PRICE, maxFeePerBlobGas: '0x0' },
    'blob fee': { ...call, maxFeePerBlobGas: '0x1' },
    'no blobs': { ...call, blobVersionedHashes: [] },
    'seven blobs': { ...call, blobVersionedHashes: Array.from({ length: 7 }, () => ONES) },
    'a blob and no receiver': { from, gasPrice: PRICE, blobVersionedHashes: [ONES] },
    'a value of 2^256-1': { ...call, value: `0x${'f'.repeat(64)}`, gas: '0x5208' },
    'an empty authorization list and a price': { ...call, authorizationList: [] },
    'an empty authorization list': {
      from,
      to: contract,
      maxFeePerGas: PRICE,
      maxPriorityFeePerGas: '0x1',
      authorizationList: [],
    },
    'an authorization': {
      from,
      to: contract,
      maxFeePerGas: PRICE,
      maxPriorityFeePerGas: '0x1',
      authorizationList: [{ chainId: '0x0', address: TARGET, nonce: '0x0', yParity: '0x1', r: '0x2', s: '0x3' }],
    },
  }
  for (const [name, member] of Object.entries(cases)) await fill(peer, name, member)
  await fillFees(peer, 'nothing else', { from, to: contract })
  await fillFees(peer, 'data', { from, to: contract, data: '0x03' })
  await fillFees(peer, 'a tip', { from, to: contract, maxPriorityFeePerGas: PRICE })
  await fillFees(peer, 'a tip of zero', { from, to: contract, maxPriorityFeePerGas: '0x0' })
  await fillFees(peer, 'a blob fee', { from, to: contract, maxFeePerBlobGas: '0x1' })
  await fillFees(peer, 'an authorization list', { from, to: contract, authorizationList: [] })
  await fillFees(peer, 'a call that reverts', { from, to: contract, data: '0x01' })
}

const malformed: readonly (readonly unknown[])[] = [
  [],
  [null],
  [[]],
  [5],
  ['0x'],
  [{ from: '0x' }],
  [{ from: RICH, nonce: 1 }],
  [{ from: RICH, gas: '0x01' }],
  [{ from: RICH, value: '1' }],
  [{ from: RICH, data: '0x1' }],
  [{ blobs: ['0x'] }],
  [{ from: RICH, to: RICH, gasPrice: PRICE, gas: '0x5208' }, 'latest'],
  [{ from: RICH, to: RICH, gasPrice: PRICE, gas: '0x5208' }, null],
  [{ authorizationList: [{ chainId: '0x1' }] }],
]

/** The names alone of what differs from chain to chain, and of the precompiles those of Ethereum. */
const config = async (peer: Peer): Promise<void> => {
  const answered = await peer.ask<{ readonly current: Record<string, Members> & { readonly forkId: string } }>(
    'eth_config',
  )
  const { current } = answered
  const precompiles = Object.entries(current['precompiles'] ?? {}).filter(([, address]) => {
    const number = Number(address as string)
    return number < 0x12 || number === 0x100
  })
  const { HISTORY_STORAGE_ADDRESS, BEACON_ROOTS_ADDRESS } = current['systemContracts'] ?? {}
  peer.record('config', {
    ...answered,
    current: {
      ...current,
      blobSchedule: Object.keys(current['blobSchedule'] ?? {}),
      forkId: current.forkId.length,
      precompiles: Object.fromEntries(precompiles),
      systemContracts: { HISTORY_STORAGE_ADDRESS, BEACON_ROOTS_ADDRESS },
    },
  })
  for (const params of [[null], ['latest'], [{}], [1, 2]])
    await peer.note([`config of ${JSON.stringify(params)}`, 'eth_config', ...params])
}

export const filled = async (peer: Peer, world: World): Promise<void> => {
  await argumentsOfCalls(peer)
  await members(peer, world)
  for (const [index, params] of malformed.entries()) await peer.note([`filled: malformed ${index}`, METHOD, ...params])
  await config(peer)
}
