/** What can be known of a native transaction without state: done once, by the pool or by a block. */
import type { Address } from '../../../core/address.ts'
import { bytesToKey, plainBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import type { MessageHandler, Module } from '../../../modules/module.ts'
import { decodeNativeTransaction, type NativeTransaction } from '../../native/decode-transaction.ts'
import { sdkError } from '../../native/errors.ts'
import { messageSigners } from '../../native/signers.ts'

export interface PreparedMessage {
  readonly handler: MessageHandler
  /** As the handler decoded and checked it. */
  readonly message: unknown
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
  const handlers = new Map(modules.flatMap(({ messages }) => messages.map((handler) => [handler.typeUrl, handler])))
  return (raw) => {
    const transaction = decodeNativeTransaction(plainBytes(raw))
    const signers = new Map<string, Address>()
    const messages = transaction.messages.map((packed): PreparedMessage => {
      const { typeUrl, value } = packed
      const handler = handlers.get(typeUrl)
      if (handler === undefined) throw sdkError('parse', `unable to resolve type URL ${typeUrl}`)
      const own = messageSigners(packed)
      const [sender] = own
      if (sender === undefined) throw sdkError('parse', `${typeUrl} names no signer`)
      for (const address of own) signers.set(bytesToKey(address), address)
      const message = handler.decode(value)
      handler.checkStateless(message)
      return { handler, message, sender }
    })
    const [first] = messages
    invariant(first !== undefined, 'there is at least one message')
    return { transaction, signers: [...signers.values()], payer: first.sender, messages, isVerified: false }
  }
}
