/** The methods of ABCI 2.0 over the application's port: wire types in and out, nothing else. Knows no transport. */
import { create } from '@bufbuild/protobuf'
import type { ConsensusApplication, ProposedBlock } from '../app/ports.ts'
import { invariant } from '../core/errors.ts'
import { proposalBytes } from '../core/proposal-bytes.ts'
import type { ExecTxResultFields } from '../proto/encode-exec-tx-result.ts'
import { abci } from '../proto/index.ts'
import {
  readAddress,
  readCommit,
  readConsensusParameters,
  readExtendedCommit,
  readHash,
  readHeight,
  readInteger,
  readMisbehavior,
  readSnapshot,
  readTime,
  readValidatorUpdate,
  writeConsensusParameters,
  writeEvent,
  writeGas,
  writeInteger,
  writeProofOps,
  writeSnapshot,
  writeText,
  writeTransactionResult,
  writeValidatorUpdate,
} from './convert.ts'
import { ABCI_CODES, ABCI_CODESPACE, protocolError } from './errors.ts'

/** ResponseFinalizeBlock, the events of its results encoded. */
export interface FinalizeBlockAnswer extends Omit<abci.ResponseFinalizeBlock, 'txResults'> {
  readonly txResults: readonly ExecTxResultFields[]
}

/** Such as `finalizeBlock`: names a request, its response, and a method of the gRPC service. */
export type AbciMethod = Exclude<abci.Request['value']['case'], undefined>
export type AbciRequest<Method extends AbciMethod> = Extract<abci.Request['value'], { case: Method }>['value']
export type AbciResponse<Method extends AbciMethod> = Method extends 'finalizeBlock'
  ? FinalizeBlockAnswer
  : Extract<abci.Response['value'], { case: Method }>['value']

/** A response in the form in which its handler gives it. */
export interface AbciAnswer {
  readonly method: AbciMethod
  readonly response: AbciResponse<AbciMethod>
}

/**
 * One function a method. A protocol error (errors.ts) is the peer's fault and is raised before the application is
 * called; anything else thrown is a broken invariant of the application.
 */
export type AbciHandlers = {
  readonly [Method in AbciMethod]: (
    request: AbciRequest<Method>,
  ) => AbciResponse<Method> | Promise<AbciResponse<Method>>
}

const {
  ResponseApplySnapshotChunk_Result: ApplySnapshotChunkResult,
  ResponseOfferSnapshot_Result: OfferSnapshotResult,
  ResponseProcessProposal_ProposalStatus: ProposalStatus,
  ResponseVerifyVoteExtension_VerifyStatus: VerifyStatus,
} = abci

const readBlock = (
  request: abci.RequestProcessProposal | abci.RequestFinalizeBlock | abci.RequestExtendVote,
  lastCommit: abci.CommitInfo | undefined,
  commitField: string,
): ProposedBlock => {
  const { round, votes } = readCommit(lastCommit, commitField)
  return {
    height: readHeight(request.height),
    timeNs: readTime(request.time, 'time'),
    proposerAddress: readAddress(request.proposerAddress, 'proposer_address'),
    nextValidatorsHash: readHash(request.nextValidatorsHash, 'next_validators_hash'),
    lastCommitRound: round,
    lastCommit: votes,
    misbehavior: request.misbehavior.map(readMisbehavior),
    transactions: request.txs,
    hash: readHash(request.hash, 'hash'),
  }
}

const answerInfo = (application: ConsensusApplication): abci.ResponseInfo => {
  const info = application.info()
  return create(abci.ResponseInfoSchema, {
    data: info.data,
    version: info.version,
    appVersion: writeInteger(info.appVersion, 'app_version'),
    lastBlockHeight: writeInteger(info.lastBlockHeight, 'last_block_height'),
    lastBlockAppHash: info.lastBlockAppHash,
  })
}

const answerInitChain = async (
  application: ConsensusApplication,
  request: abci.RequestInitChain,
): Promise<abci.ResponseInitChain> => {
  const { consensusParams } = request
  const answer = await application.initChain({
    timeNs: readTime(request.time, 'time'),
    chainId: request.chainId,
    consensusParameters: consensusParams === undefined ? undefined : readConsensusParameters(consensusParams),
    validators: request.validators.map(readValidatorUpdate),
    appState: request.appStateBytes,
    initialHeight: readHeight(request.initialHeight),
  })
  const { consensusParameters } = answer
  return create(abci.ResponseInitChainSchema, {
    ...(consensusParameters && { consensusParams: writeConsensusParameters(consensusParameters) }),
    validators: answer.validators.map(writeValidatorUpdate),
    appHash: answer.appHash,
  })
}

