/** The batch of a block on the book of the committed head: planned, executed, and undone until the block is committed. */
import { type Address, FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { sha256 } from '../../core/hash.ts'
import { createLedger } from '../../modules/bank/index.ts'
import {
  type BatchItem,
  type BatchResult,
  type Body,
  type BlockPlan,
  type BlockPlanFault,
  type Books,
  type ClobBody,
  clobError,
  countStop,
  decodeClobBody,
  extensionSummary,
  type ListedId,
  planOfBlock,
  readCarried,
  readProposer,
  recoverSigner,
  streamClobStep,
  writeCarried,
  writeProposer,
} from '../../modules/clob/index.ts'
import { markSearched } from '../../modules/events.ts'
import { encodeEvents } from '../../proto/encode-exec-tx-result.ts'
import { Overlay } from '../../store/overlay.ts'
import type { BatchOutcome, BatchScope, BatchStep } from '../block/batch.ts'
import { NO_RESULT } from '../block/transaction.ts'
import type { TransactionResult } from '../ports.ts'
import type { ChainParameters } from '../records/chain-parameters.ts'
import { planInputOf, toMilliseconds } from './block-plan.ts'

/** What the node knows of orders that blocks bring: those of its pool are decoded, and their signers known. */
export interface KnownOrders {
  readBody(raw: Uint8Array): Body
  /** Undefined where the signature does not hold. */
  signerOf(body: ClobBody): Address | undefined
}

export interface LiveBatchOptions {
  /** The books of the head on which blocks are executed. */
  books(): Books
  readonly orders: KnownOrders
}

/** Whom a message may send to does not matter here. */
const LEDGER = createLedger({ isBlockedReceiver: () => false })

const encodeResult = ({ code, log, data, events }: BatchResult): TransactionResult => ({
  ...NO_RESULT,
  code,
  codespace: code === 0 ? '' : 'clob',
  log,
  data,
  events: events.length === 0 ? EMPTY_BYTES : encodeEvents(markSearched(events)),
})

/** The result of each order of a decided block whose batch is not the one that the votes oblige it to hold. */
const notPlanned = (fault: string): TransactionResult => {
  const {
    code,
    codespace,
    message: log,
  } = clobError('notPlanned', `the orders of this block are not executed: ${fault}`)
  return { ...NO_RESULT, code, codespace, log }
}

export class LiveBatch implements BatchStep {
  readonly #options: LiveBatchOptions

  constructor(options: LiveBatchOptions) {
    this.#options = options
  }

  run(scope: BatchScope, transactions: readonly Uint8Array[]): BatchOutcome {
    const { chain, content, attestations, emit } = scope
    const { orders } = this.#options
    const plan = planOfBlock(
      planInputOf(chain, content, attestations, (raw) => orders.readBody(raw)),
      transactions,
    )
    const items =
      'fault' in plan ? [] : plan.taken.map((taken): BatchItem => this.#itemOf(taken.body.body, taken.listed))
    const layer = new Overlay(scope.state)
    const { height, timeNs } = content
    const context = {
      ...{ state: layer, height, timeMs: toMilliseconds(timeNs), emit },
      ...{ ledger: LEDGER, feeCollector: FEE_COLLECTOR_ADDRESS },
    }
    const results = new Map<number, TransactionResult>()
    // The places of the results begin behind the injected transaction.
    const { delta, told } = streamClobStep(this.#options.books(), context, items, (result) => {
      results.set(1 + results.size, encodeResult(result))
    })
    noteCarried(layer, plan)
    noteStop(layer, content.proposerAddress, plan)
    const { summary } = plan
    if (summary.attested + summary.carried + summary.skipped > 0)
      emit(extensionSummary({ height: height - 1, ...summary }))
    return {
      fault: 'fault' in plan ? plan.fault : undefined,
      carried: 'fault' in plan ? undefined : plan.carried,
      isStopped: !('fault' in plan) && plan.missing !== undefined,
      results: 'fault' in plan ? this.#refused(scope, transactions, plan.fault) : results,
      changes: layer.changes(),
      book: delta,
      told,
    }
  }

  #itemOf(body: ClobBody, { phase }: ListedId): BatchItem {
    const { orders } = this.#options
    return { body, hash: body.hash, listedPhase: phase, signer: () => orders.signerOf(body) }
  }

  #refused({ chain }: BatchScope, transactions: readonly Uint8Array[], fault: string): BatchOutcome['results'] {
    const refused = notPlanned(fault)
    const results = new Map<number, TransactionResult>()
    for (const [index, raw] of transactions.entries()) {
      if (chain.families.of(raw).isBatched === true) results.set(index, refused)
    }
    return results
  }
}

const noteCarried = (state: Overlay, plan: BlockPlan | BlockPlanFault): void => {
  const carried = 'fault' in plan ? [] : plan.carried
  // An empty list has no key: most blocks write nothing here.
  if (carried.length > 0 || readCarried(state).length > 0) writeCarried(state, carried)
}

const noteStop = (state: Overlay, proposer: Uint8Array, plan: BlockPlan | BlockPlanFault): void => {
  if ('fault' in plan || plan.missing === undefined) return
  writeProposer(state, proposer, countStop(readProposer(state, proposer), plan.missing))
}

const readBodyAnew = (raw: Uint8Array): Body => {
  try {
    const body = decodeClobBody(raw)
    return { raw, hash: body.hash, body }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    // What is not statically valid fits no id.
    return { raw, hash: sha256(raw), body: undefined }
  }
}

/** Where there is no pool: every order is decoded, and every signature verified. */
export const ordersAnew = ({ chainId, evmChainId }: ChainParameters): KnownOrders => {
  const chain = { chainId, evmChainId: Number(evmChainId) }
  return { readBody: readBodyAnew, signerOf: ({ tx }) => recoverSigner(tx, chain) }
}
