/** Small programs of the EVM, written by hand, that touch what a block can get wrong. */
import { bytesToHex, type Hex } from '../../core/hex.ts'
import { bigintToBytes, concatBytes } from '../../core/bytes.ts'
import { OPCODE, type OpcodeName } from '../../evm/opcodes.ts'
import { HISTORY_STORAGE } from '../../evm/system-contracts.ts'

/** An instruction, or a value to push. The last one pushed is the first argument of the next instruction. */
type Part = OpcodeName | number | Uint8Array

const assemblePart = (part: Part): Uint8Array => {
  if (typeof part === 'string') return Uint8Array.of(OPCODE[part])
  const value = typeof part === 'number' ? bigintToBytes(BigInt(part)) : part
  return concatBytes(Uint8Array.of(OPCODE.PUSH0 + value.length), value)
}

export const assemble = (...parts: readonly Part[]): Uint8Array => concatBytes(...parts.map(assemblePart))

/** Init code that leaves `runtime` behind. */
export const deploy = (runtime: Uint8Array): Hex => {
  const size = Uint8Array.of(runtime.length >> 8, runtime.length & 0xff)
  const begin = Uint8Array.of(0x61, ...size, 0x60, 12, 0x5f, 0x39, 0x61, ...size, 0x5f, 0xf3)
  return bytesToHex(concatBytes(begin, runtime))
}

/** Slots that {@link PROGRAMS}.probe writes. */
export const PROBE_SLOTS = {
  parentHash: 0,
  prevRandao: 1,
  parentHashByContract: 2,
  timestamp: 3,
  coinbase: 4,
  baseFee: 5,
  ownHash: 6,
  oldHash: 7,
} as const

/** Runtime code by name. Arguments are words of the call data. */
export const PROGRAMS = {
  /** Writes word 1 to slot word 0, and counts its calls in slot 255. */
  writer: assemble(32, 'CALLDATALOAD', 0, 'CALLDATALOAD', 'SSTORE', 255, 'SLOAD', 1, 'ADD', 255, 'SSTORE', 'STOP'),
  /** Logs with none, one, two and four topics. */
  logger: assemble(
    ...([0, 'CALLDATALOAD', 0, 'MSTORE', 32, 0, 'LOG0'] as const),
    ...(['NUMBER', 32, 0, 'LOG1', 'CALLER', 0, 'CALLDATALOAD', 0, 0, 'LOG2'] as const),
    ...([1, 'CALLER', 0, 'CALLDATALOAD', 'ADDRESS', 20, 12, 'LOG4', 'STOP'] as const),
  ),
  reverter: assemble(1, 1, 'SSTORE', 0, 0, 'LOG0', 0xdead, 0, 'MSTORE', 32, 0, 'REVERT'),
  /** Calls address word 0 with value word 1 and the rest as data; slot 170 holds whether it went well. */
  forwarder: assemble(
    ...([64, 'CALLDATASIZE', 'SUB', 64, 0, 'CALLDATACOPY', 0, 0, 64, 'CALLDATASIZE', 'SUB', 0] as const),
    ...([32, 'CALLDATALOAD', 0, 'CALLDATALOAD', 'GAS', 'CALL', 170, 'SSTORE', 'STOP'] as const),
  ),
  /** Writes what it sees of the block to {@link PROBE_SLOTS}. */
  probe: assemble(
    ...([1, 'NUMBER', 'SUB', 'BLOCKHASH', 0, 'SSTORE', 'DIFFICULTY', 1, 'SSTORE'] as const),
    ...([1, 'NUMBER', 'SUB', 0, 'MSTORE', 32, 32, 32, 0, HISTORY_STORAGE.address, 'GAS', 'STATICCALL'] as const),
    ...(['POP', 32, 'MLOAD', 2, 'SSTORE', 'TIMESTAMP', 3, 'SSTORE', 'COINBASE', 4, 'SSTORE'] as const),
    ...(['BASEFEE', 5, 'SSTORE', 'NUMBER', 'BLOCKHASH', 6, 'SSTORE'] as const),
    ...([257, 'NUMBER', 'SUB', 'BLOCKHASH', 7, 'SSTORE', 'STOP'] as const),
  ),
  /** Destroys itself when called: after EIP-6780 it only sends its balance away. */
  leaver: assemble('CALLER', 'SELFDESTRUCT'),
  /** Creates a child that destroys itself in its constructor, and pays it once more before the transaction ends. */
  factory: assemble(
    ...([assemble('ADDRESS', 'SELFDESTRUCT'), 0, 'MSTORE', 0, 'CALLDATALOAD', 2, 30, 'CALLVALUE', 1, 'SHR'] as const),
    ...(['CREATE2', 0, 0, 0, 0, 'CALLVALUE', 2, 'SHR', 'DUP6', 'GAS', 'CALL', 'STOP'] as const),
  ),
  /** Gives its caller half of its balance: what a delegation can do to an account. */
  spender: assemble(0, 0, 0, 0, 'SELFBALANCE', 1, 'SHR', 'CALLER', 'GAS', 'CALL', 'STOP'),
  /** Slot word 0 becomes the hash of the block of that number. */
  historian: assemble(0, 'CALLDATALOAD', 'BLOCKHASH', 0, 'CALLDATALOAD', 'SSTORE', 'STOP'),
  /** Calls the precompile at word 0 with the rest; its slot becomes success and length, the next one the first word. */
  calculator: assemble(
    ...([32, 'CALLDATASIZE', 'SUB', 32, 0, 'CALLDATACOPY', 0, 0, 32, 'CALLDATASIZE', 'SUB', 0] as const),
    ...([0, 'CALLDATALOAD', 'GAS', 'STATICCALL', 'RETURNDATASIZE', 'ADD', 0, 'CALLDATALOAD', 'SSTORE'] as const),
    ...(['RETURNDATASIZE', 0, 0, 'RETURNDATACOPY', 0, 'MLOAD', 0, 'CALLDATALOAD', 1, 'ADD', 'SSTORE', 'STOP'] as const),
  ),
  /** Uses all gas up. */
  burner: assemble('JUMPDEST', 0, 'JUMP'),
  invalid: assemble('INVALID'),
} as const
export type ProgramName = keyof typeof PROGRAMS

/** Init code that ends without leaving a contract. */
export const CONSTRUCTORS = {
  /** Its own heir: the balance leaves the supply. */
  burnsItself: bytesToHex(assemble('ADDRESS', 'SELFDESTRUCT')),
  paysBack: bytesToHex(assemble('CALLER', 'SELFDESTRUCT')),
  writesAndLeaves: bytesToHex(assemble(7, 3, 'SSTORE', 'CALLER', 'SELFDESTRUCT')),
  reverts: bytesToHex(PROGRAMS.reverter),
} as const

/** Call data of 32-byte words. */
export const words = (...values: readonly (bigint | Hex)[]): Hex => {
  const digits = values.map((value) => BigInt(value).toString(16).padStart(64, '0')).join('')
  return `0x${digits}`
}
