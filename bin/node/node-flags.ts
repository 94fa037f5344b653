/** What the command line says of a node. */
export interface NodeFlags {
  /** Settings by key, as given on the command line. */
  readonly settings: Readonly<Record<string, string>>
  /** Addresses of CometBFT, which go before those of config.toml. */
  readonly cometRpc?: string
  readonly cometP2p?: string
  readonly cometSeeds?: string
  readonly cometPersistentPeers?: string
}

/** The settings given on the command line, for a child process. */
export const settingArguments = ({ settings }: NodeFlags): readonly string[] =>
  Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value])
