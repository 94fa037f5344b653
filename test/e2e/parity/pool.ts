/** What the pool refuses and why, what it shows, and the pending block on top of it. */
import type { Hex } from '../../../core/hex.ts'
import { assemble, memory } from './assemble.ts'
import { ONES } from './calls.ts'
import type { Peer } from './peer.ts'
import type { World } from './transactions.ts'
import { type Fields, GWEI, hashOf, Wallet } from './wallet.ts'

const SINK: Hex = '0x3333333333333333333333333333333333333333'
const NEW: Hex = '0x4444444444444444444444444444444444444444'
const MAX = 2n ** 256n

/** Each fault alone and in pairs, so that the order of the checks shows. */
const FAULTS: Readonly<Record<string, Fields>> = {
  'fee cap': { price: 100_000n * GWEI },
  unprotected: { chainId: null },
  'other chain': { chainId: 5n },
  oversized: { data: `0x${'01'.repeat(131_072)}`, gas: 16_000_000n, price: 2n * GWEI },
  'init code': { to: undefined as never, data: `0x${'01'.repeat(49_153)}`, gas: 16_000_000n, price: 2n * GWEI },
  'Osaka gas': { gas: 16_777_217n, price: 2n * GWEI },
  'block gas': { gas: 1_000_000_001n, price: 1n },
  'tip above fee': { type: 2, fee: 5n * GWEI, tip: 6n * GWEI },
  'fee very high': { type: 2, fee: MAX, tip: 1n, gas: 0n },
  'tip very high': { type: 2, fee: MAX, tip: MAX, gas: 0n },
  'nonce max': { nonce: 2n ** 64n - 1n },
  'intrinsic gas': { gas: 20_999n },
  'no gas': { gas: 0n },
  'floor gas': { data: `0x${'01'.repeat(400)}`, gas: 30_000n },
  'no authorizations': { type: 4, gas: 100_000n },
  'nonce low': { nonce: 0n },
  'no funds': { value: 10n ** 30n },
}

const refusals = async (peer: Peer, { erin }: World): Promise<void> => {
  await peer.include(erin.next({ to: SINK }))
  const base: Fields = { to: SINK, nonce: erin.nonce + 500 }
  const names = Object.keys(FAULTS)
  const merge = (...parts: readonly string[]): Hex => {
    const fields = Object.assign({}, base, ...parts.map((name) => FAULTS[name])) as Fields
    return erin.sign(fields)
  }
  for (const [index, name] of names.entries()) {
    await peer.note([`refused: ${name}`, 'eth_sendRawTransaction', merge(name)])
    // Numbers of more than 256 bits are refused here before all else.
    const pairs = name.includes('very high')
      ? []
      : names.slice(index + 1).filter((other) => !other.includes('very high'))
    await peer.note(
      ...pairs.map((other) => [`refused: ${name} and ${other}`, 'eth_sendRawTransaction', merge(name, other)] as const),
    )
  }
  const poor = new Wallet('poor')
  const raw = erin.sign(base)
  const garbage: Readonly<Record<string, string>> = {
    'of one without anything': poor.sign({ to: SINK }),
    'of one without anything, with a gap': poor.sign({ to: SINK, nonce: 7 }),
    'with a byte more': `${raw}00`,
    'with a byte less': raw.slice(0, -2),
    'without a signature': `0xe9018502540be400825208943333333333333333333333333333333333333333808080${'80'.repeat(2)}`,
    'of type 2 with a byte more': `${erin.sign({ ...base, type: 2 })}00`,
    'of type 2 with a byte less': erin.sign({ ...base, type: 2 }).slice(0, -2),
    'of type 5': '0x05c0',
    'of type 127': '0x7fc0',
    'of type 0 in an envelope': `0x00${raw.slice(2)}`,
    'of type 2 empty': '0x02c0',
    'of type 1 empty': '0x01c0',
    'of type 4 empty': '0x04c0',
    'of a string': '0x80',
    'of one byte': '0x01',
    'of an empty list': '0xc0',
    'of a list of nothing': '0xc180',
    'of a long list': `0xca${'80'.repeat(10)}`,
    'with a leading zero': '0xc9820001808080808080808080',
    'with lists inside': '0xc9c080808080808080c080',
    'with a short address': '0xce808080850102030405808080808080',
    nothing: '0x',
  }
  for (const [name, body] of Object.entries(garbage))
    await peer.note([`refused: ${name}`, 'eth_sendRawTransaction', body])
}

