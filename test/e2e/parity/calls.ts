/** eth_call and eth_estimateGas over programs that go wrong in every way that a program can. */
import { contractAddress2 } from '../../../core/address.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../../core/hex.ts'
import { assemble, memory } from './assemble.ts'
import type { Peer } from './peer.ts'

export const RICH: Hex = '0x71562b71999873db5b286df957af199ec94617f7'
export const TARGET: Hex = '0x00000000000000000000000000000000000c0de1'
export const INNER: Hex = '0x00000000000000000000000000000000000c0de2'
export const POOR: Hex = '0x1111111111111111111111111111111111111111'
export const word = (value: number | bigint): string => value.toString(16).padStart(64, '0')
export const ONES: Hex = `0x${'11'.repeat(32)}`

const RETURN_TOP = '0 MSTORE 32 0 RETURN'
const revertWith = (hex: string): string =>
  `${memory(hex)} ${(hex.length - (hex.startsWith('0x') ? 2 : 0)) / 2} 0 REVERT`
const panic = (code: number): string => revertWith(`4e487b71${word(code)}`)
const reason = (text: string): string =>
  revertWith(`08c379a0${word(32)}${word(Buffer.byteLength(text))}${Buffer.from(text).toString('hex').padEnd(64, '0')}`)
/** Calls INNER, and returns its success, what it returned, and the gas that it took. */
export const callInner = (opcode: string, { gas = 'GAS', value = '0' } = {}): string => {
  const operands =
    opcode === 'CALL' || opcode === 'CALLCODE' ? `0 0 0 0 ${value} ${INNER} ${gas}` : `0 0 0 0 ${INNER} ${gas}`
  return `GAS 128 MSTORE ${operands} ${opcode} 0 MSTORE GAS 128 MLOAD SUB 64 MSTORE RETURNDATASIZE 32 MSTORE RETURNDATASIZE 0 96 RETURNDATACOPY 96 RETURNDATASIZE ADD 0 RETURN`
}
const create = (init: string, opcode = 'CREATE', value = '0'): string =>
  `${memory(init)} ${opcode === 'CREATE2' ? '7 ' : ''}${(init.length - 2) / 2} 0 ${value} ${opcode}`

