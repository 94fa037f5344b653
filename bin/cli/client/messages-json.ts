/** Messages of the native layer as JSON, both ways, with everything that may stand in a google.protobuf.Any. */
import {
  createRegistry,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  type MessageShape,
} from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { DEFINITIONS } from '../../../app/native/definitions.ts'
import { createMessagePrinter } from '../../../rpc/native/print-message.ts'
import { scaleDecimals } from '../../../rpc/native/scale-decimals.ts'
import { filesOf, NATIVE_SERVICES } from '../../../rpc/native/services.ts'
import { shortenTypeUrls } from '../../../rpc/native/type-urls.ts'
import { cliError, errorText } from '../../errors.ts'

const REGISTRY = createRegistry(...filesOf(NATIVE_SERVICES), ...DEFINITIONS)

const printer = createMessagePrinter(REGISTRY)

/** The message as the SDK prints it. */
export const toJson = (desc: DescMessage, message: Message): unknown =>
  JSON.parse(printer.print(desc, message)) as unknown

/** Reads what {@link toJson} prints, and protobuf's own JSON. Throws cli/1 with `what` for a member that is not right. */
export const readMessage = <Desc extends DescMessage>(desc: Desc, json: unknown, what: string): MessageShape<Desc> => {
  try {
    const message = fromJson(desc, scaleDecimals(desc, json as JsonValue, REGISTRY), { registry: REGISTRY })
    shortenTypeUrls(message, reflect(desc, message), REGISTRY)
    return message
  } catch (error) {
    throw cliError('usage', `${what}: ${errorText(error)}`)
  }
}
