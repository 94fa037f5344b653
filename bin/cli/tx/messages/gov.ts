/** `chain tx gov` and `chain tx upgrade`, which makes proposals */
import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import type { Command } from 'commander'
import * as z from 'zod'
import type { PackedMessage } from '../../../../app/native/public-key.ts'
import { encodeBech32 } from '../../../../core/bech32.ts'
import { formatDecimal, ONE, parseDecimal } from '../../../../core/decimal.ts'
import { GOVERNANCE_ADDRESS } from '../../../../modules/authority.ts'
import { gov, govTx, upgradeTx } from '../../../../proto/index.ts'
import { cliError, errorText } from '../../../errors.ts'
import { parseCoins } from '../../client/coins.ts'
import { type Flags, parseUint, textOf, uintOf } from '../../client/flags.ts'
import { readMessage } from '../../client/messages-json.ts'
import { readJson } from '../../input.ts'
import { pack } from '../tx-document.ts'
import { argument, type MessageContext, readId, type TxCommand } from './tx-command.ts'

const VOTE_OPTIONS: Readonly<Record<string, gov.VoteOption>> = {
  yes: gov.VoteOption.YES,
  abstain: gov.VoteOption.ABSTAIN,
  no: gov.VoteOption.NO,
  nowithveto: gov.VoteOption.NO_WITH_VETO,
}

/** yes, no, abstain, no-with-veto; VOTE_OPTION_YES and its like. Throws cli/1. */
const readOption = (text: string): gov.VoteOption => {
  const name = text
    .toLowerCase()
    .replace(/^vote_option_/, '')
    .replaceAll(/[-_]/g, '')
  const option = Object.hasOwn(VOTE_OPTIONS, name) ? VOTE_OPTIONS[name] : undefined
  if (option !== undefined) return option
  throw cliError('usage', `"${text}" is no vote: yes, no, abstain or no-with-veto`)
}

/** yes=0.6,no=0.4: weights that are one together. Throws cli/1. */
const readWeightedOptions = (text: string): readonly { option: gov.VoteOption; weight: string }[] => {
  let sum = 0n
  const options = text.split(',').map((part) => {
    const [name = '', weight = '1'] = part.split('=')
    try {
      const value = parseDecimal(weight)
      sum += value
      return { option: readOption(name), weight: formatDecimal(value) }
    } catch (error) {
      throw cliError('usage', `${part}: ${errorText(error)}`)
    }
  })
  if (sum !== ONE) throw cliError('usage', `the weights are ${formatDecimal(sum)} together, not 1`)
  return options
}

const proposalFile = z.object({
  messages: z.array(z.unknown()).default([]),
  metadata: z.string().default(''),
  deposit: z.string().default(''),
  title: z.string(),
  summary: z.string(),
  expedited: z.boolean().default(false),
})

export const proposal = (
  context: MessageContext,
  messages: readonly PackedMessage[],
  { deposit, ...texts }: Omit<z.infer<typeof proposalFile>, 'messages'>,
): PackedMessage =>
  pack(govTx.MsgSubmitProposalSchema, {
    messages: messages.map((message) => create(AnySchema, message)),
    initialDeposit: deposit === '' ? [] : [...parseCoins(deposit)],
    proposer: context.from,
    ...texts,
  })

const submitProposal: TxCommand = {
  usage: 'submit-proposal <file>',
  description: 'propose what a JSON file says: messages, metadata, deposit, title, summary, expedited',
  messages: (context, args) => {
    const path = argument(args, 0)
    const parsed = proposalFile.safeParse(readJson(path))
    if (!parsed.success) throw cliError('usage', `${path}:\n${z.prettifyError(parsed.error)}`)
    const { messages, ...rest } = parsed.data
    const packed = messages.map((message, index) => readMessage(AnySchema, message, `${path}: messages[${index}]`))
    return [proposal(context, packed, rest)]
  },
}

