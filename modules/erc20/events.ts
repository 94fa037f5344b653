/** Events of the converter. Amounts are in the smallest unit of the token. */
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToHex } from '../../core/hex.ts'
import { makeEvent } from '../events.ts'
import type { Event } from '../module.ts'
import { denomOf } from './denom.ts'
import type { Token } from './keeper/index.ts'

export const deposited = (
  token: Address,
  sender: Address,
  receiver: Address,
  amount: bigint,
  credited: bigint,
): Event =>
  makeEvent('erc20_deposit', {
    token: bytesToHex(token),
    denom: denomOf(token),
    sender: encodeBech32(sender),
    receiver: encodeBech32(receiver),
    amount: amount.toString(),
    credited: credited.toString(),
  })

export const withdrawn = (token: Address, sender: Address, receiver: Address, amount: bigint): Event =>
  makeEvent('erc20_withdraw', {
    token: bytesToHex(token),
    denom: denomOf(token),
    sender: encodeBech32(sender),
    receiver: encodeBech32(receiver),
    amount: amount.toString(),
  })

export const tokenSet = ({ address, name, symbol, decimals, depositsEnabled }: Token): Event =>
  makeEvent('erc20_token', {
    token: bytesToHex(address),
    denom: denomOf(address),
    name,
    symbol,
    decimals: decimals.toString(),
    deposits_enabled: String(depositsEnabled),
  })

export const tokenRemoved = (address: Address): Event =>
  makeEvent('erc20_token_removed', { token: bytesToHex(address), denom: denomOf(address) })

export const viewMade = (denom: string, address: Address): Event =>
  makeEvent('erc20_view', { denom, contract: bytesToHex(address) })
