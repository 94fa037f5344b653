/** The ten accounts of a devnet: keys that everyone knows. */
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { type Address, checksumAddress } from '../../../core/address.ts'
import { equalBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { bytesToHex, hexToBytes } from '../../../core/hex.ts'
import { privateKeyToAddress } from '../../../core/signature.ts'

/** The mnemonic of every Ethereum development tool: anyone can spend from these accounts. */
export const DEVNET_MNEMONIC = 'test test test test test test test test test test test junk'
const ACCOUNTS = 10

export interface DevnetAccount {
  readonly address: string
  readonly privateKey: string
}

export const devnetAccounts = (): readonly DevnetAccount[] => {
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(DEVNET_MNEMONIC))
  return Array.from({ length: ACCOUNTS }, (_, index) => {
    const { privateKey } = root.derive(`m/44'/60'/0'/0/${index}`)
    invariant(privateKey, 'a derived key holds its private part')
    return { address: checksumAddress(privateKeyToAddress(privateKey)), privateKey: bytesToHex(privateKey) }
  })
}

/** What the interface gives to the testnet, and to the local chain because it gives it no other. */
export const SHARED_EVM_CHAIN_ID = 2517n

const SHARED_ID = `EVM chain id ${SHARED_EVM_CHAIN_ID} is that of devnets (localnat-1) and of the testnet (nat-2517-1): what a key signs for one runs on the other too.`

/** What somebody should know who has just made or imported a key. */
export const keyNotice = (address: Address): string =>
  devnetAccounts().some((account) => equalBytes(hexToBytes(account.address), address))
    ? `WARNING: everyone knows this key, it is one of the devnet's. ${SHARED_ID} Never send anything of value to it.`
    : `${SHARED_ID} Use another key for each.`