const deposit: TxCommand = {
  usage: 'deposit <proposal-id> <amount...>',
  description: 'add to the deposit of a proposal',
  messages: ({ from }, args) => [
    pack(govTx.MsgDepositSchema, {
      proposalId: readId(argument(args, 0), 'id of a proposal'),
      depositor: from,
      amount: [...parseCoins(...args.slice(1))],
    }),
  ],
}

const withMetadata = (command: Command): Command => command.option('--metadata <text>', 'what is said along with it')

const vote: TxCommand = {
  usage: 'vote <proposal-id> <option>',
  description: 'vote yes, no, abstain or no-with-veto',
  addOptions: withMetadata,
  messages: ({ from }, args, flags) => [
    pack(govTx.MsgVoteSchema, {
      proposalId: readId(argument(args, 0), 'id of a proposal'),
      voter: from,
      option: readOption(argument(args, 1)),
      metadata: textOf(flags, 'metadata') ?? '',
    }),
  ],
}

const weightedVote: TxCommand = {
  usage: 'weighted-vote <proposal-id> <options>',
  description: 'split a vote: yes=0.6,no=0.4',
  addOptions: withMetadata,
  messages: ({ from }, args, flags) => [
    pack(govTx.MsgVoteWeightedSchema, {
      proposalId: readId(argument(args, 0), 'id of a proposal'),
      voter: from,
      options: [...readWeightedOptions(argument(args, 1))],
      metadata: textOf(flags, 'metadata') ?? '',
    }),
  ],
}

const cancelProposal: TxCommand = {
  usage: 'cancel-proposal <proposal-id>',
  description: 'take a proposal of your own back; a part of the deposits is burned',
  messages: ({ from }, args) => [
    pack(govTx.MsgCancelProposalSchema, {
      proposalId: readId(argument(args, 0), 'id of a proposal'),
      proposer: from,
    }),
  ],
}

export const withProposal = (command: Command): Command =>
  withMetadata(command)
    .requiredOption('--title <text>', 'of the proposal')
    .requiredOption('--summary <text>', 'of the proposal')
    .option('--deposit <amount>', 'the first deposit')
    .option('--expedited', 'a shorter vote, with a higher threshold')

export const proposalFlags = (flags: Flags) => ({
  title: textOf(flags, 'title') ?? '',
  summary: textOf(flags, 'summary') ?? '',
  metadata: textOf(flags, 'metadata') ?? '',
  deposit: textOf(flags, 'deposit') ?? '',
  expedited: flags['expedited'] === true,
})

/** The authority of messages in a proposal. */
export const AUTHORITY = encodeBech32(GOVERNANCE_ADDRESS)

const softwareUpgrade: TxCommand = {
  usage: 'software-upgrade <name>',
  description: 'propose that the chain stops at a height for other software',
  addOptions: (command) =>
    withProposal(command)
      .requiredOption('--upgrade-height <height>', 'before which the old software stops', parseUint)
      .option('--upgrade-info <text>', 'such as where the software is'),
  messages: (context, args, flags) => {
    const height = uintOf(flags, 'upgradeHeight') ?? 0n
    const plan = { name: argument(args, 0), height, info: textOf(flags, 'upgradeInfo') ?? '' }
    return [
      proposal(
        context,
        [pack(upgradeTx.MsgSoftwareUpgradeSchema, { authority: AUTHORITY, plan })],
        proposalFlags(flags),
      ),
    ]
  },
}

const cancelUpgrade: TxCommand = {
  usage: 'cancel-software-upgrade',
  description: 'propose that a planned upgrade does not happen',
  aliases: ['cancel'],
  addOptions: withProposal,
  messages: (context, _, flags) => [
    proposal(context, [pack(upgradeTx.MsgCancelUpgradeSchema, { authority: AUTHORITY })], proposalFlags(flags)),
  ],
}

export const GOV_COMMANDS: readonly TxCommand[] = [submitProposal, deposit, vote, weightedVote, cancelProposal]
export const UPGRADE_COMMANDS: readonly TxCommand[] = [softwareUpgrade, cancelUpgrade]
