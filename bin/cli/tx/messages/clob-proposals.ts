/** `chain tx clob propose-*`: proposals that make a market, change its fees and other settings, or the parameters of the order book. */
import { create, type Message } from '@bufbuild/protobuf'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { clob, clobMsg, clobQuery } from '../../../../proto/index.ts'
import { cliError } from '../../../errors.ts'
import { type Flags, parseCount, textOf } from '../../client/flags.ts'
import { pack } from '../tx-document.ts'
import { AUTHORITY, proposal, proposalFlags, withProposal } from './gov.ts'
import { argument, type MessageContext, type TxCommand } from './tx-command.ts'

const AMOUNT = /^(?:0|[1-9][0-9]{0,38})$/

const parseAmount = (text: string): string => {
  if (AMOUNT.test(text)) return text
  throw new InvalidArgumentError('must be a whole number of the smallest unit')
}

const parseSize = (text: string): string => {
  if (parseAmount(text) !== '0') return text
  throw new InvalidArgumentError('must be at least 1')
}

interface Tier {
  readonly volume: string
  readonly makerPpm: number
  readonly takerPpm: number
}

/** VOLUME:MAKER:TAKER, apart by commas: what an owner of so much volume in 30 days pays, in parts per million. */
const parseTiers = (text: string): readonly Tier[] =>
  text.split(',').map((tier) => {
    const [, volume, maker, taker] = /^([0-9]{1,39}):(-?[0-9]{1,6}):([0-9]{1,6})$/.exec(tier) ?? []
    if (volume === undefined || !AMOUNT.test(volume)) {
      throw new InvalidArgumentError(`"${tier}" is no tier: write VOLUME:MAKER:TAKER, such as 0:100:300`)
    }
    return { volume, makerPpm: Number(maker), takerPpm: Number(taker) }
  })

const STATUSES: Readonly<Record<string, clob.MarketStatus>> = {
  active: clob.MarketStatus.ACTIVE,
  'post-only': clob.MarketStatus.POST_ONLY,
  'cancel-only': clob.MarketStatus.CANCEL_ONLY,
  halted: clob.MarketStatus.HALTED,
}
const MODES: Readonly<Record<string, clob.MarketMode>> = {
  continuous: clob.MarketMode.CONTINUOUS,
  uniform: clob.MarketMode.UNIFORM,
}

const withSettings = (command: Command): Command =>
  withProposal(command)
    .option(
      '--tiers <tiers>',
      'VOLUME:MAKER:TAKER in parts per million, apart by commas; a negative MAKER is a rebate',
      parseTiers,
    )
    .option('--min-notional <amount>', 'of an order, in the smallest unit of quote', parseAmount)
    .option('--band-ppm <number>', 'how far beyond the block price a taker may go; 0 is no band', parseCount)
    .option('--max-open-orders <number>', 'of an account', parseCount)
    .option('--trigger-notional <amount>', 'of fills from which on they change the block price', parseSize)
    .option('--min-equity <amount>', 'that an owner must have in base and quote, in quote', parseAmount)
    .addOption(new Option('--status <status>').choices(Object.keys(STATUSES)))
    .addOption(new Option('--mode <mode>', 'changes only while no order is open').choices(Object.keys(MODES)))

const numberOf = (flags: Flags, name: string): number | undefined => {
  const value = flags[name]
  return typeof value === 'number' ? value : undefined
}

type Settings = Omit<clob.MarketSettings, keyof Message>

/** What the flags say of settings; what they leave out stays as it is in `given`. */
const settingsOf = (flags: Flags, given: Settings): Settings => {
  const tiers = flags['tiers'] as readonly Tier[] | undefined
  return {
    fees: tiers === undefined ? given.fees : tiers.map((tier) => create(clob.FeeTierSchema, tier)),
    minNotional: textOf(flags, 'minNotional') ?? given.minNotional,
    bandPpm: numberOf(flags, 'bandPpm') ?? given.bandPpm,
    maxOpenOrders: numberOf(flags, 'maxOpenOrders') ?? given.maxOpenOrders,
    triggerNotional: textOf(flags, 'triggerNotional') ?? given.triggerNotional,
    minEquity: textOf(flags, 'minEquity') ?? given.minEquity,
    status: STATUSES[textOf(flags, 'status') ?? ''] ?? given.status,
    mode: MODES[textOf(flags, 'mode') ?? ''] ?? given.mode,
  }
}

