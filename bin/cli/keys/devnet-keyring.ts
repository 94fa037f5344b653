/** The ten accounts of a devnet as keys that `chain tx` signs with. */
import { hexToBytes } from '../../../core/hex.ts'
import type { Home } from '../../node/config/home.ts'
import { devnetAccounts } from './devnet-accounts.ts'
import { Keyring, TEST_PASSWORD } from './keyring.ts'

/** Adds the accounts as dev0 to dev9 to the keyring `test` of the home. */
export const keyDevnet = (home: Home): void => {
  const keyring = new Keyring(home.root, 'test')
  for (const [index, { privateKey }] of devnetAccounts().entries()) {
    keyring.addPrivateKey(`dev${index}`, 'eth_secp256k1', hexToBytes(privateKey), TEST_PASSWORD, 'light')
  }
}