export const PROGRAMS: Readonly<Record<string, string>> = {
  stop: 'STOP',
  'revert empty': '0 0 REVERT',
  'revert one byte': revertWith('ab'),
  'revert selector only': revertWith('08c379a0'),
  'revert reason': reason('hello'),
  'revert empty reason': reason(''),
  'revert html reason': reason('<a & b> \u2028 "q" \\ \n'),
  'revert broken reason': revertWith(`08c379a0${word(32)}${word(500)}`),
  'revert broken offset': revertWith(`08c379a0${word(2n ** 255n)}${word(5)}${word(0)}`),
  'revert invalid utf8': revertWith(`08c379a0${word(32)}${word(3)}${'fffe41'.padEnd(64, '0')}`),
  'revert custom': revertWith('deadbeef00'),
  ...Object.fromEntries(
    [0, 1, 0x11, 0x12, 0x21, 0x22, 0x31, 0x32, 0x41, 0x51, 0x99].map((code) => [`panic ${code}`, panic(code)]),
  ),
  'panic short': revertWith('4e487b7111'),
  'panic large': revertWith(`4e487b71${'ff'.repeat(32)}`),
  invalid: 'INVALID',
  'undefined 0x0c': '#0c',
  'undefined 0x21': '#21',
  'undefined 0xef': '#ef',
  'undefined 0xd1': '#d1',
  'undefined 0xb0': '#b0',
  'bad jump': '0xff JUMP',
  'jump into data': '#600456005b',
  'jump far': `0x${'ff'.repeat(32)} JUMP`,
  'conditional bad jump': '1 0xff JUMPI',
  'conditional jump not taken': `0 0xff JUMPI 1 ${RETURN_TOP}`,
  underflow: 'ADD',
  'underflow one': '1 ADD',
  'underflow dup': '1 DUP16',
  'underflow swap': '1 SWAP16',
  'underflow log': '1 LOG4',
  'underflow call': '1 CALL',
  overflow: 'a: 0 @a JUMP',
  loop: 'a: @a JUMP',
  'memory large': '1 0xffffffffff MSTORE',
  'memory overflow': `1 0x${'ff'.repeat(32)} MSTORE`,
  'memory 64 bit': '1 0xffffffffffffffff MSTORE',
  'memory moderately large': '1 0x100000 MSTORE',
  'return large': '0xffffffffff 0 RETURN',
  'return overflow': `0x${'ff'.repeat(32)} 1 RETURN`,
  'revert large': '0xffffffffff 0 REVERT',
  'hash large': '0xffffffffff 0 KECCAK256',
  'hash overflow': `0x${'ff'.repeat(32)} 0 KECCAK256`,
  'copy large': '0xffffffffff 0 0 CALLDATACOPY',
  'copy code large': '0xffffffff 0 0 CODECOPY',
  'copy source overflow': `32 0x${'ff'.repeat(32)} 0 CALLDATACOPY 0 MLOAD ${RETURN_TOP}`,
  'mcopy large': '0xffffffffff 0 0 MCOPY',
  'log large': '0xffffffffff 0 LOG0',
  'extcodecopy large': '0xffffffffff 0 0 ADDRESS EXTCODECOPY',
  'returndata out of bounds': '1 0 0 RETURNDATACOPY',
  'returndata overflow': `1 0x${'ff'.repeat(32)} 0 RETURNDATACOPY`,
  'call memory large': `0 0 0xffffffffff 0 0 ${INNER} GAS CALL`,
  'create large': '0xc001 0 0 CREATE',
  'create2 large': '0 0xc001 0 0 CREATE2',
  store: '7 1 SSTORE',
  'store and clear': '7 1 SSTORE 0 1 SSTORE',
  'clear what is there': '0 0 SSTORE',
  'store the same': '5 0 SSTORE',
  transient: `7 1 TSTORE 1 TLOAD ${RETURN_TOP}`,
  log: '1 2 3 4 32 0 LOG4',
  gas: `GAS ${RETURN_TOP}`,
  'self balance': `SELFBALANCE ${RETURN_TOP}`,
  value: `CALLVALUE ${RETURN_TOP}`,
  'price and base fee':
    'GASPRICE 0 MSTORE BASEFEE ISZERO 32 MSTORE BLOBBASEFEE 64 MSTORE CHAINID 96 MSTORE ORIGIN 128 MSTORE CALLER 160 MSTORE 192 0 RETURN',
  'blob hash': `0 BLOBHASH ${RETURN_TOP}`,
  clz: `1 CLZ ${RETURN_TOP}`,
  'block hash now': `NUMBER BLOCKHASH ${RETURN_TOP}`,
  'block hash before': `1 NUMBER SUB BLOCKHASH ISZERO ${RETURN_TOP}`,
  'block hash far': `0x${'ff'.repeat(32)} BLOCKHASH ${RETURN_TOP}`,
  echo: 'CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 RETURN',
  'code of others': `${INNER} EXTCODESIZE 0 MSTORE ${INNER} EXTCODEHASH 32 MSTORE 0xdead EXTCODEHASH 64 MSTORE 0xdead EXTCODESIZE 96 MSTORE 128 0 RETURN`,
  'self destruct': `${INNER} SELFDESTRUCT`,
  recursion: '1 0 MSTORE 0 0 0 0 0 ADDRESS GAS CALL 0 MSTORE 32 0 RETURN',
  'recursion with reserve': '0 0 0 0 0 ADDRESS GAS CALL ISZERO @a JUMPI STOP a: 0 0 REVERT',
  'needs gas': '200000 GAS LT @a JUMPI STOP a: INVALID',
  burns: '0x400 a: 1 SWAP1 SUB DUP1 @a JUMPI STOP',
  'create empty': `${create('0x00')} ${RETURN_TOP}`,
  'create reverts': `${create(assemble(reason('inner')))} 0 MSTORE RETURNDATASIZE 32 MSTORE 64 0 RETURN`,
  'create 0xef': `${create(assemble('0xef 0 MSTORE8 1 0 RETURN'))} ${RETURN_TOP}`,
  'create too large': `${create(assemble('0x6001 0 RETURN'))} ${RETURN_TOP}`,
  'create without funds': `${create('0x00', 'CREATE', '0xffffffffffffffffffff')} ${RETURN_TOP}`,
  'create2 twice': `${create('0x00', 'CREATE2')} 0 MSTORE ${create('0x00', 'CREATE2').replace('0 MSTORE', '96 MSTORE')} ${RETURN_TOP}`,
}

