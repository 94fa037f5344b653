/** The chains that this software has presets for. */

/** EVM chain ids by native chain id. */
const KNOWN_CHAINS = {
  'localnat-1': 2517n,
  'nat-2517-1': 2517n,
  'nat-2518-1': 2518n,
} as const

export type KnownChain = keyof typeof KNOWN_CHAINS

export const isKnownChain = (chainId: string): chainId is KnownChain => Object.hasOwn(KNOWN_CHAINS, chainId)

export const evmChainIdOf = (chainId: KnownChain): bigint => KNOWN_CHAINS[chainId]
