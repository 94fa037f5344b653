/** Where CometBFT's RPC is asked. */

/** http://host:port of a listen address such as tcp://0.0.0.0:26657, or tcp://:26657, which is every interface too. */
export const rpcUrl = (laddr: string): string =>
  laddr
    .replace(/^tcp:\/\//, 'http://')
    .replace(/:\/\/(?:0\.0\.0\.0)?:/, '://127.0.0.1:')
    .replace('://[::]:', '://[::1]:')