/** What INNER is, for each way of calling it. */
export const INNERS: Readonly<Record<string, string>> = {
  'that returns': `42 ${RETURN_TOP}`,
  'that reverts': reason('inner'),
  'that panics': panic(0x11),
  'that is invalid': 'INVALID',
  'that underflows': 'POP',
  'that stores': '1 1 SSTORE',
  'that stores transiently': '1 1 TSTORE',
  'that logs': '0 0 LOG0',
  'that creates': '0 0 0 CREATE',
  'that sends': '0 0 0 0 1 0xdead GAS CALL',
  'that destroys itself': '0xdead SELFDESTRUCT',
  'that loops': 'a: @a JUMP',
}

/** Calls that fail or not as the outermost frame. */
export const INIT_CODES: Readonly<Record<string, Hex>> = {
  empty: '0x',
  reverts: assemble(reason('init')),
  'returns 0xef': assemble('0xef 0 MSTORE8 1 0 RETURN'),
  'returns too much': assemble('0x6001 0 RETURN'),
  'returns the most': assemble('0x6000 0 RETURN'),
  'too large': `0x${'00'.repeat(49_153)}`,
  'of the most': `0x${'00'.repeat(49_152)}`,
  invalid: '0xfe',
  underflow: '0x01',
}

export const PRECOMPILE_INPUTS: readonly (readonly [number, string])[] = [
  [1, '0x'],
  [1, `0x${'01'.repeat(128)}`],
  [2, '0x01'],
  [3, '0x01'],
  [4, '0x0102'],
  [5, '0x'],
  [5, `0x${word(1)}${word(1)}${word(1)}030205`],
  [5, `0x${word(2000)}${word(1)}${word(1)}`],
  [5, `0x${'ff'.repeat(96)}`],
  [6, '0x'],
  [6, `0x${word(1)}${word(1)}`],
  [6, `0x${word(1)}${word(2)}${word(1)}${word(2)}`],
  [6, `0x${'ff'.repeat(64)}`],
  [7, `0x${word(1)}${word(2)}${word(9)}`],
  [7, `0x${word(1)}${word(3)}`],
  [8, '0x'],
  [8, '0x01'],
  [8, `0x${word(1)}${word(2)}${word(0)}${word(0)}${word(0)}${word(0)}`],
  [8, `0x${word(1)}${word(1)}${word(0)}${word(0)}${word(0)}${word(0)}`],
  [8, `0x${word(1)}${word(2)}${word(1)}${word(1)}${word(1)}${word(1)}`],
  [9, '0x01'],
  [9, `0x${'00'.repeat(212)}02`],
  [9, `0x${'00'.repeat(3)}0c${'11'.repeat(208)}01`],
  [9, `0xffffffff${'11'.repeat(208)}01`],
  [10, '0x01'],
  [10, `0x${'01'.repeat(192)}`],
  [10, `0x02${'01'.repeat(191)}`],
  [11, '0x'],
  [11, `0x${'00'.repeat(256)}`],
  [11, `0x${'11'.repeat(256)}`],
  [12, '0x'],
  [12, `0x${'00'.repeat(160)}`],
  [13, '0x01'],
  [13, `0x${'00'.repeat(512)}`],
  [14, '0x'],
  [14, `0x${'00'.repeat(288)}`],
  [15, '0x'],
  [15, `0x${'00'.repeat(384)}`],
  [15, `0x${'11'.repeat(384)}`],
  [16, '0x'],
  [16, `0x${'00'.repeat(64)}`],
  [16, `0x${'ff'.repeat(64)}`],
  [17, '0x'],
  [17, `0x${'00'.repeat(128)}`],
  [17, `0x${'ff'.repeat(128)}`],
  [256, '0x'],
  [256, `0x${'01'.repeat(160)}`],
]

