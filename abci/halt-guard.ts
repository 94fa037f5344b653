/** A node that must stop at a height answers nothing more that could lead to the next block. */
import { create } from '@bufbuild/protobuf'
import { abci } from '../proto/index.ts'
import type { AbciHandlers } from './handlers.ts'

/**
 * `isHalted` is asked at every call; a decided block then waits for `released`. Proposals are refused rather than held:
 * CometBFT can stop in an orderly way only between calls.
 */
export const guardHalted = (
  handlers: AbciHandlers,
  isHalted: () => boolean,
  released: Promise<void>,
): AbciHandlers => ({
  ...handlers,
  prepareProposal: (request) =>
    isHalted() ? create(abci.ResponsePrepareProposalSchema) : handlers.prepareProposal(request),
  processProposal: (request) =>
    isHalted()
      ? create(abci.ResponseProcessProposalSchema, { status: abci.ResponseProcessProposal_ProposalStatus.REJECT })
      : handlers.processProposal(request),
  // A decided block cannot be refused. CometBFT is stopped while it waits, and replays the block another day.
  finalizeBlock: (request) =>
    isHalted()
      ? released.then(() => ({ ...create(abci.ResponseFinalizeBlockSchema), txResults: [] }))
      : handlers.finalizeBlock(request),
})
