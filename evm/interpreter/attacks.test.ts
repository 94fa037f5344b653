/**
 * Programs written to break an interpreter, each at the gas that it takes, one below, one above, and at odd amounts:
 * all that can be seen of them must be as the reference has it.
 */
import { describe, expect, it } from 'vitest'
import { contractAddress, contractAddress2 } from '../../core/address.ts'
import { concatBytes, keyToBytes, padLeft } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { type AccountState, EMPTY_ACCOUNT } from '../../store/state.ts'
import { delegationCode } from '../delegation.ts'
import type { BlockEnvironment, Engine, ExecutionOutcome, Message } from '../engine.ts'
import { createEthereumjsEngine } from '../reference/create-engine.ts'
import { PRECOMPILE_ADDRESSES } from '../precompile-addresses.ts'
import { code, load, op, type Part } from '../testing/assembler.ts'
import { createInterpreterEngine } from './create-engine.ts'

const interpreter = await createInterpreterEngine()
const reference = await createEthereumjsEngine()

/** Adds what is on the stack to the log: results cannot be lost. */
const note: readonly Part[] = [...op('MSTORE', 0x400n), ...op('LOG0', 0x400n, 32n)]
const noteReturned: readonly Part[] = [
  'RETURNDATASIZE',
  ...note,
  ...op('RETURNDATACOPY', 0x500n, 0n, 'RETURNDATASIZE' as Part),
]
/** Init code that leaves `runtime` behind. */
const initOf = (runtime: Uint8Array): Uint8Array => code(...load(runtime), ...op('RETURN', 0n, BigInt(runtime.length)))

const filled = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const SENDER = filled(0xaa)
const COINBASE = filled(0xcc)
const ATTACKER = filled(0x11)
const RETURNS = filled(0x21)
const REVERTS = filled(0x22)
const WRITES = filled(0x23)
const FAILS = filled(0x24)
const EMPTY = filled(0x25)
/** EIP-7702: of code, in a chain, of itself, in a loop, of a precompile, of nothing. */
const DELEGATES = {
  once: filled(0x31),
  twice: filled(0x32),
  itself: filled(0x33),
  loop: filled(0x34),
  back: filled(0x35),
  precompile: filled(0x36),
  nothing: filled(0x37),
}
const STATIC_TARGETS: readonly (readonly [name: string, address: Uint8Array, code: Uint8Array])[] = (
  [
    ['SSTORE', op('SSTORE', 1n, 1n)],
    ['SSTORE of what is there', op('SSTORE', 1n, 0n)],
    ['TSTORE', op('TSTORE', 1n, 1n)],
    ['LOG0', op('LOG0', 0n, 0n)],
    ['LOG1', op('LOG1', 0n, 0n, 1n)],
    ['LOG2', op('LOG2', 0n, 0n, 1n, 2n)],
    ['LOG3', op('LOG3', 0n, 0n, 1n, 2n, 3n)],
    ['LOG4', op('LOG4', 0n, 0n, 1n, 2n, 3n, 4n)],
    ['CREATE', op('CREATE', 0n, 0n, 0n)],
    ['CREATE2', op('CREATE2', 0n, 0n, 0n, 0n)],
    ['SELFDESTRUCT', op('SELFDESTRUCT', 0n)],
    ['CALL with value', op('CALL', 0n, EMPTY, 1n, 0n, 0n, 0n, 0n)],
    ['CALLCODE with value', op('CALLCODE', 0n, EMPTY, 1n, 0n, 0n, 0n, 0n)],
    ['CALL without value', op('CALL', 0n, EMPTY, 0n, 0n, 0n, 0n, 0n)],
  ] as const
).map(([name, parts], index) => [name, filled(0x40 + index), code(...parts, ...op('RETURN', 0n, 3n))])