/** The pool with transactions that wait: executable ones and behind a gap. */
const waiting = async (peer: Peer, { frank, carol, alice, contract }: World): Promise<void> => {
  await peer.freshBlock()
  const raws: Readonly<Record<string, Hex>> = {
    value: frank.next({ to: NEW, value: 77n }),
    creation: frank.next({ data: assemble(`${memory('0x6001')} 2 0 RETURN`), gas: 100_000n, price: 9n * GWEI }),
    call: carol.next({ type: 2, to: contract, data: '0x12', gas: 200_000n, tip: 20n * GWEI, fee: 20n * GWEI }),
    'access list': alice.next({
      type: 1,
      to: contract,
      data: '0x03',
      gas: 200_000n,
      accessList: [{ address: contract, storageKeys: [ONES] }],
    }),
  }
  const [value, creation, call, list] = Object.values(raws) as [Hex, Hex, Hex, Hex]
  const gap = carol.sign({ type: 2, nonce: carol.nonce + 5, to: SINK, value: 3n, tip: 3n * GWEI, fee: 30n * GWEI })
  const gapCreation = carol.sign({ nonce: carol.nonce + 7, data: '0x00', gas: 100_000n })
  await peer.send([value, creation, call, list, gap, gapCreation])
  const [hash, state] = [hashOf(value), 'pending']
  await peer.note(
    ['pool status', 'txpool_status'],
    ['pool content', 'txpool_content'],
    ['pool inspect', 'txpool_inspect'],
    ['pool content of one', 'txpool_contentFrom', carol.address],
    ['pool content of nobody', 'txpool_contentFrom', NEW],
    ['waiting: the transaction', 'eth_getTransactionByHash', hash],
    ['waiting: one behind a gap', 'eth_getTransactionByHash', hashOf(gap)],
    ['waiting: raw', 'eth_getRawTransactionByHash', hash],
    ['waiting: its receipt', 'eth_getTransactionReceipt', hash],
    ['waiting: already known', 'eth_sendRawTransaction', value],
    ['waiting: behind a gap already known', 'eth_sendRawTransaction', gap],
    ['waiting: next nonce', 'eth_getTransactionCount', frank.address, state],
    ['waiting: nonce behind a gap', 'eth_getTransactionCount', carol.address, state],
    ['waiting: nonce now', 'eth_getTransactionCount', frank.address, 'latest'],
    [
      'waiting: replacement of equal price',
      'eth_sendRawTransaction',
      frank.sign({ nonce: frank.nonce - 2, to: SINK, value: 1n }),
    ],
    [
      'waiting: replacement a little better',
      'eth_sendRawTransaction',
      frank.sign({ nonce: frank.nonce - 2, to: SINK, value: 1n, price: 10_999_999_999n }),
    ],
    [
      'waiting: replacement without funds',
      'eth_sendRawTransaction',
      frank.sign({ nonce: frank.nonce - 2, to: SINK, value: 10n ** 30n, price: 20n * GWEI }),
    ],
    [
      'waiting: replacement of a low tip',
      'eth_sendRawTransaction',
      carol.sign({ type: 2, nonce: carol.nonce - 1, to: SINK, tip: 20n * GWEI, fee: 90n * GWEI }),
    ],
    [
      'waiting: replacement behind a gap',
      'eth_sendRawTransaction',
      carol.sign({ type: 2, nonce: carol.nonce + 5, to: SINK, value: 3n, tip: 3n * GWEI, fee: 31n * GWEI }),
    ],
    ['waiting: pending balance of the new', 'eth_getBalance', NEW, state],
    ['waiting: pending code', 'eth_getCode', contract, state],
    ['waiting: pending storage', 'eth_getStorageAt', contract, '0x1', state],
    ['waiting: pending call', 'eth_call', { to: NEW, from: NEW, value: '0x1' }, state],
    ['waiting: pending estimate', 'eth_estimateGas', { to: SINK, from: NEW, value: '0x4d' }, state],
    ['waiting: pending estimate without funds', 'eth_estimateGas', { to: SINK, from: NEW, value: '0x4e' }, state],
    ['waiting: count of the pending block', 'eth_getBlockTransactionCountByNumber', state],
    ['waiting: pending block', 'eth_getBlockByNumber', state, false],
    ['waiting: pending block in full', 'eth_getBlockByNumber', state, true],
    ['waiting: first of the pending block', 'eth_getTransactionByBlockNumberAndIndex', state, '0x0'],
    ['waiting: none of the pending block', 'eth_getTransactionByBlockNumberAndIndex', state, '0x9'],
    ['waiting: receipts of the pending block', 'eth_getBlockReceipts', state],
    ['waiting: fees of the pending block', 'eth_feeHistory', '0x1', state, []],
    ['waiting: uncles of the pending block', 'eth_getUncleCountByBlockNumber', state],
    ['waiting: uncle of the pending block', 'eth_getUncleByBlockNumberAndIndex', state, '0x0'],
    [
      'waiting: a large value after the others',
      'eth_sendRawTransaction',
      frank.sign({ nonce: frank.nonce, to: SINK, value: 99n * 10n ** 18n, price: 100n * GWEI, gas: 9_000_000n }),
    ],
    [
      'waiting: a large replacement after the others',
      'eth_sendRawTransaction',
      frank.sign({ nonce: frank.nonce - 1, to: SINK, value: 99n * 10n ** 18n + 9n * 10n ** 17n, price: 50n * GWEI }),
    ],
  )
  await peer.mined([value, creation, call, list])
  await peer.note(
    ['after waiting: block', 'eth_getBlockByNumber', peer.head.number, true],
    ['after waiting: pool', 'txpool_content'],
    ['after waiting: balance of the new', 'eth_getBalance', NEW, 'latest'],
  )
  const replaced = carol.sign({ to: SINK, nonce: carol.nonce, price: 10n * GWEI })
  const better = carol.next({ to: NEW, price: 11n * GWEI })
  await peer.freshBlock()
  await peer.send([replaced, better])
  await peer.note(
    ['replaced: the old', 'eth_getTransactionByHash', hashOf(replaced)],
    ['replaced: the new', 'eth_getTransactionByHash', hashOf(better)],
    ['replaced: the old again', 'eth_sendRawTransaction', replaced],
  )
  await peer.mined([better])
  await peer.note(
    ['replaced: receipt of the old', 'eth_getTransactionReceipt', hashOf(replaced)],
    ['replaced: the old at last', 'eth_sendRawTransaction', replaced],
  )
}

export const pool = async (peer: Peer, world: World): Promise<void> => {
  await refusals(peer, world)
  await waiting(peer, world)
}
