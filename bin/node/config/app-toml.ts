/** app.toml: written from the table of settings, read with the key and the line of whatever is wrong. */
import { parse, TomlError } from 'smol-toml'
import { cliError } from '../../errors.ts'
import { unknownVariables } from './environment-names.ts'
import { environmentName, isSettingKey, SETTING_KEYS, type SettingKey, type Settings, settingOf } from './settings.ts'
import { publicValue } from './public.ts'
import { lineNumbers } from './toml-lines.ts'

export interface LoadedSettings {
  readonly settings: Settings
  /** Unknown keys, kept in the file, and unknown variables: of no effect. */
  readonly warnings: readonly string[]
}

export interface SettingSources {
  /** Name of the file for messages. */
  readonly path: string
  readonly toml: string
  /** The flags of the command line by key: they win. */
  readonly flags: Readonly<Record<string, string>>
  readonly environment: Readonly<Record<string, string | undefined>>
}

const splitKey = (key: string): readonly [section: string, name: string] => {
  const dot = key.lastIndexOf('.')
  return dot === -1 ? ['', key] : [key.slice(0, dot), key.slice(dot + 1)]
}

/** The whole file with a comment on every key. */
export const renderAppToml = (settings: Settings): string => {
  const lines = [
    '# Settings of the application. None of them can change what a block does.',
    '# A flag of the same name wins over the environment (CHAIN_ and the key in capitals), which wins over this file.',
  ]
  let open = ''
  for (const key of SETTING_KEYS) {
    const [section, name] = splitKey(key)
    const { kind, comment } = settingOf(key)
    if (section !== open) lines.push('', `[${section}]`)
    open = section
    lines.push('', `# ${comment}.`, `# Allowed: ${kind.allowed}.`, `${name} = ${kind.toToml(settings[key])}`)
  }
  return `${lines.join('\n')}\n`
}

const flatten = (table: unknown, prefix: string, out: Map<string, unknown>): void => {
  for (const [name, value] of Object.entries(table as Record<string, unknown>)) {
    const key = `${prefix}${name}`
    const isTable = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (isTable && !isSettingKey(key)) flatten(value, `${key}.`, out)
    else out.set(key, value)
  }
}

const readToml = ({ path, toml }: SettingSources): ReadonlyMap<string, unknown> => {
  const values = new Map<string, unknown>()
  try {
    flatten(parse(toml), '', values)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw cliError('settings', `${path}:${error.line}:${error.column}: ${error.message.split('\n')[0] ?? ''}`)
  }
  return values
}

/** A close name for a misspelt key. */
const suggest = (key: string): string => {
  const [, name] = splitKey(key)
  const flat = (text: string): string => text.replaceAll(/[^a-z0-9]/gi, '').toLowerCase()
  const close = SETTING_KEYS.find((known) => flat(known) === flat(key) || flat(splitKey(known)[1]) === flat(name))
  return close === undefined ? '' : `; did you mean ${close}?`
}

/** Shows a value as it was given, without the name and password that a URL may hold: errors end up in logs. */
const shown = (value: unknown): string => (JSON.stringify(value) ?? '').replaceAll(/:\/\/[^@/"]*@/g, '://...@')

const parseSetting = (key: SettingKey, value: unknown, where: string): unknown => {
  const { kind } = settingOf(key)
  const parsed = kind.parse(value)
  if (parsed !== undefined) return parsed
  throw cliError('settings', `${where} is ${shown(value)}, but must be ${kind.allowed}`, { key })
}

/** Undefined where neither a flag nor the environment names it. */
const fromCommand = (key: SettingKey, { flags, environment }: SettingSources): unknown => {
  const flag = flags[key]
  if (flag !== undefined) return parseSetting(key, flag, `--${key}`)
  const name = environmentName(key)
  const variable = environment[name]
  return variable === undefined ? undefined : parseSetting(key, variable, name)
}

/** Flag over environment over app.toml over default. Throws cli/4. */
export const loadSettings = (sources: SettingSources): LoadedSettings => {
  const fromFile = readToml(sources)
  const lines = lineNumbers(sources.toml)
  const at = (key: string): string => `${sources.path}:${lines.get(key) ?? '?'}: ${key}`
  const publicInFile = fromFile.has('public') && parseSetting('public', fromFile.get('public'), at('public'))
  const isPublic = (fromCommand('public', sources) ?? publicInFile) === true
  const entries = SETTING_KEYS.map((key) => {
    const named = fromCommand(key, sources)
    if (named !== undefined) return [key, named] as const
    const value = fromFile.has(key) ? parseSetting(key, fromFile.get(key), at(key)) : settingOf(key).fallback
    return [key, isPublic ? publicValue(key, value) : value] as const
  })
  const unknown = [...fromFile.keys()]
    .filter((key) => !isSettingKey(key))
    .map((key) => `${at(key)} is no setting and has no effect${suggest(key)}`)
  const warnings = [...unknown, ...unknownVariables(sources.environment)]
  return { settings: Object.fromEntries(entries) as Settings, warnings }
}
