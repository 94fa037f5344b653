import type { Module } from '../module.ts'
import type { AuthDependencies } from './deps.ts'
import { formatParameters, formatPublicKeys, parseAuthGenesis } from './genesis.ts'
import { readAuthParameters, readPublicKeys, writeAuthParameters, writePublicKey } from './keeper.ts'
import { UPDATE_PARAMS } from './messages/update-params.ts'
import { parametersFault } from './params.ts'
import { authQueries } from './queries.ts'

export const createAuthModule = (dependencies: AuthDependencies): Module => ({
  name: 'auth',
  initGenesis: ({ state }, genesis) => {
    const { publicKeys, parameters } = parseAuthGenesis(genesis)
    writeAuthParameters(state, parameters)
    for (const [address, key] of publicKeys) writePublicKey(state, address, key)
  },
  exportGenesis: ({ state }) => ({
    params: formatParameters(readAuthParameters(state)),
    public_keys: formatPublicKeys(readPublicKeys(state)),
  }),
  messages: [UPDATE_PARAMS],
  queries: authQueries(dependencies),
  invariants: [
    {
      name: 'auth/parameters-valid',
      check: ({ state }) => parametersFault(readAuthParameters(state)),
    },
    {
      name: 'auth/keys-are-of-accounts-that-signed',
      check: ({ state }) => {
        for (const [address, key] of readPublicKeys(state)) {
          const fault = dependencies.checkKey(address, key)
          if (fault !== undefined) return fault
          if ((state.account(address)?.nonce ?? 0n) === 0n) return 'the public key of an account that never signed'
        }
        return undefined
      },
    },
  ],
})