const open = (attack: Uint8Array): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), 1_000))
  const put = (address: Uint8Array, bytes: Uint8Array, more: Partial<AccountState> = {}): void =>
    state.setAccount(address, { ...EMPTY_ACCOUNT, nonce: 1n, balance: 5n, codeHash: state.setCode(bytes), ...more })
  state.setAccount(SENDER, { ...EMPTY_ACCOUNT, balance: 10n ** 20n })
  put(ATTACKER, attack, { balance: 1_000n })
  put(RETURNS, code(...op('MSTORE', 0n, 0xabcdefn), ...op('RETURN', 0n, 64n)))
  put(
    REVERTS,
    code(...op('MSTORE', 0n, 0x123456n), ...op('TSTORE', 7n, 7n), ...op('SSTORE', 7n, 7n), ...op('REVERT', 0n, 40n)),
  )
  put(
    WRITES,
    code(...op('SSTORE', 1n, 1n), ...op('SSTORE', 1n, 0n), ...op('TSTORE', 7n, 9n), ...op('LOG1', 0n, 5n, 1n)),
  )
  put(FAILS, code('INVALID'))
  for (const [, address, bytes] of STATIC_TARGETS) put(address, bytes)
  put(DELEGATES.once, delegationCode(RETURNS))
  put(DELEGATES.twice, delegationCode(DELEGATES.once))
  put(DELEGATES.itself, delegationCode(DELEGATES.itself))
  put(DELEGATES.loop, delegationCode(DELEGATES.back))
  put(DELEGATES.back, delegationCode(DELEGATES.loop))
  put(DELEGATES.precompile, delegationCode(padLeft(Uint8Array.of(4), 20)))
  put(DELEGATES.nothing, delegationCode(filled(0x99)))
  for (const slot of [2, 3]) state.setStorage(ATTACKER, padLeft(Uint8Array.of(slot), 32), Uint8Array.of(slot))
  state.beginTransaction()
  return state
}

const BLOCK: BlockEnvironment = {
  number: 1_000,
  timestamp: 1_700_000_000,
  coinbase: COINBASE,
  gasLimit: 1_000_000_000n,
  baseFeePerGas: 7n,
  blobBaseFee: 1n,
  prevRandao: keccak256(Uint8Array.of(1)),
  chainId: 2517n,
  hardfork: 'osaka',
  blockHash: (number) => keccak256(Uint8Array.of(number & 0xff)),
}

const MESSAGE: Message = {
  type: 2,
  sender: SENDER,
  to: ATTACKER,
  nonce: 0n,
  gasLimit: 3_000_000n,
  value: 3n,
  data: hexToBytes('0x0102030405'),
  maxFeePerGas: 20n,
  maxPriorityFeePerGas: 1n,
  accessList: [],
  authorizationList: [],
  blobVersionedHashes: [],
  maxFeePerBlobGas: undefined,
}

/** Everything but the exact words of a failure, which the traces of geth hold to. */
const shown = async (engine: Engine, state: Overlay, message: Message) => {
  const outcome: ExecutionOutcome = await engine.execute(state, BLOCK, message, {
    fees: 'collect',
    checks: 'transaction',
  })
  const { accounts, storage } = state.changes()
  // Only the reference writes what is nothing to begin with.
  const held = [...accounts.keys()]
    .sort()
    .map((key) => [bytesToHex(keyToBytes(key)), state.account(keyToBytes(key))] as const)
    .filter(([, account]) => account !== undefined)
  const slots = [...storage].flatMap(([key, layer]) =>
    [...layer.slots]
      .filter(([, value]) => value.length > 0)
      .map(([slot, value]) => `${bytesToHex(keyToBytes(key + slot))} ${bytesToHex(value)}`),
  )
  if (!outcome.valid) return { error: outcome.error.code, held, slots: slots.sort() }
  // The reference does not count all of the weight.
  const { failure, weight: _, ...result } = outcome.result
  return { ...result, failure: failure?.kind, held, slots: slots.sort() }
}

const expectAgreement = async (
  attack: Uint8Array,
  messages: Partial<Message> = {},
  open_: (bytes: Uint8Array) => Overlay = open,
) => {
  const both = async (gasLimit: bigint) => {
    const message = { ...MESSAGE, ...messages, gasLimit }
    const [mine, theirs] = [
      await shown(interpreter, open_(attack), message),
      await shown(reference, open_(attack), message),
    ]
    expect(mine, `gas limit ${gasLimit}`).toEqual(theirs)
    return mine
  }
  const { gasBeforeRefund = 21_000n } = (await both(messages.gasLimit ?? MESSAGE.gasLimit)) as {
    gasBeforeRefund?: bigint
  }
  const near = [-2_301n, -100n, -2n, -1n, 0n, 1n, 2n, 63n, 64n, 2_300n, 30_000n]
  for (const more of near) if (gasBeforeRefund + more > 21_500n) await both(gasBeforeRefund + more)
}

