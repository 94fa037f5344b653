/** Native gRPC queries: the modules' handlers by path, on state at a height. */
import { bytesToBase64 } from '../core/bytes.ts'
import type { CodedError } from '../core/errors.ts'
import { GRPC } from '../core/grpc-status.ts'
import { type SDK_CODES, sdkError } from '../modules/sdk-errors.ts'
import { readBaseHeight } from '../store/base-height.ts'
import { isKept, readKeptRange } from '../store/kept-range.ts'
import { type QueryHandlers, queryHandlers } from '../app/native/module-handlers.ts'
import type { Questions } from '../app/ports.ts'
import { EVM_SERVICE, evmQueryAnswer } from './evm-queries.ts'
import { HISTORICAL_INFO, historicalInfo } from './historical-info.ts'
import { SIMULATE_PATH, dryRunQuery } from './dry-run.ts'
import { requireHeight, type ChainView } from './chain-view.ts'

/** The SDK's words and code for a height whose state it has pruned. */
const PRUNED =
  'version mismatch on immutable IAVL tree; version does not exist. Version has either been pruned, or is for a future block height'

/** The height of a native query, 0 being the head. Throws sdk/38 where its state is not kept. */
export const keptHeight = (view: ChainView, height: number): number => {
  if (height === 0) return view.head
  const { store } = view.reader
  if (height < readBaseHeight(store) || !isKept(readKeptRange(store), height)) {
    throw sdkError('notFound', `failed to load state at height ${height}; ${PRUNED} (latest height: ${view.head})`)
  }
  return requireHeight(view, { number: height })
}

/** sdk/26, in the SDK's words. */
export const futureHeight = (): CodedError =>
  sdkError('invalidHeight', 'cannot query with height in the future; please provide a valid height')

/**
 * `height` 0 is the head. Throws grpc codes, sdk/6, /18 and /26, sdk/38 for a height that is not kept, and whatever
 * else a handler throws, which is a fault of the node.
 */
export const nativeQuery = (
  view: ChainView,
  handlers: QueryHandlers,
  path: string,
  request: Uint8Array,
  height: number,
): { readonly value: Uint8Array; readonly height: number } => {
  const handler = handlers.get(path)
  const isEvm = path.startsWith(EVM_SERVICE)
  if (handler === undefined && !isEvm)
    throw sdkError('unknownRequest', path === '' ? 'no query path provided' : 'unknown query path')
  if (height < 0) throw sdkError('invalidRequest', 'cannot query with height < 0; please provide a valid height')
  if (height > view.head) throw futureHeight()
  const at = keptHeight(view, height)
  if (handler === undefined) return { value: evmQueryAnswer(view, handlers, path, request, at), height: at }
  if (path === HISTORICAL_INFO) return { value: historicalInfo(view, request), height: at }
  const context = { state: view.stateAt(at), height: at, chainId: view.parameters.chainId }
  return { value: handler.query(context, request), height: at }
}

/** Tells what a worker answers: queries of which their module says so, and a dry run, which executes. */
export const isHeavyQuery = (handlers: QueryHandlers, path: string): boolean =>
  path === SIMULATE_PATH || handlers.get(path)?.isHeavy === true

/** The answer to the question `native` where it is given by a worker: base64. */
export const heavyNativeQuery = (view: ChainView, { path, data, height }: Questions['native']): string => {
  const request = Buffer.from(data, 'base64')
  const value =
    path === SIMULATE_PATH
      ? dryRunQuery(view, request)
      : nativeQuery(view, queryHandlers(view.modules), path, request, height).value
  return bytesToBase64(value)
}

/** The SDK's codes for a gRPC status, as abci_query answers them. Others are invalid requests there. */
const GRPC_TO_SDK: Readonly<Record<number, keyof typeof SDK_CODES>> = {
  [GRPC.notFound]: 'keyNotFound',
  [GRPC.unimplemented]: 'unknownRequest',
}
const GRPC_NAMES: Readonly<Record<number, string>> = {
  [GRPC.unknown]: 'Unknown',
  [GRPC.invalidArgument]: 'InvalidArgument',
  [GRPC.notFound]: 'NotFound',
  [GRPC.unimplemented]: 'Unimplemented',
}

/** Answers as the SDK answers a failed gRPC query over ABCI. */
export const toAbciError = ({
  codespace,
  code,
  message,
}: CodedError): { readonly code: number; readonly codespace: string; readonly log: string } => {
  // Errors of modules have no status, and are unknown requests to the SDK.
  if (codespace !== 'grpc' && codespace !== 'sdk') return toAbciError(sdkError('unknownRequest', message))
  if (codespace === 'sdk') return { code, codespace, log: message }
  const name = GRPC_NAMES[code] ?? 'Unknown'
  const refusal = sdkError(GRPC_TO_SDK[code] ?? 'invalidRequest', `rpc error: code = ${name} desc = ${message}`)
  return { code: refusal.code, codespace: 'sdk', log: refusal.message }
}
