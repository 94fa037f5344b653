/**
 * Every question in one record: a new one is a line in {@link Questions} of app/ports.ts, and a record here. The compiler
 * refuses one without the other.
 */
import { bytesToHex, hexToBytes, quantityToHex } from '../core/hex.ts'
import { ethereumIn } from '../app/families/ethereum/entry.ts'
import type { QuestionName } from '../app/ports.ts'
import { createAccessList } from './access-list.ts'
import { LIGHT_COST } from './answer-cost.ts'
import {
  block,
  blockReceipts,
  blockTransactionCount,
  header,
  heads,
  rawTransaction,
  rawTransactionByIndex,
  receipt,
  transactionByHash,
  transactionByIndex,
  waitingTransactions,
} from './blocks.ts'
import { call, estimateGas } from './calls.ts'
import { config } from './chain-config.ts'
import { committedBlocks } from './committed-blocks.ts'
import { evmCall } from './evm-call.ts'
import { feeHistory } from './fees.ts'
import { fillTransaction } from './fill-transaction.ts'
import { logs, logsPage } from './logs.ts'
import { nativeAnswer } from './native-worker.ts'
import { proof } from './proof.ts'
import type { Question } from './question.ts'
import { jsonText } from './question-tools.ts'
import { wireFormOf } from './order.ts'
import { simulateBlocks } from './simulated-blocks/simulate-blocks.ts'
import { intermediateRoots, modifiedAccounts } from './state-changes.ts'
import { accountRange, storageRange } from './state-ranges.ts'
import { balance, code, storage, transactionCount } from './state.ts'
import { rawBlock, rawHeader, rawReceipts } from './trace/raw-block.ts'
import { traceBlock, traceCall, traceRawBlock, traceTransaction } from './trace/trace-questions.ts'
import { txpoolContent, txpoolContentFrom, txpoolInspect, txpoolStatus } from './txpool.ts'
import { isPending } from './chain-view.ts'

type QuestionTable = { readonly [Name in QuestionName]: Question<Name> }