const HUGE = [
  2n ** 31n,
  2n ** 32n - 32n,
  2n ** 32n - 1n,
  2n ** 32n,
  0x1f_ffff_ffe0n,
  2n ** 53n - 1n,
  2n ** 53n + 1n,
  2n ** 63n,
  2n ** 64n - 1n,
  2n ** 64n,
  2n ** 255n,
  2n ** 256n - 1n,
]

const MEMORY: readonly (readonly [name: string, (huge: bigint) => Part[]])[] = [
  ['MLOAD', (huge) => op('MLOAD', huge)],
  ['MSTORE', (huge) => op('MSTORE', huge, 1n)],
  ['MSTORE8', (huge) => op('MSTORE8', huge, 1n)],
  ['KECCAK256 of nothing', (huge) => [...op('KECCAK256', huge, 0n), ...note]],
  ['KECCAK256 of much', (huge) => op('KECCAK256', 0n, huge)],
  ['KECCAK256 that wraps', (huge) => op('KECCAK256', huge, 2n ** 256n - huge)],
  ['LOG0 of nothing', (huge) => op('LOG0', huge, 0n)],
  ['LOG0 of much', (huge) => op('LOG0', 0n, huge)],
  ['RETURN of nothing', (huge) => op('RETURN', huge, 0n)],
  ['RETURN of much', (huge) => op('RETURN', 0n, huge)],
  ['REVERT of nothing', (huge) => op('REVERT', huge, 0n)],
  ['REVERT of much', (huge) => op('REVERT', huge, 1n)],
  ['CALLDATACOPY from beyond', (huge) => [...op('CALLDATACOPY', 0n, huge, 40n), ...op('RETURN', 0n, 64n)]],
  ['CALLDATACOPY to beyond', (huge) => op('CALLDATACOPY', huge, 0n, 0n)],
  ['CALLDATACOPY of much', (huge) => op('CALLDATACOPY', 0n, 0n, huge)],
  ['CODECOPY from beyond', (huge) => [...op('CODECOPY', 3n, huge, 40n), ...op('RETURN', 0n, 64n)]],
  ['CODECOPY of much', (huge) => op('CODECOPY', 0n, 0n, huge)],
  ['EXTCODECOPY from beyond', (huge) => [...op('EXTCODECOPY', RETURNS, 3n, huge, 40n), ...op('RETURN', 0n, 64n)]],
  ['EXTCODECOPY of much', (huge) => op('EXTCODECOPY', RETURNS, 0n, 0n, huge)],
  ['RETURNDATACOPY from beyond', (huge) => op('RETURNDATACOPY', 0n, huge, 0n)],
  ['RETURNDATACOPY of much', (huge) => op('RETURNDATACOPY', 0n, 0n, huge)],
  [
    'RETURNDATACOPY that wraps',
    (huge) => [...op('CALL', 'GAS', RETURNS, 0n, 0n, 0n, 0n, 0n), ...op('RETURNDATACOPY', 0n, 2n ** 256n - huge, huge)],
  ],
  ['MCOPY of nothing', (huge) => [...op('MCOPY', huge, huge, 0n), 'MSIZE', ...note]],
  ['MCOPY to beyond', (huge) => op('MCOPY', huge, 0n, 1n)],
  ['MCOPY from beyond', (huge) => op('MCOPY', 0n, huge, 1n)],
  ['CREATE of nothing', (huge) => [...op('CREATE', 0n, huge, 0n), ...note]],
  ['CREATE of much', (huge) => op('CREATE', 0n, 0n, huge)],
  ['CREATE2 of much', (huge) => op('CREATE2', 0n, huge, 1n, 0n)],
  ['CALL with no input from beyond', (huge) => [...op('CALL', 'GAS', RETURNS, 0n, huge, 0n, huge, 0n), ...note]],
  ['CALL with much input', (huge) => op('CALL', 'GAS', RETURNS, 0n, 0n, huge, 0n, 0n)],
  ['CALL with much output', (huge) => op('CALL', 0n, RETURNS, 0n, 0n, 0n, 0n, huge)],
  ['CALL with this gas', (huge) => [...op('CALL', huge, RETURNS, 1n, 0n, 0n, 0n, 32n), ...note, 'GAS', ...note]],
  ['STATICCALL with this gas', (huge) => [...op('STATICCALL', huge, RETURNS, 0n, 0n, 0n, 32n), ...note]],
  ['CALLDATALOAD', (huge) => [...op('CALLDATALOAD', huge), ...note]],
  ['BLOCKHASH', (huge) => [...op('BLOCKHASH', huge), ...note]],
  ['JUMP', (huge) => op('JUMP', huge)],
  ['JUMPI', (huge) => op('JUMPI', huge, huge)],
  ['SLOAD and SSTORE', (huge) => [...op('SSTORE', huge, huge), ...op('SLOAD', huge), ...note]],
]

