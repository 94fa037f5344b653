/** What each parameter is, in words and as JSON schema: by the function that reads it, so that no description can be of another one. */
import type { Decode } from './go-json.ts'
import { decodeBoolean, decodeFloat, decodeInt, decodeString, decodeUint64Number } from './go-json.ts'
import { decodeBlockNumber, decodeBlockReference } from './block.ts'
import { decodeCount } from './count.ts'
import { decodeCriteria } from './criteria.ts'
import { decodeFilterId } from './filter-id.ts'
import { decodeAddress, decodeBig, decodeData, decodeHash, decodeIndex, decodeU256, decodeUint64 } from './hex.ts'
import { decodeBlockOverrides, decodeStateOverrides } from './overrides.ts'
import { decodeSimulatedBlocks } from './simulated-blocks.ts'
import { decodeTraceCallConfig, decodeTraceConfig } from './trace-config.ts'
import { decodeCall } from './transaction-arguments.ts'

export interface ParameterKind {
  readonly name: string
  readonly words: string
  readonly schema: Readonly<Record<string, unknown>>
}

const text = (pattern: string) => ({ type: 'string', pattern })
const QUANTITY = text('^0x(0|[1-9a-fA-F][0-9a-fA-F]*)$')
const TAGS = ['latest', 'earliest', 'pending', 'safe', 'finalized']
const OBJECT = { type: 'object' }

const KINDS: ReadonlyMap<Decode<never>, ParameterKind> = new Map<Decode<never>, ParameterKind>(
  (
    [
      [decodeAddress, 'address', '20 bytes in hex', text('^0x[0-9a-fA-F]{40}$')],
      [decodeHash, 'hash', '32 bytes in hex', text('^0x[0-9a-fA-F]{64}$')],
      [decodeData, 'data', 'bytes in hex', text('^0x([0-9a-fA-F]{2})*$')],
      [decodeUint64, 'quantity', 'a number in hex', QUANTITY],
      [decodeBig, 'quantity', 'a number in hex', QUANTITY],
      [decodeU256, 'quantity', 'a number in hex', QUANTITY],
      [decodeIndex, 'index', 'a number in hex', QUANTITY],
      [decodeCount, 'count', 'a number, in hex or decimal', { anyOf: [QUANTITY, { type: 'integer', minimum: 0 }] }],
      [decodeBlockNumber, 'block', 'a number in hex, or a tag', { anyOf: [QUANTITY, { enum: TAGS }] }],
      [
        decodeBlockReference,
        'block',
        'a number in hex, a tag, a hash, or an object with blockNumber or blockHash',
        { anyOf: [QUANTITY, { enum: TAGS }, text('^0x[0-9a-fA-F]{64}$'), OBJECT] },
      ],
      [decodeBoolean, 'flag', 'true or false', { type: 'boolean' }],
      [decodeString, 'text', 'a text', { type: 'string' }],
      [decodeFloat, 'number', 'a number', { type: 'number' }],
      [decodeInt, 'integer', 'an integer', { type: 'integer' }],
      [decodeUint64Number, 'integer', 'an integer', { type: 'integer', minimum: 0 }],
      [decodeCriteria, 'filter', 'an object with address, topics, fromBlock, toBlock or blockHash', OBJECT],
      [decodeFilterId, 'filterId', 'the id of a filter', { type: 'string' }],
      [decodeCall, 'call', 'an object with from, to, gas, value, input and the rest of a transaction', OBJECT],
      [decodeStateOverrides, 'stateOverrides', 'an object of accounts by address', OBJECT],
      [decodeBlockOverrides, 'blockOverrides', 'an object of header members', OBJECT],
      [decodeSimulatedBlocks, 'blocks', 'an object with blockStateCalls', OBJECT],
      [decodeTraceConfig, 'traceConfig', 'an object with tracer, tracerConfig, timeout', OBJECT],
      [decodeTraceCallConfig, 'traceConfig', 'as for a trace, with overrides of state and block', OBJECT],
    ] as const
  ).map(([decode, name, words, schema]) => [decode as Decode<never>, { name, words, schema }]),
)

/** Undefined for one that a method reads in a way of its own. */
export const kindOf = (decode: unknown): ParameterKind | undefined => KINDS.get(decode as Decode<never>)
