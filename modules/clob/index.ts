/** The order book: its state, its transactions, the plan by which blocks hold them, and the book. See README.md. */
export {
  type BookDelta,
  Books,
  changedLevels,
  type Depth,
  depthOf,
  depthPage,
  type Level,
  type LevelChanges,
  type LevelTotal,
  rootOfOrders,
  totalOf,
} from './book/index.ts'
export { rotateCaps } from './caps.ts'
export type { ClobDependencies } from './deps.ts'
export { type Agent, type ClobAccount, type Floor, KEPT_BLOCKS, type Mark } from './domain/account.ts'
export type { FeeTier, Market, MarketMode, MarketRecord, MarketStatus } from './domain/market.ts'
export { SIDE_CODES, TIF_CODES, TRIGGER_CODES } from './domain/codes.ts'
export { type BookOrder, doesRest, type OpenOrder, type Side } from './domain/order.ts'
export type { ProposerRecord } from './domain/proposer.ts'
export type { ClobParameters } from './domain/settings.ts'
export { orderForm } from './forms/order.ts'
export { CLOB_ERRORS, type ClobErrorName, clobError } from './errors.ts'
export { extensionSummary, type ExtensionSummaryEvent, marketUpdated } from './events.ts'
export { findClientOrder, nextOrderSeq } from './find-client-order.ts'
export { formatParameters } from './genesis/export.ts'
export { parseOpenOrder } from './genesis/orders.ts'
export { parseClobGenesis } from './genesis/parse.ts'
export {
  dropQueued,
  encodeOrder,
  listMarkets,
  readAgent,
  readCaps,
  readCarried,
  readMarket,
  readOrder,
  readParameters,
  readProposer,
  readRecord,
  scanOrders,
  writeCarried,
  writeProposer,
} from './keeper/index.ts'
export {
  accountKey,
  AFTER_KEY,
  agentKey,
  CAPS_KEY,
  CARRIED_KEY,
  CLOB_ACCOUNT,
  MARKET_PREFIX,
  MARKS_PREFIX,
  marketKey,
  marksKey,
  NEXT_KEY,
  NONCES_PREFIX,
  noncesKey,
  ORDER_PREFIX,
  orderKey,
  PARAMS_KEY,
  proposerKey,
  QUEUE_KEY,
  recordKey,
  TIME_KEY,
  volumeKey,
} from './keys.ts'
export {
  type BatchItem,
  type BatchResult,
  type ClobRecord,
  codeOf,
  lockDenom,
  marketOf,
  MATCHING_ENTRIES,
  type MatchingError,
  MAX_BLOCKS_AHEAD,
  NONCE_WINDOW_MS,
  REMOVAL_REASONS,
  type RefusedTransaction,
  type Rejection,
  type StepNews,
  streamClobStep,
  tradedVolume,
  UNSIGNED,
  tierOf,
} from './matching/index.ts'
export { clobModule } from './module.ts'
export {
  type Action,
  addressOfKey,
  CLOB_TX_BYTE,
  type ClobBody,
  type ClobTx,
  decodeClobBody,
  decodeClobResult,
  encodeClobTx,
  expectedSigner,
  marketOfAction,
  MAX_CLOB_TX_BYTES,
  type Phase,
  PHASES,
  type Place,
  readTypedTx,
  recoverSigner,
  signatureTaskOf,
  signDigest,
  type Target,
} from './orders/index.ts'
export { DEFAULT_CLOB_PARAMETERS } from './params.ts'
export { type ContractAction, queueAction, queueRoom } from './queue-action.ts'
export {
  attestationsThatFit,
  type BlockPlan,
  type BlockPlanFault,
  type Body,
  type Candidate,
  capBytes,
  countStop,
  decodeAttestations,
  encodeAttestations,
  type IdKey,
  idOf,
  isCanonicalAttestations,
  listOfBlock,
  type ListedId,
  longestClobTx,
  planOfBlock,
  type PlanInput,
  proposeOrders,
  selectCandidates,
  type SelectionContext,
  shareBytes,
  toAttestations,
} from './plan/index.ts'