describe('numbers that do not fit', () => {
  it.each(MEMORY)('%s', async (_, attack) => {
    for (const huge of HUGE) await expectAgreement(code(...attack(huge), ...op('SSTORE', 9n, 1n)))
  })
})

const CALLS = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'] as const
const callOf = (kind: (typeof CALLS)[number], target: Part, gas: Part = 'GAS', value = 1n): Part[] => {
  const rest = [0n, 70n, 0x80n, 80n] as const
  const pays = kind === 'CALL' || kind === 'CALLCODE'
  return [...(pays ? op(kind, gas, target, value, ...rest) : op(kind, gas, target, ...rest)), ...note, ...noteReturned]
}

describe('calls', () => {
  const targets: Readonly<Record<string, Uint8Array>> = {
    RETURNS,
    REVERTS,
    WRITES,
    FAILS,
    EMPTY,
    ATTACKER,
    SENDER,
    COINBASE,
    ...DELEGATES,
  }
  it.each(Object.keys(targets))('of %s in every way, cold and warm, with and without value', async (name) => {
    const target = targets[name] as Uint8Array
    for (const kind of CALLS) {
      for (const value of [0n, 1n, 10_000n]) {
        // A call of the attacker into itself ends when the gas does.
        const gas = name === 'ATTACKER' ? 20_000n : 100_000n
        await expectAgreement(code(...callOf(kind, target, gas, value), ...callOf(kind, target, gas, value)))
      }
    }
  })

  it.each(PRECOMPILE_ADDRESSES.osaka.map((address) => [bytesToHex(address), address] as const))(
    'of the precompile %s, with value, with too little gas, and through a delegation',
    async (_, target) => {
      for (const kind of CALLS) {
        for (const gas of [0n, 1n, 700n, 3_000n, 400_000n] as const)
          await expectAgreement(code(...callOf(kind, target, gas)))
      }
    },
  )

  it.each(STATIC_TARGETS)('that are static refuse %s, also one frame further in', async (_, target) => {
    const further = filled(0x77)
    const openWith = (attack: Uint8Array): Overlay => {
      const state = open(attack)
      const codeHash = state.setCode(code(...callOf('CALL', target, 'GAS', 0n), ...op('RETURN', 0n, 3n)))
      state.setAccount(further, { ...EMPTY_ACCOUNT, nonce: 1n, balance: 9n, codeHash })
      return state
    }
    await expectAgreement(code(...callOf('STATICCALL', target, 60_000n), ...callOf('DELEGATECALL', target, 60_000n)))
    await expectAgreement(code(...callOf('STATICCALL', further, 90_000n)), {}, openWith)
  })

  it('at the sentry of SSTORE', async () => {
    for (const gas of [0n, 1n, 2_299n, 2_300n, 2_301n, 2_306n, 2_307n, 4_400n, 4_406n, 22_106n]) {
      await expectAgreement(code(...callOf('CALL', WRITES, gas, 0n), ...callOf('CALL', WRITES, gas, 1n)))
    }
  })

  it('whose returned data is a copy, and whose output ends where it was asked to', async () => {
    const identity = padLeft(Uint8Array.of(4), 20)
    for (const size of [0n, 1n, 31n, 32n, 64n, 100n]) {
      await expectAgreement(
        code(
          ...op('MSTORE', 0n, 2n ** 255n + 77n),
          ...op('MSTORE', 0x40n, 2n ** 256n - 1n),
          ...op('STATICCALL', 'GAS', identity, 0n, 64n, 0x30n, size),
          ...op('MSTORE', 0n, 1n),
          ...op('RETURNDATACOPY', 0x80n, 0n, 64n),
          ...op('RETURN', 0n, 0xc0n),
        ),
      )
    }
  })
})

