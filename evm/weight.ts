/**
 * Weight: the second dimension of a block. Gas is Ethereum's and decides fees; weight is this chain's and decides time.
 * It is a deterministic count of what a transaction makes every node do, in nanoseconds of one core of the reference
 * machine (docs/adr/032 says how each figure was measured). It never depends on a clock, on a cache or on the engine, and
 * the gas, result and trace of a transaction never depend on it.
 *
 * Work that takes about as long as its gas says is covered by {@link WEIGHT.gas}. Only what takes longer has an entry of
 * its own, and is counted where its gas is charged: before the work, and also for a frame that fails later.
 */
import type { Message } from './engine.ts'
import { evmError } from './errors.ts'

/** Nanoseconds for each unit, beside what {@link WEIGHT.gas} counts for its gas. */
export const WEIGHT = {
  /** Each unit of gas, before refunds: what the instructions take that have no entry here. */
  gas: 7,
  /** A transaction: decoding, its signature, the accounts that it changes, its receipt. */
  transaction: 40_000,
  /** An entry of an authorization list (EIP-7702): a signature, and an account that changes. */
  authorization: 90_000,
  /** The first access to an account in a transaction: a read of the database. */
  coldAccount: 12_000,
  /** The first access to a slot. */
  coldSlot: 12_000,
  /** A byte of code that is loaded, and analysed for jumps. */
  codeByte: 2,
  /** A slot that had a value and changes: its path in the trie is read and hashed. A new one pays for that with its gas. */
  changedSlot: 25_000,
  /** The first changed slot of an account that is not the transaction's own target: another trie. */
  changedStorage: 100_000,
  /** An account that a call with value, a creation or SELFDESTRUCT changes. */
  changedAccount: 35_000,
  /** A frame of a call. */
  frame: 800,
  /** KECCAK256, and each of its words. */
  hash: 700,
  hashWord: 80,
  /** A log, and each of its topics: bloom, receipts root, index. */
  log: 1_500,
  logTopic: 4_000,
  /** DIV, SDIV, MOD and SMOD. */
  division: 230,
  /** ADDMOD and MULMOD. */
  modularArithmetic: 200,
  /** EXP, for each byte of its exponent. */
  exponentByte: 450,
  /** CALLDATACOPY, CODECOPY, RETURNDATACOPY and MCOPY: a call into the engine of JavaScript, however little it copies. */
  copy: 60,
  /** The first use of a slot of transient storage. */
  transientSlot: 600,
  /** CALLDATALOAD: a word whose bytes are read one by one. */
  callDataLoad: 40,
  /** SELFBALANCE. */
  selfBalance: 100,
  /** BLOCKHASH. */
  blockHash: 100,
  /**
   * A call of a precompile, also where it has no gas for it; and each unit of gas that one of Ethereum's charges where the
   * table below has no other figure.
   */
  precompile: 4_000,
  precompileGas: 45,
  /** Each unit of gas of a native transaction, and of a native precompile. */
  nativeGas: 5,
  /** Each signature of a native transaction. */
  nativeSignature: 75_000,
  /** A signature over typed data (EIP-712) of a native transaction beside that, and each byte of the transaction. */
  typedData: 200_000,
  typedDataByte: 500,
} as const

/** An ordinary transaction weighs at most this much for each unit of its gas, and as much more as any. */
export const ORDINARY_PER_GAS = 16
export const ORDINARY_BASE = 300_000

/** What an ordinary transaction of so much gas weighs at most, in nanoseconds. */
export const ordinaryWeight = (gas: bigint): number => ORDINARY_BASE + ORDINARY_PER_GAS * Number(gas)

const POINT_EVALUATION = 0x0a

/**
 * Nanoseconds for each unit of gas that a precompile charges, by its number, where it is not {@link WEIGHT.precompileGas}.
 * Gas follows the input, so this measures what the input costs.
 */
export const PRECOMPILE_WEIGHT: ReadonlyMap<number, number> = new Map([[POINT_EVALUATION, 76]])

/** Tells what a message weighs before its first instruction: itself and its lists. */
export const startWeight = ({ authorizationList, accessList }: Message): number => {
  let weight = WEIGHT.transaction + WEIGHT.authorization * authorizationList.length
  for (const { storageKeys } of accessList) weight += WEIGHT.coldAccount + WEIGHT.coldSlot * storageKeys.length
  return weight
}

/** Thrown before the work that would pass the limit: the transaction leaves no trace. */
export const overWeight = (): Error =>
  evmError('overWeight', 'the transaction makes every node work for longer than the block has room for')
