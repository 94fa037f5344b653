/**
 * How long the request of a native method may be. Two bytes of protobuf are an object of a hundred bytes once they are
 * decoded, and much of that happens where blocks are executed: half a million empty fields in a megabyte took 0.2 to 0.7 s.
 */
import { CodedError } from './errors.ts'

const KIB = 1024
/** A query names accounts, markets, heights and pages. */
const MOST_QUERY_BYTES = 16 * KIB
/** A transaction has 128 KiB at most, and may be given as a message of its parts. */
const MOST_TRANSACTION_BYTES = 256 * KIB
/** The same as Amino's JSON. */
const MOST_JSON_BYTES = 512 * KIB

const RESOURCE_EXHAUSTED = 8

const pathsOf = (service: string, names: readonly string[], bytes: number) =>
  names.map((name): readonly [string, number] => [`/${service}/${name}`, bytes])

const TRANSACTIONS = 'cosmos.tx.v1beta1.Service'

/** Bytes that a request may have, by the path of its method. */
export const REQUEST_BOUNDS: ReadonlyMap<string, number> = new Map([
  ...pathsOf(
    TRANSACTIONS,
    ['Simulate', 'BroadcastTx', 'TxEncode', 'TxDecode', 'TxDecodeAmino'],
    MOST_TRANSACTION_BYTES,
  ),
  ...pathsOf(TRANSACTIONS, ['TxEncodeAmino'], MOST_JSON_BYTES),
  ...pathsOf('cosmos.base.tendermint.v1beta1.Service', ['ABCIQuery'], MOST_TRANSACTION_BYTES),
  // Their arguments are bounded by the server, and what they decode to where it is decoded.
  ...pathsOf(
    'cosmos.evm.vm.v1.Query',
    ['EthCall', 'EstimateGas', 'TraceTx', 'TraceBlock', 'TraceCall'],
    Number.POSITIVE_INFINITY,
  ),
])

/** Bytes; Infinity for what the server bounds alone. */
export const mostRequestBytes = (path: string): number => REQUEST_BOUNDS.get(path) ?? MOST_QUERY_BYTES

/** Throws grpc/8. */
export const requireRequestLength = (path: string, bytes: number): void => {
  const most = mostRequestBytes(path)
  if (bytes <= most) return
  throw new CodedError('grpc', RESOURCE_EXHAUSTED, `a request of this method has at most ${most} bytes, not ${bytes}`)
}
