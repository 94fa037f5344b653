/** The networks that `chain init` knows by their native chain id. */
import { cliError } from '../errors.ts'

export interface Network {
  readonly chainId: string
  readonly evmChainId: bigint
  /** Public networks listen on every interface, and `chain start` warns about it. */
  readonly isPublic: boolean
  /** Said once by `chain init`. */
  readonly notice?: string
}

const NETWORKS: readonly Network[] = [
  { chainId: 'localnat-1', evmChainId: 2517n, isPublic: false },
  { chainId: 'nat-2517-1', evmChainId: 2517n, isPublic: true },
  {
    chainId: 'nat-2518-1',
    evmChainId: 2518n,
    isPublic: true,
    notice: 'nat-2518-1 (mainnet) is reserved: the network is not live yet',
  },
]

/** CometBFT's own bound on a chain id, and no characters that a path or a shell would mind. */
const CHAIN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/

export const isPublicNetwork = (chainId: string): boolean =>
  NETWORKS.some((network) => network.chainId === chainId && network.isPublic)

/** Any other chain id needs its EVM chain id. Throws cli/1. */
export const findNetwork = (chainId: string, evmChainId: bigint | undefined): Network => {
  if (!CHAIN_ID.test(chainId)) {
    throw cliError('usage', `"${chainId}" is no chain id: 1 to 50 letters, digits, dots, dashes and underscores`)
  }
  const known = NETWORKS.find((network) => network.chainId === chainId)
  if (known !== undefined) {
    if (evmChainId === undefined || evmChainId === known.evmChainId) return known
    throw cliError('usage', `the EVM chain id of ${chainId} is ${known.evmChainId}, not ${evmChainId}`)
  }
  if (evmChainId !== undefined) return { chainId, evmChainId, isPublic: false }
  const names = NETWORKS.map((network) => network.chainId).join(', ')
  throw cliError('usage', `${chainId} is no known network (${names}): name its EVM chain id with --evm-chain-id`)
}
