/** Native replies in the form in which evmd and this chain must agree: differences of a kind that are meant are evened out. */

type Members = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const FAILED = /^failed to execute message; message index: 0: /
/** The SDK wraps some errors twice. */
const TWICE = /: (tx parse error|insufficient funds): \1$/

/** A transaction that fails: here CheckTx refuses what needs no state to be seen, and evmd a block, with the same code. */
const canonFailure = (reply: Members): unknown => {
  const check = reply['check']
  if (isObject(check)) return { code: check['code'], codespace: check['codespace'], log: check['log'] }
  if (typeof reply['raw_log'] !== 'string' || reply['code'] === 0) return undefined
  const log = reply['raw_log'].replace(FAILED, '')
  return { code: reply['code'], codespace: reply['codespace'], log }
}

/** Rewards are settled when a record is touched, not in every block (docs/adr/021-rewards-are-settled-lazily.md). */
const SETTLED = /^(?:commission|rewards)\(amount=\S+ validator=\S+ msg_index=\d+\)$/

/**
 * The refusal of a bad address by evmd, with whatever code the place gives it; and here, always an invalid argument,
 * request or address.
 */
const BAD_ADDRESS = /unknown address format: |hrp does not match bech32 prefix: |"invalid validator address"/
const OUR_BAD_ADDRESS = /invalid bech32 address /
const OUR_BAD_CODES = /"(?:code|status)":(?:3|7|18|400)\b/

const canonMember = (key: string, value: unknown): unknown => {
  // An opaque key of the database.
  if (key === 'next_key' && typeof value === 'string') return '<key>'
  // The SDK keeps weights as they were written.
  if (key === 'weight' && typeof value === 'string') return Number(value).toFixed(18)
  return canon(value)
}

const canon = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    return value.filter((item) => typeof item !== 'string' || !SETTLED.test(item)).map(canon)
  }
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, canonMember(key, each)]))
  if (typeof value !== 'string') return value
  return value
    .replace(TWICE, ': $1')
    .replaceAll(/\\?"weight\\?":\\?"([\d.]+)\\?"/g, (_, weight: string) => `weight ${Number(weight).toFixed(18)}`)
}

export const canonReply = (title: string, reply: unknown): unknown => {
  const text = JSON.stringify(reply)
  if (BAD_ADDRESS.test(text)) return 'a bad address'
  if (OUR_BAD_ADDRESS.test(text) && OUR_BAD_CODES.test(text)) return 'a bad address'
  if (!isObject(reply)) return canon(reply)
  const failure = title.startsWith('tx: ') ? canonFailure(reply) : undefined
  if (failure !== undefined) return canon(failure)
  // evmd names no height where a transaction was posted.
  return canon(title.startsWith('POST ') ? { ...reply, hasHeight: undefined } : reply)
}
