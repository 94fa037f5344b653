import { Wallet } from 'ethers'
import { describe, expect, it } from 'vitest'
import { hexToBytes, bytesToHex, bytesToUnprefixedHex } from '../../../core/hex.ts'
import { decryptKey, encryptKey } from './keystore.ts'

const KEY = hexToBytes('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** The two test vectors of the Web3 Secret Storage Definition (Ethereum wiki; go-ethereum: testdata/v3_test_vector.json). */
const DEFINITION_KEY = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const DEFINITION_PASSWORD = 'testpassword'
const DEFINITION_VECTORS = {
  pbkdf2: {
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
      ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
      kdf: 'pbkdf2',
      kdfparams: {
        c: 262144,
        dklen: 32,
        prf: 'hmac-sha256',
        salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
      },
      mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
    },
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    version: 3,
  },
  scrypt: {
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
      ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
      kdf: 'scrypt',
      kdfparams: {
        dklen: 32,
        n: 262144,
        p: 8,
        r: 1,
        salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
      },
      mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
    },
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    version: 3,
  },
} as const

describe('a keystore', () => {
  it.each(['standard', 'light'] as const)('of ours at %s cost is opened by ethers', async (cost) => {
    const keystore = encryptKey(KEY, 'päss word 8', cost)
    const withOurs = JSON.stringify({ ...keystore, nat: { name: 'alice' } })
    const wallet = await Wallet.fromEncryptedJson(withOurs, 'päss word 8')
    expect(wallet.address).toBe(ADDRESS)
    expect('privateKey' in wallet ? wallet.privateKey : '').toBe(bytesToHex(KEY))
  })

  it('of ethers is opened by us', async () => {
    const text = await new Wallet(bytesToHex(KEY)).encrypt('another password')
    expect(decryptKey(JSON.parse(text), 'another password', 'file')).toEqual(KEY)
  })

  it('of the definition is opened with pbkdf2; its scrypt is beyond RFC 7914, and refused', () => {
    const key = decryptKey(DEFINITION_VECTORS.pbkdf2, DEFINITION_PASSWORD, 'file')
    expect(bytesToUnprefixedHex(key)).toBe(DEFINITION_KEY)
    expect(() => decryptKey(DEFINITION_VECTORS.scrypt, DEFINITION_PASSWORD, 'file')).toThrow('RFC 7914')
  })

  it('is refused with another password, and when a digit of it changed', () => {
    const keystore = encryptKey(KEY, 'right password', 'light')
    expect(() => decryptKey(keystore, 'wrong password', 'a.json')).toThrow(
      expect.objectContaining({ codespace: 'cli', code: 18, message: 'a.json: wrong password' }),
    )
    const crypto = { ...keystore.crypto, ciphertext: '00'.repeat(32) }
    expect(() => decryptKey({ ...keystore, crypto }, 'right password', 'a.json')).toThrow('wrong password')
  })

  it.each([
    ['another version', { version: 1 }],
    ['another cipher', { crypto: { ...DEFINITION_VECTORS.scrypt.crypto, cipher: 'aes-256-cbc' } }],
    [
      'more memory than there is',
      {
        crypto: {
          ...DEFINITION_VECTORS.scrypt.crypto,
          kdfparams: { ...DEFINITION_VECTORS.scrypt.crypto.kdfparams, r: 8, n: 2 ** 30 },
        },
      },
    ],
  ])('with %s is refused', (_, change) => {
    expect(() => decryptKey({ ...DEFINITION_VECTORS.scrypt, ...change }, DEFINITION_PASSWORD, 'file')).toThrow(
      expect.objectContaining({ codespace: 'cli', code: 18 }),
    )
  })

  it.each([new Uint8Array(32), new Uint8Array(32).fill(255), new Uint8Array(31).fill(1)])(
    'of what is no private key is not made',
    (key) => {
      expect(() => encryptKey(key, 'right password', 'light')).toThrow(expect.objectContaining({ code: 18 }))
    },
  )
})