/** Users choose path, data and height through CometBFT's RPC: what is wrong with them is answered with a code. */
const answerQuery = async (
  application: ConsensusApplication,
  request: abci.RequestQuery,
): Promise<abci.ResponseQuery> => {
  const { path, data, prove } = request
  if (request.height < 0n || request.height > BigInt(Number.MAX_SAFE_INTEGER)) {
    return create(abci.ResponseQuerySchema, {
      code: ABCI_CODES.outOfRange,
      codespace: ABCI_CODESPACE,
      log: `height ${request.height} is out of range`,
    })
  }
  const answer = await application.abciQuery({ path, data, prove, height: Number(request.height) })
  return create(abci.ResponseQuerySchema, {
    code: answer.code,
    codespace: answer.codespace,
    log: writeText(answer.log),
    key: answer.key,
    value: answer.value,
    height: writeInteger(answer.height, 'height'),
    ...writeProofOps(answer.proofOps),
  })
}

const answerCheckTx = (application: ConsensusApplication, request: abci.RequestCheckTx): abci.ResponseCheckTx => {
  // The pool keeps the transaction: a copy lets go of the chunk of input that it is a view of.
  const check = application.checkTx(Uint8Array.from(request.tx), request.type === abci.CheckTxType.RECHECK)
  return create(abci.ResponseCheckTxSchema, {
    code: check.code,
    codespace: check.codespace,
    log: writeText(check.log),
    gasWanted: writeGas(check.gasWanted),
  })
}

const answerPrepareProposal = async (
  application: ConsensusApplication,
  request: abci.RequestPrepareProposal,
): Promise<abci.ResponsePrepareProposal> => {
  const { round, votes } = readExtendedCommit(request.localLastCommit)
  const maxTxBytes = readInteger(request.maxTxBytes, 'max_tx_bytes')
  const chosen = await application.prepareProposal({
    height: readHeight(request.height),
    timeNs: readTime(request.time, 'time'),
    proposerAddress: readAddress(request.proposerAddress, 'proposer_address'),
    nextValidatorsHash: readHash(request.nextValidatorsHash, 'next_validators_hash'),
    lastCommitRound: round,
    votes,
    misbehavior: request.misbehavior.map(readMisbehavior),
    transactions: request.txs,
    maxTxBytes,
  })
  const bytes = chosen.reduce((sum, transaction) => sum + proposalBytes(transaction.length), 0)
  invariant(bytes <= maxTxBytes, `a proposal of ${bytes} bytes of transactions passes the limit of ${maxTxBytes}`)
  return create(abci.ResponsePrepareProposalSchema, { txs: [...chosen] })
}

const answerProcessProposal = async (
  application: ConsensusApplication,
  request: abci.RequestProcessProposal,
): Promise<abci.ResponseProcessProposal> => {
  const accepted = await application.processProposal(
    readBlock(request, request.proposedLastCommit, 'proposed_last_commit'),
  )
  return create(abci.ResponseProcessProposalSchema, {
    status: accepted ? ProposalStatus.ACCEPT : ProposalStatus.REJECT,
  })
}

const answerFinalizeBlock = async (
  application: ConsensusApplication,
  request: abci.RequestFinalizeBlock,
): Promise<FinalizeBlockAnswer> => {
  const block = readBlock(request, request.decidedLastCommit, 'decided_last_commit')
  const answer = await application.finalizeBlock(block)
  const results = answer.transactionResults.length
  invariant(results === request.txs.length, `${results} results for ${request.txs.length} transactions`)
  const updates = answer.consensusParameterUpdates
  const response = create(abci.ResponseFinalizeBlockSchema, {
    events: answer.events.map(writeEvent),
    validatorUpdates: answer.validatorUpdates.map(writeValidatorUpdate),
    ...(updates && { consensusParamUpdates: writeConsensusParameters(updates) }),
    appHash: answer.appHash,
  })
  return { ...response, txResults: answer.transactionResults.map(writeTransactionResult) }
}

