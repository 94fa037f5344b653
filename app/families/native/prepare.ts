/** What can be known of a native transaction without state: done once, by the pool or by a block. */
import type { Address } from '../../../core/address.ts'
import { parseAccountAddress } from '../../../core/bech32.ts'
import { bytesToKey, equalBytes, plainBytes } from '../../../core/bytes.ts'
import { CodedError, invariant, isFault } from '../../../core/errors.ts'
import type { MessageHandler, Module } from '../../../modules/module.ts'
import { sdkError } from '../../../modules/sdk-errors.ts'
import { messageHandlers } from '../../native/module-handlers.ts'
import { decodeNativeTransaction, type NativeTransaction } from '../../native/decode-transaction.ts'
import { routeMessage } from '../../native/route-message.ts'

export interface PreparedMessage {
  readonly handler: MessageHandler
  /** What the handler made of the message. */
  readonly prepared: unknown
  /**
   * What the handler has against the message, without state. As in the SDK the transaction is valid all the same: it
   * pays, uses its sequence, and fails in its block at this message.
   */
  readonly refusal: CodedError | undefined
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
  /** They were found to be over typed data; known once they are verified. */
  readonly isTypedData: boolean
}

/** Throws codes of decoding. */
export type Prepare = (raw: Uint8Array) => PreparedTransaction

const prepareMessage = (handler: MessageHandler, message: unknown): Pick<PreparedMessage, 'prepared' | 'refusal'> => {
  try {
    return { prepared: handler.prepare(message), refusal: undefined }
  } catch (error) {
    if (!(error instanceof CodedError) || isFault(error)) throw error
    return { prepared: undefined, refusal: error }
  }
}

/** Who pays may be named, and is the first signer. Throws sdk/7 for what is no address, and sdk/37 for another. */
const checkPayer = ({ fee: { payer } }: NativeTransaction, firstSigner: Address): void => {
  if (payer === '' || equalBytes(parsePayer(payer), firstSigner)) return
  throw sdkError('notSupported', 'a fee payer other than the first signer is not supported by this chain')
}

const parsePayer = (text: string): Address => {
  try {
    return parseAccountAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidAddress', `invalid fee payer address: ${error.message}`)
  }
}

export const createPrepare = (modules: readonly Pick<Module, 'messages'>[]): Prepare => {
  const handlers = messageHandlers(modules)
  return (raw) => {
    const transaction = decodeNativeTransaction(plainBytes(raw))
    // A message may name thousands of signers before it is refused for that.
    const signers = new Map<string, Address>()
    const messages = transaction.messages.map((packed): PreparedMessage => {
      const { handler, message, signers: own } = routeMessage(handlers, packed)
      for (const address of own) signers.set(bytesToKey(address), address)
      return { handler, ...prepareMessage(handler, message), sender: own[0] }
    })
    const [first] = messages
    invariant(first !== undefined, 'there is at least one message')
    checkPayer(transaction, first.sender)
    return {
      transaction,
      signers: [...signers.values()],
      payer: first.sender,
      messages,
      isVerified: false,
      isTypedData: false,
    }
  }
}
