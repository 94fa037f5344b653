/** Failures of the application. `error-codes.ts` lists their codes. */
import { CodedError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import { bytesToUnprefixedHex, type Hex } from '../core/hex.ts'
import { APP_ERRORS, POOL_ERRORS, QUERY_ERRORS, SIMULATION_ERRORS } from './error-codes.ts'

export const QUERY_CODES = QUERY_ERRORS.codes

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
/** The error of the feed: blocks and their events are kept from `oldest` on. */
export const prunedBlocks = (height: number, oldest: number): CodedError =>
  new CodedError(
    'query',
    QUERY_CODES.prunedHistory,
    `block ${height} is pruned: the feed of this node begins with block ${oldest}`,
    { oldest },
  )
/** The error prints the root as geth does, without 0x. */
export const prunedState = (stateRoot: Hash): CodedError =>
  new CodedError(
    'query',
    QUERY_CODES.prunedState,
    `historical state ${bytesToUnprefixedHex(stateRoot)} is not available`,
  )
/** The error of streams of the order book: blocks from `oldest` on can be told. */
export const blockNotTold = (height: number, oldest: number): CodedError =>
  new CodedError(
    'query',
    QUERY_CODES.blockNotTold,
    `what block ${height} changed of the order book is not known here any more, or not yet`,
    { from_height: oldest },
  )
export const unsupported = (message: string): CodedError => new CodedError('query', QUERY_CODES.unsupported, message)

export const isQueryError = (error: unknown, code: keyof typeof QUERY_CODES): boolean =>
  error instanceof CodedError && error.codespace === 'query' && error.code === QUERY_CODES[code]

export const SIMULATION_CODES = SIMULATION_ERRORS.codes

export const simulationError = (code: keyof typeof SIMULATION_CODES, message: string): CodedError =>
  new CodedError('simulation', SIMULATION_CODES[code], message)

export const POOL_CODES = POOL_ERRORS.codes

export const poolError = (code: keyof typeof POOL_CODES, message: string, data?: unknown): CodedError =>
  new CodedError('pool', POOL_CODES[code], message, data)

export const APP_CODES = APP_ERRORS.codes

export const appError = (code: keyof typeof APP_CODES, message: string): CodedError =>
  new CodedError('app', APP_CODES[code], message)

/** Geth's words. A number longer than any chain's is not printed: a million digits take a second of the node. */
export const wrongChainText = (have: bigint, want: bigint): string =>
  `invalid sender: invalid chain id for signer: have ${have < 2n ** 512n ? have : 'more than 512 bits'} want ${want}`
