/** MsgSubmitProposal of v1 and v1beta1. */
import { govBetaTx, govTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import type { GovDependencies } from '../deps.ts'
import { checkContent, readContent, wrapContent } from '../legacy-content.ts'
import { checkSubmission, parseSubmission, submitProposal } from '../proposals.ts'

export const createSubmitProposal = (dependencies: GovDependencies): MessageHandler =>
  handleMessage(govTx.Msg.method.submitProposal, {
    checkStateless: (message) => checkSubmission(dependencies, message),
    execute: (context, message) => ({
      proposalId: submitProposal(dependencies, context, parseSubmission(message)),
    }),
  })

/** A text becomes the message that carries it. It cannot be expedited. */
const fromLegacy = (message: govBetaTx.MsgSubmitProposal) => {
  const content = readContent(message.content)
  checkContent(content)
  return {
    messages: [wrapContent(content)],
    initialDeposit: message.initialDeposit,
    proposer: message.proposer,
    metadata: '',
    title: content.title,
    summary: content.description,
    expedited: false,
  }
}

export const createLegacySubmitProposal = (dependencies: GovDependencies): MessageHandler =>
  handleMessage(govBetaTx.Msg.method.submitProposal, {
    checkStateless: (message) => checkSubmission(dependencies, fromLegacy(message)),
    execute: (context, message) => ({
      proposalId: submitProposal(dependencies, context, parseSubmission(fromLegacy(message))),
    }),
  })
