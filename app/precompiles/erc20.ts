/** 0x901: tokens of contracts as coins of the bank, for contracts and wallets that have approved it. */
import { bytesToHex } from '../../core/hex.ts'
import { type Address, parseAddress } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { denomOf as nameOf } from '../../modules/erc20/index.ts'
import { bankQuery, type erc20, erc20Query, erc20Tx } from '../../proto/index.ts'
import { defineEvent } from './abi/event.ts'
import { address, bool, string, tuple, uint256, uint8, type ValueOf } from './abi/types.ts'
import { refuseCall } from './errors.ts'
import { definePrecompile, query, transaction } from './precompile.ts'
import { requireAddress } from './shapes.ts'

const { method } = erc20Tx.Msg

const tokenShape = tuple({
  denom: string,
  name: string,
  symbol: string,
  decimals: uint8,
  depositsEnabled: bool,
  booked: uint256,
  measured: uint256,
})

const depositEvent = defineEvent(
  'Deposit',
  { token: address, sender: address, receiver: address },
  { amount: uint256, credited: uint256 },
)
const withdrawEvent = defineEvent(
  'Withdraw',
  { token: address, sender: address, receiver: address },
  { amount: uint256 },
)

/** The conversion as the messages have it. */
const conversion = (sender: Address, token: Address, amount: bigint, receiver: Address) => ({
  sender: encodeBech32(sender),
  token: bytesToHex(token),
  amount: amount.toString(),
  receiver: requireAddress(receiver, 'receiver'),
})

const CONVERSION = { token: address, amount: uint256, receiver: address }

const deposit = transaction('deposit', CONVERSION, { credited: uint256 }, (scope, { token, amount, receiver }) => {
  const { caller: sender } = scope
  const answer = scope.message(method.deposit, conversion(sender, token, amount, receiver))
  const credited = BigInt(answer.credited)
  scope.log(depositEvent, { token, sender, receiver, amount, credited })
  return { credited }
})

const withdraw = transaction('withdraw', CONVERSION, { success: bool }, (scope, { token, amount, receiver }) => {
  const { caller: sender } = scope
  scope.message(method.withdraw, conversion(sender, token, amount, receiver))
  scope.log(withdrawEvent, { token, sender, receiver, amount })
  return { success: true }
})

const registerToken = transaction('registerToken', { token: address }, { denom: string }, (scope, { token }) => {
  scope.message(method.registerToken, { sender: encodeBech32(scope.caller), token: bytesToHex(token) })
  return { denom: nameOf(token) }
})

const registerView = transaction('registerView', { denom: string }, { view: address }, (scope, { denom }) => {
  const answer = scope.message(method.registerView, { sender: encodeBech32(scope.caller), denom })
  return { view: parseAddress(answer.address) }
})

const toInfo = (token: erc20.Token | undefined): ValueOf<typeof tokenShape> => {
  if (token === undefined) throw refuseCall('the contract is not registered')
  const { denom, name, symbol, depositsEnabled } = token
  return {
    ...{ denom, name, symbol, depositsEnabled },
    decimals: BigInt(token.decimals),
    booked: BigInt(token.booked),
    measured: BigInt(token.measured),
  }
}

const getToken = query('getToken', { token: address }, { info: tokenShape }, (scope, { token }) => ({
  info: toInfo(scope.query(erc20Query.Query.method.token, { token: bytesToHex(token) }).token),
}))

const denomOf = query('denomOf', { token: address }, { denom: string }, (_, { token }) => ({ denom: nameOf(token) }))

const viewOf = query('viewOf', { denom: string }, { view: address, registered: bool }, (scope, { denom }) => {
  const { view, registered } = scope.query(erc20Query.Query.method.view, { denom })
  return { view: parseAddress(view?.address ?? ''), registered }
})

const coinsOf = query(
  'coinsOf',
  { token: address, account: address },
  { amount: uint256 },
  (scope, { token, account }) => {
    const { balance } = scope.query(bankQuery.Query.method.balance, {
      address: encodeBech32(account),
      denom: nameOf(token),
    })
    return { amount: BigInt(balance?.amount ?? '0') }
  },
)

export const erc20Precompile = definePrecompile(
  'erc20',
  0x901,
  [depositEvent, withdrawEvent],
  [deposit, withdraw, registerToken, registerView, getToken, denomOf, viewOf, coinsOf],
)
