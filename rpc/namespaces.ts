/** The setting json-rpc.api may name these: those of methods.ts, and some of other nodes of which nothing is served yet. */
export const NAMESPACES = ['eth', 'net', 'web3', 'debug', 'txpool', 'trace', 'rpc', 'clob'] as const

export const isNamespace = (name: string): boolean => NAMESPACES.some((known) => known === name)
