import type { Module } from '../module.ts'
import type { AuthDependencies } from './deps.ts'
import { formatPublicKeys, parseAuthGenesis } from './genesis.ts'
import { readPublicKeys, writePublicKey } from './keeper.ts'
import { authQueries } from './queries.ts'

export const createAuthModule = (dependencies: AuthDependencies): Module => ({
  name: 'auth',
  initGenesis: ({ state }, genesis) => {
    for (const [address, key] of parseAuthGenesis(genesis).publicKeys) writePublicKey(state, address, key)
  },
  exportGenesis: ({ state }) => ({ public_keys: formatPublicKeys(readPublicKeys(state)) }),
  messages: [],
  queries: authQueries(dependencies),
  invariants: [
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
