/** What the node has answered so far: page.js asks, show.js draws. */
import * as questions from './questions.js'

export const known = {
  /** @type {ReturnType<typeof questions.servers.read> | undefined} */
  servers: undefined,
  /** @type {ReturnType<typeof questions.node.read> | undefined} */
  node: undefined,
  /** @type {number | undefined} */
  evmChainId: undefined,
  /** @type {ReadonlyMap<string, { readonly symbol: string, readonly decimals: number }>} */
  coins: new Map(),
  height: 0,
  /** @type {Map<number, Date>} */
  times: new Map(),
  /** Transactions are known up to this height. */
  through: 0,
  /** @type {readonly questions.Transaction[]} */
  transactions: [],
  passedOver: 0,
  /** @type {Map<string, bigint>} */
  balances: new Map(),
  /** @type {readonly questions.Market[]} */
  markets: [],
  /** @type {Map<number, ReturnType<ReturnType<typeof questions.depth>['read']>>} */
  depths: new Map(),
  /** @type {Map<number, ReturnType<ReturnType<typeof questions.trades>['read']>>} */
  trades: new Map(),
  /** What failed last, by the path that was asked. @type {Map<string, string>} */
  failures: new Map(),
}

/** The ten accounts of a devnet; none on another chain. */
export const accounts = () => (known.node?.chainId.startsWith('localnat-') === true ? questions.DEVNET_ACCOUNTS : [])

/** A server that listens everywhere is reached where this page is. @type {(address: string) => string} */
export const reachable = (address) => {
  const at = address.lastIndexOf(':')
  const host = address.slice(0, at)
  return ['', '0.0.0.0', '[::]', '[::0]'].includes(host) ? `${location.hostname}${address.slice(at)}` : address
}

/** URLs that wallets take; empty where the server is not known, or is none. @type {() => { jsonRpc: string, comet: string }} */
export const urls = () => {
  const { servers, node } = known
  return {
    jsonRpc: servers?.jsonRpc === undefined ? '' : `${location.protocol}//${reachable(servers.jsonRpc)}`,
    comet: node === undefined ? '' : `http://${reachable(node.cometbft)}`,
  }
}