describe('transient and stored values', () => {
  it('go back with a frame that reverts or fails', async () => {
    for (const end of [op('REVERT', 0n, 0n), ['INVALID'] as Part[], op('STOP')]) {
      const inner = code(...op('TSTORE', 7n, 5n), ...op('SSTORE', 2n, 0n), ...op('SSTORE', 5n, 5n), ...end)
      const openWith = (attack: Uint8Array): Overlay => {
        const state = open(attack)
        const codeHash = state.setCode(inner)
        state.setAccount(EMPTY, { ...EMPTY_ACCOUNT, nonce: 1n, codeHash })
        return state
      }
      const attack = code(
        ...op('TSTORE', 7n, 3n),
        ...op('SSTORE', 3n, 0n),
        ...callOf('DELEGATECALL', EMPTY, 90_000n),
        ...op('TLOAD', 7n),
        ...note,
        ...op('SLOAD', 2n),
        ...note,
        ...op('SSTORE', 3n, 3n),
        ...op('SSTORE', 5n, 0n),
      )
      await expectAgreement(attack, {}, openWith)
    }
  })

  it('give every refund of EIP-3529', async () => {
    for (const first of [0n, 2n, 9n]) {
      for (const second of [0n, 2n, 9n]) {
        for (const slot of [1n, 2n]) {
          const writes = [first, second, first].flatMap((value) => op('SSTORE', slot, value))
          await expectAgreement(code(...writes))
        }
      }
    }
  })
})

const DESTROYS = code(...op('SELFDESTRUCT', 'ADDRESS'))
const DESTROYS_TO_SENDER = code(...op('SELFDESTRUCT', SENDER))

describe('creations', () => {
  const creates = (init: Uint8Array, value = 7n, salt?: bigint): Part[] => {
    const size = BigInt(init.length)
    const made = salt === undefined ? op('CREATE', value, 0n, size) : op('CREATE2', value, 0n, size, salt)
    return [...load(init), ...made, 'DUP1', ...note, ...noteReturned]
  }
  const cases: readonly (readonly [name: string, init: Uint8Array])[] = [
    ['that leave nothing', new Uint8Array(0)],
    ['that leave code', initOf(code(...op('SSTORE', 1n, 1n)))],
    ['that leave what begins with 0xef', initOf(Uint8Array.of(0xef, 1))],
    ['that revert', code(...op('SSTORE', 1n, 1n), ...op('REVERT', 0n, 50n))],
    ['that fail', code('INVALID')],
    ['that destroy themselves in favour of themselves', DESTROYS],
    ['that destroy themselves in favour of another', DESTROYS_TO_SENDER],
    ['that leave what destroys itself', initOf(DESTROYS)],
    ['that leave 24,576 bytes', code(...op('RETURN', 0n, 24_576n))],
    ['that leave 24,577 bytes', code(...op('RETURN', 0n, 24_577n))],
    [
      'that write, and read their own code',
      code(
        ...op('SSTORE', 2n, 'ADDRESS'),
        ...op('EXTCODEHASH', 'ADDRESS'),
        ...note,
        ...op('EXTCODESIZE', 'ADDRESS'),
        ...note,
      ),
    ],
  ]
  it.each(cases)('%s, then called, twice at the same place', async (_, init) => {
    for (const salt of [undefined, 5n]) {
      const address =
        salt === undefined
          ? contractAddress(ATTACKER, 1n)
          : contractAddress2(ATTACKER, padLeft(Uint8Array.of(Number(salt)), 32), init)
      const look = [...op('EXTCODEHASH', address), ...note, ...op('BALANCE', address), ...note]
      const calls = [...callOf('CALL', address, 50_000n, 3n), ...look, ...callOf('CALL', address, 50_000n, 0n)]
      await expectAgreement(code(...creates(init, 7n, salt), ...look, ...calls, ...creates(init, 7n, salt), ...look))
    }
  })

  it('of what destroys itself, called with value before the transaction ends', async () => {
    const init = initOf(DESTROYS)
    const address = contractAddress2(ATTACKER, new Uint8Array(32), init)
    for (const times of [1, 2, 3]) {
      const calls = Array.from({ length: times }, () => callOf('CALL', address, 50_000n, 4n)).flat()
      await expectAgreement(
        code(...creates(init, 7n, 0n), ...calls, ...op('BALANCE', address), ...note, 'SELFBALANCE', ...note),
      )
    }
  })

  it('where something is already', async () => {
    const init = initOf(code('STOP'))
    const address = contractAddress2(ATTACKER, new Uint8Array(32), init)
    const held: readonly AccountState[] = [
      EMPTY_ACCOUNT,
      { ...EMPTY_ACCOUNT, balance: 9n },
      { ...EMPTY_ACCOUNT, nonce: 1n },
      { ...EMPTY_ACCOUNT, codeHash: keccak256(Uint8Array.of(0)) },
      { ...EMPTY_ACCOUNT, storageRoot: keccak256(Uint8Array.of(1)) },
    ]
    for (const account of held) {
      const openWith = (attack: Uint8Array): Overlay => {
        const state = open(attack)
        state.setCode(Uint8Array.of(0))
        state.setAccount(address, account)
        return state
      }
      await expectAgreement(code(...creates(init, 7n, 0n), ...op('BALANCE', address), ...note), {}, openWith)
    }
  })

  it('by a creator whose nonce is at its end, or who has less than it gives', async () => {
    for (const nonce of [2n ** 64n - 2n, 2n ** 64n - 1n]) {
      const openWith = (attack: Uint8Array): Overlay => {
        const state = open(attack)
        state.setAccount(ATTACKER, { ...(state.account(ATTACKER) ?? EMPTY_ACCOUNT), nonce })
        return state
      }
      await expectAgreement(code(...creates(new Uint8Array(0), 0n), ...creates(new Uint8Array(0), 0n)), {}, openWith)
    }
    await expectAgreement(code(...creates(new Uint8Array(0), 5_000n)))
  })

  it('with init code at its bound', async () => {
    for (const size of [49_151n, 49_152n, 49_153n]) {
      await expectAgreement(code(...op('CREATE', 0n, 0n, size), ...note))
      await expectAgreement(code(...op('CREATE2', 0n, 0n, size, 1n), ...note))
    }
  })

  it.each(cases)('by a transaction: %s', async (_, init) => {
    await expectAgreement(new Uint8Array(0), { to: undefined, data: init, gasLimit: 8_000_000n })
  })
})

