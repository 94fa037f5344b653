/** REST routes from the google.api.http options of the services. */
import { getOption, hasOption, type DescMethod, type DescService } from '@bufbuild/protobuf'
import { http, type HttpRule } from '../../proto/index.ts'

/** A piece of a path: a fixed word, or a field that takes one word, or with `rest` all that are left. */
type Segment = { readonly word: string } | { readonly field: string; readonly rest: boolean }

export interface Route {
  readonly verb: string
  readonly segments: readonly Segment[]
  readonly method: DescMethod
  /** True when the body is the request. */
  readonly takesBody: boolean
}

export interface MatchedRoute {
  readonly method: DescMethod
  readonly takesBody: boolean
  /** Values by the name of their field, decoded. */
  readonly fields: Readonly<Record<string, string>>
}

/** Templates of this kind: /cosmos/bank/v1beta1/denoms_metadata/{denom=**}. */
const parseTemplate = (template: string): readonly Segment[] =>
  template
    .slice(1)
    .split(/\/(?![^{]*\})/)
    .map((part) => {
      const field = /^\{([^=}]+)(?:=(.*))?\}$/.exec(part)
      return field === null ? { word: part } : { field: field[1] ?? '', rest: field[2]?.endsWith('**') === true }
    })

const toRoutes = (method: DescMethod, rule: HttpRule): Route[] => {
  const { pattern } = rule
  const more = rule.additionalBindings.flatMap((binding) => toRoutes(method, binding))
  if (pattern.case === undefined || pattern.case === 'custom') return more
  const route = {
    verb: pattern.case.toUpperCase(),
    segments: parseTemplate(pattern.value),
    method,
    takesBody: rule.body === '*',
  }
  return [route, ...more]
}

/** Fixed words before fields: of `/supply/by_denom` and `/supply/{denom}` the first wins. */
const bySpecificity = (a: Route, b: Route): number => {
  const length = Math.max(a.segments.length, b.segments.length)
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.segments[index], b.segments[index]]
    if (left === undefined || right === undefined) return left === undefined ? 1 : -1
    const difference = Number('field' in left) - Number('field' in right)
    if (difference !== 0) return difference
  }
  return 0
}

export const createRoutes = (services: readonly DescService[]): readonly Route[] =>
  services
    .flatMap((service) => service.methods)
    .filter((method) => method.methodKind === 'unary' && hasOption(method, http))
    .flatMap((method) => toRoutes(method, getOption(method, http)))
    .sort(bySpecificity)

const decode = (word: string): string | undefined => {
  try {
    return decodeURIComponent(word)
  } catch {
    return undefined
  }
}

const matchRoute = (route: Route, words: readonly string[]): MatchedRoute | undefined => {
  const fields: Record<string, string> = {}
  let at = 0
  for (const segment of route.segments) {
    const word = words[at]
    if (word === undefined) return undefined
    if ('word' in segment) {
      if (segment.word !== word) return undefined
      at++
      continue
    }
    const taken = segment.rest ? words.slice(at).join('/') : word
    const value = decode(taken)
    if (value === undefined || value === '') return undefined
    fields[segment.field] = value
    at = segment.rest ? words.length : at + 1
  }
  return at === words.length ? { method: route.method, takesBody: route.takesBody, fields } : undefined
}

/** `path` without its query. */
export const findRoute = (routes: readonly Route[], verb: string, path: string): MatchedRoute | undefined => {
  const words = path.slice(1).split('/')
  for (const route of routes) {
    if (route.verb !== verb) continue
    const matched = matchRoute(route, words)
    if (matched !== undefined) return matched
  }
  return undefined
}
