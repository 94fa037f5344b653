/** Trading on the order book of the chain with viem. */
export {
  type CancelAllArguments,
  type CancelArguments,
  cancelAction,
  cancelAllAction,
  type OrderTarget,
  type PlaceArguments,
  placeAction,
  type ReplaceArguments,
  replaceAction,
  scheduleCancelAction,
  type SelfTradePrevention,
  type Side,
  type TimeInForce,
} from './actions.ts'
export { clientIdOf, randomClientId } from './client-ids.ts'
export { ClobClientError, type ClobErrorName } from './errors.ts'
export { NonceSource } from './nonces.ts'
export { type ClobSigner, signClobTx, type SignedClobTx, type UnsignedClobTx } from './sign.ts'
export {
  CLOB_TYPES,
  type ClobAction,
  type ClobChain,
  clobDomain,
  type ClobMessage,
  clobMessageJson,
  clobTypedData,
} from './typed-data.ts'
export { LocalBook } from './local-book.ts'
export {
  clobActions,
  type ClobOptions,
  type Page,
  type PageArguments,
  type SendOptions,
  type SentOrder,
} from './clob-actions.ts'
export type {
  Candle,
  CandleArguments,
  CandleSeconds,
  HistoricalFill,
  HistoricalOrder,
  HistoryPage,
  HistoryPageArguments,
  OwnerHistoryArguments,
  Ticker,
} from './history.ts'
export type {
  BestPricesUpdate,
  BookLevel,
  BookUpdate,
  Depth,
  Market,
  MarketStamp,
  OpenOrder,
  OptimisticOrder,
  OptimisticUpdate,
  OrderRecord,
  OrderTransaction,
  OrdersUpdate,
  OwnOrdersUpdate,
  Trade,
  TradesUpdate,
} from './messages.ts'
export type { MarketWatcher, OptimisticWatcher, OwnerWatcher, Watcher } from './watch.ts'
