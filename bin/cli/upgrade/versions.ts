/**
 * The versions of the software that an operator has prepared, by the names of the plans that need them: a folder in the home with
 * one link for each, and the link `current`, which is replaced in one step.
 */
import { accessSync, constants, existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { realpathSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Home } from '../../node/config/home.ts'
import { cliError } from '../../errors.ts'

const CURRENT = 'current'
const MAX_NAME = 140

export interface Version {
  readonly name: string
  /** A checkout, or a program. */
  readonly path: string
  /** What is run in the place of `chain`. */
  readonly program: string
}

export const versionsFolder = ({ root }: Home): string => join(root, 'upgrades')

/** Plans are named by governance: anything may stand in a name. */
const fileOf = (name: string): string => {
  const file = `v-${encodeURIComponent(name)}`
  if (name === '' || file.length > MAX_NAME)
    throw cliError('usage', `"${name.slice(0, MAX_NAME)}" is no name of a plan`)
  return file
}

const programOf = (path: string): string => (statSync(path).isDirectory() ? join(path, 'chain') : path)

/** Throws cli/1 for what cannot be run. */
const requireProgram = (path: string): string => {
  try {
    const program = programOf(path)
    accessSync(program, constants.X_OK)
    return program
  } catch {
    throw cliError(
      'usage',
      `${path} is neither a checkout with a program "chain" in it, nor a program: run "make setup" there`,
    )
  }
}

/** The new link has a name that no plan has while it is made. */
const replaceLink = (target: string, link: string): void => {
  const made = join(dirname(link), `.new-${basename(link)}`)
  rmSync(made, { force: true })
  symlinkSync(target, made)
  renameSync(made, link)
}

/** Prepares a version; one of that name is replaced. Throws cli/1 and cli/2. */
export const addVersion = (home: Home, name: string, given: string): Version => {
  if (!existsSync(home.root)) throw cliError('homeMissing', `${home.root} is missing: name the home with --home`)
  const path = resolve(given)
  requireProgram(path)
  mkdirSync(versionsFolder(home), { recursive: true })
  const real = realpathSync(path)
  replaceLink(real, join(versionsFolder(home), fileOf(name)))
  return { name, path: real, program: requireProgram(real) }
}

/** Throws cli/1 where what was prepared has gone. Undefined where nothing was. */
export const findVersion = (home: Home, name: string): Version | undefined => {
  const link = join(versionsFolder(home), fileOf(name))
  if (!lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined
  const path = readlinkSync(link)
  return { name, path, program: requireProgram(path) }
}

export const currentName = (home: Home): string | undefined => {
  const link = join(versionsFolder(home), CURRENT)
  if (!lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined
  return decodeURIComponent(readlinkSync(link).slice('v-'.length))
}

/** Throws cli/1 for one that was not prepared. */
export const switchTo = (home: Home, name: string): Version => {
  const version = findVersion(home, name)
  if (version === undefined) {
    throw cliError(
      'usage',
      `no version "${name}" is prepared: chain upgrade add "${name}" <checkout> --home ${home.root}`,
    )
  }
  replaceLink(fileOf(name), join(versionsFolder(home), CURRENT))
  return version
}

/** Lists the prepared versions by name. */
export const listVersions = (home: Home): readonly string[] => {
  const folder = versionsFolder(home)
  if (!existsSync(folder)) return []
  const current = currentName(home)
  return readdirSync(folder)
    .filter((file) => file.startsWith('v-'))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((file) => {
      const name = decodeURIComponent(file.slice('v-'.length))
      return `${name === current ? '*' : ' '} ${name}  ${readlinkSync(join(folder, file))}`
    })
}
