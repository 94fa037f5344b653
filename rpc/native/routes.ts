/** REST routes from the google.api.http options of the services. */
import { getOption, hasOption, type DescMethod, type DescService, ScalarType } from '@bufbuild/protobuf'
import { http, type HttpRule } from '../../proto/index.ts'

/** A path has at most so many words: a denomination may contain some. */
const MAX_WORDS = 64

/** A piece of a path: a fixed word, or a field that takes one word, or with `rest` all that are left. */
export type Segment = { readonly word: string } | { readonly field: string; readonly rest: boolean }

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

/** Routes by the words of their paths: a fixed word goes before a field, and that before all words that are left. */
interface Branch {
  readonly words: Map<string, Branch>
  field: Branch | undefined
  /** Routes that end here by verb, in the order of their definition. */
  readonly ends: Map<string, Route[]>
  readonly rests: Map<string, Route[]>
}

const createBranch = (): Branch => ({ words: new Map(), field: undefined, ends: new Map(), rests: new Map() })

const step = (branch: Branch, segment: Segment): Branch => {
  if ('field' in segment) {
    branch.field ??= createBranch()
    return branch.field
  }
  const next = branch.words.get(segment.word) ?? createBranch()
  branch.words.set(segment.word, next)
  return next
}

const addRoute = (root: Branch, route: Route): void => {
  const last = route.segments.at(-1)
  const takesRest = last !== undefined && 'field' in last && last.rest
  const branch = (takesRest ? route.segments.slice(0, -1) : route.segments).reduce(step, root)
  const places = takesRest ? branch.rests : branch.ends
  places.set(route.verb, [...(places.get(route.verb) ?? []), route])
}

type Found = readonly Route[] | undefined

const search = (branch: Branch, verb: string, words: readonly string[], at: number): Found => {
  const word = words[at]
  if (word === undefined) return branch.ends.get(verb)
  const next = branch.words.get(word)
  const found = next === undefined ? undefined : search(next, verb, words, at + 1)
  if (found !== undefined || word === '') return found
  const byField = branch.field === undefined ? undefined : search(branch.field, verb, words, at + 1)
  return byField ?? branch.rests.get(verb)
}

const decode = (word: string): string | undefined => {
  if (!word.includes('%')) return word
  try {
    return decodeURIComponent(word)
  } catch {
    return undefined
  }
}

const readFields = (segments: readonly Segment[], words: readonly string[]): Record<string, string> | undefined => {
  const fields: Record<string, string> = {}
  for (const [at, segment] of segments.entries()) {
    if ('word' in segment) continue
    const value = decode(segment.rest ? words.slice(at).join('/') : (words[at] ?? ''))
    if (value === undefined || value === '') return undefined
    fields[segment.field] = value
  }
  return fields
}

/** Padded base64: what clients that follow grpc-gateway write for bytes. */
const couldBeBytes = (text: string): boolean => text.length % 4 === 0

/**
 * auth has two methods at /bech32/{...}, one for bytes and one for a bech32 text, where the SDK always takes the first:
 * here the text decides. All others have one a path.
 */
const choose = (routes: readonly Route[], words: readonly string[]): MatchedRoute | undefined => {
  const matches = routes.flatMap(({ method, takesBody, segments }) => {
    const fields = readFields(segments, words)
    return fields === undefined ? [] : [{ method, takesBody, fields }]
  })
  if (matches.length < 2) return matches[0]
  const takesBytes = ({ method }: MatchedRoute, name: string): boolean =>
    method.input.fields.some((field) => field.name === name && field.scalar === ScalarType.BYTES)
  const fits = (match: MatchedRoute): boolean =>
    Object.entries(match.fields).every(([name, text]) => !takesBytes(match, name) || couldBeBytes(text))
  return matches.find(fits)
}

export interface Routes {
  readonly all: readonly Route[]
  /** `path` without its query. */
  find(verb: string, path: string): MatchedRoute | undefined
}

export const createRoutes = (services: readonly DescService[]): Routes => {
  const all = services
    .flatMap((service) => service.methods)
    .filter((method) => method.methodKind === 'unary' && hasOption(method, http))
    .flatMap((method) => toRoutes(method, getOption(method, http)))
  const root = createBranch()
  for (const route of all) addRoute(root, route)
  return {
    all,
    find(verb, path) {
      const words = path.slice(1).split('/')
      const found = words.length > MAX_WORDS ? undefined : search(root, verb, words, 0)
      return found === undefined ? undefined : choose(found, words)
    },
  }
}
