/** Questions about the chain that need nothing but a view of it: the same on the main thread and in workers. */
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { unsupported } from '../errors.ts'
import type { QuestionName, Questions } from '../ports.ts'
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
import { createAccessList } from './access-list.ts'
import { fillTransaction } from './fill-transaction.ts'
import { feeHistory } from './fees.ts'
import { logs, logsPage } from './logs.ts'
import { nativeAnswer } from './native-worker.ts'
import { proof } from './proof.ts'
import { simulate } from './simulate/simulate.ts'
import { intermediateRoots, modifiedAccounts } from './state-changes.ts'
import { accountRange, storageRange } from './state-ranges.ts'
import { balance, code, storage, transactionCount } from './state.ts'
import { rawBlock, rawHeader, rawReceipts } from './trace/raw-block.ts'
import { traceBlock, traceCall, traceRawBlock, traceTransaction } from './trace/trace-questions.ts'
import type { View } from './view.ts'

type Answers = { readonly [Name in QuestionName]?: (view: View, parameters: Questions[Name]) => unknown }

const ANSWERS: Answers = {
  block,
  header,
  blockTransactionCount: (view, parameters) => blockTransactionCount(view, parameters.block),
  transaction: (view, { hash }) => transactionByHash(view, hexToBytes(hash)),
  transactionByIndex,
  // Of one that waits the bytes come beside the question.
  rawTransaction: (view, { hash }) => bytesToHex(view.pending[0] ?? rawTransaction(view, hexToBytes(hash))),
  rawTransactionByIndex,
  receipt,
  balance,
  transactionCount,
  code,
  storage,
  proof,
  call,
  estimateGas,
  simulate,
  createAccessList,
  fillTransaction,
  config,
  storageRange,
  accountRange,
  modifiedAccounts,
  intermediateRoots,
  rawHeader,
  rawBlock,
  rawReceipts,
  feeHistory,
  logs,
  logsPage,
  waitingTransactions,
  heads,
  native: nativeAnswer,
}

/** Answers that are JSON text from the beginning: as objects they would take many times the memory. */
const TEXTS: { readonly [Name in QuestionName]?: (view: View, parameters: Questions[Name]) => Promise<string> } = {
  blockReceipts,
  committedBlocks,
  traceTransaction,
  traceBlock,
  traceRawBlock,
  traceCall,
}

/** The answer as JSON text. Throws a CodedError. */
export const answer = <Name extends QuestionName>(
  view: View,
  name: Name,
  parameters: Questions[Name],
): string | Promise<string> => {
  const text = TEXTS[name]
  if (text !== undefined) return text(view, parameters)
  const reply = ANSWERS[name]
  if (reply === undefined) throw unsupported(`the question ${name} needs the pool and is not answered here`)
  const result = reply(view, parameters)
  return result instanceof Promise ? result.then((settled) => JSON.stringify(settled)) : JSON.stringify(result)
}
