/** Events of the bank. */
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { attribute, makeEvent } from '../events.ts'
import type { Event } from '../module.ts'

export const coinSpent = (spender: Address, amount: string): Event => ({
  type: 'coin_spent',
  attributes: [attribute('spender', encodeBech32(spender)), attribute('amount', amount)],
})

export const coinReceived = (receiver: Address, amount: string): Event => ({
  type: 'coin_received',
  attributes: [attribute('receiver', encodeBech32(receiver)), attribute('amount', amount)],
})

export const transfer = (recipient: Address, sender: Address, amount: string): Event => ({
  type: 'transfer',
  attributes: [
    attribute('recipient', encodeBech32(recipient)),
    attribute('sender', encodeBech32(sender)),
    attribute('amount', amount),
  ],
})

export const messageSender = (sender: Address): Event => ({
  type: 'message',
  attributes: [attribute('sender', encodeBech32(sender))],
})

export const coinbase = (minter: Address, amount: string): Event =>
  makeEvent('coinbase', { minter: encodeBech32(minter), amount })

export const burned = (burner: Address, amount: string): Event =>
  makeEvent('burn', { burner: encodeBech32(burner), amount })
