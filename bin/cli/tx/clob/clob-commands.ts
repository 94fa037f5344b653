/** `chain tx clob`: orders, which travel in votes and pay no gas, and what is said of them in the command. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Action, Place, Target } from '../../../../modules/clob/index.ts'
import { EMPTY_BYTES } from '../../../../core/bytes.ts'
import { hexToBytes } from '../../../../core/hex.ts'
import { cliError } from '../../../errors.ts'
import { type Flags, parseCount, textOf } from '../../client/flags.ts'
import type { CometClient } from '../../client/comet-client.ts'
import { argument } from '../messages/tx-command.ts'
import { askMarket, type MarketUnits, toLots, toTicks } from './market-units.ts'

const MAX_CLIENT_ID_BYTES = 16
const MAX_TICKS = 2n ** 32n - 1n
const MS = 1_000

export interface ClobCommand {
  readonly usage: string
  readonly description: string
  readonly addOptions: (command: Command) => Command
  readonly actions: (client: CometClient, args: readonly string[], flags: Flags) => Promise<readonly Action[]>
}

const parseClientId = (text: string): Uint8Array => {
  const digits = text.replace(/^0x/, '')
  if (!/^(?:[0-9a-fA-F]{2})+$/.test(digits) || digits.length > 2 * MAX_CLIENT_ID_BYTES) {
    throw new InvalidArgumentError(`must be hexadecimal digits of 1 to ${MAX_CLIENT_ID_BYTES} bytes`)
  }
  return hexToBytes(`0x${digits}`)
}

const parseSide = (text: string): 'buy' | 'sell' => {
  if (text === 'buy' || text === 'sell') return text
  throw cliError('usage', `"${text}" is no side: write buy or sell`)
}

/** An order's number, or 0x and its client id. Throws cli/1. */
const parseTarget = (text: string): Target => {
  if (/^[1-9][0-9]{0,15}$/.test(text)) return { kind: 'seq', orderSeq: Number(text) }
  if (/^0x(?:[0-9a-fA-F]{2}){1,16}$/.test(text)) return { kind: 'client', clientId: hexToBytes(text as `0x${string}`) }
  throw cliError('usage', `"${text}" is no order: write its number, or 0x and its client id`)
}

const numberOf = (flags: Flags, name: string): number => {
  const value = flags[name]
  return typeof value === 'number' ? value : 0
}

/** Exact below 2^53. Throws cli/1. */
const bounded = (value: bigint, most: bigint, what: string): number => {
  if (value > most) throw cliError('usage', `the ${what} is larger than the chain can hold`)
  return Number(value)
}

const ticksOf = (text: string, units: MarketUnits): number => bounded(toTicks(text, units), MAX_TICKS, 'price')

const withPlace = (command: Command): Command =>
  command
    .addOption(
      new Option('--tif <rule>', 'gtc rests, ioc takes what it can, fok all or nothing, post-only never takes')
        .choices(['gtc', 'ioc', 'fok', 'post-only'])
        .default('gtc'),
    )
    .option('--client-id <hex>', 'by which you will name it: up to 16 bytes', parseClientId)
    .option('--expire <seconds>', 'since 1970; never when left out', parseCount)
    .addOption(
      new Option('--stp <rule>', 'what ends where it meets an order of your own')
        .choices(['cancel-maker', 'cancel-taker', 'cancel-both', 'decrement'])
        .default('cancel-maker'),
    )
    .option('--trigger <price>', 'it is placed once the block price reaches this')
    .addOption(new Option('--trigger-kind <kind>', 'of --trigger').choices(['stop', 'take-profit']).default('stop'))
    .option('--max-fills <number>', 'orders that it may meet in a block', parseCount)
    .option('--slide', 'with post-only: moved to the best price that takes nothing, instead of refused')

const placeOf = (units: MarketUnits, [side, size, price]: readonly string[], flags: Flags): Place => {
  const trigger = textOf(flags, 'trigger')
  const kind = flags['triggerKind'] === 'take-profit' ? 'take_profit' : 'stop'
  const clientId = flags['clientId']
  return {
    market: units.market,
    side: parseSide(side ?? ''),
    qtyLots: bounded(toLots(size ?? '', units), BigInt(Number.MAX_SAFE_INTEGER), 'size'),
    priceTicks: ticksOf(price ?? '', units),
    tif: String(flags['tif']).replace('-', '_') as Place['tif'],
    stp: String(flags['stp']).replace('-', '_') as Place['stp'],
    clientId: clientId instanceof Uint8Array ? clientId : EMPTY_BYTES,
    expireS: numberOf(flags, 'expire'),
    triggerTicks: trigger === undefined ? 0 : ticksOf(trigger, units),
    triggerKind: trigger === undefined ? 'none' : kind,
    maxFills: numberOf(flags, 'maxFills'),
    postOnlyMode: flags['slide'] === true ? 'slide' : 'reject',
  }
}

const asIs = (command: Command): Command => command

export const CLOB_ORDER_COMMANDS: readonly ClobCommand[] = [
  {
    usage: 'place <market> <side> <size> <price>',
    description: 'an order: side buy or sell, size in base, price in quote for one of base',
    addOptions: withPlace,
    actions: async (client, [market = '', ...rest], flags) => [
      { kind: 'place', place: placeOf(await askMarket(client, market), rest, flags) },
    ],
  },
  {
    usage: 'replace <market> <order> <side> <size> <price>',
    description: 'cancel one and place another at once; the order is a number, or 0x and a client id',
    addOptions: (command) =>
      withPlace(command).option('--keep-priority', 'the place in its queue, where price and side stay'),
    actions: async (client, [market = '', order = '', ...rest], flags) => {
      const place = placeOf(await askMarket(client, market), rest, flags)
      const keepPriority = flags['keepPriority'] === true
      return [{ kind: 'replace', target: parseTarget(order), place, keepPriority }]
    },
  },
  {
    usage: 'cancel <market> <order>',
    description: 'an order by its number, or by 0x and its client id',
    addOptions: asIs,
    actions: async (client, args) => [
      {
        kind: 'cancel',
        market: (await askMarket(client, argument(args, 0))).market,
        target: parseTarget(argument(args, 1)),
      },
    ],
  },
  {
    usage: 'cancel-all',
    description: 'all orders of the subaccount that the flags name',
    addOptions: (command) =>
      command
        .option('--market <number>', 'in this market alone', parseCount)
        .addOption(new Option('--side <side>', 'of this side alone').choices(['buy', 'sell'])),
    actions: (_, __, flags) => {
      const side = textOf(flags, 'side')
      return Promise.resolve([
        {
          kind: 'cancelAll',
          market: numberOf(flags, 'market'),
          side: side === undefined ? undefined : parseSide(side),
        },
      ])
    },
  },
  {
    usage: 'schedule-cancel <seconds>',
    description: "a dead man's switch: all orders are cancelled so many seconds from now; 0 clears it",
    addOptions: asIs,
    actions: (_, args) => {
      const seconds = parseCount(argument(args, 0))
      return Promise.resolve([{ kind: 'scheduleCancel', atMs: seconds === 0 ? 0 : Date.now() + seconds * MS }])
    },
  },
]