export const address = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`

const programs = async (peer: Peer): Promise<void> => {
  for (const [name, source] of Object.entries(PROGRAMS)) {
    const overrides = {
      [TARGET]: { code: assemble(source), stateDiff: { [`0x${word(0)}`]: `0x${word(5)}` } },
      [RICH]: { balance: '0xde0b6b3a7640000' },
    }
    const to = { to: TARGET, data: '0x0102' }
    await peer.note(
      [`call: ${name}`, 'eth_call', name === 'loop' ? { ...to, gas: '0x20000' } : to, 'latest', overrides],
      [`call with 21,600 gas: ${name}`, 'eth_call', { ...to, gas: '0x5460' }, 'latest', overrides],
      [`call with 30,000 gas: ${name}`, 'eth_call', { ...to, gas: '0x7530' }, 'latest', overrides],
      [
        `call with a price: ${name}`,
        'eth_call',
        { ...to, from: RICH, gas: '0x186a0', gasPrice: '0x2540be400', value: '0x5' },
        'latest',
        overrides,
      ],
      [`estimate: ${name}`, 'eth_estimateGas', to, 'latest', overrides],
      [
        `estimate with a price: ${name}`,
        'eth_estimateGas',
        { ...to, from: RICH, maxFeePerGas: '0x2540be400', value: '0x5' },
        'latest',
        overrides,
      ],
      [`estimate below 100,000: ${name}`, 'eth_estimateGas', { ...to, gas: '0x186a0' }, 'latest', overrides],
    )
  }
}

const nested = async (peer: Peer): Promise<void> => {
  for (const [name, source] of Object.entries(INNERS)) {
    for (const opcode of ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']) {
      const overrides = {
        [TARGET]: { code: assemble(callInner(opcode, { gas: '100000' })), balance: '0x9' },
        [INNER]: { code: assemble(source), balance: '0x9' },
      }
      await peer.note(
        [`${opcode} of a contract ${name}`, 'eth_call', { to: TARGET, gas: '0x200000' }, 'latest', overrides],
        [
          `estimate of ${opcode} of a contract ${name}`,
          'eth_estimateGas',
          { to: TARGET, gas: '0x200000' },
          'latest',
          overrides,
        ],
      )
    }
  }
  for (const value of ['1', '100']) {
    const overrides = {
      [TARGET]: { code: assemble(callInner('CALL', { value })), balance: '0x9' },
      [INNER]: { code: '0x6001600255' },
    }
    await peer.note([`CALL with the value ${value}`, 'eth_call', { to: TARGET, gas: '0x200000' }, 'latest', overrides])
  }
}

const creations = async (peer: Peer): Promise<void> => {
  for (const [name, data] of Object.entries(INIT_CODES)) {
    await peer.note(
      [`create ${name}`, 'eth_call', { data }],
      [`create ${name} with gas`, 'eth_call', { data, gas: '0xf4240' }],
      [`estimate of create ${name}`, 'eth_estimateGas', { data }],
      [
        `create ${name} with to null`,
        'eth_call',
        { to: null, data, value: '0x1' },
        'latest',
        { [address(0)]: { balance: '0x1' } },
      ],
    )
  }
  const taken = bytesToHex(contractAddress2(hexToBytes(TARGET), hexToBytes(`0x${word(7)}`), hexToBytes('0x00')))
  await peer.note(
    [
      'create2 where code is',
      'eth_call',
      { to: TARGET },
      'latest',
      { [TARGET]: { code: assemble(`${create('0x00', 'CREATE2')} ${RETURN_TOP}`) }, [taken]: { code: '0x01' } },
    ],
    [
      'create where code is',
      'eth_call',
      { from: POOR, data: '0x00' },
      'latest',
      { '0x3d4c6b8e57a1c2d3a8b7d9dd2f6b1c1f0b5d6c4a': { code: '0x01' } },
    ],
  )
}

const precompiles = async (peer: Peer): Promise<void> => {
  for (const [index, [number, data]] of PRECOMPILE_INPUTS.entries()) {
    const to = address(number)
    const title = `precompile ${number}, input ${index}`
    const overrides = {
      [TARGET]: {
        code: assemble(
          `CALLDATASIZE 0 0 CALLDATACOPY 0 0 CALLDATASIZE 0 0 ${to} 5000000 CALL 0 MSTORE GAS 32 MSTORE RETURNDATASIZE 64 MSTORE RETURNDATASIZE 0 96 RETURNDATACOPY 96 RETURNDATASIZE ADD 0 RETURN`,
        ),
      },
    }
    await peer.note(
      [title, 'eth_call', { to, data, gas: '0x4c4b40' }],
      [`${title} with little gas`, 'eth_call', { to, data, gas: '0x5a00' }],
      [`${title} from a contract`, 'eth_call', { to: TARGET, data, gas: '0x989680' }, 'latest', overrides],
      [`estimate of ${title}`, 'eth_estimateGas', { to, data }],
    )
  }
}

/** Members of the transaction object, right and wrong. */
export const ARGUMENTS: Readonly<Record<string, object>> = {
  'no funds for value': { from: POOR, to: TARGET, value: '0x1' },
  'no funds for gas': { from: POOR, to: TARGET, gas: '0x5208', gasPrice: '0x2540be400' },
  'no funds for gas and value': { from: POOR, to: TARGET, gas: '0x5208', gasPrice: '0x2540be400', value: '0x1' },
  'price without gas': { from: POOR, to: TARGET, gasPrice: '0x2540be400' },
  'price below the base fee': { from: POOR, to: TARGET, gasPrice: '0x1' },
  'fee below the base fee': { from: POOR, to: TARGET, maxFeePerGas: '0x1' },
  'tip above the fee': { from: POOR, to: TARGET, maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x2540be401' },
  'tip alone': { from: POOR, to: TARGET, maxPriorityFeePerGas: '0x1' },
  'fee of zero, tip of one': { to: TARGET, maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x1' },
  'fee of 2^256-1': { from: POOR, to: TARGET, maxFeePerGas: `0x${'f'.repeat(64)}` },
  'value of 2^256-1': { from: POOR, to: TARGET, value: `0x${'f'.repeat(64)}` },
  'value of 2^256': { from: POOR, to: TARGET, value: `0x1${'0'.repeat(64)}` },
  'fee of 2^256': { from: POOR, to: TARGET, maxFeePerGas: `0x1${'0'.repeat(64)}` },
  'price of 2^256': { from: POOR, to: TARGET, gasPrice: `0x1${'0'.repeat(64)}` },
  'gas too low': { to: TARGET, gas: '0x5207' },
  'gas zero': { to: TARGET, gas: '0x0' },
  'gas below the floor': { to: TARGET, gas: '0x5400', data: `0x${'01'.repeat(40)}` },
  'gas below the floor of a contract': { to: TARGET, gas: '0x7a00', data: `0x${'01'.repeat(400)}` },
  'floor gas': { to: TARGET, data: `0x${'01'.repeat(400)}` },
  'gas above the cap': { to: TARGET, gas: '0x2faf081' },
  'gas at the Osaka cap': { to: TARGET, gas: '0x1000000' },
  'gas above the Osaka cap': { to: TARGET, gas: '0x1000001' },
  'wrong chain': { to: TARGET, chainId: '0x1' },
  'right chain': { to: TARGET, chainId: '0x539' },
  'nonce too high': { from: RICH, to: TARGET, nonce: '0xfffff' },
  'nonce max': { from: RICH, to: TARGET, nonce: '0xffffffffffffffff' },
  'both datas equal': { to: TARGET, data: '0x01', input: '0x01' },
  'both datas different': { to: TARGET, data: '0x01', input: '0x02' },
  'access list': {
    to: TARGET,
    accessList: [
      { address: TARGET, storageKeys: [ONES, ONES] },
      { address: POOR, storageKeys: [] },
    ],
  },
  'access list and price': { to: TARGET, gasPrice: '0x0', accessList: [] },
  'set code without tuples': { to: TARGET, authorizationList: [] },
  'set code that creates': {
    authorizationList: [{ chainId: '0x0', address: TARGET, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' }],
    data: '0x00',
  },
  'set code': {
    to: TARGET,
    authorizationList: [{ chainId: '0x0', address: TARGET, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' }],
  },
  'set code with a price': {
    to: TARGET,
    gasPrice: '0x0',
    authorizationList: [{ chainId: '0x0', address: TARGET, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' }],
  },
  'blobs none': { to: TARGET, blobVersionedHashes: [] },
  'blobs of a wrong version': { to: TARGET, blobVersionedHashes: [ONES] },
  'a blob': { to: TARGET, blobVersionedHashes: [`0x01${'11'.repeat(31)}`] },
  'a blob and its fee': { to: TARGET, blobVersionedHashes: [`0x01${'11'.repeat(31)}`], maxFeePerBlobGas: '0x1' },
  'a blob and a zero fee': { to: TARGET, blobVersionedHashes: [`0x01${'11'.repeat(31)}`], maxFeePerBlobGas: '0x0' },
  'a blob fee below the least': {
    from: RICH,
    to: TARGET,
    blobVersionedHashes: [`0x01${'11'.repeat(31)}`],
    maxFeePerBlobGas: '0x0',
    maxFeePerGas: '0x2540be400',
  },
  'too many blobs': { to: TARGET, blobVersionedHashes: Array(7).fill(`0x01${'11'.repeat(31)}`) },
  'a blob that creates': { data: '0x00', blobVersionedHashes: [`0x01${'11'.repeat(31)}`] },
  'a blob fee alone': { to: TARGET, maxFeePerBlobGas: '0x1' },
  'a blob fee of zero alone': { to: TARGET, maxFeePerBlobGas: '0x0' },
  'blobs themselves': { to: TARGET, blobs: [] },
  nothing: {},
  'data alone': { data: '0x00' },
}

const argumentsOfCalls = async (peer: Peer): Promise<void> => {
  const code = { [TARGET]: { code: assemble(`0 BLOBHASH 0 MSTORE BLOBBASEFEE 32 MSTORE 64 0 RETURN`) } }
  for (const [name, call] of Object.entries(ARGUMENTS)) {
    await peer.note(
      [`call: ${name}`, 'eth_call', call, 'latest'],
      [`call of code: ${name}`, 'eth_call', call, 'latest', code],
      [`estimate: ${name}`, 'eth_estimateGas', call],
      [`estimate of code: ${name}`, 'eth_estimateGas', call, 'latest', code],
    )
  }
  for (const [name, call, balance] of [
    ['value is all', { from: POOR, to: TARGET, value: '0x5', maxFeePerGas: '0x2540be400' }, '0x5'],
    ['value is more', { from: POOR, to: TARGET, value: '0x6', gasPrice: '0x2540be400' }, '0x5'],
    ['gas for nothing', { from: POOR, to: TARGET, maxFeePerGas: '0x2540be400' }, '0x5'],
    ['gas for a transfer', { from: POOR, to: TARGET, maxFeePerGas: '0x2540be400' }, '0xbef55718ad60'],
    ['gas for a little more', { from: POOR, to: TARGET, data: '0x01', maxFeePerGas: '0x2540be400' }, '0xbef55718ad60'],
    ['much gas', { from: POOR, to: TARGET, data: '0x01', maxFeePerGas: '0x2540be400' }, '0xde0b6b3a7640000'],
    ['value without a price', { from: POOR, to: TARGET, value: '0x6' }, '0x5'],
  ] as const) {
    await peer.note(
      [`estimate with funds: ${name}`, 'eth_estimateGas', call, 'latest', { [POOR]: { balance } }],
      [`call with funds: ${name}`, 'eth_call', call, 'latest', { [POOR]: { balance } }],
    )
  }
}

const SEE_BLOCK = assemble(
  'NUMBER 0 MSTORE TIMESTAMP 32 MSTORE GASLIMIT 64 MSTORE COINBASE 96 MSTORE DIFFICULTY 128 MSTORE BASEFEE 160 MSTORE BLOBBASEFEE 192 MSTORE 224 0 RETURN',
)
/** Block overrides with all members, so that no fact of the chain is left. */
export const BLOCK = {
  number: '0x10',
  time: '0x6b018d35',
  gasLimit: '0x3b9aca00',
  feeRecipient: POOR,
  prevRandao: ONES,
  baseFeePerGas: '0x7',
  blobBaseFee: '0x9',
}

const overrides = async (peer: Peer): Promise<void> => {
  const see = { [TARGET]: { code: SEE_BLOCK } }
  const call = { to: TARGET, gas: '0x100000', from: RICH }
  const blocks: Readonly<Record<string, object>> = {
    all: BLOCK,
    'base fee above the price': { ...BLOCK, baseFeePerGas: '0x2540be401' },
    'gas limit small': { ...BLOCK, gasLimit: '0x10' },
    'names of other nodes': { ...BLOCK, coinbase: ONES, random: ONES },
    'capital names': {
      Number: '0x10',
      Time: '0x1',
      GasLimit: '0x2',
      FeeRecipient: POOR,
      PrevRandao: ONES,
      BaseFeePerGas: '0x7',
      BlobBaseFee: '0x8',
    },
    difficulty: { ...BLOCK, difficulty: '0x5' },
    'beacon root': { ...BLOCK, beaconRoot: ONES },
    withdrawals: { ...BLOCK, withdrawals: [] },
    'time before the forks': { ...BLOCK, time: '0x1' },
  }
  for (const [name, block] of Object.entries(blocks)) {
    await peer.note(
      [`block override ${name}`, 'eth_call', call, 'latest', see, block],
      [`block override ${name} with a price`, 'eth_call', { ...call, gasPrice: '0x2540be400' }, 'latest', see, block],
      [`estimate with block override ${name}`, 'eth_estimateGas', call, 'latest', see, block],
    )
  }
  const identity = address(4)
  const sha = address(2)
  const echo = { to: TARGET, data: '0x0102', gas: '0x100000' }
  const states: Readonly<Record<string, object>> = {
    'move identity': { [identity]: { movePrecompileToAddress: TARGET } },
    'move identity and replace it': { [identity]: { movePrecompileToAddress: TARGET, code: '0x60ff5f5360015ff3' } },
    'move to another precompile': { [identity]: { movePrecompileToAddress: sha } },
    'move from no precompile': { [POOR]: { movePrecompileToAddress: TARGET } },
    'move to overridden': { [identity]: { movePrecompileToAddress: TARGET }, [TARGET]: { nonce: '0x1' } },
    'move two': { [identity]: { movePrecompileToAddress: TARGET }, [sha]: { movePrecompileToAddress: POOR } },
    'move to itself': { [identity]: { movePrecompileToAddress: identity } },
    'override a precompile': { [identity]: { code: '0x60ff5f5360015ff3' } },
    'balance of a precompile': { [identity]: { balance: '0x1' } },
    'nothing of a precompile': { [identity]: {} },
    'state and diff': { [TARGET]: { state: {}, stateDiff: {} } },
    delegation: {
      [TARGET]: { code: `0xef0100${INNER.slice(2)}` },
      [INNER]: { code: assemble(`ADDRESS 0 MSTORE CALLER 32 MSTORE 64 0 RETURN`) },
    },
    'delegation to a precompile': { [TARGET]: { code: `0xef0100${identity.slice(2)}` } },
    'delegation to nothing': { [TARGET]: { code: `0xef0100${POOR.slice(2)}` } },
    'delegation to a delegation': {
      [TARGET]: { code: `0xef0100${INNER.slice(2)}` },
      [INNER]: { code: `0xef0100${POOR.slice(2)}` },
    },
    'code too large': { [TARGET]: { code: `0x${'5b'.repeat(30_000)}` } },
    'balance of 2^256-1': { [TARGET]: { balance: `0x${'f'.repeat(64)}`, code: assemble(`SELFBALANCE ${RETURN_TOP}`) } },
    'nonce max': { [TARGET]: { nonce: '0xffffffffffffffff', code: assemble(`${create('0x00')} ${RETURN_TOP}`) } },
    'state replaces': {
      [TARGET]: { state: { [`0x${word(1)}`]: ONES }, code: assemble(`0 SLOAD 0 MSTORE 1 SLOAD 32 MSTORE 64 0 RETURN`) },
    },
  }
  const probe = { [RICH]: { balance: '0x1' } }
  for (const [name, state] of Object.entries(states)) {
    await peer.note(
      [`state override ${name}`, 'eth_call', echo, 'latest', state],
      [`state override ${name}, asked at identity`, 'eth_call', { ...echo, to: identity }, 'latest', state],
      [`state override ${name}, asked at sha256`, 'eth_call', { ...echo, to: sha }, 'latest', state],
      [`estimate with state override ${name}`, 'eth_estimateGas', echo, 'latest', { ...state, ...probe }],
    )
  }
  const lastNonce = { [RICH]: { nonce: '0xffffffffffffffff' } }
  const creation = { from: RICH, data: '0x60aa5f5360015ff3' }
  const toIdentity = { from: RICH, to: identity, gas: '0x186a0' }
  const moved = { state: {}, stateDiff: {}, movePrecompileToAddress: POOR }
  await peer.note(
    ['a creation with the last nonce', 'eth_call', creation, 'latest', lastNonce],
    ['estimate of a creation with the last nonce', 'eth_estimateGas', creation, 'latest', lastNonce],
    ['a transfer with the last nonce', 'eth_call', { from: RICH, to: POOR, value: '0x1' }, 'latest', lastNonce],
    [
      'estimate in a block that could not hold it',
      'eth_estimateGas',
      { to: TARGET, data: '0x01' },
      'latest',
      { [TARGET]: { code: '0x6001600155' } },
      { gasLimit: '0x5208' },
    ],
    [
      'estimate at a precompile that has other code',
      'eth_estimateGas',
      toIdentity,
      'latest',
      { [identity]: { code: '0x3f5f5260205ff3' } },
    ],
    [
      'estimate at a precompile that moved',
      'eth_estimateGas',
      toIdentity,
      'latest',
      { [identity]: { movePrecompileToAddress: POOR } },
    ],
    ['a move from no precompile with both storages', 'eth_call', echo, 'latest', { [TARGET]: moved }],
    ['a move with both storages', 'eth_call', echo, 'latest', { [identity]: moved }],
  )
  await peer.note([
    'a moved precompile seen from a contract',
    'eth_call',
    { to: INNER, data: '0x0102', gas: '0x100000' },
    'latest',
    {
      [identity]: { movePrecompileToAddress: TARGET },
      [INNER]: {
        code: assemble(
          `CALLDATASIZE 0 0 CALLDATACOPY 0 0 CALLDATASIZE 0 0 ${TARGET} GAS CALL 0 MSTORE RETURNDATASIZE 32 MSTORE GAS 64 MSTORE ${TARGET} EXTCODESIZE 96 MSTORE ${POOR} EXTCODEHASH 128 MSTORE 160 0 RETURN`,
        ),
      },
    },
  ])
}

export const calls = async (peer: Peer): Promise<void> => {
  await programs(peer)
  await nested(peer)
  await creations(peer)
  await precompiles(peer)
  await argumentsOfCalls(peer)
  await overrides(peer)
}
