/** eth_createAccessList over the programs and arguments of the calls, and over what the chain holds. */
import { type Hex, quantityToHex } from '../../../core/hex.ts'
import type { Authorization } from '../../../evm/transaction/transaction.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { assemble } from './assemble.ts'
import {
  address,
  ARGUMENTS,
  callInner,
  INIT_CODES,
  INNER,
  INNERS,
  ONES,
  POOR,
  PROGRAMS,
  RICH,
  TARGET,
  word,
} from './calls.ts'
import type { Peer } from './peer.ts'
import type { World } from './transactions.ts'

const METHOD = 'eth_createAccessList'
const PRICE = '0x2540be400'
const FUNDS = '0xde0b6b3a7640000'
const priced = { from: RICH, gasPrice: PRICE }

/** Touch what is warm, cold, theirs and others', known only from what was read before, or only when it is listed. */
const TOUCHING: Readonly<Record<string, string>> = {
  'accounts in every way': `0x01a1 BALANCE 0x01a2 EXTCODESIZE 0x01a3 EXTCODEHASH 1 0 0 0x01a4 EXTCODECOPY
    0 0 0 0 0 0x01a5 50000 CALL 0 0 0 0 0 0x01a6 50000 CALLCODE 0 0 0 0 0x01a7 50000 DELEGATECALL
    0 0 0 0 0x01a8 50000 STATICCALL 0x01a9 SELFDESTRUCT`,
  'itself and its caller': 'ADDRESS BALANCE CALLER BALANCE ORIGIN EXTCODESIZE COINBASE POP STOP',
  precompiles: '0 0 0 0 0 2 50000 CALL 1 BALANCE 0x11 EXTCODESIZE 0x100 EXTCODEHASH 0x101 BALANCE STOP',
  'slots it reads of slots': '0 SLOAD SLOAD SLOAD 5 SSTORE',
  'one slot many times': '3 SLOAD 3 SLOAD 1 3 SSTORE 0 3 SSTORE',
  'large slots': `0x${'ff'.repeat(32)} SLOAD 1 0x${'80'.padEnd(64, '0')} SSTORE`,
  'an address with high bytes': `0x${'ff'.repeat(12)}${'02'.repeat(20)} BALANCE STOP`,
  'more the more gas is left': 'GAS 9000 LT @rich JUMPI 1 SLOAD STOP rich: 2 SLOAD STOP',
  'and reverts': '1 SLOAD 0x01aa BALANCE 0 0 REVERT',
  'and fails': '1 SLOAD 0x01aa BALANCE INVALID',
  'and underflows': '1 SLOAD SSTORE',
  'and underflows at a call': '1 2 3 4 0x01ab 6 CALL',
  'with too few items for any': '1 2 3 0x01ac CALL',
  'transient storage': '1 1 TSTORE 1 TLOAD SLOAD STOP',
  'what it creates': '0 0 0 CREATE BALANCE STOP',
}

const overridesOf = (code: Hex): object => ({
  [TARGET]: { code, stateDiff: { [`0x${word(0)}`]: `0x${word(5)}` } },
  [RICH]: { balance: FUNDS },
})

const programs = async (peer: Peer): Promise<void> => {
  for (const [name, source] of [...Object.entries(PROGRAMS), ...Object.entries(TOUCHING)]) {
    const call = { ...priced, to: TARGET, data: '0x0102' }
    const code = assemble(source)
    await peer.note(
      [`access list: ${name}`, METHOD, { ...call, gas: '0xf4240', value: '0x5' }, 'latest', overridesOf(code)],
      [`access list with 30,000 gas: ${name}`, METHOD, { ...call, gas: '0x7530' }, 'latest', overridesOf(code)],
      [
        `access list of a creation: ${name}`,
        METHOD,
        { ...priced, gas: '0xf4240', data: code },
        'latest',
        overridesOf(code),
      ],
    )
  }
  for (const [name, source] of Object.entries(INNERS)) {
    for (const opcode of ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']) {
      const overrides = {
        [TARGET]: { code: assemble(callInner(opcode, { gas: '100000' })), balance: '0x9' },
        [INNER]: { code: assemble(source), balance: '0x9' },
      }
      const call = { ...priced, to: TARGET, gas: '0x200000' }
      await peer.note([`access list: ${opcode} of a contract ${name}`, METHOD, call, 'latest', overrides])
    }
  }
  for (const [name, data] of Object.entries(INIT_CODES))
    await peer.note([`access list: init code ${name}`, METHOD, { ...priced, gas: '0x4c4b40', data }])
}

