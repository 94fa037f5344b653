/** MsgMultiSend: coins from one account to several. */
import { bankTx } from '../../../proto/index.ts'
import { handleParsed } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { parseCoins } from '../coins.ts'
import type { BankDependencies } from '../deps.ts'
import { bankError } from '../errors.ts'
import { consumeTransferGas } from '../gas.ts'
import type { Coin } from '../../ledger.ts'
import { checkSendEnabled } from '../keeper/send-enabled.ts'
import { type Output, sendToMany } from '../transfer.ts'
import { checkReceiver, parseParty } from './receiver.ts'

const sumsOf = (outputs: readonly Output[]): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const { coins } of outputs) {
    for (const { denom, amount } of coins) sums.set(denom, (sums.get(denom) ?? 0n) + amount)
  }
  return sums
}

const sumsMatch = (input: readonly Coin[], outputs: readonly Output[]): boolean => {
  const sums = sumsOf(outputs)
  return sums.size === input.length && input.every(({ denom, amount }) => sums.get(denom) === amount)
}

const parse = (message: bankTx.MsgMultiSend) => {
  const [input] = message.inputs
  if (input === undefined) throw bankError('noInputs')
  if (message.inputs.length > 1) throw bankError('multipleSenders')
  if (message.outputs.length === 0) throw bankError('noOutputs')
  const from = parseParty(input.address, 'input')
  const sum = parseCoins(input.coins)
  const outputs = message.outputs.map(({ address, coins }) => ({
    to: parseParty(address, 'output'),
    toText: address,
    coins: parseCoins(coins),
  }))
  if (!sumsMatch(sum, outputs)) throw bankError('sumsDiffer')
  return { from, sum, outputs }
}

export const createMultiSend = (dependencies: BankDependencies): MessageHandler =>
  handleParsed(bankTx.Msg.method.multiSend, {
    parse,
    execute: (context, { from, sum, outputs }) => {
      checkSendEnabled(context.state, sum)
      for (const { to, toText } of outputs) checkReceiver(to, toText, dependencies)
      consumeTransferGas(context, outputs.reduce((count, { coins }) => count + coins.length, 0) - 1)
      sendToMany(context, from, sum, outputs)
      return {}
    },
  })
