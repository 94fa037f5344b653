/** A record of the calls that the grammar of ABCI speaks of (testing/grammar.ts checks it). */
import { bytesToUnprefixedHex } from '../core/hex.ts'
import type { AbciHandlers, AbciMethod, AbciRequest, AbciResponse } from './handlers.ts'

const RECORDED_METHODS = [
  'info',
  'initChain',
  'offerSnapshot',
  'applySnapshotChunk',
  'prepareProposal',
  'processProposal',
  'extendVote',
  'verifyVoteExtension',
  'finalizeBlock',
  'commit',
] as const satisfies readonly AbciMethod[]

export type RecordedMethod = (typeof RECORDED_METHODS)[number]

export interface RecordedCall {
  readonly method: RecordedMethod
  /** The height of the call; for Info it is the last height that it answered, for InitChain the initial height. */
  readonly height?: number
  /** The hash of the block that the call is about, in hex: it tells rounds of one height apart. */
  readonly hash?: string
  /** What was answered, in a few words. */
  readonly result: string
}

type Details = Omit<RecordedCall, 'method'>

const numberOf = (height: bigint): number => Number(height)

const statusOf = (status: number): string => (status === 1 ? 'accept' : 'reject')

/** What is worth keeping of each call. */
const DETAILS: {
  readonly [Method in RecordedMethod]: (request: AbciRequest<Method>, response: AbciResponse<Method>) => Details
} = {
  info: (_, { lastBlockHeight, lastBlockAppHash }) => ({
    height: numberOf(lastBlockHeight),
    result: `app hash ${bytesToUnprefixedHex(lastBlockAppHash)}`,
  }),
  initChain: ({ initialHeight, chainId }, { appHash }) => ({
    height: numberOf(initialHeight),
    result: `${chainId}, app hash ${bytesToUnprefixedHex(appHash)}`,
  }),
  offerSnapshot: ({ snapshot }, { result }) => ({
    height: numberOf(snapshot?.height ?? 0n),
    result: `result ${result}`,
  }),
  applySnapshotChunk: ({ index }, { result }) => ({ result: `chunk ${index}, result ${result}` }),
  prepareProposal: ({ height, txs }, response) => ({
    height: numberOf(height),
    result: `${response.txs.length} txs of ${txs.length} offered`,
  }),
  processProposal: ({ height, hash, txs }, { status }) => ({
    height: numberOf(height),
    hash: bytesToUnprefixedHex(hash),
    result: `${statusOf(status)}, ${txs.length} txs`,
  }),
  extendVote: ({ height, hash }, { voteExtension }) => ({
    height: numberOf(height),
    hash: bytesToUnprefixedHex(hash),
    result: `${voteExtension.length} bytes`,
  }),
  verifyVoteExtension: ({ height, hash, validatorAddress }, { status }) => ({
    height: numberOf(height),
    hash: bytesToUnprefixedHex(hash),
    result: `${statusOf(status)}, ${bytesToUnprefixedHex(validatorAddress)}`,
  }),
  finalizeBlock: ({ height, hash, txs }, { appHash }) => ({
    height: numberOf(height),
    hash: bytesToUnprefixedHex(hash),
    result: `${txs.length} txs, app hash ${bytesToUnprefixedHex(appHash)}`,
  }),
  commit: (_, { retainHeight }) => ({ result: `retain ${retainHeight}` }),
}

// Within, the pairing of method, request and response is that of the tables, which the compiler cannot follow.
const recordMethod = (
  handlers: AbciHandlers,
  method: RecordedMethod,
  record: (call: RecordedCall) => void,
): ((request: unknown) => unknown) => {
  const handler = handlers[method] as (request: unknown) => unknown
  const describe = DETAILS[method] as (request: unknown, response: unknown) => Details
  return (request) => {
    const note = (response: unknown): unknown => {
      record({ method, ...describe(request, response) })
      return response
    }
    const answer = handler(request)
    return answer instanceof Promise ? answer.then(note) : note(answer)
  }
}

/** The same handlers, telling `record` of each call once it is answered. A call that fails is not recorded. */
export const recordCalls = (handlers: AbciHandlers, record: (call: RecordedCall) => void): AbciHandlers => {
  const recorded: Partial<Record<RecordedMethod, unknown>> = {}
  for (const method of RECORDED_METHODS) recorded[method] = recordMethod(handlers, method, record)
  return { ...handlers, ...recorded } as AbciHandlers
}

/** One call as one line of JSON, without the line's end. */
export const formatCall = (call: RecordedCall): string => JSON.stringify(call)

/** The inverse of {@link formatCall}, for the lines of a log of our own. */
export const parseCall = (line: string): RecordedCall => JSON.parse(line) as RecordedCall
