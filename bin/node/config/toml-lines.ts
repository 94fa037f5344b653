/** Finds and changes keys in TOML text without disturbing what stands around them: comments, order, unknown keys. */

/** The section that a line opens, or undefined. */
const openedSection = (line: string): string | undefined => /^\s*\[\[?\s*([^\]]+?)\s*\]?\]/.exec(line)?.[1]

const keyOf = (line: string): string | undefined => /^\s*"?([A-Za-z0-9_.-]+)"?\s*=/.exec(line)?.[1]

/** 1-based line of every assignment, by its full key (section.name). */
export const lineNumbers = (toml: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  let section = ''
  for (const [index, line] of toml.split('\n').entries()) {
    const opened = openedSection(line)
    if (opened !== undefined) section = `${opened}.`
    else {
      const key = keyOf(line)
      if (key !== undefined && !found.has(section + key)) found.set(section + key, index + 1)
    }
  }
  return found
}

/** Sets a key to a TOML value. A missing key is added at the end of its section, a missing section at the end of the file. */
export const setTomlValue = (toml: string, key: string, value: string): string => {
  const lines = toml.split('\n')
  const at = lineNumbers(toml).get(key)
  const name = key.slice(key.lastIndexOf('.') + 1)
  if (at !== undefined) {
    lines[at - 1] = `${name} = ${value}`
    return lines.join('\n')
  }
  const section = key.slice(0, Math.max(0, key.lastIndexOf('.')))
  const start = section === '' ? 0 : lines.findIndex((line) => openedSection(line) === section) + 1
  if (section !== '' && start === 0) return `${toml.trimEnd()}\n\n[${section}]\n${name} = ${value}\n`
  const next = lines.findIndex((line, index) => index >= start && openedSection(line) !== undefined)
  lines.splice(next === -1 ? lines.length - 1 : next, 0, `${name} = ${value}`)
  return lines.join('\n')
}
