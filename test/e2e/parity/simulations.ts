/** eth_simulateV1: blocks, calls, overrides, logs, refusals, and what cannot be read. */
import type { Hex } from '../../../core/hex.ts'
import { assemble, memory } from './assemble.ts'
import { ONES, RICH, TARGET } from './calls.ts'
import type { Peer } from './peer.ts'
import { Wallet } from './wallet.ts'

type Members = Readonly<Record<string, unknown>>

const A: Hex = '0xa100000000000000000000000000000000000001'
const B: Hex = '0xb200000000000000000000000000000000000002'
const C: Hex = '0xc300000000000000000000000000000000000003'
const IDENTITY: Hex = '0x0000000000000000000000000000000000000004'
const SHA: Hex = '0x0000000000000000000000000000000000000002'
const ETHER = '0xde0b6b3a7640000'
const word = (value: number | bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const RETURN_TOP = '0 MSTORE 32 0 RETURN'
const reason = (text: string): string =>
  `${memory(`08c379a0${word(32).slice(2)}${word(text.length).slice(2)}${Buffer.from(text).toString('hex').padEnd(64, '0')}`)} 100 0 REVERT`
const send = (to: Hex, value: number, opcode = 'CALL'): string =>
  opcode === 'DELEGATECALL' || opcode === 'STATICCALL'
    ? `0 0 0 0 ${to} GAS ${opcode} POP`
    : `0 0 0 0 ${value} ${to} GAS ${opcode} POP`

const rich = { [A]: { balance: ETHER } }
const code = (address: Hex, source: string, more: Members = {}): Members => ({
  [address]: { code: assemble(source), ...more },
})
const SEE_BLOCK = assemble(
  'NUMBER POP TIMESTAMP POP GASLIMIT 0 MSTORE COINBASE ISZERO 32 MSTORE DIFFICULTY 64 MSTORE BASEFEE 96 MSTORE BLOBBASEFEE 128 MSTORE CHAINID 160 MSTORE GASPRICE 192 MSTORE 224 0 RETURN',
)
const COUNT = assemble(`0 SLOAD 1 ADD DUP1 0 SSTORE ${RETURN_TOP}`)
/** Whether hashes of the last blocks are there, and the nearest is the one that the state has (EIP-2935). */
const SEE_HASHES = assemble(`
  1 NUMBER SUB DUP1 BLOCKHASH DUP1 ISZERO 0 MSTORE SWAP1
  32 MSTORE 32 64 32 32 0 0x0000F90827F1C53a10cb7A02335B175320002935 GAS CALL POP
  64 MLOAD EQ 32 MSTORE
  2 NUMBER SUB BLOCKHASH ISZERO 64 MSTORE NUMBER BLOCKHASH ISZERO 96 MSTORE 128 0 RETURN`)

const OSAKA_GAS = '0x1000001'
const BLOB: Hex = `0x01${'11'.repeat(31)}`
const authorizer = new Wallet('simulated')

type Block = { readonly blockOverrides?: unknown; readonly stateOverrides?: unknown; readonly calls?: unknown }
type Options = {
  readonly traceTransfers?: unknown
  readonly validation?: unknown
  readonly returnFullTransactions?: unknown
}
type Case = readonly [blocks: readonly Block[], options?: Options]

const FULL = { returnFullTransactions: true }
const TRANSFERS = { traceTransfers: true }
const VALID = { validation: true }
const one = (calls: readonly Members[], stateOverrides: Members = rich, options: Options = {}): Case => [
  [{ stateOverrides, calls }],
  options,
]

const calls: Readonly<Record<string, Case>> = {
  'no calls': [[{}]],
  'an empty list of calls': [[{ calls: [] }]],
  'no calls of a block that is null': [[{ blockOverrides: null, stateOverrides: null, calls: null }]],
  'a transfer': one([{ from: A, to: B, value: '0x1' }]),
  'a transfer in full': one([{ from: A, to: B, value: '0x1' }], rich, FULL),
  'a transfer without funds': one([{ from: A, to: B, value: '0x1' }], {}),
  'a transfer of more than there is': one([{ from: A, to: B, value: '0xde0b6b3a7640001' }]),
  'two transfers': one([
    { from: A, to: B, value: '0x3e8' },
    { from: B, to: C, value: '0x3e8' },
  ]),
  'a call of nobody': one([{}]),
  'a call of nobody in full': one([{}], {}, FULL),
  'what is returned': one([{ to: TARGET, data: '0x01' }], code(TARGET, `42 ${RETURN_TOP}`)),
  'a revert': one([{ to: TARGET }], code(TARGET, reason('why not'))),
  'a revert without data': one([{ to: TARGET }], code(TARGET, '0 0 REVERT')),
  'a revert of own kind': one([{ to: TARGET }], code(TARGET, `${memory('deadbeef')} 4 0 REVERT`)),
  'a revert with a panic': one(
    [{ to: TARGET }],
    code(TARGET, `${memory(`4e487b71${word(0x11).slice(2)}`)} 36 0 REVERT`),
  ),
  'an invalid instruction': one([{ to: TARGET, gas: '0x186a0' }], code(TARGET, 'INVALID')),
  'an undefined instruction': one([{ to: TARGET, gas: '0x186a0' }], code(TARGET, '#0c')),
  'out of gas': one([{ to: TARGET, gas: '0x186a0' }], code(TARGET, 'a: @a JUMP')),
  'an underflow': one([{ to: TARGET, gas: '0x186a0' }], code(TARGET, 'ADD')),
  'a failure, then a success': one([{ to: TARGET, gas: '0x186a0' }, { to: B }], code(TARGET, 'INVALID'), FULL),
  'a creation': one([{ from: A, data: '0x60006000f3' }]),
  'a creation with value in full': one(
    [{ from: A, value: '0x7', data: assemble('1 0 MSTORE8 1 0 RETURN') }],
    rich,
    FULL,
  ),
  'a creation that reverts': one([{ from: A, data: assemble(reason('init')) }]),
  'a contract that is created, then called': one([
    { from: A, data: '0x6009600c60003960096000f3602a60005260206000f3' },
    { from: A, to: '0x5f6ce4a3f8a1ac4d66ef6d9e6e5b5d5f1b8ee0a1' },
  ]),
  'init code of the most': one([{ from: A, data: `0x${'00'.repeat(49_152)}` }]),
  'init code too large': one([{ from: A, data: `0x${'00'.repeat(49_153)}` }]),
  'state that a call leaves to the next': one([{ to: TARGET }, { to: TARGET }, { to: TARGET }], {
    [TARGET]: { code: COUNT },
  }),
  'state that a block leaves to the next': [
    [
      { stateOverrides: { [TARGET]: { code: COUNT } }, calls: [{ to: TARGET }] },
      { calls: [{ to: TARGET }, { to: TARGET }] },
      { stateOverrides: { [TARGET]: { stateDiff: { [word(0)]: word(9) } } }, calls: [{ to: TARGET }] },
      { stateOverrides: { [TARGET]: { state: { [word(1)]: ONES } } }, calls: [{ to: TARGET }] },
    ],
  ],
  'transient storage that ends with the call': one(
    [{ to: TARGET }, { to: TARGET }],
    code(TARGET, `0 TLOAD 1 ADD DUP1 0 TSTORE ${RETURN_TOP}`),
  ),
  refunds: one(
    [{ to: TARGET }, { to: TARGET }],
    code(TARGET, '0 0 SSTORE 0 1 SSTORE 7 2 SSTORE', { state: { [word(0)]: ONES, [word(1)]: ONES } }),
  ),
  'nonces that rise': one(
    [
      { from: A, to: B },
      { from: A, to: B },
      { from: A, to: B, nonce: '0x2' },
    ],
    rich,
    FULL,
  ),
  'nonces that do not count': one(
    [
      { from: A, to: B, nonce: '0x63' },
      { from: A, to: B, nonce: '0x0' },
    ],
    rich,
    FULL,
  ),
  'the greatest nonce': one([{ from: A, to: B, nonce: '0xffffffffffffffff' }], rich, FULL),
  'a sender with code': one([{ from: TARGET, to: B }], code(TARGET, 'STOP')),
  'a sender with code, validated': [
    [
      {
        blockOverrides: { baseFeePerGas: '0x0' },
        stateOverrides: code(TARGET, 'STOP'),
        calls: [{ from: TARGET, to: B }],
      },
    ],
    VALID,
  ],
  'gas beyond the cap of a transaction': one([{ from: A, to: B, gas: OSAKA_GAS }], rich, FULL),
  'gas beyond the cap of calls': one([{ from: A, to: B, gas: '0x3b9aca00' }], rich, FULL),
  'gas that is given': one([{ from: A, to: TARGET, gas: '0x186a0' }], {
    ...rich,
    ...code(TARGET, `GAS ${RETURN_TOP}`),
  }),
  'gas that is not given': one([{ from: A, to: TARGET }], { ...rich, ...code(TARGET, `GAS ${RETURN_TOP}`) }),
  'gas too low': one([{ from: A, to: B, gas: '0x5207' }]),
  'gas of nothing': one([{ from: A, to: B, gas: '0x0' }]),
  'gas below the floor': one([{ from: A, to: B, gas: '0x5400', data: `0x${'01'.repeat(40)}` }]),
  'the floor of gas': one([{ from: A, to: B, data: `0x${'01'.repeat(400)}` }]),
  'gas that is used up by two': one([{ to: TARGET }, { to: B }], code(TARGET, 'INVALID')),
  'gas that is used up by two, the second without funds': one(
    [{ to: TARGET }, { from: C, to: B, value: '0x1' }],
    code(TARGET, 'INVALID'),
  ),
  'gas that is used up by two blocks': [
    [{ stateOverrides: code(TARGET, 'INVALID'), calls: [{ to: TARGET }] }, { calls: [{ to: B, gas: '0x5208' }] }],
  ],
  'gas that two share': one([{ to: TARGET, gas: '0x2faf07f' }, { to: B }], code(TARGET, 'INVALID')),
  'both prices': one([{ from: A, to: B, gasPrice: '0x1', maxFeePerGas: '0x1' }]),
  'both prices of zero': one([{ from: A, to: B, gasPrice: '0x0', maxPriorityFeePerGas: '0x0' }]),
  'both prices behind a good call': one([
    { from: A, to: B },
    { from: A, to: B, gasPrice: '0x1', maxFeePerGas: '0x1' },
  ]),
  'both prices and another chain': one([{ from: A, gasPrice: '0x1', maxFeePerGas: '0x1', chainId: '0x1' }]),
  'another chain': one([{ from: A, to: B, chainId: '0x1' }]),
  'this chain': one([{ from: A, to: B, chainId: '0x539' }], rich, FULL),
  'a price': one([{ from: A, to: B, gas: '0x5208', gasPrice: '0x3b9aca00' }], rich, FULL),
  'a price without funds for the gas': one([{ from: A, to: B, gasPrice: '0x2540be400' }], { [A]: { balance: '0x64' } }),
  'a price and funds for the default gas': one([{ from: A, to: B, gasPrice: '0x1' }], rich, FULL),
  'a price and an access list': one(
    [{ from: A, to: TARGET, gas: '0x186a0', gasPrice: '0x0', accessList: [{ address: TARGET, storageKeys: [ONES] }] }],
    { ...rich, ...code(TARGET, `${ONES} SLOAD ${RETURN_TOP}`) },
    FULL,
  ),
  'an access list': one(
    [{ from: A, to: TARGET, accessList: [{ address: TARGET, storageKeys: [ONES] }] }],
    { ...rich, ...code(TARGET, `${ONES} SLOAD ${RETURN_TOP}`) },
    FULL,
  ),
  fees: one(
    [{ from: A, to: TARGET, gas: '0x186a0', maxFeePerGas: '0x64', maxPriorityFeePerGas: '0x5' }],
    { ...rich, [TARGET]: { code: SEE_BLOCK } },
    FULL,
  ),
  'a fee alone': one([{ from: A, to: B, gas: '0x186a0', maxFeePerGas: '0x64' }], rich, FULL),
  'a tip above the fee': one([{ from: A, to: B, gas: '0x186a0', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }]),
  'a tip alone': one([{ from: A, to: B, gas: '0x186a0', maxPriorityFeePerGas: '0x2' }]),
  'a fee below the base fee': [
    [
      {
        blockOverrides: { baseFeePerGas: '0xa' },
        stateOverrides: rich,
        calls: [{ from: A, to: B, gas: '0x5208', maxFeePerGas: '0x9' }],
      },
    ],
  ],
  'no fee below the base fee': [
    [
      {
        blockOverrides: { baseFeePerGas: '0xa' },
        stateOverrides: { [TARGET]: { code: SEE_BLOCK } },
        calls: [{ from: A, to: TARGET }],
      },
    ],
    FULL,
  ],
  'a fee above the base fee': [
    [
      {
        blockOverrides: { baseFeePerGas: '0xa', feeRecipient: C },
        stateOverrides: { ...rich, [TARGET]: { code: SEE_BLOCK } },
        calls: [{ from: A, to: TARGET, gas: '0x186a0', maxFeePerGas: '0x14', maxPriorityFeePerGas: '0x3' }],
      },
    ],
    FULL,
  ],
  'the greatest fee': one([{ from: A, to: B, maxFeePerGas: `0x${'f'.repeat(64)}` }]),
  'the greatest value': one([{ from: A, to: B, value: `0x${'f'.repeat(64)}` }]),
  'equal calls': one(
    [
      { from: A, to: TARGET, gas: '0x186a0', nonce: '0x5' },
      { from: B, to: TARGET, gas: '0x186a0', nonce: '0x5' },
    ],
    code(TARGET, '7 8 0 0 LOG2'),
    FULL,
  ),
  'equal calls in two blocks': [
    [
      { stateOverrides: code(TARGET, '7 8 0 0 LOG2'), calls: [{ from: A, to: TARGET, gas: '0x186a0', nonce: '0x5' }] },
      { calls: [{ from: B, to: TARGET, gas: '0x186a0', nonce: '0x5' }] },
    ],
    FULL,
  ],
  'set code without tuples': one([{ from: A, to: B, authorizationList: [] }]),
  'set code that creates': one([{ from: A, authorizationList: [], data: '0x00' }]),
  'set code that creates at a price': one([{ from: A, gasPrice: '0x0', authorizationList: [], data: '0x00' }]),
  'set code of a bad signature': one(
    [
      {
        from: A,
        to: B,
        authorizationList: [{ chainId: '0x0', address: TARGET, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' }],
      },
    ],
    rich,
    FULL,
  ),
  'blobs of a wrong version': one([{ from: A, to: B, blobVersionedHashes: [ONES] }]),
  'no blobs': one([{ from: A, to: B, blobVersionedHashes: [] }]),
  'a blob': one([{ from: A, to: TARGET, blobVersionedHashes: [BLOB] }], code(TARGET, `0 BLOBHASH ${RETURN_TOP}`), FULL),
  'a blob and its fee': one(
    [{ from: A, to: B, gas: '0x5208', blobVersionedHashes: [BLOB], maxFeePerBlobGas: '0x3' }],
    rich,
    FULL,
  ),
  'a blob that creates': one([{ from: A, blobVersionedHashes: [BLOB] }]),
  'too many blobs': one([{ from: A, to: B, blobVersionedHashes: Array(7).fill(BLOB) }]),
  'blobs of many blocks': [
    [
      {
        stateOverrides: rich,
        calls: Array(3).fill({ from: A, to: B, gas: '0x5208', blobVersionedHashes: Array(6).fill(BLOB) }),
      },
      { calls: Array(3).fill({ from: A, to: B, gas: '0x5208', blobVersionedHashes: Array(6).fill(BLOB) }) },
      { stateOverrides: { [TARGET]: { code: SEE_BLOCK } }, calls: [{ to: TARGET }] },
      { calls: [] },
    ],
  ],
  'blobs of blocks with a base fee': [
    [
      {
        blockOverrides: { baseFeePerGas: '0x3b9aca00' },
        calls: Array(3).fill({ from: A, to: B, gas: '0x5208', blobVersionedHashes: Array(6).fill(BLOB) }),
      },
      {
        blockOverrides: { baseFeePerGas: '0x1' },
        calls: Array(3).fill({ from: A, to: B, gas: '0x5208', blobVersionedHashes: Array(6).fill(BLOB) }),
      },
      { calls: [] },
    ],
  ],
}

const logs: Readonly<Record<string, Case>> = {
  logs: one([{ to: TARGET }, { to: TARGET }], code(TARGET, '1 2 3 4 32 0 LOG4 0 0 LOG0 9 1 31 LOG1'), FULL),
  'logs of a call that reverts': one([{ to: TARGET }, { to: B }], {
    ...code(TARGET, '0 0 LOG0 0 0 REVERT'),
    ...code(B, '0 0 LOG0'),
  }),
  'logs of a frame that reverts': one([{ to: TARGET }], {
    ...code(TARGET, `0 0 LOG0 ${send(B, 0)} 5 0 0 LOG1`),
    ...code(B, '1 0 0 LOG1 2 0 0 LOG1 0 0 REVERT'),
  }),
  'logs of frames': one([{ to: TARGET }], {
    ...code(TARGET, `0 0 LOG0 ${send(B, 0)} ${send(C, 0, 'DELEGATECALL')} 5 0 0 LOG1`),
    ...code(B, '1 0 0 LOG1'),
    ...code(C, '2 0 0 LOG1'),
  }),
  'a log in a static frame': one([{ to: TARGET }], {
    ...code(TARGET, send(B, 0, 'STATICCALL')),
    ...code(B, '0 0 LOG0'),
  }),
  'a log that cannot be paid': one([{ to: TARGET, gas: '0x7530' }], code(TARGET, '0 0 LOG0 0xffffff 0 LOG0')),
  'logs of two blocks': [
    [
      { stateOverrides: code(TARGET, '0 0 LOG0'), calls: [{ to: TARGET }, { to: TARGET }] },
      { calls: [{ to: TARGET }] },
    ],
  ],
}

const transfers: Readonly<Record<string, Case>> = {
  'of a call': one([{ from: A, to: B, value: '0x1' }], rich),
  'of nothing': one([{ from: A, to: B }], rich),
  'to itself': one([{ from: A, to: A, value: '0x1' }], rich),
  'of a creation': one([{ from: A, value: '0x5', data: '0x00' }], rich),
  'of a call that reverts': one(
    [
      { from: A, to: TARGET, value: '0x5' },
      { from: A, to: B, value: '0x1' },
    ],
    { ...rich, ...code(TARGET, '0 0 REVERT') },
  ),
  'of a precompile': one([{ from: A, to: IDENTITY, value: '0x5', data: '0x01' }], rich),
  'of frames': one([{ from: A, to: TARGET, value: '0x64' }], {
    ...rich,
    ...code(
      TARGET,
      `0 0 LOG0 ${send(B, 7)} ${send(C, 8, 'CALLCODE')} ${send(C, 0, 'DELEGATECALL')} ${send(B, 0, 'STATICCALL')} 3 0 0 LOG1`,
    ),
    ...code(B, '1 0 0 LOG1'),
  }),
  'of frames that fail': one(
    [
      { from: A, to: TARGET, value: '0x64' },
      { from: A, to: TARGET },
    ],
    {
      ...rich,
      ...code(TARGET, `${send(B, 7)} ${send(C, 9)} 3 0 0 LOG1`),
      ...code(B, '1 0 0 LOG1 0 0 REVERT'),
    },
  ),
  'of frames without funds': one([{ to: TARGET }], code(TARGET, `${send(B, 7)} 0 0 LOG0`)),
  'of an instruction that creates': one([{ from: A, to: TARGET, value: '0x64' }], {
    ...rich,
    ...code(TARGET, '0 0 9 CREATE POP 0 0 0 11 CREATE2 POP'),
  }),
  'of a self-destruction': one([{ from: A, to: TARGET, value: '0x64' }, { to: TARGET }], {
    ...rich,
    ...code(TARGET, `${B} SELFDESTRUCT`),
  }),
  'of a self-destruction to itself': one([{ from: A, to: TARGET, value: '0x64' }], {
    ...rich,
    ...code(TARGET, 'ADDRESS SELFDESTRUCT'),
  }),
  'of a creation that destroys itself': one([{ from: A, value: '0x64', data: assemble(`${B} SELFDESTRUCT`) }], rich),
  'of a self-destruction in a frame': one([{ from: A, to: TARGET, value: '0x64' }], {
    ...rich,
    ...code(TARGET, `${send(B, 5)} 0 0 LOG0`),
    ...code(B, `${C} SELFDESTRUCT`),
  }),
  'of a self-destruction in a static frame': one([{ to: TARGET }], {
    ...code(TARGET, send(B, 0, 'STATICCALL')),
    ...code(B, `${C} SELFDESTRUCT`, { balance: '0x5' }),
  }),
  'of blocks': [
    [
      { stateOverrides: rich, calls: [{ from: A, to: B, value: '0x1' }] },
      { calls: [{ from: B, to: C, value: '0x1' }] },
    ],
  ],
}

const validated: Readonly<Record<string, Case>> = {
  'a transfer without a fee': one([{ from: A, to: B }]),
  'a transfer with a fee': one([
    { from: A, to: B, gas: '0x5208', maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x1' },
  ]),
  'a transfer of a price': one([{ from: A, to: B, gas: '0x5208', gasPrice: '0x174876e800' }]),
  'a fee without funds': one([{ from: A, to: B, gas: '0x5208', maxFeePerGas: '0x174876e800' }], {}),
  'a value without funds': one([{ from: A, to: B, gas: '0x5208', value: ETHER, maxFeePerGas: '0x174876e800' }]),
  'a nonce too high': one([{ from: A, to: B, gas: '0x5208', nonce: '0x1', maxFeePerGas: '0x174876e800' }]),
  'a nonce too low': one([{ from: A, to: B, gas: '0x5208', nonce: '0x0', maxFeePerGas: '0x174876e800' }], {
    [A]: { nonce: '0x5', balance: ETHER },
  }),
  'a nonce at its end': one([{ from: A, to: B, gas: '0x5208', maxFeePerGas: '0x174876e800' }], {
    [A]: { nonce: '0xffffffffffffffff', balance: ETHER },
  }),
  'a tip above the fee': one([{ from: A, to: B, gas: '0x5208', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }]),
  'gas too low': one([{ from: A, to: B, gas: '0x5207', maxFeePerGas: '0x174876e800' }]),
  'init code too large': one(
    [{ from: A, data: `0x${'00'.repeat(49_153)}`, gas: '0xf42400', maxFeePerGas: '0x77359400' }],
    { [A]: { balance: `0x${'f'.repeat(32)}` } },
  ),
  'no base fee': [[{ blockOverrides: { baseFeePerGas: '0x0' }, calls: [{ from: A, to: B }] }], { ...FULL }],
  'a base fee': [[{ blockOverrides: { baseFeePerGas: '0x9' }, calls: [{ from: A, to: B }] }]],
  'blocks without calls': [[{}, {}, {}]],
  'a blob without a fee': [
    [{ blockOverrides: { baseFeePerGas: '0x0' }, calls: [{ from: A, to: B, blobVersionedHashes: [BLOB] }] }],
  ],
  'a blob with a fee': [
    [
      {
        blockOverrides: { baseFeePerGas: '0x0' },
        stateOverrides: rich,
        calls: [{ from: A, to: B, blobVersionedHashes: [BLOB], maxFeePerBlobGas: '0x1' }],
      },
    ],
  ],
  'a blob with a fee too low': [
    [
      {
        blockOverrides: { baseFeePerGas: '0x0', blobBaseFee: '0x5' },
        stateOverrides: rich,
        calls: [{ from: A, to: B, blobVersionedHashes: [BLOB], maxFeePerBlobGas: '0x1' }],
      },
    ],
  ],
  'gas beyond the cap of a transaction': [
    [{ blockOverrides: { baseFeePerGas: '0x0' }, calls: [{ from: A, to: B, gas: OSAKA_GAS }] }],
  ],
}

const see = { [TARGET]: { code: SEE_BLOCK } }
const seeing = (blockOverrides: Members): Block => ({
  blockOverrides,
  stateOverrides: see,
  calls: [{ from: A, to: TARGET }],
})

const blocks: Readonly<Record<string, Case>> = {
  two: [[{}, {}]],
  'of every override': [
    [
      seeing({
        gasLimit: '0xf4240',
        feeRecipient: C,
        prevRandao: ONES,
        baseFeePerGas: '0x7',
        blobBaseFee: '0x9',
        beaconRoot: ONES,
      }),
      { calls: [{ from: A, to: TARGET }] },
    ],
    FULL,
  ],
  'of capital names': [
    [{ blockOverrides: { GasLimit: '0xf4240', FEERECIPIENT: C, PrevRandao: ONES, BaseFeePerGas: '0x7' }, calls: [] }],
  ],
  'of names of other nodes': [[{ blockOverrides: { coinbase: C, random: ONES }, calls: [] }]],
  'of a difficulty of zero': [[seeing({ difficulty: '0x0' })]],
  'of a base fee of zero': [[seeing({ baseFeePerGas: '0x0' })]],
  'of a large base fee': [[seeing({ baseFeePerGas: `0x${'f'.repeat(64)}` })]],
  'of a gas limit of zero': [[{ blockOverrides: { gasLimit: '0x0' }, calls: [{ to: B }] }]],
  'of a gas limit of zero without calls': [[{ blockOverrides: { gasLimit: '0x0' } }, {}]],
  'of a gas limit below a call': [[{ blockOverrides: { gasLimit: '0x5208' }, calls: [{ to: B, gas: '0x5209' }] }]],
  'of a gas limit for one call': [[{ blockOverrides: { gasLimit: '0x5208' }, calls: [{ to: B }, { to: B }] }]],
  'of a gas limit for one call that is given': [
    [
      {
        blockOverrides: { gasLimit: '0x7530' },
        calls: [
          { to: B, gas: '0x5208' },
          { to: B, gas: '0x5208' },
        ],
      },
    ],
  ],
  'of gas that wraps around': [[{ stateOverrides: rich, calls: [{ to: B }, { to: B, gas: '0xffffffffffffffff' }] }]],
  'of gas beyond all': [[{ calls: [{ to: B, gas: '0xffffffffffffffff' }] }]],
  'of the greatest gas limit': [[{ blockOverrides: { gasLimit: '0xffffffffffffffff' }, calls: [{ to: TARGET }] }]],
  'with hashes': [
    [
      { stateOverrides: { [TARGET]: { code: SEE_HASHES } }, calls: [{ to: TARGET }] },
      { calls: [{ to: TARGET }] },
      { calls: [{ to: TARGET }] },
    ],
  ],
  'with a beacon root': [
    [
      {
        blockOverrides: { beaconRoot: ONES },
        stateOverrides: {
          [TARGET]: {
            code: assemble(
              'TIMESTAMP 0 MSTORE 32 32 32 0 0 0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02 GAS CALL 0 MSTORE 64 0 RETURN',
            ),
          },
        },
        calls: [{ to: TARGET }],
      },
      { calls: [{ to: TARGET }] },
    ],
  ],
  'with withdrawals': [
    [
      {
        blockOverrides: {
          withdrawals: [
            { index: '0x1', validatorIndex: '0x2', address: C, amount: '0x5' },
            { index: '0x2', validatorIndex: '0x2', address: B, amount: '0x0' },
            {},
          ],
        },
        calls: [],
      },
      { stateOverrides: { [TARGET]: { code: assemble(`${C} BALANCE ${RETURN_TOP}`) } }, calls: [{ to: TARGET }] },
    ],
  ],
  'with no withdrawals': [[{ blockOverrides: { withdrawals: [] } }]],
  'with a withdrawal that is null': [[{ blockOverrides: { withdrawals: [null] } }]],
  'of a number of zero': [[{ blockOverrides: { number: '0x0' } }]],
  'of a number far away': [[{ blockOverrides: { number: '0xffffff' } }]],
  'of the greatest number': [[{ blockOverrides: { number: `0x${'f'.repeat(64)}` } }]],
  'of a time of zero': [[{ blockOverrides: { time: '0x0' } }]],
  'of a time far away': [
    [
      {
        blockOverrides: { time: '0xffffffffff' },
        stateOverrides: { [TARGET]: { code: assemble(`TIMESTAMP ${RETURN_TOP}`) } },
        calls: [{ to: TARGET }],
      },
      {},
    ],
  ],
  'of the same time': [[{ blockOverrides: { time: '0xffffffffff' } }, { blockOverrides: { time: '0xffffffffff' } }]],
  '256': [Array(256).fill({})],
  '257': [Array(257).fill({})],
  none: [[]],
  'with a difficulty': [[{ blockOverrides: { difficulty: '0x0' }, calls: [{ to: TARGET }] }]],
}

const states: Readonly<Record<string, Case>> = {
  'both storages': one([{ to: TARGET }], { [TARGET]: { state: {}, stateDiff: {} } }),
  'both storages in the second block': [
    [{ calls: [{ to: B }] }, { stateOverrides: { [TARGET]: { state: {}, stateDiff: {} } } }],
  ],
  'both storages behind a call that is refused': [
    [{ calls: [{ to: B, gas: '0x1' }] }, { stateOverrides: { [TARGET]: { state: {}, stateDiff: {} } } }],
  ],
  'both storages and a number of zero': [
    [{ stateOverrides: { [TARGET]: { state: {}, stateDiff: {} } } }, { blockOverrides: { number: '0x0' } }],
  ],
  'a moved precompile': one(
    [
      { to: TARGET, data: '0x0102' },
      { to: IDENTITY, data: '0x0102' },
    ],
    { [IDENTITY]: { movePrecompileToAddress: TARGET } },
  ),
  'a moved precompile in the next block': [
    [
      { stateOverrides: { [IDENTITY]: { movePrecompileToAddress: TARGET } }, calls: [{ to: TARGET, data: '0x0102' }] },
      {
        calls: [
          { to: TARGET, data: '0x0102' },
          { to: IDENTITY, data: '0x0102' },
        ],
      },
    ],
  ],
  'a precompile that is moved and replaced': one([{ to: TARGET, data: '0x0102' }, { to: IDENTITY }], {
    [IDENTITY]: { movePrecompileToAddress: TARGET, code: '0x60ff5f5360015ff3' },
  }),
  'a precompile that is moved to another': one([{ to: SHA, data: '0x0102' }], {
    [IDENTITY]: { movePrecompileToAddress: SHA },
  }),
  'a precompile that is moved to itself': one([{ to: IDENTITY, data: '0x0102' }], {
    [IDENTITY]: { movePrecompileToAddress: IDENTITY },
  }),
  'a precompile that is replaced': one([{ to: IDENTITY }], { [IDENTITY]: { code: '0x60ff5f5360015ff3' } }),
  'no precompile to move': one([], { [B]: { movePrecompileToAddress: TARGET } }),
  'a precompile moved where something is overridden': one([], {
    [IDENTITY]: { movePrecompileToAddress: TARGET },
    [TARGET]: { nonce: '0x1' },
  }),
  'a nonce': one([{ from: A, to: B }], { [A]: { nonce: '0x9' } }, FULL),
  'a balance': one([{ to: TARGET }], { [TARGET]: { balance: '0x9', code: assemble(`SELFBALANCE ${RETURN_TOP}`) } }),
  'a balance of zero': one([{ to: TARGET }], {
    ...code(TARGET, `${C} EXTCODEHASH ${RETURN_TOP}`),
    [C]: { balance: '0x0' },
  }),
  'nothing of an account': one([{ to: TARGET }], { ...code(TARGET, `${C} EXTCODEHASH ${RETURN_TOP}`), [C]: {} }),
  'a delegation': one([{ from: A, to: TARGET }], {
    [TARGET]: { code: `0xef0100${B.slice(2)}` },
    [B]: { code: assemble(`ADDRESS ${RETURN_TOP}`) },
  }),
  'code that is taken away': [
    [
      { stateOverrides: code(TARGET, `42 ${RETURN_TOP}`), calls: [{ to: TARGET }] },
      { stateOverrides: { [TARGET]: { code: '0x' } }, calls: [{ to: TARGET }] },
    ],
  ],
}

/** What cannot be read, and how it is said. */
const UNREADABLE: Readonly<Record<string, readonly unknown[]>> = {
  nothing: [],
  null: [null],
  'a text': ['0x'],
  'a number': [5],
  'an array': [[]],
  'three parameters': [{}, 'latest', {}],
  'an object without members': [{}],
  'blocks that are null': [{ blockStateCalls: null }],
  'blocks of another kind': [{ blockStateCalls: 5 }],
  'a block of another kind': [{ blockStateCalls: [5] }],
  'a block that is null': [{ blockStateCalls: [null] }],
  'a block of another kind, then a bad gas': [{ blockStateCalls: [5, { calls: [{ gas: 'x' }] }] }],
  'calls of another kind': [{ blockStateCalls: [{ calls: {} }] }],
  'a call of another kind': [{ blockStateCalls: [{ calls: [5] }] }],
  'a call that is null': [{ blockStateCalls: [{ calls: [null] }] }],
  'a bad sender': [{ blockStateCalls: [{ calls: [{ from: '0x1' }] }] }],
  'a sender of another kind': [{ blockStateCalls: [{ calls: [{ from: 5 }] }] }],
  'a bad gas': [{ blockStateCalls: [{ calls: [{ gas: '0x01' }] }] }],
  'data without a prefix': [{ blockStateCalls: [{ calls: [{ data: 'ff' }] }] }],
  'an access list of another kind': [{ blockStateCalls: [{ calls: [{ accessList: 5 }] }] }],
  'an access tuple without keys': [{ blockStateCalls: [{ calls: [{ accessList: [{ address: A }] }] }] }],
  'an access tuple of a bad key': [
    { blockStateCalls: [{ calls: [{ accessList: [{ address: A, storageKeys: ['0x1'] }] }] }] },
  ],
  'an authorization of a bad nonce': [{ blockStateCalls: [{ calls: [{ authorizationList: [{ nonce: 'x' }] }] }] }],
  'block overrides of another kind': [{ blockStateCalls: [{ blockOverrides: 5 }] }],
  'a bad number': [{ blockStateCalls: [{ blockOverrides: { number: 5 } }] }],
  'a number too large': [{ blockStateCalls: [{ blockOverrides: { number: `0x1${'0'.repeat(64)}` } }] }],
  'a bad time': [{ blockStateCalls: [{ blockOverrides: { time: '0x' } }] }],
  'a time too large': [{ blockStateCalls: [{ blockOverrides: { time: '0x10000000000000000' } }] }],
  'a bad recipient': [{ blockStateCalls: [{ blockOverrides: { feeRecipient: '0x' } }] }],
  'withdrawals of another kind': [{ blockStateCalls: [{ blockOverrides: { withdrawals: 5 } }] }],
  'a withdrawal of another kind': [{ blockStateCalls: [{ blockOverrides: { withdrawals: [5] } }] }],
  'a withdrawal of a bad amount': [{ blockStateCalls: [{ blockOverrides: { withdrawals: [{ amount: 5 }] } }] }],
  'a withdrawal of a bad address': [{ blockStateCalls: [{ blockOverrides: { withdrawals: [{ address: '0x01' }] } }] }],
  'state overrides of another kind': [{ blockStateCalls: [{ stateOverrides: [] }] }],
  'an account of another kind': [{ blockStateCalls: [{ stateOverrides: { [A]: 5 } }] }],
  'a bad account': [{ blockStateCalls: [{ stateOverrides: { '0x1': {} } }] }],
  'a bad balance': [{ blockStateCalls: [{ stateOverrides: { [A]: { balance: 'x' } } }] }],
  'a bad slot': [{ blockStateCalls: [{ stateOverrides: { [A]: { stateDiff: { '0x1': ONES } } } }] }],
  'slots of another kind': [{ blockStateCalls: [{ stateOverrides: { [A]: { state: 5 } } }] }],
  'a flag of another kind': [{ blockStateCalls: [{}], validation: 'yes' }],
  'a flag of a number': [{ blockStateCalls: [{}], traceTransfers: 1 }],
  'flags that are null': [
    { blockStateCalls: [{}], validation: null, traceTransfers: null, returnFullTransactions: null },
  ],
  'members of other letters': [{ BLOCKSTATECALLS: [{ CALLS: [{ FROM: A, To: B }] }], ReturnFullTransactions: true }],
  'members that nobody knows': [{ blockStateCalls: [{ calls: [], what: 1 }], why: 2 }],
  'a block that is not there': [{ blockStateCalls: [{}] }, '0xffffffff'],
  'a hash that is not there': [{ blockStateCalls: [{}] }, { blockHash: ONES }],
  'no block': [{ blockStateCalls: [{}] }, {}],
  'no block for nothing': [{ blockStateCalls: [] }, {}],
  'a block that is not there for nothing': [{ blockStateCalls: [] }, '0xffffffff'],
  'too many blocks where no block is': [{ blockStateCalls: Array(257).fill({}) }, '0xffffffff'],
  'a bad number where no block is': [{ blockStateCalls: [{ blockOverrides: { number: '0x0' } }] }, '0xffffffff'],
  'a bad tag': [{ blockStateCalls: [{}] }, 'Latest'],
  'the block null': [{ blockStateCalls: [{}] }, null],
  'the first block': [{ blockStateCalls: [{ calls: [{ to: B }] }] }, '0x0'],
  'the first block by its tag': [{ blockStateCalls: [{ calls: [{ to: B }] }] }, 'earliest'],
  'the safe block': [{ blockStateCalls: [{ calls: [{ to: B }] }] }, 'safe'],
}

interface Simulated extends Members {
  readonly number: Hex
  readonly timestamp: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly size: Hex
  readonly baseFeePerGas: Hex
}

const rlpBytes = (quantity: Hex): number => (Number(quantity) < 0x80 ? 1 : (quantity.length + 1) >> 1)

/** What two chains have in common of the members that are facts of one. */
const shapeOf = (base: Simulated, results: readonly Simulated[], feesAreFacts: boolean): unknown =>
  results.map((block, index) => {
    const parent = results[index - 1] ?? base
    return {
      height: Number(block.number) - Number(base.number),
      seconds: Number(block.timestamp) - Number(parent.timestamp),
      standsOnParent: block.parentHash === parent.hash,
      bytes: Number(block.size) - rlpBytes(block.number) - (feesAreFacts ? rlpBytes(block.baseFeePerGas) : 0),
      recipient: index === 0 && block['miner'] === base['miner'] ? 'as before' : 'other',
      limit: block['gasLimit'],
      random: block['mixHash'],
      extra: block['extraData'],
      fee: feesAreFacts ? '<fee>' : block.baseFeePerGas,
    }
  })

const GROUPS: readonly (readonly [name: string, cases: Readonly<Record<string, Case>>, options: Options])[] = [
  ['simulated', calls, {}],
  ['simulated', logs, {}],
  ['simulated transfers', transfers, TRANSFERS],
  ['validated', validated, VALID],
  ['simulated blocks:', blocks, {}],
  ['simulated with overrides:', states, {}],
]

const IN_ONE_REQUEST = 20

const shapes = async (peer: Peer): Promise<void> => {
  const base = await peer.ask<Simulated>('eth_getBlockByNumber', 'latest', false)
  const at = Number(base.number)
  const time = (seconds: number): Hex => `0x${(Number(base.timestamp) + seconds).toString(16)}`
  const hex = (number: number): Hex => `0x${number.toString(16)}`
  const requests: Readonly<Record<string, readonly Block[]>> = {
    'three blocks': [{}, {}, {}],
    'a gap': [{ blockOverrides: { number: hex(at + 4) } }],
    gaps: [
      { blockOverrides: { number: hex(at + 3) } },
      {},
      { blockOverrides: { number: hex(at + 7), gasLimit: '0x5' } },
      {},
    ],
    times: [{ blockOverrides: { time: time(1) } }, { blockOverrides: { time: time(2) } }, {}],
    'a gap that its time fits': [{ blockOverrides: { number: hex(at + 3), time: time(25) } }],
    'a recipient that stays': [{ blockOverrides: { feeRecipient: C, prevRandao: ONES, gasLimit: '0x989680' } }, {}],
    withdrawals: [
      { blockOverrides: { withdrawals: [{ index: '0x1', validatorIndex: '0x2', address: C, amount: '0x5' }] } },
      {},
    ],
    calls: [{ calls: [{ to: B }, { to: B, data: `0x${'01'.repeat(300)}` }, { to: B, gasPrice: '0x0' }] }, {}],
  }
  for (const [name, blockStateCalls] of Object.entries(requests)) {
    const results = await peer.ask<readonly Simulated[]>('eth_simulateV1', { blockStateCalls }, base.number)
    peer.record(`shape of ${name}`, shapeOf(base, results, false))
    const priced = await peer.ask<readonly Simulated[]>(
      'eth_simulateV1',
      { blockStateCalls: blockStateCalls.map(({ calls: _, ...rest }) => rest), validation: true },
      base.number,
    )
    peer.record(`shape of ${name}, validated`, shapeOf(base, priced, true))
  }
  const next = (blockOverrides: Members): Block => ({ blockOverrides })
  await peer.note(
    ...Object.entries({
      'the number of the base': [next({ number: base.number })],
      'a number twice': [next({ number: hex(at + 2) }), next({ number: hex(at + 2) })],
      'a number that goes back': [next({ number: hex(at + 5) }), next({ number: hex(at + 2) })],
      'the last number': [next({ number: hex(at + 256) })],
      'a number beyond the last': [next({ number: hex(at + 257) })],
      'a block behind the last': [next({ number: hex(at + 256) }), {}],
      'the time of the base': [next({ time: base.timestamp })],
      'a gap that its time does not fit': [next({ number: hex(at + 3), time: time(24) })],
      'a time that goes back': [next({ time: time(20) }), next({ time: time(19) })],
    }).map(
      ([name, blockStateCalls]) =>
        [`simulated with ${name}`, 'eth_simulateV1', { blockStateCalls }, base.number] as const,
    ),
  )
}

const setCode = async (peer: Peer): Promise<void> => {
  const authorization = authorizer.authorize(TARGET, 0n)
  const tuple = {
    chainId: '0x539',
    address: TARGET,
    nonce: '0x0',
    yParity: `0x${authorization.yParity.toString(16)}`,
    r: `0x${authorization.r.toString(16)}`,
    s: `0x${authorization.s.toString(16)}`,
  }
  const blockStateCalls = [
    {
      stateOverrides: code(TARGET, `ADDRESS 0 0 LOG1 ADDRESS ${RETURN_TOP}`),
      calls: [
        { from: A, to: authorizer.address, authorizationList: [tuple] },
        { from: B, to: authorizer.address },
        { from: authorizer.address, to: B },
      ],
    },
    { calls: [{ from: A, to: authorizer.address, gasPrice: '0x0', authorizationList: [tuple] }] },
  ]
  await peer.note(['simulated set code', 'eth_simulateV1', { blockStateCalls, ...FULL, ...TRANSFERS }])
}

export const simulations = async (peer: Peer): Promise<void> => {
  for (const [group, cases, shared] of GROUPS) {
    const requests = Object.entries(cases).map(
      ([name, [blockStateCalls, options = {}]]) =>
        [`${group} ${name}`, 'eth_simulateV1', { blockStateCalls, ...shared, ...options }, 'latest'] as const,
    )
    for (let at = 0; at < requests.length; at += IN_ONE_REQUEST)
      await peer.note(...requests.slice(at, at + IN_ONE_REQUEST))
  }
  await peer.note(
    ...Object.entries(UNREADABLE).map(
      ([name, params]) => [`simulation of ${name}`, 'eth_simulateV1', ...params] as const,
    ),
  )
  const hash = { blockHash: (await peer.ask<Simulated>('eth_getBlockByNumber', 'latest', false)).hash }
  const { blockStateCalls } = { blockStateCalls: [{ calls: [{ from: RICH, to: B, value: '0x1' }] }] }
  await peer.note(
    ['simulated on a hash', 'eth_simulateV1', { blockStateCalls }, hash],
    ['simulated on a canonical hash', 'eth_simulateV1', { blockStateCalls }, { ...hash, requireCanonical: true }],
    ['simulated on the pending block', 'eth_simulateV1', { blockStateCalls }, 'pending'],
  )
  await setCode(peer)
  await shapes(peer)
}
