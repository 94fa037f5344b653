/** MsgCancelProposal: the proposer takes a proposal back, at the price of a part of all deposits. */
import { govTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import type { GovDependencies } from '../deps.ts'
import { parseParty } from '../parties.ts'
import { cancelProposal } from '../proposals.ts'
import { toTimestamp } from '../times.ts'

export const createCancelProposal = (dependencies: GovDependencies): MessageHandler =>
  handleMessage(govTx.Msg.method.cancelProposal, {
    checkStateless: ({ proposer }) => void parseParty(proposer, 'proposer'),
    execute: (context, { proposalId, proposer }) => {
      cancelProposal(dependencies, context, proposalId, parseParty(proposer, 'proposer'))
      return { proposalId, canceledTime: toTimestamp(context.timeNs), canceledHeight: BigInt(context.height) }
    },
  })
