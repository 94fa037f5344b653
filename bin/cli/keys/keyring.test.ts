import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMultisigThresholdPubkey, pubkeyToAddress, Secp256k1HdWallet } from '@cosmjs/amino'
import { stringToPath } from '@cosmjs/crypto'
import { HDNodeWallet, Wallet } from 'ethers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../../core/bech32.ts'
import { checksumAddress } from '../../../core/address.ts'
import { COIN_TYPE, createMnemonic, deriveKey, formatPath, requireMnemonic } from './derive-key.ts'
import { Keyring } from './keyring.ts'
import { addMultisig, exportKeystore, findKey } from './keys-commands.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'
const PASSWORD = 'a good password'

let home: string
let keyring: Keyring
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'keyring-'))
  keyring = new Keyring(home, 'file')
})
afterEach(() => rmSync(home, { recursive: true }))

const add = (name: string, algorithm: 'eth_secp256k1' | 'secp256k1', index = 0) => {
  const path = formatPath({ coinType: COIN_TYPE, account: 0, index })
  return keyring.addPrivateKey(name, algorithm, deriveKey(MNEMONIC, path), PASSWORD, 'light')
}

describe('a key of a mnemonic', () => {
  it('is that of ethers for Ethereum', () => {
    for (const index of [0, 1, 7]) {
      const path = formatPath({ coinType: COIN_TYPE, account: 0, index })
      const { address } = HDNodeWallet.fromPhrase(MNEMONIC, undefined, path)
      expect(checksumAddress(add(`key-${index}`, 'eth_secp256k1', index).address)).toBe(address)
    }
  })

  it('is that of CosmJS for plain secp256k1, on any path', async () => {
    for (const path of ["m/44'/60'/0'/0/0", "m/44'/118'/3'/0/2"]) {
      const wallet = await Secp256k1HdWallet.fromMnemonic(MNEMONIC, { prefix: 'nat', hdPaths: [stringToPath(path)] })
      const record = keyring.addPrivateKey(`k${path.length}`, 'secp256k1', deriveKey(MNEMONIC, path), PASSWORD, 'light')
      expect(encodeBech32(record.address)).toBe((await wallet.getAccounts())[0]?.address)
    }
  })

  it('has 24 words, which are checked when they come back', () => {
    const mnemonic = createMnemonic()
    expect(mnemonic.split(' ').length).toBe(24)
    expect(requireMnemonic(`  ${mnemonic.replaceAll(' ', '\n')} `)).toBe(mnemonic)
    expect(() => requireMnemonic(`${mnemonic} abandon`)).toThrow(expect.objectContaining({ code: 18 }))
    expect(() => requireMnemonic(MNEMONIC.replace('junk', 'test'))).toThrow(expect.objectContaining({ code: 18 }))
    for (const path of ['m', '44/60', "m/44'/4294967296'", "m/44'/60'/0'/0/0/x"]) {
      expect(() => deriveKey(MNEMONIC, path), path).toThrow(expect.objectContaining({ code: 18 }))
    }
  })
})

