/** From a packed message to the module that handles it, and to those who must have signed it. */
import type { Address } from '../../../core/address.ts'
import type { MessageHandler } from '../../../modules/module.ts'
import { sdkError } from '../../../modules/sdk-errors.ts'
import type { MessageHandlers } from '../../module-handlers.ts'
import type { PackedMessage } from '../../native/public-key.ts'
import { messageSigners } from '../../native/signers.ts'

export interface RoutedMessage {
  readonly handler: MessageHandler
  /** As the handler decoded it, not checked yet. */
  readonly message: unknown
  /** At least one, repeated where the message repeats them. */
  readonly signers: readonly [Address, ...Address[]]
}

/** Throws sdk/2 for an unknown type, for bytes that are no message of it, and for one without a signer. */
export const routeMessage = (handlers: MessageHandlers, packed: PackedMessage): RoutedMessage => {
  const { typeUrl, value } = packed
  const handler = handlers.get(typeUrl)
  if (handler === undefined) throw sdkError('parse', `unable to resolve type URL ${typeUrl.slice(0, 200)}`)
  const [first, ...others] = messageSigners(packed)
  if (first === undefined) throw sdkError('parse', `${typeUrl} names no signer`)
  return { handler, message: handler.decode(value), signers: [first, ...others] }
}
