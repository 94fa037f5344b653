/** Finds for a packed message the module that handles it, and those who must have signed it. */
import type { Address } from '../../core/address.ts'
import { invariant } from '../../core/errors.ts'
import type { MessageHandler } from '../../modules/module.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import type { MessageHandlers } from './module-handlers.ts'
import { TRANSACTION_MESSAGES } from './definitions.ts'
import type { PackedMessage } from './public-key.ts'
import { readSigners } from './signers.ts'
import { parseBinary } from './wire.ts'

export interface RoutedMessage {
  readonly handler: MessageHandler
  /** Decoded, not checked yet. */
  readonly message: unknown
  /** At least one signer, repeated where the message repeats them. */
  readonly signers: readonly [Address, ...Address[]]
}

/** Throws sdk/2 for an unknown type, for bytes that are no message of it, and for one without a signer. */
export const routeMessage = (handlers: MessageHandlers, packed: PackedMessage): RoutedMessage => {
  const { typeUrl, value } = packed
  const handler = handlers.get(typeUrl)
  if (handler === undefined) throw sdkError('parse', `unable to resolve type URL ${typeUrl.slice(0, 200)}`)
  const definition = TRANSACTION_MESSAGES.get(typeUrl)
  invariant(definition !== undefined, `${typeUrl} has a handler, and so a definition`)
  const message = parseBinary(definition, value)
  const [first, ...others] = readSigners(definition, message)
  if (first === undefined) throw sdkError('parse', `${typeUrl} names no signer`)
  return { handler, message, signers: [first, ...others] }
}
