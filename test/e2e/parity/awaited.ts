/** eth_sendRawTransactionSync (EIP-7966): receipts, refusals and times that run out. */
import type { Hex } from '../../../core/hex.ts'
import { deployment } from './assemble.ts'
import type { Peer } from './peer.ts'
import type { World } from './transactions.ts'
import { type Fields, GWEI, hashOf, Wallet } from './wallet.ts'

const METHOD = 'eth_sendRawTransactionSync'
const SINK: Hex = '0x5555555555555555555555555555555555555555'

/** Each in a block of its own: the price of the dynamic ones is all that they pay. */
const receipts = async (peer: Peer, { alice, bob, contract, dave }: World): Promise<void> => {
  const fees = { fee: 10n * GWEI, tip: 10n * GWEI }
  const sent: Readonly<Record<string, readonly [Wallet, Fields, ...unknown[]]>> = {
    'a transfer': [alice, { to: SINK, value: 5n }],
    'logs, with a time': [bob, { to: contract, data: '0x12', gas: 200_000n }, '0x7530'],
    'a revert, with no time': [alice, { to: contract, data: '0x01', gas: 200_000n }, '0x0'],
    'a creation, with a null time': [alice, { data: deployment('0x00'), gas: 200_000n }, null],
    'type 1, with a long time': [bob, { type: 1, to: SINK, gas: 50_000n, accessList: [] }, '0xffffffff'],
    'type 2': [bob, { type: 2, to: contract, data: '0x03', gas: 200_000n, ...fees }],
    'type 4': [
      alice,
      { type: 4, to: SINK, gas: 200_000n, ...fees, authorizations: [dave.authorize(contract, BigInt(2))] },
    ],
  }
  for (const [name, [wallet, fields, ...time]] of Object.entries(sent)) {
    const raw = wallet.next(fields)
    await peer.note([`awaited: ${name}`, METHOD, raw, ...time])
    await peer.note(
      [`awaited: ${name}, afterwards`, 'eth_getTransactionReceipt', hashOf(raw)],
      [`awaited: ${name}, again`, METHOD, raw, ...time],
    )
  }
}

/**
 * The transactions stand behind a gap, so that they are never included. Some of these milliseconds are more nanoseconds
 * than Go counts.
 */
const TIMES = [
  ...['0x1', '0x2', '0x5', '0x64', '0x3e8', '0x5dc'],
  ...['0xffffffffffffffff', '0x8000000000000000', '0x20c49ba5e353f8', '0x8637bd05af6c6', '0xfffffffffffffff0'],
]

const times = async (peer: Peer, { bob }: World): Promise<void> => {
  for (const [index, time] of TIMES.entries()) {
    const raw = bob.sign({ to: SINK, nonce: bob.nonce + 100 + index })
    await peer.note([`awaited for ${time}`, METHOD, raw, time], [`awaited for ${time} again`, METHOD, raw, time])
  }
}

const refusals = async (peer: Peer, { bob }: World): Promise<void> => {
  const base: Fields = { to: SINK, nonce: bob.nonce }
  const faults: Readonly<Record<string, unknown>> = {
    'fee cap': bob.sign({ ...base, price: 100_000n * GWEI }),
    unprotected: bob.sign({ ...base, chainId: null }),
    'other chain': bob.sign({ ...base, chainId: 5n }),
    'intrinsic gas': bob.sign({ ...base, gas: 20_999n }),
    'Osaka gas': bob.sign({ ...base, gas: 16_777_217n, price: 3n * GWEI }),
    'tip above fee': bob.sign({ ...base, type: 2, fee: 5n * GWEI, tip: 6n * GWEI }),
    'nonce low': bob.sign({ ...base, nonce: 0 }),
    'no authorizations': bob.sign({ ...base, type: 4, gas: 100_000n }),
    poor: new Wallet('poor').sign({ to: SINK }),
    'a byte more': `${bob.sign(base)}00`,
    'an empty list': '0xc0',
    'type 5': '0x05c0',
    'type 2 empty': '0x02c0',
    string: '0x80',
    'one byte': '0x01',
    nothing: '0x',
    'no prefix': '00',
    'odd length': '0x0',
    'no text': 5,
    null: null,
    object: {},
  }
  for (const [name, raw] of Object.entries(faults)) {
    await peer.note([`awaited: refused ${name}`, METHOD, raw], [`awaited: refused ${name} in time`, METHOD, raw, '0x1'])
  }
  // A whole number is taken as well: EIP-7966 has it so.
  const times = ['100', '0x', '0x01', '', '0x10000000000000000', 'x', {}, [], true, -1, 1.5, '0x-1']
  for (const time of times) await peer.note([`awaited: a time of ${JSON.stringify(time)}`, METHOD, '0xc0', time])
  await peer.note(
    ['awaited: nothing', METHOD],
    ['awaited: too much', METHOD, '0xc0', '0x1', null],
    ['awaited: too much and wrong', METHOD, '0x', '5', 5],
  )
}

export const awaited = async (peer: Peer, world: World): Promise<void> => {
  await receipts(peer, world)
  await times(peer, world)
  await refusals(peer, world)
}
