/** Private keys from mnemonics: BIP-39 words, BIP-32 derivation, BIP-44 paths of coin type 60. */
import { HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { plainBytes } from '../../../core/bytes.ts'
import { cliError, errorText } from '../../errors.ts'

/** 256 bits. */
const STRENGTH = 256
export const COIN_TYPE = 60

export interface KeyPath {
  readonly coinType: number
  readonly account: number
  readonly index: number
}

export const formatPath = ({ coinType, account, index }: KeyPath): string => `m/44'/${coinType}'/${account}'/0/${index}`

/** 24 English words. */
export const createMnemonic = (): string => generateMnemonic(wordlist, STRENGTH)

/** Words apart by one space each. Throws cli/18 for a wrong word, number of words or checksum. */
export const requireMnemonic = (text: string): string => {
  const mnemonic = text.trim().toLowerCase().split(/\s+/).join(' ')
  if (!validateMnemonic(mnemonic, wordlist)) {
    throw cliError(
      'keyring',
      'not a mnemonic: 12 to 24 English words of BIP-39 are expected, the last holds a checksum',
    )
  }
  return mnemonic
}

/** Throws cli/18 for a path that cannot be derived. */
export const deriveKey = (mnemonic: string, path: string): Uint8Array => {
  const refuse = (reason: string): never => {
    throw cliError('keyring', `cannot derive ${path}: ${reason}`)
  }
  if (!/^m(?:\/[0-9]{1,10}'?)+$/.test(path)) return refuse("write it like m/44'/60'/0'/0/0")
  try {
    const { privateKey } = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive(path)
    return privateKey === null ? refuse('no private key') : plainBytes(privateKey)
  } catch (error) {
    return refuse(errorText(error))
  }
}
