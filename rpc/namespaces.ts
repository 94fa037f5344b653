/** The setting json-rpc.api may name these: those of methods.ts. */
export const NAMESPACES = ['eth', 'net', 'web3', 'debug', 'txpool', 'rpc', 'clob'] as const

export const isNamespace = (name: string): boolean => NAMESPACES.some((known) => known === name)
