/** The debug namespace: every tracer over transactions and calls of every kind, raw blocks, and wrong parameters. */
import type { CallRequest, StateOverrides } from '../../../app/ports.ts'
import { contractAddress } from '../../../core/address.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../../core/hex.ts'
import { keccak256 } from '../../../core/hash.ts'
import { assemble, deployment, memory } from './assemble.ts'
import { BLOCK, INNERS, ONES, POOR, PRECOMPILE_INPUTS, PROGRAMS, TARGET } from './calls.ts'
import type { Peer } from './peer.ts'
import type { World } from './transactions.ts'
import { type Fields, GWEI, hashOf, Wallet } from './wallet.ts'

const ETHER = 10n ** 18n
const SINK: Hex = '0x2222222222222222222222222222222222222222'
const INNER: Hex = '0x00000000000000000000000000000000000c0de2'
const word = (value: number | bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const address = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`

/** Every tracer with what it can be told. */
const CONFIGS: Readonly<Record<string, object>> = {
  'the struct logger': {},
  'the struct logger with all': { enableMemory: true, enableReturnData: true },
  'the struct logger with little': { disableStack: true, disableStorage: true, enableReturnData: true },
  'the struct logger with a limit': { limit: 500, timeout: '5s', reexec: 128 },
  callTracer: { tracer: 'callTracer' },
  'callTracer of the top': { tracer: 'callTracer', tracerConfig: { onlyTopCall: true, withLog: true } },
  'callTracer with logs': { tracer: 'callTracer', tracerConfig: { withLog: true } },
  prestateTracer: { tracer: 'prestateTracer' },
  'prestateTracer of changes': { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  'prestateTracer of little': {
    tracer: 'prestateTracer',
    tracerConfig: { disableCode: true, disableStorage: true, includeEmpty: true },
  },
  'prestateTracer of few changes': {
    tracer: 'prestateTracer',
    tracerConfig: { diffMode: true, disableCode: true, disableStorage: true },
  },
  '4byteTracer': { tracer: '4byteTracer' },
  noopTracer: { tracer: 'noopTracer' },
  keccak256PreimageTracer: { tracer: 'keccak256PreimageTracer' },
  flatCallTracer: { tracer: 'flatCallTracer' },
  'flatCallTracer with all': {
    tracer: 'flatCallTracer',
    tracerConfig: { convertParityErrors: true, includePrecompiles: true },
  },
  erc7562Tracer: { tracer: 'erc7562Tracer' },
  'erc7562Tracer that counts almost all': {
    tracer: 'erc7562Tracer',
    tracerConfig: { withLog: true, stackTopItemsSize: 5, ignoredOpcodes: ['0x1', '0x60'] },
  },
  'erc7562Tracer that counts all': { tracer: 'erc7562Tracer', tracerConfig: { ignoredOpcodes: [] } },
  muxTracer: {
    tracer: 'muxTracer',
    tracerConfig: {
      callTracer: { withLog: true },
      prestateTracer: { diffMode: true },
      '4byteTracer': null,
      noopTracer: 5,
    },
  },
}

/** `Error(string)`. */
const reason = (text: string): string =>
  `${memory(`08c379a0${word(32).slice(2)}${word(text.length).slice(2)}${Buffer.from(text).toString('hex').padEnd(64, '0')}`)} 100 0 REVERT`

const pushInit = (init: Hex): string => `${memory(init)} ${(init.length - 2) / 2} 0`
const DOOMED = assemble(`${SINK} SELFDESTRUCT`)

/** Deployed, then called with data; `INNER` stands for the address of `inner`. */
const CONTRACTS: Readonly<Record<string, string>> = {
  inner: `0 CALLDATALOAD 0xf8 SHR DUP1 1 EQ @reverts JUMPI DUP1 2 EQ @fails JUMPI DUP1 3 EQ @stores JUMPI 32 0 LOG0 5 0 MSTORE 32 0 RETURN
    reverts: ${reason('inner <&>')} fails: INVALID stores: 9 1 SSTORE 1 SLOAD 2 SSTORE 0 1 SSTORE STOP`,
  storage: '7 1 SSTORE 1 SLOAD 2 SSTORE 3 SLOAD POP 0 1 SSTORE 8 4 SSTORE 8 4 SSTORE STOP',
  hashes: '0xdeadbeef 0 MSTORE 32 0 KECCAK256 0 0 KECCAK256 40 8 KECCAK256 ADD ADD 0 MSTORE 32 0 RETURN',
  'calls well': '0 0 4 0 7 INNER 50000 CALL 0x03 0 MSTORE8 0 0 4 0 0 INNER 90000 CALL ADD 0 MSTORE 32 0 RETURN',
  delegates: '3 0 MSTORE8 0 0 5 0 INNER 90000 DELEGATECALL POP 0 0 5 0 0 INNER 90000 CALLCODE POP STOP',
  'calls statically':
    '3 0 MSTORE8 32 0 5 0 INNER 9000 STATICCALL POP 0 0 MSTORE8 64 0 5 0 INNER 9000 STATICCALL POP RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 0 RETURN',
  'calls what reverts':
    '1 0 MSTORE8 1 2 LOG0 0 0 5 0 0 INNER 90000 CALL POP RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 0 REVERT',
  'calls what fails':
    '2 0 MSTORE8 0 0 5 0 0 INNER 9000 CALL POP 0 0 5 0 1000000000000000000000000 INNER 9000 CALL POP STOP',
  'calls a precompile':
    '0x11 0 MSTORE 32 64 32 0 0 2 9000 CALL POP 32 64 32 0 4 9000 STATICCALL POP 0 0 0 0 9 9000 DELEGATECALL POP 0 0 0 0 6 9 STATICCALL POP 64 MLOAD 0 MSTORE 32 0 RETURN',
  creates: `${pushInit(deployment('0x6001'))} 3 CREATE EXTCODESIZE POP ${pushInit('0xfe')} 0 CREATE POP 5 ${pushInit(DOOMED)} 2 CREATE2 BALANCE POP STOP`,
  'creates what is there': `5 ${pushInit('0x00')} 0 CREATE2 POP 5 ${pushInit('0x00')} 0 CREATE2 POP STOP`,
  'destroys itself': `${SINK} SELFDESTRUCT`,
  'looks around': `0xdead BALANCE INNER EXTCODESIZE INNER EXTCODEHASH 8 0 0 INNER EXTCODECOPY SELFBALANCE 0xbeef EXTCODEHASH ${SINK} BALANCE STOP`,
  logs: '0xaa 0 MSTORE 1 2 32 0 LOG2 0 0 5 0 0 INNER 90000 CALL POP 3 16 4 LOG1 STOP',
  reverts: `1 1 SSTORE 0 0 LOG0 ${reason('outer')}`,
  panics: `${memory(`4e487b71${word(0x11).slice(2)}`)} 36 0 REVERT`,
  'runs out': 'a: 1 GAS SSTORE @a JUMP',
  underflows: '1 ADD',
  'jumps badly': '3 JUMP',
  'is invalid': '#0c',
  'is transient': '7 1 TSTORE 1 TLOAD 0 MSTORE 64 32 0 MCOPY 32 0 RETURN',
}

/** Prices that no base fee changes, so that balances are the same on every chain. */
const PRICE = 10n * GWEI

interface Sent {
  readonly names: readonly string[]
  readonly raws: readonly Hex[]
}

const deployAll = async (peer: Peer, wallet: Wallet): Promise<ReadonlyMap<string, Hex>> => {
  const addresses = new Map<string, Hex>()
  const raws: Hex[] = []
  for (const [name, source] of Object.entries(CONTRACTS)) {
    addresses.set(name, bytesToHex(contractAddress(hexToBytes(wallet.address), BigInt(wallet.nonce))))
    const code = assemble(source.replaceAll('INNER', addresses.get('inner') ?? ''))
    raws.push(wallet.next({ data: deployment(code), gas: 400_000n, price: PRICE }))
  }
  await peer.mine(...raws)
  return addresses
}

/** One block: a call of each contract, and transactions of every other kind. */
const traffic = async (peer: Peer, wallet: Wallet, contracts: ReadonlyMap<string, Hex>): Promise<Sent> => {
  const to = (name: string): Hex => contracts.get(name) ?? '0x'
  const delegated = new Wallet('trace c')
  const fields: Readonly<Record<string, Fields>> = {
    ...Object.fromEntries(
      [...contracts].map(([name, contract]): [string, Fields] => [
        `to what ${name}`,
        { to: contract, gas: 300_000n, value: 11n, data: '0x00010203', price: PRICE },
      ]),
    ),
    'of value': { to: SINK, value: 5n, price: PRICE },
    'of value with data': { to: SINK, value: 5n, gas: 40_000n, data: '0x1234567890', price: PRICE },
    'to itself': { to: wallet.address, value: 5n, price: PRICE },
    'to a precompile': { to: address(4), gas: 50_000n, data: '0x1234567890', price: PRICE },
    'that creates': { data: deployment('0x6001600255'), gas: 200_000n, value: 3n, price: PRICE },
    'that creates nothing': { gas: 100_000n, price: PRICE },
    'that cannot create': { data: assemble(reason('no')), gas: 100_000n, price: PRICE },
    'that creates what is refused': { data: assemble('0xef 0 MSTORE8 1 0 RETURN'), gas: 100_000n, price: PRICE },
    'that creates what it cannot pay': { data: assemble('100 0 RETURN'), gas: 60_000n, price: PRICE },
    'that destroys what it creates': { data: DOOMED, gas: 100_000n, value: 4n, price: PRICE },
    'with an access list': {
      type: 1,
      to: to('storage'),
      gas: 300_000n,
      price: PRICE,
      accessList: [
        { address: to('storage'), storageKeys: [word(1), word(9)] },
        { address: SINK, storageKeys: [] },
      ],
    },
    'of type 2': { type: 2, to: to('logs'), gas: 300_000n, fee: PRICE, tip: PRICE },
    'of type 4': {
      type: 4,
      to: delegated.address,
      gas: 400_000n,
      data: '0x03',
      fee: PRICE,
      tip: PRICE,
      authorizations: [
        new Wallet('trace a').authorize(to('storage'), 0n),
        new Wallet('trace b').authorize(to('logs'), 7n),
        delegated.authorize(to('inner'), 0n),
      ],
    },
    'to one that delegates': { to: delegated.address, gas: 200_000n, data: '0x00', price: PRICE },
    'that clears': { to: to('inner'), gas: 200_000n, data: '0x03', price: PRICE },
    'with little gas': { to: to('storage'), gas: 21_100n, price: PRICE },
  }
  const names = Object.keys(fields)
  const raws = names.map((name) => wallet.next(fields[name] ?? {}))
  await peer.mine(...raws)
  return { names, raws }
}

/** geth's development chain gives its precompiles a wei each. */
export const isPrecompileKey = (name: string): boolean => /^0x0{36}0[01][0-9a-f]{2}$/.test(name)

/** Takes out what two chains do not share: accounts of proposers and precompiles, and numbers of blocks. */
const withoutFacts = (reply: unknown, miner: string): unknown => {
  if (Array.isArray(reply)) return reply.map((item) => withoutFacts(item, miner))
  if (typeof reply !== 'object' || reply === null) return reply
  return Object.fromEntries(
    Object.entries(reply)
      .filter(([name]) => name !== miner && !isPrecompileKey(name))
      .map(([name, member]) => [name, name === 'blockNumber' ? '<blockNumber>' : withoutFacts(member, miner)]),
  )
}

type Request = readonly [title: string, method: string, ...params: unknown[]]

/** Notes as `peer.note` does, without those. */
const note = async (peer: Peer, miner: string, ...requests: readonly Request[]): Promise<void> => {
  const calls = requests.map(([, method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const replies = (await peer.post(JSON.stringify(calls))) as readonly unknown[]
  for (const [index, [title]] of requests.entries()) peer.record(title, withoutFacts(replies[index], miner))
}

const minerOf = async (peer: Peer): Promise<string> =>
  (await peer.ask<{ readonly miner: string }>('eth_getBlockByNumber', peer.head.number, false)).miner

const traceAll = async (peer: Peer, miner: string, { names, raws }: Sent): Promise<void> => {
  for (const [index, name] of names.entries()) {
    const hash = hashOf(raws[index] ?? '0x')
    const requests = Object.entries(CONFIGS).map(
      ([config, options]): Request => [`${config}, a transaction ${name}`, 'debug_traceTransaction', hash, options],
    )
    await note(peer, miner, ...requests, [`a transaction ${name}`, 'debug_traceTransaction', hash])
  }
}

const blocks = async (peer: Peer, miner: string): Promise<void> => {
  const { number, hash } = peer.head
  const raw = await peer.ask<Hex>('debug_getRawBlock', number)
  for (const [name, options] of Object.entries(CONFIGS)) {
    if (name.startsWith('the struct logger with')) continue
    await note(
      peer,
      miner,
      [`${name}, a block by number`, 'debug_traceBlockByNumber', number, options],
      [`${name}, a block by hash`, 'debug_traceBlockByHash', hash, options],
      [`${name}, a block`, 'debug_traceBlock', raw, options],
    )
  }
  const header = await peer.ask<Hex>('debug_getRawHeader', { blockHash: hash })
  peer.record('the raw header has the hash', bytesToHex(keccak256(hexToBytes(header))) === hash)
  peer.record('the raw block has the header', raw.includes(header.slice(2)))
  const size = await peer.ask<{ readonly size: Hex }>('eth_getBlockByNumber', number, false)
  peer.record('the raw block has the size', (raw.length - 2) / 2 === Number(size.size))
  await peer.note(
    ['raw receipts', 'debug_getRawReceipts', number],
    ['raw receipts by hash', 'debug_getRawReceipts', { blockHash: hash, requireCanonical: true }],
  )
}

export const CALL_CONFIGS = {
  'the struct logger': { limit: 3_000, enableReturnData: true },
  callTracer: { tracer: 'callTracer', tracerConfig: { withLog: true } },
  prestateTracer: { tracer: 'prestateTracer', tracerConfig: { diffMode: true, disableCode: true } },
  flatCallTracer: { tracer: 'flatCallTracer', tracerConfig: { convertParityErrors: true } },
} as const

export interface ProgramCall {
  readonly title: string
  readonly call: CallRequest
  readonly stateOverrides: StateOverrides
}

/** Calls of programs that stand in the state overrides. */
export const programCalls = (): readonly ProgramCall[] => {
  const gas = '0x30d40'
  const plain = Object.entries(PROGRAMS)
    // What they show of the chain is not the same on two.
    .filter(([name]) => !/price and base fee|block hash|recursion/.test(name))
    .map(([name, source]) => ({
      title: `a call: ${name}`,
      call: { to: TARGET, gas, data: '0x0102', from: POOR, value: '0x5' } as const,
      stateOverrides: {
        [TARGET]: { code: assemble(source), stateDiff: { [word(0)]: word(5) }, balance: '0x9' },
        [POOR]: { balance: '0xde0b6b3a7640000' },
      } as const,
    }))
  const nested = Object.entries(INNERS).flatMap(([name, source]) =>
    ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'].map((opcode) => {
      const value = opcode === 'CALL' || opcode === 'CALLCODE' ? '1 ' : ''
      return {
        title: `a ${opcode} of a contract ${name}`,
        call: { to: TARGET, gas } as const,
        stateOverrides: {
          [TARGET]: { code: assemble(`0 0 4 0 ${value}${INNER} 60000 ${opcode} STOP`), balance: '0x9' },
          [INNER]: { code: assemble(source), balance: '0x9' },
        } as const,
      }
    }),
  )
  return [...plain, ...nested]
}

const calls = async (peer: Peer, miner: string): Promise<void> => {
  for (const { title, call, stateOverrides } of programCalls()) {
    await note(
      peer,
      miner,
      ...Object.entries(CALL_CONFIGS).map(
        ([tracer, options]): Request => [
          `${tracer}, ${title}`,
          'debug_traceCall',
          call,
          'latest',
          { ...options, stateOverrides },
        ],
      ),
    )
  }
  for (const [index, [number, data]] of PRECOMPILE_INPUTS.entries()) {
    await note(peer, miner, [
      `a call of the precompile ${number}, input ${index}`,
      'debug_traceCall',
      { to: address(number), data, gas: '0x4c4b40' },
      'latest',
      { tracer: 'callTracer' },
    ])
  }
}

const ARGUMENTS: readonly (readonly [string, object, object?])[] = [
  ['nothing', {}],
  ['no funds for value', { from: POOR, to: TARGET, value: '0x1' }],
  ['no funds for gas', { from: POOR, to: TARGET, gas: '0x5208', gasPrice: '0x2540be400' }],
  ['too little gas', { to: TARGET, gas: '0x5207' }],
  ['two prices', { to: TARGET, gasPrice: '0x1', maxFeePerGas: '0x1' }],
  ['a wrong chain', { to: TARGET, chainId: '0x1' }],
  ['a price below the base fee', { from: POOR, to: TARGET, gasPrice: '0x1', gas: '0x5208' }],
  ['a tip above the fee', { to: TARGET, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }],
  ['both datas', { to: TARGET, data: '0x01', input: '0x02' }],
  ['gas above the cap', { to: TARGET, gas: '0x2faf081' }],
  ['a creation', { data: '0x600160025560036004f3' }],
  ['an access list', { to: TARGET, accessList: [{ address: POOR, storageKeys: [ONES] }] }],
  ['set code without tuples', { to: TARGET, authorizationList: [] }],
  ['a nonce', { from: POOR, data: '0x30', nonce: '0x7' }],
  ['both kinds of storage', { to: TARGET }, { stateOverrides: { [TARGET]: { state: {}, stateDiff: {} } } }],
  [
    'a moved precompile',
    { to: POOR, data: '0x01' },
    { stateOverrides: { [address(4)]: { movePrecompileToAddress: POOR } } },
  ],
  ['a moved account', { to: POOR }, { stateOverrides: { [TARGET]: { movePrecompileToAddress: POOR } } }],
  ['a beacon root', { to: TARGET }, { blockOverrides: { beaconRoot: ONES } }],
  ['withdrawals', { to: TARGET }, { blockOverrides: { withdrawals: [] } }],
  [
    'all of a block',
    { to: TARGET },
    {
      enableMemory: true,
      stateOverrides: {
        [TARGET]: {
          code: assemble(
            'NUMBER TIMESTAMP GASLIMIT COINBASE DIFFICULTY BASEFEE BLOBBASEFEE 16 BLOCKHASH CHAINID 0 MSTORE STOP',
          ),
        },
      },
      blockOverrides: BLOCK,
    },
  ],
]

const argumentsOfCalls = async (peer: Peer, miner: string): Promise<void> => {
  for (const [name, call, more = {}] of ARGUMENTS) {
    await note(
      peer,
      miner,
      [`the struct logger, a call with ${name}`, 'debug_traceCall', call, 'latest', more],
      [`callTracer, a call with ${name}`, 'debug_traceCall', call, 'latest', { ...more, tracer: 'callTracer' }],
      [`prestateTracer, a call with ${name}`, 'debug_traceCall', call, 'latest', { ...more, tracer: 'prestateTracer' }],
    )
  }
}

/** Calls between the transactions of a block: what they see of `storage` differs. */
const places = async (peer: Peer, miner: string, wallet: Wallet, { names }: Sent): Promise<void> => {
  const { number, hash } = peer.head
  const options = { tracer: 'prestateTracer', tracerConfig: { includeEmpty: true } }
  const call = { from: POOR, to: wallet.address }
  for (const index of [0, 1, 2, names.length - 1]) {
    const txIndex = `0x${index.toString(16)}`
    await note(peer, miner, [
      `a call before transaction ${index}`,
      'debug_traceCall',
      call,
      number,
      { ...options, txIndex },
    ])
  }
  await note(
    peer,
    miner,
    ['a call after a block', 'debug_traceCall', call, { blockHash: hash }, options],
    ['a call behind a block', 'debug_traceCall', call, hash, { ...options, txIndex: `0x${names.length.toString(16)}` }],
    ['a call in the genesis block', 'debug_traceCall', call, 'earliest', { txIndex: '0x0' }],
    ['a call after the genesis block', 'debug_traceCall', call, '0x0', { tracer: 'callTracer' }],
    ['a call on top of the pool', 'debug_traceCall', call, 'pending'],
    ['a call at no block', 'debug_traceCall', call, '0xffffff'],
    ['a call at no block by hash', 'debug_traceCall', call, { blockHash: ONES }],
    ['a call without a block', 'debug_traceCall', call],
    ['a call at null', 'debug_traceCall', call, null],
    ['a call at an empty block', 'debug_traceCall', call, {}],
  )
}

const WRONG_OPTIONS: readonly unknown[] = [
  ...[5, 'x', [], null, true],
  ...['nope', '', 'undefined_tracer', '$a', 5, null].map((tracer) => ({ tracer })),
  ...[5, 'x', null, [], { onlyTopCall: 'x' }, { withLog: 1, onlyTopCall: 2 }, { nope: 1 }, { ONLYTOPCALL: true }].map(
    (tracerConfig) => ({ tracer: 'callTracer', tracerConfig }),
  ),
  ...[5, { diffMode: true, includeEmpty: true }, { disableCode: 'x' }].map((tracerConfig) => ({
    tracer: 'prestateTracer',
    tracerConfig,
  })),
  ...[5, { convertParityErrors: 'x' }, { includePrecompiles: [] }].map((tracerConfig) => ({
    tracer: 'flatCallTracer',
    tracerConfig,
  })),
  ...[5, 'x', [], null, { nope: {} }, { callTracer: 5 }, { callTracer: { withLog: 'x' } }, {}].map((tracerConfig) => ({
    tracer: 'muxTracer',
    tracerConfig,
  })),
  ...[5, 'x', null].map((tracerConfig) => ({ tracer: '4byteTracer', tracerConfig })),
  ...[
    5,
    [],
    null,
    { stackTopItemsSize: 'x' },
    { stackTopItemsSize: 0, ignoredOpcodes: null },
    { ignoredOpcodes: 5 },
    { ignoredOpcodes: ['x'] },
    { ignoredOpcodes: [5] },
    { ignoredOpcodes: ['0x160', '0x1000000000000000f'] },
    { withLog: 5 },
  ].map((tracerConfig) => ({ tracer: 'erc7562Tracer', tracerConfig })),
  ...['', 'abc', '5', '5x', '1.5', '-', '+', '.s', '5 s', '1h5', '1.s', '1h1m1s', '1000000000h', '5S', 5, null].map(
    (timeout) => ({ timeout }),
  ),
  ...['5', -1, 1.5, 5, null, true].map((reexec) => ({ reexec })),
  ...['x', 1, null, []].map((enableMemory) => ({ enableMemory })),
  ...['x', 1.5, null, -1, {}].map((limit) => ({ limit })),
  ...[5, 'x', [], null, {}].map((overrides) => ({ overrides })),
  { DISABLESTACK: true, Limit: 1 },
  { disableStorage: 5, tracer: 5 },
  { unknown: 5 },
]

const WRONG_CALL_OPTIONS: readonly unknown[] = [
  ...[1, 'x', '0x', '0x01', null].map((txIndex) => ({ txIndex })),
  ...[5, 'x', [], null, {}, { '0x1': {} }, { [TARGET]: 5 }].map((stateOverrides) => ({ stateOverrides })),
  ...[5, 'x', [], null, {}, { number: 5 }, { time: 'x' }].map((blockOverrides) => ({ blockOverrides })),
]

const wrong = async (peer: Peer, hash: Hex): Promise<void> => {
  for (const options of WRONG_OPTIONS) {
    const text = JSON.stringify(options)
    await peer.note(
      [`a transaction traced with ${text}`, 'debug_traceTransaction', hash, options],
      [`no transaction traced with ${text}`, 'debug_traceTransaction', ONES, options],
      [`a call traced with ${text}`, 'debug_traceCall', { to: TARGET, from: POOR, gas: '0x5208' }, 'latest', options],
      [`the genesis block traced with ${text}`, 'debug_traceBlockByNumber', '0x0', options],
    )
  }
  for (const options of WRONG_CALL_OPTIONS) {
    const text = JSON.stringify(options)
    await peer.note([`a call with ${text}`, 'debug_traceCall', { to: TARGET, gas: '0x5208' }, 'latest', options])
  }
  const methods = ['debug_traceTransaction', 'debug_traceBlockByHash', 'debug_getRawTransaction']
  for (const method of methods) {
    for (const params of [[], [null], [5], ['0x11'], [ONES], [ONES, {}, {}], ['xyz'], [`${ONES}00`]]) {
      await peer.note([`${method} of ${JSON.stringify(params)}`, method, ...params])
    }
  }
  for (const params of [[], [null], [5], ['0xffffff'], ['earliest'], ['0x0'], ['x'], [ONES], ['0x'], ['0x01'], [{}]]) {
    await peer.note([`a block by the number ${JSON.stringify(params)}`, 'debug_traceBlockByNumber', ...params])
  }
  for (const raw of ['0x', '0xc0', '0x01', '0x80', '0xc1c0', '0xc3c0c0c0', '0xf8', '0xc000', 'zz', '0x1', 5, null]) {
    await peer.note([`a raw block ${JSON.stringify(raw)}`, 'debug_traceBlock', raw])
  }
  for (const method of ['debug_getRawHeader', 'debug_getRawBlock', 'debug_getRawReceipts']) {
    for (const params of [[], [null], [5], ['0xffffff'], [ONES], [{ blockHash: ONES }], [{}], ['x'], ['0x0', 1]]) {
      await peer.note([`${method} of ${JSON.stringify(params)}`, method, ...params])
    }
  }
  await peer.note(['a raw transaction', 'debug_getRawTransaction', hash])
}

export const traces = async (peer: Peer, { dev }: Pick<World, 'dev'>): Promise<void> => {
  const wallet = new Wallet('grace')
  await peer.include(dev.next({ to: wallet.address, value: 100n * ETHER, price: 20n * GWEI }))
  const contracts = await deployAll(peer, wallet)
  const sent = await traffic(peer, wallet, contracts)
  const miner = await minerOf(peer)
  await traceAll(peer, miner, sent)
  await blocks(peer, miner)
  await places(peer, miner, wallet, sent)
  await calls(peer, miner)
  await argumentsOfCalls(peer, miner)
  await wrong(peer, hashOf(sent.raws[0] ?? '0x'))
}