const voteHandlers = (application: ConsensusApplication): Pick<AbciHandlers, 'extendVote' | 'verifyVoteExtension'> => ({
  extendVote: (request) =>
    create(abci.ResponseExtendVoteSchema, {
      voteExtension: application.extendVote(readBlock(request, request.proposedLastCommit, 'proposed_last_commit')),
    }),
  verifyVoteExtension: (request) => {
    const accepted = application.verifyVoteExtension({
      height: readHeight(request.height),
      hash: readHash(request.hash, 'hash'),
      validatorAddress: readAddress(request.validatorAddress, 'validator_address'),
      extension: request.voteExtension,
    })
    return create(abci.ResponseVerifyVoteExtensionSchema, {
      status: accepted ? VerifyStatus.ACCEPT : VerifyStatus.REJECT,
    })
  },
})

const OFFER_RESULTS = {
  accept: OfferSnapshotResult.ACCEPT,
  abort: OfferSnapshotResult.ABORT,
  reject: OfferSnapshotResult.REJECT,
  rejectFormat: OfferSnapshotResult.REJECT_FORMAT,
  rejectSender: OfferSnapshotResult.REJECT_SENDER,
} as const

const CHUNK_RESULTS = {
  accept: ApplySnapshotChunkResult.ACCEPT,
  abort: ApplySnapshotChunkResult.ABORT,
  retry: ApplySnapshotChunkResult.RETRY,
  retrySnapshot: ApplySnapshotChunkResult.RETRY_SNAPSHOT,
  rejectSnapshot: ApplySnapshotChunkResult.REJECT_SNAPSHOT,
} as const

type SnapshotMethod = 'listSnapshots' | 'offerSnapshot' | 'loadSnapshotChunk' | 'applySnapshotChunk'

const snapshotHandlers = (application: ConsensusApplication): Pick<AbciHandlers, SnapshotMethod> => ({
  listSnapshots: () =>
    create(abci.ResponseListSnapshotsSchema, { snapshots: application.listSnapshots().map(writeSnapshot) }),
  offerSnapshot: ({ snapshot, appHash }) =>
    create(abci.ResponseOfferSnapshotSchema, {
      result: OFFER_RESULTS[application.offerSnapshot(readSnapshot(snapshot), appHash)],
    }),
  loadSnapshotChunk: ({ height, format, chunk }) =>
    create(abci.ResponseLoadSnapshotChunkSchema, {
      // Peers choose the height: one that is none has no chunk.
      chunk: application.loadSnapshotChunk({ height: Number(height), format, chunk }),
    }),
  applySnapshotChunk: async ({ index, chunk, sender }) => {
    const { result, refetchChunks, rejectSenders } = await application.applySnapshotChunk({ index, chunk, sender })
    return create(abci.ResponseApplySnapshotChunkSchema, {
      result: CHUNK_RESULTS[result],
      refetchChunks: [...refetchChunks],
      rejectSenders: [...rejectSenders],
    })
  },
})

/** CometBFT's `app` mempool is not used. */
const unsupportedHandlers: Pick<AbciHandlers, 'insertTx' | 'reapTxs'> = {
  insertTx: () => create(abci.ResponseInsertTxSchema, { code: ABCI_CODES.unsupportedMethod }),
  reapTxs: () => create(abci.ResponseReapTxsSchema),
}

export const createHandlers = (application: ConsensusApplication): AbciHandlers => ({
  echo: ({ message }) => create(abci.ResponseEchoSchema, { message }),
  flush: () => create(abci.ResponseFlushSchema),
  info: () => answerInfo(application),
  initChain: (request) => answerInitChain(application, request),
  query: (request) => answerQuery(application, request),
  checkTx: (request) => answerCheckTx(application, request),
  prepareProposal: (request) => answerPrepareProposal(application, request),
  processProposal: (request) => answerProcessProposal(application, request),
  ...voteHandlers(application),
  finalizeBlock: (request) => answerFinalizeBlock(application, request),
  commit: async () =>
    create(abci.ResponseCommitSchema, { retainHeight: writeInteger(await application.commit(), 'retain_height') }),
  ...snapshotHandlers(application),
  ...unsupportedHandlers,
})

/** Answers one request, at once where the handler does. Throws abci/4 for a request without a known method. */
export const dispatch = (handlers: AbciHandlers, request: abci.Request): AbciAnswer | Promise<AbciAnswer> => {
  const { case: method, value } = request.value
  if (method === undefined) throw protocolError('unknownMethod', 'a request of an unknown method')
  // The pairing of method, request and response is that of AbciHandlers.
  type Response = AbciResponse<AbciMethod>
  const answer = (handlers[method] as (request: unknown) => Response | Promise<Response>)(value)
  return answer instanceof Promise ? answer.then((response) => ({ method, response })) : { method, response: answer }
}