describe('a keyring', () => {
  it('keeps keys in files that ethers opens and nobody else may read', async () => {
    for (const [index, algorithm] of (['eth_secp256k1', 'secp256k1'] as const).entries()) {
      const record = add(algorithm, algorithm, index)
      expect(statSync(keyring.pathOf(record.name)).mode & 0o777).toBe(0o600)
      const wallet = await Wallet.fromEncryptedJson(readFileSync(keyring.pathOf(record.name), 'utf8'), PASSWORD)
      expect(wallet.address).toBe(HDNodeWallet.fromPhrase(MNEMONIC, undefined, `m/44'/60'/0'/0/${index}`).address)
      const exported = JSON.stringify(exportKeystore(keyring, record.name))
      expect((await Wallet.fromEncryptedJson(exported, PASSWORD)).address).toBe(wallet.address)
      expect(Object.keys(JSON.parse(exported) as object)).toEqual(['address', 'crypto', 'id', 'version'])
    }
    expect(statSync(keyring.folder).mode & 0o777).toBe(0o700)
  })

  it('opens a private key with its password, and only that of the public key beside it', () => {
    const record = add('alice', 'eth_secp256k1')
    expect(keyring.openPrivateKey(record, PASSWORD)).toEqual(deriveKey(MNEMONIC, "m/44'/60'/0'/0/0"))
    expect(() => keyring.openPrivateKey(record, 'another one')).toThrow('wrong password')
    const other = add('bob', 'eth_secp256k1', 1)
    const file = JSON.parse(readFileSync(keyring.pathOf('alice'), 'utf8')) as { nat: object }
    const { nat } = JSON.parse(readFileSync(keyring.pathOf('bob'), 'utf8')) as { nat: object }
    writeFileSync(keyring.pathOf('alice'), JSON.stringify({ ...file, nat }))
    expect(() => keyring.openPrivateKey(keyring.find('alice') ?? other, PASSWORD)).toThrow(
      'not that of the private key',
    )
  })

  it('lists by name, finds by name and address in any form, and forgets', () => {
    const [bob, alice] = [add('bob', 'eth_secp256k1', 1), add('alice', 'secp256k1')]
    expect(keyring.list()).toEqual([alice, bob])
    const forms = [
      'bob',
      encodeBech32(bob.address),
      encodeBech32(bob.address, 'natvaloper'),
      checksumAddress(bob.address),
    ]
    for (const text of forms) expect(findKey(keyring, text)).toEqual(bob)
    keyring.remove('bob')
    expect(keyring.list()).toEqual([alice])
    expect(() => findKey(keyring, 'bob')).toThrow(expect.objectContaining({ codespace: 'cli', code: 18 }))
  })

  it('refuses a name or a key that it has, and a name that is a path', () => {
    add('alice', 'eth_secp256k1')
    expect(() => add('alice', 'eth_secp256k1', 1)).toThrow('there is a key alice')
    expect(() => add('again', 'eth_secp256k1')).toThrow('that key is in the keyring already, as alice')
    for (const name of ['../alice', 'a/b', '', '.hidden', 'nat1abc', 'x'.repeat(65)]) {
      expect(() => add(name, 'eth_secp256k1', 2), name).toThrow(expect.objectContaining({ codespace: 'cli', code: 1 }))
    }
    expect(keyring.find('../keyring/alice')).toBeUndefined()
  })

  it('makes the multisig of CosmJS, whatever the order of its names', () => {
    const names = ['a', 'b', 'c']
    const keys = names.map((name, index) => add(name, 'secp256k1', index))
    const pubkeys = keys.map(({ publicKey }) => ({
      type: 'tendermint/PubKeySecp256k1',
      value: Buffer.from(publicKey.type === 'multisig' ? [] : publicKey.key).toString('base64'),
    }))
    const expected = pubkeyToAddress(createMultisigThresholdPubkey(pubkeys, 2), 'nat')
    const record = addMultisig(keyring, 'both', ['c', 'a', 'b'], 2, true)
    expect(encodeBech32(record.address)).toBe(expected)
    expect(keyring.find('both')).toEqual(record)
    expect(record.kind).toBe('multi')
    const unsorted = pubkeyToAddress(createMultisigThresholdPubkey(pubkeys.toReversed(), 3, true), 'nat')
    expect(encodeBech32(addMultisig(keyring, 'all', ['c', 'b', 'a'], 3, false).address)).toBe(unsorted)
    expect(() => keyring.openPrivateKey(record, PASSWORD)).toThrow('has no private key here')
  })

  it('refuses a multisig of Ethereum keys, of multisigs, and one that nobody could reach', () => {
    add('a', 'secp256k1')
    add('b', 'secp256k1', 1)
    add('eth', 'eth_secp256k1', 2)
    addMultisig(keyring, 'm', ['a', 'b'], 1, true)
    for (const [members, threshold] of [
      [['a', 'eth'], 1],
      [['a', 'm'], 1],
      [['a', 'b'], 3],
      [['a', 'b'], 0],
    ] as const) {
      expect(() => addMultisig(keyring, 'x', members, threshold, true)).toThrow(expect.objectContaining({ code: 18 }))
    }
    expect(keyring.find('x')).toBeUndefined()
  })
})