export const QUESTIONS: QuestionTable = {
  // ---- blocks, transactions, receipts ----
  block: { reads: 'hashes', isSlow: true, readsBlocks: true, isKept: true, text: block },
  header: { reads: 'few', answer: header },
  heads: { reads: 'worker', readsBlocks: true, answer: heads },
  blockTransactionCount: {
    reads: 'few',
    readsBlocks: true,
    answer: (view, parameters) => blockTransactionCount(view, parameters.block),
  },
  blockReceipts: { reads: 'receipts', isSlow: true, readsBlocks: true, isKept: true, text: blockReceipts },
  transaction: {
    reads: 'transaction',
    isSlow: true,
    isKept: true,
    answer: (view, { hash }) => transactionByHash(view, hexToBytes(hash)),
    atDesk: (desk, { hash }, head) => desk.waiting(hash, head) ?? desk.judged('transaction', { hash }, head),
  },
  transactionByIndex: { reads: 'transaction', isSlow: true, readsBlocks: true, answer: transactionByIndex },
  rawTransaction: {
    reads: 'transaction',
    isSlow: true,
    // The bytes of a transaction that waits come beside the question.
    answer: (view, { hash }) => bytesToHex(view.pending[0] ?? rawTransaction(view, hexToBytes(hash))),
    atDesk: (desk, parameters, head) => {
      const waiting = ethereumIn(desk.pool, hexToBytes(parameters.hash))
      if (waiting === undefined) return desk.judged('rawTransaction', parameters, head)
      const { raw } = waiting
      if (raw.length <= LIGHT_COST) return jsonText(bytesToHex(raw))
      return desk.environment.heavy.run('rawTransaction', parameters, head, [raw])
    },
  },
  rawTransactionByIndex: { reads: 'transaction', isSlow: true, answer: rawTransactionByIndex },
  receipt: { reads: 'receipt', isSlow: true, isKept: true, answer: receipt },
  rawHeader: { reads: 'few', answer: rawHeader },
  rawBlock: { reads: 'worker', isSlow: true, readsBlocks: true, answer: rawBlock },
  rawReceipts: { reads: 'worker', isSlow: true, readsBlocks: true, answer: rawReceipts },
  feeHistory: { reads: 'worker', readsBlocks: true, answer: feeHistory },
  // It says itself what must not have been pruned.
  committedBlocks: { reads: 'worker', text: committedBlocks },
  // Their range says what must not have been pruned: they look after themselves.
  logs: { reads: 'worker', answer: logs },
  logsPage: { reads: 'worker', answer: logsPage },

  // ---- state ----
  balance: { reads: 'few', answer: balance },
  transactionCount: {
    reads: 'few',
    answer: transactionCount,
    atDesk: (desk, parameters, head) =>
      isPending(parameters.block)
        ? jsonText(desk.nextNonce(hexToBytes(parameters.address)))
        : desk.judged('transactionCount', parameters, head),
  },
  code: { reads: 'few', answer: code },
  storage: { reads: 'few', answer: storage },
  proof: { reads: 'worker', answer: proof },
  storageRange: { reads: 'worker', isSlow: true, answer: storageRange },
  accountRange: { reads: 'worker', isSlow: true, answer: accountRange },
  modifiedAccounts: { reads: 'worker', isSlow: true, answer: modifiedAccounts },
  intermediateRoots: { reads: 'worker', isSlow: true, answer: intermediateRoots },
  config: { reads: 'few', answer: config },

  // ---- execution ----
  call: { reads: 'worker', answer: call },
  estimateGas: { reads: 'worker', answer: estimateGas },
  evmCall: { reads: 'worker', answer: evmCall },
  simulate: { reads: 'worker', isSlow: true, answer: simulateBlocks },
  createAccessList: {
    reads: 'worker',
    answer: createAccessList,
    atDesk: (desk, parameters, head) =>
      desk.heavy('createAccessList', { ...parameters, ...desk.hints(parameters.call) }, head),
  },
  fillTransaction: {
    reads: 'worker',
    answer: fillTransaction,
    atDesk: (desk, parameters, head) =>
      desk.heavy('fillTransaction', { ...parameters, ...desk.hints(parameters.call) }, head),
  },
  traceTransaction: { reads: 'worker', isSlow: true, isKept: true, text: traceTransaction },
  traceBlock: { reads: 'worker', isSlow: true, isKept: true, text: traceBlock },
  traceRawBlock: { reads: 'worker', isSlow: true, text: traceRawBlock },
  traceCall: { reads: 'worker', isSlow: true, text: traceCall },

  // ---- pool ----
  sendOrder: { atDesk: async (desk, order) => jsonText(bytesToHex(await desk.submitOrder(wireFormOf(order)))) },
  sendRawTransaction: { atDesk: async (desk, { raw }) => jsonText(bytesToHex(await desk.submit(hexToBytes(raw)))) },
  pendingTransaction: { atDesk: (desk, { hash }, head) => desk.waiting(hash, head) ?? 'null' },
  waitingTransactions: { reads: 'worker', answer: waitingTransactions },
  clobDepth: { atDesk: ({ clob }, parameters) => clob.depth(parameters) },
  clobOrders: { atDesk: ({ clob }, parameters) => clob.orders(parameters) },
  clobOwnOrders: { atDesk: ({ clob }, parameters) => clob.ownOrders(parameters) },
  clobStamp: { atDesk: ({ clob }, parameters) => clob.stamp(parameters) },
  clobUpdates: { atDesk: ({ clob }, parameters) => clob.updates(parameters) },
  clobPool: { atDesk: ({ clob }, parameters) => clob.pool(parameters) },
  clobNews: { atDesk: ({ clob }, parameters) => clob.news(parameters) },
  gasPrice: { atDesk: (desk) => jsonText(quantityToHex(desk.gasPrice())) },
  maxPriorityFeePerGas: { atDesk: (desk) => jsonText(quantityToHex(desk.tip())) },
  txpoolStatus: { atDesk: ({ pool }) => jsonText(txpoolStatus(pool)) },
  txpoolContent: { atDesk: ({ pool }) => txpoolContent(pool) },
  txpoolContentFrom: { atDesk: ({ pool }, { address }) => txpoolContentFrom(pool, address) },
  txpoolInspect: { atDesk: ({ pool }) => txpoolInspect(pool) },

  // ---- filters ----
  newFilter: { atDesk: ({ filters }, parameters, head) => filters.addLogs(parameters, head) },
  newBlockFilter: { atDesk: ({ filters }, parameters, head) => filters.addBlocks(parameters, head) },
  newPendingTransactionFilter: { atDesk: ({ filters }, parameters) => filters.addPending(parameters) },
  filterChanges: { atDesk: ({ filters }, { id }, head) => filters.changes(id, head) },
  filterLogs: { atDesk: ({ filters }, { id }, head) => filters.logs(id, head) },
  uninstallFilter: { atDesk: ({ filters }, { id }) => filters.remove(id) },

  // ---- the node ----
  syncing: { atDesk: (desk, _, head) => jsonText(desk.syncing(head)) },
  peerCount: { atDesk: ({ environment }) => jsonText(quantityToHex(environment.consensusStatus().peers)) },
  native: {
    reads: 'worker',
    answer: nativeAnswer,
    atDesk: ({ native }, parameters, head) => native.ask(parameters, head),
  },
}
