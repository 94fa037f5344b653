/**
 * The OpenRPC document of the methods that a gateway serves. Those of the order book have schemas, from their definitions in proto;
 * of the others the functions that read the parameters do (parameters/kinds.ts); results are described by the execution-apis.
 */
import type { DescMessage } from '@bufbuild/protobuf'
import type { Method } from '../method.ts'
import { kindOf } from '../parameters/kinds.ts'
import { type Schema, schemasOf } from '../native/openapi-schemas.ts'

const schemaOf = (type: DescMessage | undefined): Schema =>
  type === undefined ? {} : { $ref: `#/components/schemas/${type.typeName}` }

const describe = ({ name, description }: Method) => ({
  name,
  paramStructure: 'by-position',
  params: description.parameters.map(({ name: given, required, type, reader }, index) => {
    const kind = kindOf(reader)
    return {
      // Two of a kind are told apart by their place.
      name: given ?? (kind === undefined ? `argument${index}` : `${kind.name}${index}`),
      required,
      schema: kind?.schema ?? schemaOf(type),
    }
  }),
  result: { name: 'result', schema: schemaOf(description.result) },
})

/** JSON. `version` is the first line of web3_clientVersion. */
export const describeMethods = (methods: readonly Method[], version: string): string => {
  const types = methods.flatMap(({ description: { parameters, result } }) => [
    ...parameters.flatMap(({ type }) => type ?? []),
    ...(result === undefined ? [] : [result]),
  ])
  return JSON.stringify({
    openrpc: '1.3.2',
    info: { title: version, version: version.split('/')[1] ?? version },
    methods: methods.map(describe).sort((a, b) => (a.name < b.name ? -1 : 1)),
    components: { schemas: schemasOf([...new Set(types)]) },
  })
}