describe('code', () => {
  it('may end within a PUSH, and JUMP finds no data', async () => {
    for (let size = 1; size <= 32; size++) {
      for (const held of [0, 1, size - 1]) {
        const tail = concatBytes(Uint8Array.of(0x5f + size), new Uint8Array(Math.min(held, size)).fill(0x5b))
        await expectAgreement(concatBytes(code(...op('SSTORE', 1n, 1n)), tail))
        // Jumps to the first byte of data, and to the PUSH itself.
        for (const target of [3, 4, 5]) await expectAgreement(concatBytes(Uint8Array.of(0x60, target, 0x56), tail))
      }
    }
  })

  it('finds the hashes of 256 blocks', async () => {
    for (const number of [0n, 743n, 744n, 745n, 999n, 1_000n, 1_001n]) {
      await expectAgreement(code(...op('BLOCKHASH', number), ...note))
    }
  })

  it('of delegating accounts is what stands there, not what runs', async () => {
    for (const target of Object.values(DELEGATES)) {
      const looks = [...op('EXTCODESIZE', target), ...note, ...op('EXTCODEHASH', target), ...note]
      await expectAgreement(code(...looks, ...op('EXTCODECOPY', target, 0n, 0n, 40n), ...op('RETURN', 0n, 64n)))
      await expectAgreement(new Uint8Array(0), { to: target })
    }
  })

  it('overflows and underflows its stack at the bounds', async () => {
    for (const count of [1_022, 1_023, 1_024, 1_025]) await expectAgreement(new Uint8Array(count).fill(0x5f))
    for (const count of [15, 16, 17])
      await expectAgreement(concatBytes(new Uint8Array(count).fill(0x5f), code('SWAP16')))
    for (const count of [1_023, 1_024])
      await expectAgreement(concatBytes(new Uint8Array(count).fill(0x5f), code('DUP1')))
  })

  it('calls itself with 63 of 64 parts of the gas until that ends', async () => {
    const attack = code(...op('CALL', 'GAS', 'ADDRESS', 0n, 0n, 0n, 0n, 0n), ...note, ...op('SSTORE', 1n, 'GAS'))
    await expectAgreement(attack, { gasLimit: 16_777_216n })
  })
})
