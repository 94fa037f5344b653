/** Where things lie in a node's home: CometBFT's layout, with the application's files beside. */
import { accessSync, constants, existsSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import { cliError, errorText } from '../../errors.ts'

export interface Home {
  readonly root: string
  readonly configToml: string
  readonly appToml: string
  readonly clientToml: string
  readonly genesis: string
  readonly nodeKey: string
  readonly validatorKey: string
  readonly validatorState: string
  /** Keys with which the validator signs for the bridge. */
  readonly bridgeKey: string
  readonly data: string
  readonly database: string
  readonly poolJournal: string
  readonly orderJournal: string
  readonly voteAnswers: string
  readonly snapshots: string
  /** Where a restore makes databases, until it moves them into place. */
  readonly restoring: string
  readonly logs: string
  /** Addresses with a scheme, as CometBFT writes them. */
  readonly abciSocket: string
  readonly queriesSocket: string
  /** A path. */
  readonly bridgeSocket: string
}

export const DEFAULT_HOME = join(homedir(), '.nat-chain')

/** sun_path of a unix socket has 108 bytes with its end, on Linux. */
const MAX_SOCKET_PATH_BYTES = 107

const socketAddress = (root: string, name: string): string => {
  const path = join(root, `${name}.sock`)
  if (utf8ToBytes(path).length <= MAX_SOCKET_PATH_BYTES) return `unix://${path}`
  const digest = bytesToUnprefixedHex(sha256(utf8ToBytes(root))).slice(0, 16)
  return `unix://${join(tmpdir(), `nat-${digest}-${name}.sock`)}`
}

export const openHome = (path: string): Home => {
  const root = resolve(path)
  const config = join(root, 'config')
  const data = join(root, 'data')
  return {
    root,
    configToml: join(config, 'config.toml'),
    appToml: join(config, 'app.toml'),
    clientToml: join(config, 'client.toml'),
    genesis: join(config, 'genesis.json'),
    nodeKey: join(config, 'node_key.json'),
    validatorKey: join(config, 'priv_validator_key.json'),
    bridgeKey: join(config, 'bridge_key.json'),
    validatorState: join(data, 'priv_validator_state.json'),
    data,
    database: join(data, 'application.db'),
    poolJournal: join(data, 'pool.journal'),
    orderJournal: join(data, 'orders.journal'),
    voteAnswers: join(data, 'vote-answers'),
    snapshots: join(data, 'snapshots'),
    restoring: join(data, '.restoring'),
    logs: join(root, 'logs'),
    abciSocket: socketAddress(root, 'abci'),
    queriesSocket: socketAddress(root, 'queries'),
    bridgeSocket: socketAddress(root, 'bridge').slice('unix://'.length),
  }
}

/** Throws cli/16 when this user may not use the path in these modes; what is not there is not judged. */
export const requirePermission = (path: string, modes: number): void => {
  try {
    accessSync(path, modes)
  } catch (error) {
    const reason = errorText(error)
    if (reason.includes('EROFS')) throw cliError('permission', `${path} is on a file system that is read-only`)
    if (!/EACCES|EPERM/.test(reason)) return
    const what = (modes & constants.W_OK) === 0 ? 'read' : 'read and write'
    throw cliError('permission', `no permission to ${what} ${path}: run this as its owner`)
  }
}

/**
 * Throws cli/16 when this user cannot make files in the folder, or cannot make the folder: the first above it that is
 * there decides. Node says ENOENT instead of the reason.
 */
export const requireWritableFolder = (path: string): void => {
  let existing = resolve(path)
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  requirePermission(existing, constants.R_OK | constants.W_OK | constants.X_OK)
}

/**
 * Throws cli/2 when `chain init` has not been run there, and cli/16 for a home of somebody else. Where another program signs the home
 * needs no key of a validator: signing-files.ts asks for one.
 */
export const requireHome = (home: Home): void => {
  requirePermission(home.root, constants.R_OK | constants.X_OK)
  for (const path of [home.configToml, home.appToml, home.genesis]) requirePermission(path, constants.R_OK)
  for (const path of [home.configToml, home.appToml, home.genesis, home.nodeKey]) {
    if (!existsSync(path)) {
      throw cliError(
        'homeMissing',
        `${path} is missing: run "chain init <moniker> --chain-id <id> --home ${home.root}" first`,
      )
    }
  }
}

/** Is there while a restore moves databases into place. */
export const movingMarker = ({ restoring }: Home): string => join(restoring, 'moving')

/** Throws cli/17 when a restore was killed just then. */
export const requireNoUnfinishedRestore = (home: Home): void => {
  if (existsSync(movingMarker(home))) {
    throw cliError('snapshot', `a restore into ${home.root} was cut short: run "chain snapshot restore" again`)
  }
}
