/** `chain tx clob`: the messages about agents, which are native transactions and pay gas. */
import { InvalidArgumentError } from 'commander'
import { clobMsg } from '../../../../proto/index.ts'
import { parseCount } from '../../client/flags.ts'
import { pack } from '../tx-document.ts'
import { argument, type TxCommand } from './tx-command.ts'

const MS = 1_000
const DAY_S = 86_400
const DEFAULT_DAYS = 30

const parseMarkets = (text: string): readonly number[] => {
  const markets = text.split(',').map((each) => (/^[1-9][0-9]{0,8}$/.test(each) ? Number(each) : Number.NaN))
  if (markets.some((market) => Number.isNaN(market))) throw new InvalidArgumentError('must be numbers, apart by commas')
  return [...new Set(markets)].toSorted((a, b) => a - b)
}

export const CLOB_COMMANDS: readonly TxCommand[] = [
  {
    usage: 'set-agent <agent> <name>',
    description: 'let another key trade for you; it can never withdraw',
    addOptions: (command) =>
      command
        .option('--days <number>', 'for how long from now', parseCount, DEFAULT_DAYS)
        .option('--markets <numbers>', 'in these markets alone, apart by commas', parseMarkets),
    messages: ({ from, account }, args, flags) => {
      const expireS = BigInt(Math.floor(Date.now() / MS) + Number(flags['days']) * DAY_S)
      const { markets } = flags
      const fields = { owner: from, agent: account(argument(args, 0)), name: argument(args, 1), expireS }
      const limits = Array.isArray(markets) ? (markets as readonly number[]) : []
      return [pack(clobMsg.MsgSetAgentSchema, { ...fields, markets: [...limits] })]
    },
  },
  {
    usage: 'revoke-agent <agent>',
    description: 'end what an agent may do',
    messages: ({ from, account }, args) => [
      pack(clobMsg.MsgSetAgentSchema, { owner: from, agent: account(argument(args, 0)), expireS: 0n }),
    ],
  },
]
