/**
 * CometBFT's gRPC client receives at most 4 MiB, and a larger answer stops the chain at its height. So every answer
 * over gRPC is bounded before it is sent: a proposal by what is asked of the application, the others by leaving out
 * what consensus does not need.
 */
import { create, toBinary } from '@bufbuild/protobuf'
import { EMPTY_BYTES } from '../core/bytes.ts'
import { invariant } from '../core/errors.ts'
import { abci } from '../proto/index.ts'
import { WRITE_OPTIONS } from './codec.ts'
import { ABCI_CODES, ABCI_CODESPACE } from './errors.ts'
import type { AbciHandlers, AbciMethod, AbciResponse, FinalizeBlockAnswer } from './handlers.ts'
import type { AbciLog } from './log.ts'

/** Transactions of a proposal, as CometBFT counts them. */
export const MAX_PROPOSAL_BYTES = 3 * 1024 * 1024
/** An answer has at most so many bytes; the rest up to 4 MiB is for frames and headers. */
const MAX_REPLY_BYTES = 3.5 * 1024 * 1024

/** The same handlers; a proposal fits into a reply, whatever CometBFT allows. */
export const boundProposals = (handlers: AbciHandlers): AbciHandlers => ({
  ...handlers,
  prepareProposal: (request) => {
    const most = BigInt(MAX_PROPOSAL_BYTES)
    return handlers.prepareProposal(request.maxTxBytes > most ? { ...request, maxTxBytes: most } : request)
  },
})

/** Not hashed: only code, data and gas of a result are (CometBFT's types.NewResults). */
const withoutEvents = (response: FinalizeBlockAnswer): FinalizeBlockAnswer => ({
  ...response,
  events: [],
  txResults: response.txResults.map((result) => ({ ...result, events: EMPTY_BYTES })),
})

const withoutTexts = (response: FinalizeBlockAnswer): FinalizeBlockAnswer => ({
  ...withoutEvents(response),
  txResults: response.txResults.map((result) => ({ ...result, events: EMPTY_BYTES, log: '', codespace: '' })),
})

const refuseAnswer = ({ value, height }: abci.ResponseQuery): abci.ResponseQuery =>
  create(abci.ResponseQuerySchema, {
    code: ABCI_CODES.replyTooLarge,
    codespace: ABCI_CODESPACE,
    log: `an answer of ${value.length} bytes is too large: ${MAX_REPLY_BYTES} at most over gRPC`,
    height,
  })

/** Keeps as many snapshots as fit, from the first on. */
const fewerSnapshots = ({ snapshots }: abci.ResponseListSnapshots): abci.ResponseListSnapshots => {
  const kept: abci.Snapshot[] = []
  let bytes = 0
  for (const snapshot of snapshots) {
    // Tag and length of the list's entry.
    bytes += toBinary(abci.SnapshotSchema, snapshot, WRITE_OPTIONS).length + 6
    if (bytes > MAX_REPLY_BYTES) break
    kept.push(snapshot)
  }
  return create(abci.ResponseListSnapshotsSchema, { snapshots: kept })
}

type Shrink<Method extends AbciMethod> = (response: AbciResponse<Method>) => AbciResponse<Method>

/** What is tried in turn when an answer is too large. */
const SMALLER: { readonly [Method in AbciMethod]?: readonly Shrink<Method>[] } = {
  finalizeBlock: [withoutEvents, withoutTexts],
  query: [refuseAnswer],
  listSnapshots: [fewerSnapshots],
  // CometBFT's peer asks another node when there is none.
  loadSnapshotChunk: [() => create(abci.ResponseLoadSnapshotChunkSchema)],
}

/** The bytes of an answer, or of what is left of it within {@link MAX_REPLY_BYTES}. */
export const encodeBounded = (
  method: AbciMethod,
  response: unknown,
  encode: (response: unknown) => Uint8Array,
  log: AbciLog,
): Uint8Array => {
  const whole = encode(response)
  if (whole.length <= MAX_REPLY_BYTES) return whole
  // The pairing of method and response is that of the table.
  for (const shrink of (SMALLER[method] ?? []) as readonly ((response: unknown) => unknown)[]) {
    const smaller = encode(shrink(response))
    if (smaller.length > MAX_REPLY_BYTES) continue
    log.warn(`abci ${method}: an answer of ${whole.length} bytes was cut to ${smaller.length}, for gRPC takes 4 MiB`)
    return smaller
  }
  invariant(false, `an answer of ${whole.length} bytes to ${method} cannot pass over gRPC`)
}
