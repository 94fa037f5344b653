/** The table of all methods; the setting `api` decides which namespaces are served. */
import type { Method } from './method.ts'
import { accountRange as debugAccountRange } from './debug/account-range.ts'
import { getModifiedAccountsByHash as debugGetModifiedAccountsByHash } from './debug/get-modified-accounts-by-hash.ts'
import { getModifiedAccountsByNumber as debugGetModifiedAccountsByNumber } from './debug/get-modified-accounts-by-number.ts'
import { getRawBlock as debugGetRawBlock } from './debug/get-raw-block.ts'
import { getRawHeader as debugGetRawHeader } from './debug/get-raw-header.ts'
import { getRawReceipts as debugGetRawReceipts } from './debug/get-raw-receipts.ts'
import { getRawTransaction as debugGetRawTransaction } from './debug/get-raw-transaction.ts'
import { intermediateRoots as debugIntermediateRoots } from './debug/intermediate-roots.ts'
import { storageRangeAt as debugStorageRangeAt } from './debug/storage-range-at.ts'
import { traceBlock as debugTraceBlock } from './debug/trace-block.ts'
import { traceBlockByHash as debugTraceBlockByHash } from './debug/trace-block-by-hash.ts'
import { traceBlockByNumber as debugTraceBlockByNumber } from './debug/trace-block-by-number.ts'
import { traceCall as debugTraceCall } from './debug/trace-call.ts'
import { traceTransaction as debugTraceTransaction } from './debug/trace-transaction.ts'
import { accounts } from './eth/accounts.ts'
import { blobBaseFee } from './eth/blob-base-fee.ts'
import { blockNumber } from './eth/block-number.ts'
import { call } from './eth/call.ts'
import { chainId } from './eth/chain-id.ts'
import { config } from './eth/config.ts'
import { createAccessList } from './eth/create-access-list.ts'
import { estimateGas } from './eth/estimate-gas.ts'
import { feeHistory } from './eth/fee-history.ts'
import { fillTransaction } from './eth/fill-transaction.ts'
import { gasPrice } from './eth/gas-price.ts'
import { getBalance } from './eth/get-balance.ts'
import { getBlockByHash } from './eth/get-block-by-hash.ts'
import { getBlockByNumber } from './eth/get-block-by-number.ts'
import { getBlockReceipts } from './eth/get-block-receipts.ts'
import { getBlockTransactionCountByHash } from './eth/get-block-transaction-count-by-hash.ts'
import { getBlockTransactionCountByNumber } from './eth/get-block-transaction-count-by-number.ts'
import { getCode } from './eth/get-code.ts'
import { getFilterChanges } from './eth/get-filter-changes.ts'
import { getFilterLogs } from './eth/get-filter-logs.ts'
import { getHeaderByHash } from './eth/get-header-by-hash.ts'
import { getHeaderByNumber } from './eth/get-header-by-number.ts'
import { getLogs } from './eth/get-logs.ts'
import { getProof } from './eth/get-proof.ts'
import { getRawTransactionByBlockHashAndIndex } from './eth/get-raw-transaction-by-block-hash-and-index.ts'
import { getRawTransactionByBlockNumberAndIndex } from './eth/get-raw-transaction-by-block-number-and-index.ts'
import { getRawTransactionByHash } from './eth/get-raw-transaction-by-hash.ts'
import { getStorageAt } from './eth/get-storage-at.ts'
import { getTransactionByBlockHashAndIndex } from './eth/get-transaction-by-block-hash-and-index.ts'
import { getTransactionByBlockNumberAndIndex } from './eth/get-transaction-by-block-number-and-index.ts'
import { getTransactionByHash } from './eth/get-transaction-by-hash.ts'
import { getTransactionCount } from './eth/get-transaction-count.ts'
import { getTransactionReceipt } from './eth/get-transaction-receipt.ts'
import { getUncleByBlockHashAndIndex } from './eth/get-uncle-by-block-hash-and-index.ts'
import { getUncleByBlockNumberAndIndex } from './eth/get-uncle-by-block-number-and-index.ts'
import { getUncleCountByBlockHash } from './eth/get-uncle-count-by-block-hash.ts'
import { getUncleCountByBlockNumber } from './eth/get-uncle-count-by-block-number.ts'
import { maxPriorityFeePerGas } from './eth/max-priority-fee-per-gas.ts'
import { newBlockFilter } from './eth/new-block-filter.ts'
import { newFilter } from './eth/new-filter.ts'
import { newPendingTransactionFilter } from './eth/new-pending-transaction-filter.ts'
import { pendingTransactions } from './eth/pending-transactions.ts'
import { sendRawTransaction } from './eth/send-raw-transaction.ts'
import { sendRawTransactionSync } from './eth/send-raw-transaction-sync.ts'
import { simulateV1 } from './eth/simulate-v1.ts'
import { syncing } from './eth/syncing.ts'
import { uninstallFilter } from './eth/uninstall-filter.ts'
import { CLOB_METHODS } from './clob/queries.ts'
import { sendOrder } from './clob/send-order.ts'
import { listening as netListening } from './net/listening.ts'
import { peerCount as netPeerCount } from './net/peer-count.ts'
import { version as netVersion } from './net/version.ts'
import { discover } from './rpc/discover.ts'
import { modules as rpcModules } from './rpc/modules.ts'
import { content as txpoolContent } from './txpool/content.ts'
import { contentFrom as txpoolContentFrom } from './txpool/content-from.ts'
import { inspect as txpoolInspect } from './txpool/inspect.ts'
import { status as txpoolStatus } from './txpool/status.ts'
import { clientVersion as web3ClientVersion } from './web3/client-version.ts'
import { sha3 as web3Sha3 } from './web3/sha3.ts'

