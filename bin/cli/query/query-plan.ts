/** Commands for the queries of services: from the definitions, so that every query has one. */
import {
  type DescField,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  getOption,
  hasOption,
} from '@bufbuild/protobuf'
import { invariant } from '../../../core/errors.ts'
import { http } from '../../../proto/index.ts'
import { methodPath } from '../../../rpc/native/services.ts'
import { FRIENDLY, GROUPS, kebab } from './query-names.ts'

export interface QueryArgument {
  readonly field: DescField
  readonly isOptional: boolean
  readonly isVariadic: boolean
}

export interface QueryPlan {
  /** The word behind `chain query`. */
  readonly group: string
  readonly name: string
  readonly aliases: readonly string[]
  readonly method: DescMethodUnary
  readonly arguments: readonly QueryArgument[]
  /** Fields of the request that are flags. */
  readonly flags: readonly DescField[]
  /** The request takes a page. */
  readonly pagination: DescField | undefined
}

const PAGE_REQUEST = 'cosmos.base.query.v1beta1.PageRequest'
const VERSION = /^v[0-9]+([a-z]+[0-9]+)?$/

/** cosmos.bank.v1beta1.Query is bank; of several versions of a name the older ones are name-version. */
const groupOf = (service: DescService, services: readonly DescService[]): string => {
  const known = GROUPS[service.typeName]
  if (known !== undefined) return known
  const words = service.typeName.split('.')
  const version = words.at(-2) ?? ''
  const module = (VERSION.test(version) ? words.at(-3) : version) ?? service.name
  const path = words.slice(0, -2).join('.')
  const siblings = services.filter(({ typeName }) => typeName.split('.').slice(0, -2).join('.') === path)
  const stable = siblings.find(({ typeName }) => /^v[0-9]+$/.test(typeName.split('.').at(-2) ?? '')) ?? siblings[0]
  return stable === undefined || stable === service ? kebab(module) : `${kebab(module)}-${version}`
}

/** Names in the braces of the path that REST serves the method at. */
const pathFields = (method: DescMethod): readonly string[] => {
  if (!hasOption(method, http)) return []
  const { pattern } = getOption(method, http)
  if (pattern.case !== 'get') return []
  return [...pattern.value.matchAll(/\{([^=}]+)(?:=[^}]*)?\}/g)].map(([, name = '']) => name)
}

const planArgument = (method: DescMethod, text: string): QueryArgument => {
  const name = text.replace(/\?$|\.\.\.$/, '')
  const field = method.input.fields.find((each) => each.name === name)
  invariant(field !== undefined, `${method.input.typeName} has no field ${name}`)
  return { field, isOptional: text !== name, isVariadic: text.endsWith('...') }
}

const planMethod = (method: DescMethodUnary, group: string): QueryPlan => {
  const friendly = FRIENDLY[methodPath(method).slice(1)]
  const positional = (friendly?.arguments ?? pathFields(method)).map((text) => planArgument(method, text))
  const taken = new Set(positional.map(({ field }) => field))
  const { fields } = method.input
  const pagination = fields.find((field) => field.message?.typeName === PAGE_REQUEST)
  return {
    group,
    name: kebab(method.name),
    aliases: friendly?.names ?? [],
    method,
    arguments: positional,
    flags: fields.filter((field) => !taken.has(field) && field !== pagination),
    pagination,
  }
}

/** Plans the queries in the order of the services and their methods. */
export const planQueries = (services: readonly DescService[]): readonly QueryPlan[] =>
  services.flatMap((service) => {
    const group = groupOf(service, services)
    return service.methods
      .filter((method): method is DescMethodUnary => method.methodKind === 'unary')
      .map((method) => planMethod(method, group))
  })