/** The settings of a market for which the command says nothing else. */
const USUAL: Settings = {
  fees: [create(clob.FeeTierSchema, { volume: '0', makerPpm: 100, takerPpm: 300 })],
  ...{ minNotional: '0', bandPpm: 100_000, maxOpenOrders: 200, triggerNotional: '1', minEquity: '0' },
  ...{ status: clob.MarketStatus.ACTIVE, mode: clob.MarketMode.CONTINUOUS },
}

const requireNode = ({ isOffline }: MessageContext, what: string): void => {
  if (isOffline)
    throw cliError(
      'usage',
      `offline, ${what} are not known: a file for \`chain tx gov submit-proposal\` says all of them`,
    )
}

const proposeMarket: TxCommand = {
  usage: 'propose-market <base-denom> <quote-denom>',
  description: 'propose a market; its denominations, lot size and factor stay for ever',
  addOptions: (command) =>
    withSettings(command)
      .requiredOption('--lot-size <amount>', 'smallest units of base in a lot', parseSize)
      .requiredOption('--factor <amount>', 'smallest units of quote that one tick a lot is worth', parseSize),
  messages: (context, args, flags) => {
    const sizes = { lotSize: textOf(flags, 'lotSize') ?? '', factor: textOf(flags, 'factor') ?? '' }
    const message = pack(clobMsg.MsgCreateMarketSchema, {
      ...{ authority: AUTHORITY, baseDenom: argument(args, 0), quoteDenom: argument(args, 1), ...sizes },
      settings: settingsOf(flags, USUAL),
    })
    return [proposal(context, [message], proposalFlags(flags))]
  },
}

const proposeSettings: TxCommand = {
  usage: 'propose-settings <market>',
  description: 'propose other fees or settings of a market; what no flag names stays as the node says it is',
  addOptions: withSettings,
  messages: async (context, args, flags) => {
    requireNode(context, 'the settings of a market')
    const market = Number(argument(args, 0))
    if (!Number.isSafeInteger(market) || market < 1) throw cliError('usage', `"${argument(args, 0)}" is no market`)
    const { market: found } = await context.client.query(clobQuery.Query.method.market, { market })
    if (found?.settings === undefined) throw cliError('query', `there is no market ${market}`)
    const message = { authority: AUTHORITY, market, settings: settingsOf(flags, found.settings) }
    return [proposal(context, [pack(clobMsg.MsgUpdateMarketSchema, message)], proposalFlags(flags))]
  },
}

/** Each parameter by its flag. */
const PARAMETERS = clob.ParamsSchema.fields.map(({ name, localName }) => ({
  flag: name.replaceAll('_', '-'),
  localName,
}))

const proposeParams: TxCommand = {
  usage: 'propose-params',
  description: 'propose other parameters of the order book; what no flag names stays as the node says it is',
  addOptions: (command) =>
    PARAMETERS.reduce(
      (options, { flag }) =>
        options.option(`--${flag} <number>`, 'see docs/clob-spec.md, State and Decisions', parseCount),
      withProposal(command),
    ),
  messages: async (context, _, flags) => {
    requireNode(context, 'the parameters')
    const { params } = await context.client.query(clobQuery.Query.method.params, {})
    const changes = Object.fromEntries(
      PARAMETERS.flatMap(({ localName }) => {
        const value = numberOf(flags, localName)
        return value === undefined ? [] : [[localName, value]]
      }),
    )
    if (Object.keys(changes).length === 0) throw cliError('usage', 'no flag names a parameter: nothing would change')
    const message = { authority: AUTHORITY, params: Object.assign(create(clob.ParamsSchema, params), changes) }
    return [proposal(context, [pack(clobMsg.MsgUpdateParamsSchema, message)], proposalFlags(flags))]
  },
}

export const CLOB_PROPOSALS: readonly TxCommand[] = [proposeMarket, proposeSettings, proposeParams]