const METHODS: readonly Method[] = [
  chainId,
  blockNumber,
  syncing,
  config,
  accounts,
  gasPrice,
  maxPriorityFeePerGas,
  feeHistory,
  blobBaseFee,
  getBalance,
  getTransactionCount,
  getCode,
  getStorageAt,
  getProof,
  getBlockByNumber,
  getBlockByHash,
  getHeaderByNumber,
  getHeaderByHash,
  getBlockReceipts,
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
  getTransactionByHash,
  getTransactionReceipt,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getRawTransactionByHash,
  getRawTransactionByBlockHashAndIndex,
  getRawTransactionByBlockNumberAndIndex,
  pendingTransactions,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  call,
  estimateGas,
  simulateV1,
  createAccessList,
  sendRawTransaction,
  sendRawTransactionSync,
  fillTransaction,
  getLogs,
  newFilter,
  newBlockFilter,
  newPendingTransactionFilter,
  getFilterChanges,
  getFilterLogs,
  uninstallFilter,
  sendOrder,
  netVersion,
  netListening,
  netPeerCount,
  web3ClientVersion,
  web3Sha3,
  txpoolStatus,
  txpoolContent,
  txpoolContentFrom,
  txpoolInspect,
  debugTraceTransaction,
  debugTraceCall,
  debugTraceBlockByNumber,
  debugTraceBlockByHash,
  debugTraceBlock,
  debugGetRawHeader,
  debugGetRawBlock,
  debugGetRawReceipts,
  debugGetRawTransaction,
  debugStorageRangeAt,
  debugAccountRange,
  debugGetModifiedAccountsByNumber,
  debugGetModifiedAccountsByHash,
  debugIntermediateRoots,
  rpcModules,
  discover,
  ...CLOB_METHODS,
]

const ALWAYS_SERVED: ReadonlySet<string> = new Set(['rpc', 'clob'])

const namespaceOf = (method: Method): string => method.name.slice(0, method.name.indexOf('_'))

/** `rpc` is always served, as in geth, and so is the way into the order book. Unknown namespaces serve nothing. */
export const selectMethods = (api: readonly string[]): ReadonlyMap<string, Method> =>
  new Map(
    METHODS.filter((method) => ALWAYS_SERVED.has(namespaceOf(method)) || api.includes(namespaceOf(method))).map(
      (method) => [method.name, method],
    ),
  )
