import { auth, authQuery, authTx } from '../../proto/index.ts'
import type { ModuleDefinition } from '../module.ts'
import type { AuthDependencies } from './deps.ts'
import { formatParameters, formatPublicKeys, parseAuthGenesis } from './genesis.ts'
import { readAuthParameters, readPublicKeys, writeAuthParameters, writePublicKey } from './keeper.ts'
import { UPDATE_PARAMS } from './messages/update-params.ts'
import { parametersFault } from './params.ts'
import { authQueries } from './queries.ts'

export const authModule: ModuleDefinition<AuthDependencies> = {
  name: 'auth',
  services: [authQuery.Query, authTx.Msg],
  packed: [auth.file_cosmos_auth_v1beta1_auth],
  parseGenesis: (genesis, { checkKey }) => parseAuthGenesis(genesis, checkKey),
  create: (dependencies) => ({
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
        // A genesis brings keys of accounts that have signed none of its transactions.
        isNotOfGenesis: true,
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
  }),
}
