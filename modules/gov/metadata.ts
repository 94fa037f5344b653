/** Metadata of a proposal in the SDK's recommended form: it must not contradict the proposal. */

const FIELDS: Readonly<Record<string, 'text' | 'texts'>> = {
  title: 'text',
  authors: 'texts',
  summary: 'text',
  details: 'text',
  proposal_forum_url: 'text',
  vote_option_context: 'text',
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fits = (value: unknown, kind: 'text' | 'texts'): boolean =>
  value === null ||
  (kind === 'text'
    ? typeof value === 'string'
    : Array.isArray(value) && value.every((each) => each === null || typeof each === 'string'))

/** Reads as Go reads into a struct: names in any case, null is nothing. Undefined where Go would fail. */
const readFields = (metadata: string): { readonly title: string; readonly summary: string } | undefined => {
  const parsed = parseJson(metadata)
  if (parsed === undefined || typeof parsed !== 'object' || Array.isArray(parsed)) return undefined
  const found = { title: '', summary: '' }
  for (const [name, value] of Object.entries(parsed ?? {})) {
    const field = name.toLowerCase()
    const kind = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined
    if (kind === undefined) continue
    if (!fits(value, kind)) return undefined
    if (typeof value === 'string' && (field === 'title' || field === 'summary')) found[field] = value
  }
  return found
}

/** What it contradicts. Metadata of any other form says nothing about it. */
export const metadataFault = (metadata: string, title: string, summary: string): string | undefined => {
  const fields = metadata === '' ? undefined : readFields(metadata)
  if (fields === undefined) return undefined
  if (fields.title !== title) return `metadata title '${fields.title}' must equal proposal title '${title}'`
  return fields.summary === summary
    ? undefined
    : `metadata summary '${fields.summary}' must equal proposal summary '${summary}'`
}
