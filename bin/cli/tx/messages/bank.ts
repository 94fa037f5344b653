/** `chain tx bank` */
import { bankTx } from '../../../../proto/index.ts'
import { cliError } from '../../../errors.ts'
import { readAddress } from '../../keys/addresses.ts'
import { type CoinText, parseCoins } from '../../client/coins.ts'
import { type Flags, textOf } from '../../client/flags.ts'
import { pack } from '../tx-document.ts'
import { argument, type MessageContext, type TxCommand } from './tx-command.ts'

/** Forty digits of an address without its 0x may look like one. */
const isAmount = (text: string | undefined): boolean =>
  text !== undefined && /^[0-9]/.test(text) && readAddress(text) === undefined

/** `send TO AMOUNT --from KEY` and the SDK's `send FROM TO AMOUNT`. */
const splitSend = (args: readonly string[]): { from: string | undefined; to: string; amounts: readonly string[] } => {
  if (isAmount(args[1])) return { from: undefined, to: argument(args, 0), amounts: args.slice(1) }
  if (args[2] === undefined) throw cliError('usage', 'say how much: chain tx bank send <to> <amount> --from <key>')
  return { from: argument(args, 0), to: argument(args, 1), amounts: args.slice(2) }
}

const sameSender = (from: string | undefined, flags: Flags): string | undefined => {
  const flag = textOf(flags, 'from')
  if (from !== undefined && flag !== undefined && from !== flag) {
    throw cliError('usage', `the sender is ${from} in the arguments and ${flag} in --from`)
  }
  return from ?? flag
}

const send: TxCommand = {
  usage: 'send <arguments...>',
  description: 'send coins: [from] <to> <amount...>, the sender also by --from',
  sender: (args, flags) => sameSender(splitSend(args).from, flags),
  messages: (context, args) => {
    const { to, amounts } = splitSend(args)
    const message = { fromAddress: context.from, toAddress: context.account(to), amount: [...parseCoins(...amounts)] }
    return [pack(bankTx.MsgSendSchema, message)]
  },
}

const multiply = (coins: readonly CoinText[], count: bigint): CoinText[] =>
  coins.map(({ denom, amount }) => ({ denom, amount: (BigInt(amount) * count).toString() }))

const divide = (coins: readonly CoinText[], count: bigint): CoinText[] =>
  coins.map(({ denom, amount }) => {
    if (BigInt(amount) >= count) return { denom, amount: (BigInt(amount) / count).toString() }
    throw cliError('usage', `${amount}${denom} cannot be split among ${count}`)
  })

const multiSendMessage = (context: MessageContext, args: readonly string[], flags: Flags) => {
  const recipients = args.slice(0, -1).map((each) => context.account(each))
  const given = parseCoins(args.at(-1) ?? '')
  const count = BigInt(recipients.length)
  if (count === 0n) throw cliError('usage', 'say to whom: chain tx bank multi-send <to...> <amount> --from <key>')
  const coins = flags['split'] === true ? divide(given, count) : [...given]
  return pack(bankTx.MsgMultiSendSchema, {
    inputs: [{ address: context.from, coins: multiply(coins, count) }],
    outputs: recipients.map((address) => ({ address, coins })),
  })
}

const multiSend: TxCommand = {
  usage: 'multi-send <arguments...>',
  description: 'send the same coins to several: <to...> <amount> --from <key>',
  addOptions: (command) => command.option('--split', 'the amount is divided among them; a remainder is not sent'),
  messages: (context, args, flags) => [multiSendMessage(context, args, flags)],
}

export const BANK_COMMANDS: readonly TxCommand[] = [send, multiSend]
