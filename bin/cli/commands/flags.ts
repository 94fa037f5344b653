/** Flags that the commands of a node share. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_HOME, type Home, openHome } from '../../node/config/home.ts'
import { SETTING_KEYS, settingOf } from '../../node/config/settings.ts'
import type { NodeFlags } from '../../node/load-node.ts'

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

/** Adds a flag for every setting of app.toml, and the addresses of CometBFT. */
export const withSettings = (command: Command): Command => {
  for (const key of SETTING_KEYS) {
    const { comment, kind } = settingOf(key)
    command.addOption(new Option(`--${key} <value>`, `${comment} (${kind.allowed})`))
  }
  return command
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
    const value = textOf(flags, attributeOf(key))
    if (value !== undefined) settings[key] = value
  }
  const cometRpc = textOf(flags, 'rpc.laddr')
  const cometP2p = textOf(flags, 'p2p.laddr')
  return {
    settings,
    ...(cometRpc === undefined ? {} : { cometRpc }),
    ...(cometP2p === undefined ? {} : { cometP2p }),
  }
}

export const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}
