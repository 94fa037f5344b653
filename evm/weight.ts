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

/** Nanoseconds for each unit. */
export const WEIGHT = {
  /** Each unit of gas, before refunds. */
  gas: 3,
  /** A transaction itself: its signature, its accounts, its receipt and its place in the tries. */
  transaction: 60_000,
  /** An entry of an authorization list (EIP-7702): a signature and an account. */
  authorization: 70_000,
  /** The first access to an account, or to its code, in a transaction: a read of the database, and a node of the trie. */
  coldAccount: 25_000,
  /** The first access to a slot. */
  coldSlot: 12_000,
  /** A byte of code that is loaded and analysed, or created and hashed. */
  codeByte: 4,
  /** A slot that changes: its path in the tries is hashed and written. */
  changedSlot: 15_000,
  /** The first changed slot of an account that is not the transaction's own target: another trie. */
  changedStorage: 60_000,
  /** An account that a call with value, a creation or SELFDESTRUCT changes. */
  changedAccount: 15_000,
  /** A frame of a call or a creation. */
  frame: 600,
  /** KECCAK256, and each of its words. */
  hash: 600,
  hashWord: 80,
  /** A log, and each byte of its data: kept, bloomed, encoded and stored. */
  log: 3_000,
  logByte: 10,
  /** DIV, SDIV, MOD and SMOD. */
  division: 120,
  /** ADDMOD and MULMOD. */
  modularArithmetic: 200,
  /** EXP, for each byte of its exponent. */
  exponentByte: 700,
  /** BLOCKHASH. */
  blockHash: 500,
  /** Each unit of gas of a precompile of Ethereum that has no entry below. */
  precompileGas: 70,
  /** Each unit of gas of a native precompile, and of a native transaction. */
  nativeGas: 12,
  /** Each signature of a native transaction. */
  nativeSignature: 75_000,
} as const

/**
 * Nanoseconds for each unit of gas that a precompile charges, by its number. Gas follows the input, so this measures what
 * the input costs. Those that are not listed take {@link WEIGHT.precompileGas}.
 */
export const PRECOMPILE_WEIGHT: ReadonlyMap<number, number> = new Map([])

/** What a message weighs before its first instruction: itself and its lists. */
export const startWeight = ({ authorizationList, accessList }: Message): number => {
  let weight = WEIGHT.transaction + WEIGHT.authorization * authorizationList.length
  for (const { storageKeys } of accessList) weight += WEIGHT.coldAccount + WEIGHT.coldSlot * storageKeys.length
  return weight
}

/** Thrown before the work that would pass the limit: the transaction leaves no trace. */
export const overWeight = (): Error =>
  evmError('overWeight', 'the transaction makes every node work for longer than the block has room for')
