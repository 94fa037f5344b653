/** The description of the REST routes in OpenAPI 3.0, from the same definitions that serve them. */
import type { DescField, DescMessage, DescService } from '@bufbuild/protobuf'
import { SUMMARIES } from '../../proto/index.ts'
import { HEIGHT_HEADER } from './native-queries.ts'
import { schemaOfValue, type Schema, schemasOf } from './openapi-schemas.ts'
import type { Route, Routes } from './routes.ts'

export interface OpenApiOptions {
  readonly services: readonly DescService[]
  readonly routes: Routes
  /** `name/vX.Y.Z` */
  readonly version: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
}

export interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly tags: readonly string[]
  readonly parameters: readonly (Parameter | { readonly $ref: string })[]
  readonly responses: Schema
  readonly requestBody?: Schema
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Schema
}

/** Messages within messages of a query: pagination.limit. */
const MAX_DEPTH = 3

const queryParameters = (
  message: DescMessage,
  inPath: ReadonlySet<string>,
  prefix = '',
  depth = 1,
): readonly Parameter[] =>
  message.fields.flatMap((field: DescField): readonly Parameter[] => {
    const name = `${prefix}${field.name}`
    if (inPath.has(name) || field.fieldKind === 'map') return []
    const schema = schemaOfValue(field)
    if (field.message !== undefined && '$ref' in schema) {
      const isShown = field.fieldKind === 'message' && depth < MAX_DEPTH
      return isShown ? queryParameters(field.message, inPath, `${name}.`, depth + 1) : []
    }
    const shown = field.fieldKind === 'list' ? { type: 'array', items: schema } : schema
    return [{ name, in: 'query', required: false, schema: shown }]
  })

const findField = (message: DescMessage, path: string): DescField | undefined => {
  const [name, ...rest] = path.split('.')
  const field = message.fields.find((each) => each.name === name)
  return rest.length > 0 && field?.message !== undefined ? findField(field.message, rest.join('.')) : field
}

const pathParameters = ({ segments, method }: Route): readonly Parameter[] =>
  segments.flatMap((segment): readonly Parameter[] => {
    if ('word' in segment) return []
    const field = findField(method.input, segment.field)
    const schema = field === undefined ? { type: 'string' } : schemaOfValue(field)
    return [{ name: segment.field, in: 'path', required: true, schema }]
  })

const named = (message: DescMessage): Schema => ({
  'application/json': { schema: { $ref: `#/components/schemas/${message.typeName}` } },
})

const FAILURE = { $ref: '#/components/responses/failure' }
const HEIGHT = { $ref: '#/components/parameters/height' }

/** A method may have a second path: its operations are numbered. */
const operation = (route: Route, ordinal: number): Operation => {
  const { method, takesBody } = route
  const inPath = pathParameters(route)
  const inQuery = takesBody ? [] : queryParameters(method.input, new Set(inPath.map(({ name }) => name)))
  const summary = SUMMARIES[`${method.parent.typeName}/${method.name}`]
  return {
    operationId: `${method.parent.typeName}.${method.name}${ordinal === 0 ? '' : `.${ordinal + 1}`}`,
    ...(summary === undefined ? {} : { summary }),
    tags: [method.parent.typeName],
    parameters: [...inPath, ...inQuery, HEIGHT],
    ...(takesBody ? { requestBody: { required: true, content: named(method.input) } } : {}),
    responses: { 200: { description: method.output.name, content: named(method.output) }, default: FAILURE },
  }
}

const pathOf = ({ segments }: Route): string =>
  `/${segments.map((segment) => ('word' in segment ? segment.word : `{${segment.field}}`)).join('/')}`

const COMPONENTS = {
  parameters: {
    height: {
      name: HEIGHT_HEADER,
      in: 'header',
      required: false,
      description: 'Height whose state is asked; 0 or none is the newest. Answers name theirs.',
      schema: { type: 'integer', format: 'int64', minimum: 0 },
    },
  },
  responses: {
    failure: {
      description: 'A gRPC status; the HTTP status follows from its code',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['code', 'message', 'details'],
            properties: {
              code: { type: 'integer', format: 'int32' },
              message: { type: 'string' },
              details: { type: 'array', items: { type: 'object' } },
            },
          },
        },
      },
    },
  },
}

export const createOpenApi = ({ services, routes, version }: OpenApiOptions): OpenApiDocument => {
  const paths: Record<string, Record<string, Operation>> = {}
  const seen = new Map<string, number>()
  const shapes = new Set<string>()
  for (const route of routes.all) {
    // Two paths that differ in the names of their fields only are one path to OpenAPI: the first stands for both.
    const shape = `${route.verb} ${pathOf(route).replaceAll(/\{[^}]*\}/g, '{}')}`
    if (shapes.has(shape)) continue
    shapes.add(shape)
    const name = `${route.method.parent.typeName}.${route.method.name}`
    const ordinal = seen.get(name) ?? 0
    seen.set(name, ordinal + 1)
    const path = (paths[pathOf(route)] ??= {})
    path[route.verb.toLowerCase()] = operation(route, ordinal)
  }
  const messages = routes.all.flatMap(({ method, takesBody }) =>
    takesBody ? [method.input, method.output] : [method.output],
  )
  const [title = version, number = version] = version.split('/')
  return {
    openapi: '3.0.3',
    info: {
      title: `${title} REST`,
      version: number.replace(/^v/, ''),
      description: 'Queries of the native modules. The same methods are served over gRPC and gRPC-Web.',
    },
    tags: services.map(({ typeName }) => ({ name: typeName })),
    paths,
    components: { ...COMPONENTS, schemas: schemasOf(messages) },
  }
}
