/**
 * Which pages of browsers may call, by the origin that they name: `scheme://host:port`, where a part that a rule leaves
 * out lets everything through (geth's --ws.origins). `chrome-extension://` is every extension of Chrome, `*` everybody.
 */

interface Origin {
  readonly scheme: string
  readonly host: string
  readonly port: string
}

const parse = (text: string): Origin | undefined => {
  const match = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\[[0-9a-f:.]+\]|[^/:]*)(?::(\d+))?\/?$/.exec(text.toLowerCase())
  return match === null ? undefined : { scheme: match[1] ?? '', host: match[2] ?? '', port: match[3] ?? '' }
}

/** A part that the rule leaves out lets everything through. */
const allows = (rule: Origin, origin: Origin): boolean =>
  (rule.scheme === '' || rule.scheme === origin.scheme) &&
  (rule.host === '' || rule.host === origin.host) &&
  (rule.port === '' || rule.port === origin.port)

/** `null`, which a sandboxed page says, has no scheme, and no rule but `*` lets it through. */
const matches = (rules: readonly string[], origin: string): boolean => {
  const parsed = parse(origin)
  if (parsed === undefined || parsed.scheme === '') return false
  return rules.some((rule) => {
    const allowed = rule === '' ? undefined : parse(rule)
    return allowed !== undefined && allows(allowed, parsed)
  })
}

/** The default is geth's: pages of this machine, where no rule says otherwise. */
const DEFAULT_WEBSOCKET_ORIGINS = ['http://localhost']

/** Whether a WebSocket may be opened. Requests without an origin do not come from a browser, and are not what this protects from. */
export const isOriginAllowed = (rules: readonly string[], origin: string | undefined): boolean =>
  origin === undefined || rules.includes('*') || matches(rules.length === 0 ? DEFAULT_WEBSOCKET_ORIGINS : rules, origin)

/** What Access-Control-Allow-Origin says to that origin; undefined when it must not be sent. */
export const allowedOrigin = (rules: readonly string[], origin: string | undefined): string | undefined => {
  if (origin === undefined) return undefined
  if (rules.includes('*')) return '*'
  return matches(rules, origin) ? origin : undefined
}

/** Origins of pages. Extensions act for their user, and no page can name an origin of theirs. */
const PAGE_ORIGIN = /^(?:https?:\/\/(.*)|null)$/i

/** True for what a page of another origin sends and no rule allows: a browser sends some requests without asking first. */
export const isForeignPage = (
  rules: readonly string[],
  origin: string | undefined,
  host: string | undefined,
): boolean => {
  if (origin === undefined || rules.includes('*')) return false
  const page = PAGE_ORIGIN.exec(origin)
  if (page === null || page[1]?.toLowerCase() === (host?.toLowerCase() ?? '')) return false
  return !matches(rules, origin)
}
