/** Types in a google.protobuf.Any are named with a slash and nothing before it, as the Cosmos SDK has it. */
import { fromBinary, type Message, type Registry, toBinary } from '@bufbuild/protobuf'
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect'
import type { Any } from '@bufbuild/protobuf/wkt'

const shortenAny = (any: Any, registry: Registry): void => {
  const name = any.typeUrl.slice(any.typeUrl.lastIndexOf('/') + 1)
  any.typeUrl = name === '' ? '' : `/${name}`
  const type = registry.getMessage(name)
  if (type === undefined) return
  const inner = fromBinary(type, any.value)
  shortenTypeUrls(inner, reflect(type, inner), registry)
  any.value = toBinary(type, inner)
}

/** Changes every Any within, also those within others: reading JSON names them as Google does. */
export const shortenTypeUrls = (message: Message, reflected: ReflectMessage, registry: Registry): void => {
  if (message.$typeName === 'google.protobuf.Any') return shortenAny(message as Any, registry)
  for (const field of reflected.fields) {
    if (field.message === undefined || field.fieldKind === 'map' || !reflected.isSet(field)) continue
    const value: unknown = reflected.get(field)
    const items = (field.fieldKind === 'list' ? [...(value as Iterable<unknown>)] : [value]) as ReflectMessage[]
    for (const item of items) shortenTypeUrls(item.message, item, registry)
  }
}
