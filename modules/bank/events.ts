/** Events of the bank. */
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { makeEvent } from '../events.ts'
import type { Event } from '../module.ts'

export const coinSpent = (spender: Address, amount: string): Event =>
  makeEvent('coin_spent', { spender: encodeBech32(spender), amount })

export const coinReceived = (receiver: Address, amount: string): Event =>
  makeEvent('coin_received', { receiver: encodeBech32(receiver), amount })

export const transfer = (recipient: Address, sender: Address, amount: string): Event =>
  makeEvent('transfer', { recipient: encodeBech32(recipient), sender: encodeBech32(sender), amount })

export const messageSender = (sender: Address): Event => makeEvent('message', { sender: encodeBech32(sender) })

export const coinbase = (minter: Address, amount: string): Event =>
  makeEvent('coinbase', { minter: encodeBech32(minter), amount })

export const burned = (burner: Address, amount: string): Event =>
  makeEvent('burn', { burner: encodeBech32(burner), amount })
