/** What wallets are told to add this network, the same as docs/clients.md says. */

const NAT = { coinDenom: 'NAT', coinMinimalDenom: 'anat', coinDecimals: 18 }

/** What MetaMask takes in `wallet_addEthereumChain`. @param {{ chainId: string, evmChainId: number, jsonRpc: string }} network */
export const ethereumChain = ({ chainId, evmChainId, jsonRpc }) => ({
  chainId: `0x${evmChainId.toString(16)}`,
  chainName: `NAT ${chainId}`,
  nativeCurrency: { name: 'NAT', symbol: 'NAT', decimals: 18 },
  rpcUrls: [jsonRpc],
})

/** What Keplr takes in `experimentalSuggestChain`. @param {{ chainId: string, comet: string, rest: string }} network */
export const keplrChain = ({ chainId, comet, rest }) => ({
  chainId,
  chainName: `NAT ${chainId}`,
  rpc: comet,
  rest,
  bip44: { coinType: 60 },
  bech32Config: {
    bech32PrefixAccAddr: 'nat',
    bech32PrefixAccPub: 'natpub',
    bech32PrefixValAddr: 'natvaloper',
    bech32PrefixValPub: 'natvaloperpub',
    bech32PrefixConsAddr: 'natvalcons',
    bech32PrefixConsPub: 'natvalconspub',
  },
  currencies: [NAT],
  feeCurrencies: [{ ...NAT, gasPriceStep: { low: 2_000_000_000, average: 3_000_000_000, high: 4_000_000_000 } }],
  stakeCurrency: NAT,
  features: ['eth-address-gen', 'eth-key-sign', 'eth-secp256k1-cosmos'],
})

/**
 * What wallets put into pages.
 * @typedef {object} Wallets
 * @property {{ request: (call: { method: string, params: readonly unknown[] }) => Promise<unknown> }} [ethereum]
 * @property {{ experimentalSuggestChain: (chain: ReturnType<typeof keplrChain>) => Promise<void> }} [keplr]
 */

/**
 * The wallets that are in this browser, each with what adds the network to it.
 * @type {(wallets: Wallets, network: () => { chainId: string, evmChainId: number, jsonRpc: string, comet: string, rest: string }) => readonly (readonly [name: string, add: () => Promise<unknown>])[]}
 */
export const walletsOf = ({ ethereum, keplr }, network) => [
  ...(ethereum === undefined
    ? []
    : [
        /** @type {const} */ ([
          'MetaMask',
          () => ethereum.request({ method: 'wallet_addEthereumChain', params: [ethereumChain(network())] }),
        ]),
      ]),
  ...(keplr === undefined
    ? []
    : [/** @type {const} */ (['Keplr', () => keplr.experimentalSuggestChain(keplrChain(network()))])]),
]
