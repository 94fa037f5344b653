/** `chain tx distribution` */
import { distributionQuery, distributionTx } from '../../../../proto/index.ts'
import { cliError } from '../../../errors.ts'
import { parseCoins } from '../../client/coins.ts'
import { pack } from '../tx-document.ts'
import { argument, type TxCommand } from './tx-command.ts'

/** Messages of one transaction: the chain takes 256, and a block has its gas. */
const MAX_WITHDRAWALS = 100

const withdrawRewards: TxCommand = {
  usage: 'withdraw-rewards <validator>',
  description: 'take the rewards of a delegation',
  addOptions: (command) => command.option('--commission', "the operator's commission, too"),
  messages: (context, args, flags) => {
    const validatorAddress = context.operatorOf(argument(args, 0))
    const rewards = pack(distributionTx.MsgWithdrawDelegatorRewardSchema, {
      delegatorAddress: context.from,
      validatorAddress,
    })
    if (flags['commission'] !== true) return [rewards]
    return [rewards, pack(distributionTx.MsgWithdrawValidatorCommissionSchema, { validatorAddress })]
  },
}

const withdrawCommission: TxCommand = {
  usage: 'withdraw-validator-commission [validator]',
  description: "take a validator's commission; that of the sender when none is named",
  messages: (context, [validator]) => {
    const validatorAddress = validator === undefined ? context.operator : context.operatorOf(validator)
    return [pack(distributionTx.MsgWithdrawValidatorCommissionSchema, { validatorAddress })]
  },
}

const withdrawAllRewards: TxCommand = {
  usage: 'withdraw-all-rewards',
  description: 'take the rewards of every delegation, in one transaction',
  messages: async ({ client, from, isOffline }) => {
    if (isOffline) throw cliError('usage', 'offline, the validators of an account are not known')
    const request = { delegatorAddress: from }
    const { validators } = await client.query(distributionQuery.Query.method.delegatorValidators, request)
    if (validators.length === 0) throw cliError('transaction', `${from} has no delegations`)
    if (validators.length > MAX_WITHDRAWALS) {
      throw cliError('transaction', `${validators.length} delegations: take their rewards one by one`)
    }
    return validators.map((validatorAddress) =>
      pack(distributionTx.MsgWithdrawDelegatorRewardSchema, { delegatorAddress: from, validatorAddress }),
    )
  },
}

const setWithdrawAddress: TxCommand = {
  usage: 'set-withdraw-addr <address>',
  description: 'say where rewards are paid to',
  messages: (context, args) => [
    pack(distributionTx.MsgSetWithdrawAddressSchema, {
      delegatorAddress: context.from,
      withdrawAddress: context.account(argument(args, 0)),
    }),
  ],
}

const fundCommunityPool: TxCommand = {
  usage: 'fund-community-pool <amount...>',
  description: 'give coins to the community pool',
  messages: ({ from }, args) => [
    pack(distributionTx.MsgFundCommunityPoolSchema, { amount: [...parseCoins(...args)], depositor: from }),
  ],
}

export const DISTRIBUTION_COMMANDS: readonly TxCommand[] = [
  withdrawRewards,
  withdrawAllRewards,
  withdrawCommission,
  setWithdrawAddress,
  fundCommunityPool,
]
