/** Failures of the application with stable codes. Codespace `query` maps to JSON-RPC codes in rpc/errors.ts. */
import { CodedError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import { bytesToUnprefixedHex, type Hex } from '../core/hex.ts'

/** Codespace `query`. */
export const QUERY_CODES = {
  /** The thing asked for cannot be answered: JSON-RPC -32000. */
  failed: 1,
  /** -32602 */
  invalidParameters: 2,
  /** 3, with the revert data. */
  reverted: 3,
  /** -32002 */
  timeout: 4,
  /** -32005 */
  limit: 5,
  /** -32601 */
  unsupported: 6,
  /** -32003 */
  tooLarge: 7,
  /** 4444: the block is below the lowest that is kept. */
  prunedHistory: 8,
  /** -32000: the state of that height is not kept. */
  prunedState: 9,
} as const

export const queryFailed = (message: string, data?: unknown): CodedError =>
  new CodedError('query', QUERY_CODES.failed, message, data)
export const invalidParameters = (message: string): CodedError =>
  new CodedError('query', QUERY_CODES.invalidParameters, message)
export const executionReverted = (message: string, data: Hex): CodedError =>
  new CodedError('query', QUERY_CODES.reverted, message, data)
export const limitExceeded = (message: string): CodedError => new CodedError('query', QUERY_CODES.limit, message)
export const answerTooLarge = (maxBytes: number): CodedError =>
  new CodedError('query', QUERY_CODES.tooLarge, `the answer is larger than ${maxBytes} bytes: ask for less`)
/** Geth's words and, by rpc/errors.ts, its code. */
export const prunedHistory = (): CodedError =>
  new CodedError('query', QUERY_CODES.prunedHistory, 'pruned history unavailable')
/** Of the feed: blocks and their events are kept from `oldest` on. */
export const prunedBlocks = (height: number, oldest: number): CodedError =>
  new CodedError(
    'query',
    QUERY_CODES.prunedHistory,
    `block ${height} is pruned: the feed of this node begins with block ${oldest}`,
    { oldest },
  )
/** As geth prints a root: without 0x. */
export const prunedState = (stateRoot: Hash): CodedError =>
  new CodedError(
    'query',
    QUERY_CODES.prunedState,
    `historical state ${bytesToUnprefixedHex(stateRoot)} is not available`,
  )
export const unsupported = (message: string): CodedError => new CodedError('query', QUERY_CODES.unsupported, message)

export const isQueryError = (error: unknown, code: keyof typeof QUERY_CODES): boolean =>
  error instanceof CodedError && error.codespace === 'query' && error.code === QUERY_CODES[code]

/** Codespace `simulation`: why eth_simulateV1 refuses. From 10 on JSON-RPC says -38000 less the code. */
export const SIMULATION_CODES = {
  /** -32603, which geth has for every refusal that has no code of its own. */
  invalidCall: 1,
  /** -32603: what geth crashes at. */
  crashed: 2,
  nonceTooLow: 10,
  nonceTooHigh: 11,
  intrinsicGas: 13,
  insufficientFunds: 14,
  blockGasLimitReached: 15,
  blockNumberInvalid: 20,
  blockTimestampInvalid: 21,
  initCodeTooLarge: 25,
  limitExceeded: 26,
} as const

export const simulationError = (code: keyof typeof SIMULATION_CODES, message: string): CodedError =>
  new CodedError('simulation', SIMULATION_CODES[code], message)

/** Codespace `pool`: why a transaction was not admitted. Codes are those of CheckTx on port 26657. */
export const POOL_CODES = {
  alreadyKnown: 2,
  underpriced: 3,
  replacementUnderpriced: 4,
  nonceTooLow: 5,
  insufficientFunds: 6,
  full: 7,
  accountLimit: 8,
  oversized: 9,
  unprotected: 10,
  feeCap: 11,
  // 12 was in use: it stays free.
  familyNotSupported: 13,
  wrongChain: 14,
  /** Recheck: included, replaced, evicted or expired. */
  gone: 15,
  /** It waits in the pool of this node, which tells the network of it once it can execute. */
  waiting: 16,
  /** It cost a proposer more than it pays for, and is not taken again for a while. */
  setAside: 17,
} as const

export const poolError = (code: keyof typeof POOL_CODES, message: string, data?: unknown): CodedError =>
  new CodedError('pool', POOL_CODES[code], message, data)

/** Codespace `app`: codes of transaction results and refusals of the lifecycle. */
export const APP_CODES = {
  /** A transaction in a decided block that is not valid at its place. */
  invalidInBlock: 1,
  familyNotSupported: 2,
  outOfGas: 3,
  /** Calls of the consensus connection in an order that cannot be. */
  outOfOrder: 10,
  genesis: 11,
  /** A rollback that cannot be done. */
  rollback: 12,
  /** The database is not what its headers commit to. */
  damaged: 13,
  /** The next block needs another version of this software. */
  upgrade: 14,
} as const

export const appError = (code: keyof typeof APP_CODES, message: string): CodedError =>
  new CodedError('app', APP_CODES[code], message)

/** Geth's words. A number longer than any chain's is not printed: a million digits take a second of the node. */
export const wrongChainText = (have: bigint, want: bigint): string =>
  `invalid sender: invalid chain id for signer: have ${have < 2n ** 512n ? have : 'more than 512 bits'} want ${want}`