interface Call {
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
  readonly authorizationList?: readonly object[]
  readonly blobVersionedHashes?: readonly string[]
  readonly to?: string
}

/** geth's handler crashes when it names such a transaction. */
const isUnnameable = ({ to, authorizationList, blobVersionedHashes }: Call): boolean =>
  to === undefined && (authorizationList ?? blobVersionedHashes) !== undefined

const argumentsOfCalls = async (peer: Peer): Promise<void> => {
  const funds = Object.fromEntries([POOR, RICH, address(0)].map((account) => [account, { balance: FUNDS }]))
  for (const [name, call] of Object.entries(ARGUMENTS as Readonly<Record<string, Call>>)) {
    const hasFees = (call.gasPrice ?? call.maxFeePerGas ?? call.maxPriorityFeePerGas) !== undefined
    const legacy = hasFees ? call : { ...call, gasPrice: PRICE }
    const dynamic = hasFees ? call : { ...call, maxFeePerGas: PRICE, maxPriorityFeePerGas: '0x1' }
    // One without the other is filled in from the facts of the chain.
    if ((call.maxFeePerGas === undefined) !== (call.maxPriorityFeePerGas === undefined)) continue
    if (!isUnnameable(call) || legacy.gasPrice !== undefined)
      await peer.note([`access list: ${name}`, METHOD, legacy, 'latest', funds])
    if (!isUnnameable(call)) await peer.note([`access list with a fee: ${name}`, METHOD, dynamic, 'latest', funds])
    if (call.gasPrice !== undefined) await peer.note([`access list without funds: ${name}`, METHOD, call])
  }
  const fees: Readonly<Record<string, object>> = {
    'both prices': { gasPrice: PRICE, maxFeePerGas: PRICE },
    'price and tip': { gasPrice: PRICE, maxPriorityFeePerGas: '0x0' },
    'price of zero': { gasPrice: '0x0' },
    'price of zero and a fee': { gasPrice: '0x0', maxFeePerGas: '0x0' },
    'fee and tip of zero': { maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' },
    'tip of zero': { maxPriorityFeePerGas: '0x0' },
    'tip above a small fee': { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
    'no fees': {},
    'blob fee of zero': { gasPrice: PRICE, maxFeePerBlobGas: '0x0' },
    'blob fee of zero and both prices': { gasPrice: PRICE, maxFeePerGas: '0x0', maxFeePerBlobGas: '0x0' },
    'both prices and the wrong chain': { gasPrice: PRICE, maxFeePerGas: PRICE, chainId: '0x1' },
    'price of zero and the wrong chain': { gasPrice: '0x0', chainId: '0x1' },
  }
  for (const [name, fee] of Object.entries(fees)) {
    await peer.note(
      [`access list: ${name}`, METHOD, { from: RICH, to: TARGET, gas: '0x186a0', ...fee }],
      [`access list at no block: ${name}`, METHOD, { from: RICH, to: TARGET, ...fee }, '0xffffff'],
      [
        `access list and a bad override: ${name}`,
        METHOD,
        { to: TARGET, ...fee },
        'latest',
        { [POOR]: { movePrecompileToAddress: TARGET } },
      ],
    )
  }
}

const lists = async (peer: Peer): Promise<void> => {
  const code = assemble('1 SLOAD 0x01a1 BALANCE STOP')
  const given: Readonly<Record<string, readonly object[]>> = {
    empty: [],
    'of what it touches': [{ address: TARGET, storageKeys: [`0x${word(1)}`] }],
    'of what it does not touch': [{ address: POOR, storageKeys: [ONES] }],
    'of the sender': [{ address: RICH, storageKeys: [] }],
    'of the receiver without slots': [{ address: TARGET, storageKeys: [] }],
    'of a precompile': [{ address: address(2), storageKeys: [] }],
    'of a precompile and a slot': [{ address: address(2), storageKeys: [ONES] }],
    'with a slot twice': [{ address: TARGET, storageKeys: [`0x${word(1)}`, `0x${word(1)}`] }],
    'with an account twice': [
      { address: POOR, storageKeys: [] },
      { address: POOR, storageKeys: [ONES] },
    ],
  }
  for (const [name, accessList] of Object.entries(given)) {
    const call = { ...priced, to: TARGET, gas: '0x186a0', accessList }
    await peer.note([`access list beginning with one ${name}`, METHOD, call, 'latest', overridesOf(code)])
  }
}

const tuple = ({ chainId, address: delegate, nonce, yParity, r, s }: Authorization): object => ({
  chainId: quantityToHex(chainId),
  address: bytesToHex(delegate),
  nonce: quantityToHex(nonce),
  yParity: quantityToHex(yParity),
  r: quantityToHex(r),
  s: quantityToHex(s),
})

const authorizations = async (peer: Peer, { alice, bob }: World): Promise<void> => {
  const code = assemble(`${alice.address} BALANCE ${bob.address} EXTCODESIZE STOP`)
  const nonce = BigInt(alice.nonce)
  const tuples: Readonly<Record<string, Authorization>> = {
    right: alice.authorize(INNER, nonce),
    'of every chain': alice.authorize(INNER, nonce, 0n),
    'of another chain': alice.authorize(INNER, nonce, 5n),
    'of a wrong nonce': alice.authorize(INNER, 77n),
    'of the largest nonce': alice.authorize(INNER, 2n ** 64n - 1n),
    'without a signature': { ...alice.authorize(INNER, nonce), r: 0n, s: 0n },
  }
  for (const [name, authorization] of Object.entries(tuples)) {
    const call = { from: RICH, to: TARGET, maxFeePerGas: PRICE, maxPriorityFeePerGas: '0x1', gas: '0x30d40' }
    const list = [tuple(authorization)]
    await peer.note(
      [`access list: authorization ${name}`, METHOD, { ...call, authorizationList: list }, 'latest', overridesOf(code)],
      [
        `access list: authorization ${name}, and too little gas`,
        METHOD,
        { ...call, gas: '0xc34f', authorizationList: [...list, ...list] },
        'latest',
        overridesOf(code),
      ],
    )
  }
}

const places = async (peer: Peer, { contract, dave, alice }: World): Promise<void> => {
  const { number, hash } = peer.head
  const call = { from: alice.address, gasPrice: PRICE, to: contract, data: '0x03', gas: '0x186a0' }
  const blocks: Readonly<Record<string, unknown>> = {
    latest: 'latest',
    safe: 'safe',
    pending: 'pending',
    number,
    hash,
    'hash object': { blockHash: hash, requireCanonical: true },
    'number object': { blockNumber: number },
    null: null,
    'an unknown hash': ONES,
    'the future': '0xffffff',
    'an empty object': {},
    'a bad tag': 'Latest',
    'no number': 7,
  }
  for (const [name, block] of Object.entries(blocks)) {
    await peer.note(
      [`access list at ${name}`, METHOD, call, block],
      [
        `access list at ${name} of a delegated account`,
        METHOD,
        { ...call, to: dave.address, data: '0x11' },
        block,
        null,
      ],
    )
  }
  const identity = address(4)
  const states: Readonly<Record<string, unknown>> = {
    'moves a precompile': { [identity]: { movePrecompileToAddress: TARGET } },
    'is a precompile with code': { [identity]: { code: '0x60ff5f5360015ff3' } },
    'has state and diff': { [TARGET]: { state: {}, stateDiff: {} } },
    'has state': { [contract]: { state: { [`0x${word(1)}`]: ONES } } },
    'has a nonce': { [alice.address]: { nonce: '0x77' } },
    'has a bad address': { '0x1': {} },
    'is a list': [],
    'is a number': 5,
    'is empty': {},
    'has a large balance': { [alice.address]: { balance: `0x${'f'.repeat(64)}` } },
  }
  for (const [name, state] of Object.entries(states)) {
    await peer.note(
      [`access list with an override that ${name}`, METHOD, call, 'latest', state],
      [`access list of identity with an override that ${name}`, METHOD, { ...call, to: identity }, 'latest', state],
      [`access list of a creation with an override that ${name}`, METHOD, { ...call, to: null }, 'latest', state],
    )
  }
  const malformed: readonly (readonly unknown[])[] = [
    [],
    [[]],
    ['0x'],
    [{ from: '0x1' }],
    [{ to: TARGET, gas: 5 }],
    [{ gasPrice: '0x01' }],
    [{ accessList: [{}] }],
    [{ accessList: [{ address: TARGET }] }],
    [{ accessList: {} }],
    [{ authorizationList: [{}] }],
    [call, 'latest', {}, {}],
    [call, null, null, null],
    [call, 'latest', { [TARGET]: { balance: 5 } }],
    [{ ...call, nonce: '0x1', data: '0x01', input: '0x02' }],
  ]
  for (const [index, params] of malformed.entries())
    await peer.note([`access list malformed ${index}`, METHOD, ...params])
}

export const accessLists = async (peer: Peer, world: World): Promise<void> => {
  await programs(peer)
  await argumentsOfCalls(peer)
  await lists(peer)
  await authorizations(peer, world)
  await places(peer, world)
}
