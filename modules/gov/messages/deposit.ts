/** MsgDeposit of v1 and v1beta1. */
import { govBetaTx, govTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageContext, MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { describeCoins, readCoins, type WireCoin } from '../coins.ts'
import type { GovDependencies } from '../deps.ts'
import { addDeposit } from '../deposits.ts'
import { votingStartedByDeposit } from '../events.ts'
import { parseParty } from '../parties.ts'

interface WireDeposit {
  readonly proposalId: bigint
  readonly depositor: string
  readonly amount: readonly WireCoin[]
}

const parse = ({ proposalId, depositor, amount }: WireDeposit) => {
  const from = parseParty(depositor, 'depositor')
  const coins = readCoins(amount)
  if (coins === undefined || coins.length === 0) throw sdkError('invalidCoins', describeCoins(amount))
  return { id: proposalId, from, coins }
}

const work = (dependencies: GovDependencies) => ({
  checkStateless: (message: WireDeposit) => void parse(message),
  execute: (context: MessageContext, message: WireDeposit) => {
    const { id, from, coins } = parse(message)
    if (addDeposit(dependencies, context, id, from, coins)) context.emit(votingStartedByDeposit(id))
    return {}
  },
})

export const createDeposits = (dependencies: GovDependencies): readonly MessageHandler[] => [
  handleMessage(govTx.Msg.method.deposit, work(dependencies)),
  handleMessage(govBetaTx.Msg.method.deposit, work(dependencies)),
]
