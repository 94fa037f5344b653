/** Which origins may open a WebSocket (geth's --ws.origins): host, scheme://host, with or without a port, or `*`. */

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

/** Requests without an origin do not come from a browser, and are not what this protects from. */
export const isOriginAllowed = (rules: readonly string[], origin: string | undefined): boolean => {
  if (origin === undefined || rules.includes('*')) return true
  const parsed = parse(origin)
  if (parsed === undefined) return false
  return (rules.length === 0 ? ['http://localhost'] : rules).some((rule) => {
    const allowed = parse(rule)
    return allowed !== undefined && allows(allowed, parsed)
  })
}
