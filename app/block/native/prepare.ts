/** What can be known of a native transaction without state: done once, by the pool or by a block. */
import type { Address } from '../../../core/address.ts'
import { bytesToKey, plainBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import type { MessageHandler, Module } from '../../../modules/module.ts'
import { messageHandlers } from '../../module-handlers.ts'
import { decodeNativeTransaction, type NativeTransaction } from '../../native/decode-transaction.ts'
import { routeMessage } from './route-message.ts'

export interface PreparedMessage {
  readonly handler: MessageHandler
  /** What the handler made of the message. */
  readonly prepared: unknown
  /** Its first signer. */
  readonly sender: Address
}

export interface PreparedTransaction {
  readonly transaction: NativeTransaction
  /** Who must sign, each once; the first pays. */
  readonly signers: readonly Address[]
  readonly payer: Address
  readonly messages: readonly PreparedMessage[]
  /**
   * The signatures were found good. They stay so: a signature is over the sequence that the transaction names, and
   * the key of an account never changes.
   */
  readonly isVerified: boolean
}

/** Throws codes of decoding, and those of the stateless checks of the messages. */
export type Prepare = (raw: Uint8Array) => PreparedTransaction

export const createPrepare = (modules: readonly Module[]): Prepare => {
  const handlers = messageHandlers(modules)
  return (raw) => {
    const transaction = decodeNativeTransaction(plainBytes(raw))
    // A message may name thousands of signers before it is refused for that.
    const signers = new Map<string, Address>()
    const messages = transaction.messages.map((packed): PreparedMessage => {
      const { handler, message, signers: own } = routeMessage(handlers, packed)
      for (const address of own) signers.set(bytesToKey(address), address)
      return { handler, prepared: handler.prepare(message), sender: own[0] }
    })
    const [first] = messages
    invariant(first !== undefined, 'there is at least one message')
    return { transaction, signers: [...signers.values()], payer: first.sender, messages, isVerified: false }
  }
}
