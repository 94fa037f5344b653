/** Flags that the commands of a node share. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_HOME, type Home, openHome } from '../../node/config/home.ts'
import { type CometPeers, parsePeers } from '../../node/config/peers.ts'
import { escapeControls, escapeJson } from '../../node/runtime/printable.ts'
import { SETTING_KEYS, settingOf } from '../../node/config/settings.ts'
import type { NodeFlags } from '../../node/node-flags.ts'

export type Flags = Readonly<Record<string, unknown>>

export const homeOption = (): Option =>
  new Option('--home <dir>', 'home of the node').env('CHAIN_HOME').default(DEFAULT_HOME, '~/.nat-chain')

export const queriesSecretOption = (): Option =>
  new Option(
    '--queries-secret-file <file>',
    'holds the secret that an application and its gateways show each other, 32 bytes or more',
  )

export const textOf = (flags: Flags, name: string): string | undefined => {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

export const homeOf = (flags: Flags): Home => openHome(textOf(flags, 'home') ?? DEFAULT_HOME)

/** Commander's name of a flag: words after dashes in capitals. */
export const attributeOf = (key: string): string =>
  key.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Adds the flags that say which peers CometBFT dials. */
export const withPeers = (command: Command): Command =>
  command
    .addOption(
      new Option('--p2p.seeds <peers>', 'nodes that tell of others: <node id>@<host>:<port>, commas between').env(
        'CHAIN_P2P_SEEDS',
      ),
    )
    .addOption(
      new Option('--p2p.persistent_peers <peers>', 'nodes that are dialled again and again, as of --p2p.seeds').env(
        'CHAIN_P2P_PERSISTENT_PEERS',
      ),
    )

/** Those that are named. Throws cli/4 for what nobody can dial. */
export const peersOf = (flags: Flags): Partial<CometPeers> => {
  const seeds = textOf(flags, 'p2p.seeds')
  const persistentPeers = textOf(flags, 'p2p.persistent_peers')
  return {
    ...(seeds === undefined ? {} : { seeds: parsePeers(seeds, '--p2p.seeds') }),
    ...(persistentPeers === undefined
      ? {}
      : { persistentPeers: parsePeers(persistentPeers, '--p2p.persistent_peers') }),
  }
}

/** Adds a flag for every setting of app.toml, and the addresses of CometBFT. */
export const withSettings = (command: Command): Command => {
  for (const key of SETTING_KEYS) {
    const { comment, kind } = settingOf(key)
    // The one switch among them.
    const argument = key === 'public' ? '[value]' : '<value>'
    command.addOption(new Option(`--${key} ${argument}`, `${comment} (${kind.allowed})`))
  }
  return withPeers(command)
    .addOption(
      new Option('--rpc.laddr <address>', 'where the consensus RPC listens, over config.toml').env('CHAIN_RPC_LADDR'),
    )
    .addOption(
      new Option('--p2p.laddr <address>', 'where peer-to-peer listens, over config.toml').env('CHAIN_P2P_LADDR'),
    )
}

export const parseHeight = (text: string): number => {
  if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) throw new InvalidArgumentError('must be a height')
  return Number(text)
}

export const parseEvmChainId = (text: string): bigint => {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) throw new InvalidArgumentError('must be a positive integer')
  return BigInt(text)
}

export const nodeFlags = (flags: Flags): NodeFlags => {
  const settings: Record<string, string> = {}
  for (const key of SETTING_KEYS) {
    const given = flags[attributeOf(key)]
    const value = given === true ? 'true' : typeof given === 'string' ? given : undefined
    if (value !== undefined) settings[key] = value
  }
  const cometRpc = textOf(flags, 'rpc.laddr')
  const cometP2p = textOf(flags, 'p2p.laddr')
  const { seeds, persistentPeers } = peersOf(flags)
  return {
    settings,
    ...(cometRpc === undefined ? {} : { cometRpc }),
    ...(cometP2p === undefined ? {} : { cometP2p }),
    ...(seeds === undefined ? {} : { cometSeeds: seeds }),
    ...(persistentPeers === undefined ? {} : { cometPersistentPeers: persistentPeers }),
  }
}

/** Nothing that a terminal would act upon: others have sent some of it. */
export const say = (text: string): void => {
  process.stdout.write(`${escapeControls(text)}\n`)
}

/** Prints JSON that reads as `value`. */
export const sayJson = (value: unknown): void => {
  process.stdout.write(`${escapeJson(JSON.stringify(value, null, 2))}\n`)
}
