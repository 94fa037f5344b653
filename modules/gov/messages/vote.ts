/** MsgVote and MsgVoteWeighted of v1 and v1beta1. */
import { govBetaTx, govTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageContext, MessageHandler } from '../../module.ts'
import type { GovDependencies } from '../deps.ts'
import { parseParty } from '../parties.ts'
import { checkMetadata } from '../proposals.ts'
import { firstOptions, printScaledWeight, singleOption, splitOptions, type WeightedOption } from '../vote.ts'
import { castVote } from '../voting.ts'

interface WireVote {
  readonly proposalId: bigint
  readonly voter: string
  /** v1 alone has it. */
  readonly metadata?: string
}

const work = <Message extends WireVote>(
  dependencies: GovDependencies,
  readOptions: (message: Message) => readonly WeightedOption[],
) => {
  const parse = (message: Message) => {
    const { voter, metadata = '' } = message
    const parsed = { voter: parseParty(voter, 'voter'), options: readOptions(message), metadata }
    checkMetadata(metadata)
    return parsed
  }
  return {
    checkStateless: (message: Message) => void parse(message),
    execute: (context: MessageContext, message: Message) => {
      const { voter, options, metadata } = parse(message)
      castVote(dependencies, context, message.proposalId, voter, { options, metadata })
      return {}
    },
  }
}

interface WireSplit extends WireVote {
  readonly options: readonly { readonly option: number; readonly weight: string }[]
}

const single = ({ option }: WireVote & { readonly option: number }) => singleOption(option)
const split = ({ options }: WireSplit) => splitOptions(options)
const splitLegacy = ({ options }: WireSplit) =>
  splitOptions(firstOptions(options).map(({ option, weight }) => ({ option, weight: printScaledWeight(weight) })))

export const createVotes = (dependencies: GovDependencies): readonly MessageHandler[] => [
  handleMessage(govTx.Msg.method.vote, work(dependencies, single)),
  handleMessage(govTx.Msg.method.voteWeighted, work(dependencies, split)),
  handleMessage(govBetaTx.Msg.method.vote, work(dependencies, single)),
  handleMessage(govBetaTx.Msg.method.voteWeighted, work(dependencies, splitLegacy)),
]
