/** What the setting json-rpc.api may name: those of methods.ts, and some of other nodes that nothing is served of yet. */
export const NAMESPACES = ['eth', 'net', 'web3', 'debug', 'txpool', 'trace', 'rpc', 'clob'] as const

export const isNamespace = (name: string): boolean => NAMESPACES.some((known) => known === name)
