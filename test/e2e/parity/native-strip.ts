/** Takes out of a native reply what two chains cannot share: heights, times, hashes, gas, and sums that time makes. */

type Members = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null

/** Members and attributes by name. An absent or zero one is told apart from others. */
const FACTS: ReadonlySet<string> = new Set([
  'height',
  'start_height',
  'creation_height',
  'unbonding_height',
  'gas_used',
  'gas_wanted',
  'account_number',
  'txhash',
  'hash',
  'last_commit_hash',
  'data_hash',
  'validators_hash',
  'next_validators_hash',
  'consensus_hash',
  'app_hash',
  'last_results_hash',
  'evidence_hash',
  'signature',
  'signatures',
  'proposer_address',
  'tx_bytes',
  'index_offset',
  'inflation',
  'bonded_ratio',
  'annual_provisions',
  'base_fee',
  'sequence',
  'missed_blocks_counter',
  'canceledHeight',
  'canceled_height',
  'latest_block_height',
  'block_height',
  'proposer_priority',
  'validator_hash',
  'acc_seq',
])

/** Members for which zero is a value like any other. */
const ANY: ReadonlySet<string> = new Set(['account_number', 'proposer_priority'])

/** Beginnings of eras, not moments. */
const ERAS = /^(?:0001|1970)-01-01T00:00:00Z$/
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| \+0000 UTC)/g

/** Sums that a test chose end in many zeros, or are small; what mint and fees make does not. */
const isChosen = (digits: string): boolean => digits.length < 8 || digits.replace(/0+$/, '').length <= 7

const stripNumbers = (text: string): string =>
  text
    .replaceAll(/\d+\.\d{18}/g, (decimal) => {
      const [whole = '', fraction = ''] = decimal.split('.')
      return isChosen(whole) && /(?:0{6}|9{6}|3{6}|6{6})$/.test(fraction) && whole.length < 22 ? decimal : '<decimal>'
    })
    // The numbers of a time go, whatever their length, and however round they are.
    .replaceAll(/\bnanos:\d+/g, 'nanos:<integer>')
    .replaceAll(/\bseconds:\d{10}\b/g, 'seconds:<integer>')
    .replaceAll(/(?<![0-9A-Za-z.<])\d{8,}(?![0-9A-Za-z.])/g, (digits) => (isChosen(digits) ? digits : '<integer>'))
    .replaceAll(/(?<![0-9A-Za-z.])\d{8,}(?=anat)/g, (digits) => (isChosen(digits) ? digits : '<integer>'))

const stripText = (text: string): string =>
  stripNumbers(
    text
      .replaceAll(/^(recovered: [^\n]*)\n[^]*/g, '$1')
      .replaceAll(TIME, (time) => (ERAS.test(time) ? time : '<time>'))
      .replaceAll(/\b[0-9A-Fa-f]{64}\b/g, '<hash>')
      .replaceAll(/\[[^[\]]*\.go:\d+\]/g, '[<source>]')
      .replaceAll(/account number \(\d+\)/g, 'account number (<number>)')
      .replaceAll(/gas(Wanted|Used): \d+/g, 'gas$1: <gas>')
      .replaceAll(/(with gas used: )'\d+'/g, "$1'<gas>'")
      .replaceAll(/block height: \d+/g, 'block height: <height>')
      .replaceAll(/expected \d+, got \d+/g, 'expected <sequence>, got <sequence>')
      .replaceAll(/(height|height of) \d+/g, '$1 <height>'),
  )

/** Strips an attribute's value, or a member. */
export const stripValue = (value: unknown, key = ''): unknown => {
  if (FACTS.has(key) && value !== null && value !== '' && (ANY.has(key) || (value !== '0' && value !== 0))) {
    return typeof value === 'object'
      ? `<${key} of ${Array.isArray(value) ? 'a list' : 'an object'}>`
      : `<${key}: ${typeof value}>`
  }
  if (key === 'txs' && Array.isArray(value) && value.every((item) => typeof item === 'string')) return '<transactions>'
  if (Array.isArray(value)) return value.map((item) => stripValue(item, key))
  if (isObject(value)) {
    const { key: name, value: text } = value
    if (typeof name === 'string' && typeof text === 'string') return { ...value, value: stripValue(text, name) }
    // The order of members means nothing.
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(entries.map(([name, member]) => [name, stripValue(member, name)]))
  }
  return typeof value === 'string' ? stripText(value) : value
}

export interface WireEvent {
  readonly type: string
  readonly attributes: readonly { readonly key: string; readonly value: string }[]
}

/** One line an event: attributes in their order. */
export const stripEvents = (events: readonly WireEvent[]): readonly string[] =>
  events.map(({ type, attributes }) => {
    const members = attributes.map(({ key, value }) => `${key}=${String(stripValue(value, key))}`)
    return `${type}(${members.join(' ')})`
  })
