/** Failures of the bank, with the Cosmos SDK's codespaces and codes where it has them. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'
import type { Coin } from '../ledger.ts'
import { sdkError, SDK_CODES, WORDS_COME_LAST, wrapWords } from '../sdk-errors.ts'

export const insufficientFunds = (denom: string, balance: bigint, amount: bigint): CodedError =>
  sdkError('insufficientFunds', `spendable balance ${balance}${denom} is smaller than ${amount}${denom}`)

/** The SDK says it in other words before coins are staked. */
export const cannotDelegate = ({ denom, amount }: Coin, balance: bigint): CodedError =>
  sdkError('insufficientFunds', `failed to delegate; ${balance}${denom} is smaller than ${amount}${denom}`)

export const invalidDenom = (denom: string): CodedError =>
  new CodedError('sdk', SDK_CODES.invalidCoins, `invalid denom: ${denom.slice(0, 128)}`)

export const BANK_ERRORS = errorTable('bank', `Transfers of coins, as x/bank numbers them. ${WORDS_COME_LAST}`, {
  noInputs: {
    code: 2,
    text: 'no inputs to send transaction',
    cause: 'A MsgMultiSend names nobody who pays.',
    action: 'Name one input.',
  },
  noOutputs: {
    code: 3,
    text: 'no outputs to send transaction',
    cause: 'A MsgMultiSend names nobody who receives.',
    action: 'Name at least one output.',
  },
  sumsDiffer: {
    code: 4,
    text: 'sum inputs != sum outputs',
    cause: 'The outputs of a MsgMultiSend are not as much as its input.',
    action: 'Make both sums equal, in each denomination.',
  },
  sendDisabled: {
    code: 5,
    text: 'send transactions are disabled',
    cause: 'Governance has disabled transfers of the denomination.',
    action: 'Wait until governance enables them again.',
  },
  multipleSenders: {
    code: 9,
    text: 'multiple senders not allowed',
    cause: 'A MsgMultiSend has more than one input.',
    action: 'Send one message for each sender.',
  },
})

/** Codespace `bank`, as the SDK numbers it; its words come last. */
export const bankError = (kind: keyof typeof BANK_ERRORS.codes, message = ''): CodedError => {
  const { code, text } = BANK_ERRORS.entries[kind]
  return new CodedError('bank', code, wrapWords(text, message))
}
