/** The names of all questions, for what comes over the stream. */
import type { QuestionName } from '../../app/ports.ts'

// A record, so that a question that app/ports.ts gains or loses is a compile error here.
const NAMES = {
  block: true,
  blockTransactionCount: true,
  blockReceipts: true,
  transaction: true,
  transactionByIndex: true,
  rawTransaction: true,
  receipt: true,
  balance: true,
  transactionCount: true,
  code: true,
  storage: true,
  proof: true,
  call: true,
  estimateGas: true,
  gasPrice: true,
  maxPriorityFeePerGas: true,
  feeHistory: true,
  sendRawTransaction: true,
  logs: true,
  newFilter: true,
  newBlockFilter: true,
  newPendingTransactionFilter: true,
  filterChanges: true,
  filterLogs: true,
  uninstallFilter: true,
  txpoolStatus: true,
  txpoolContent: true,
  txpoolContentFrom: true,
  txpoolInspect: true,
  pendingTransaction: true,
  syncing: true,
  peerCount: true,
  native: true,
} as const satisfies Record<QuestionName, true>

export const isQuestionName = (name: string): name is QuestionName => Object.hasOwn(NAMES, name)
