/**
 * Private keys in encrypted files: Web3 Secret Storage, version 3 (scrypt, AES-128-CTR, keccak256 as the MAC), which
 * geth, ethers and wallets read.
 */
import { createCipheriv, createDecipheriv, pbkdf2Sync, randomBytes, randomUUID, scryptSync } from 'node:crypto'
import * as z from 'zod'
import { bytesToBigint, concatBytes, equalBytes, plainBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { keccak256 } from '../../../core/hash.ts'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { privateKeyToAddress, SECP256K1_ORDER } from '../../../core/signature.ts'
import { cliError } from '../../errors.ts'

const KEY_BYTES = 32
const CIPHER = 'aes-128-ctr'

/** What making a key of the password costs: geth's own two choices. Standard takes 256 MiB and about a second. */
const KEYSTORE_COSTS = { standard: { n: 262_144, p: 1 }, light: { n: 4_096, p: 6 } } as const
export type KeystoreCost = keyof typeof KEYSTORE_COSTS
const BLOCK_SIZE = 8
/** The most memory that a file from elsewhere may ask for: 1 GiB. */
const MAX_MEMORY_BYTES = 1 << 30
const MAX_ITERATIONS = 10_000_000

const hex = (bytes?: number): z.ZodType<Uint8Array, string> =>
  z
    .string()
    .regex(bytes === undefined ? /^(?:0x)?(?:[0-9a-fA-F]{2})*$/ : new RegExp(`^(?:0x)?[0-9a-fA-F]{${2 * bytes}}$`))
    .transform((text) => plainBytes(Buffer.from(text.replace(/^0x/, ''), 'hex')))

const positive = z.int().positive()
const scryptParameters = z.object({ dklen: positive, n: positive, p: positive, r: positive, salt: hex() })
const pbkdf2Parameters = z.object({
  dklen: positive,
  c: positive.max(MAX_ITERATIONS),
  prf: z.literal('hmac-sha256'),
  salt: hex(),
})

const keystore = z.object({
  version: z.literal(3),
  crypto: z.intersection(
    z.object({
      cipher: z.literal(CIPHER),
      cipherparams: z.object({ iv: hex(16) }),
      ciphertext: hex(KEY_BYTES),
      mac: hex(32),
    }),
    z.discriminatedUnion('kdf', [
      z.object({ kdf: z.literal('scrypt'), kdfparams: scryptParameters }),
      z.object({ kdf: z.literal('pbkdf2'), kdfparams: pbkdf2Parameters }),
    ]),
  ),
})

/** A keystore as it stands in a file. */
export interface Keystore {
  /** The address of Ethereum, 40 digits, whatever kind of key the file is used for: geth checks it. */
  readonly address: string
  readonly crypto: object
  readonly id: string
  readonly version: 3
}

/** Normalizes the password as ethers does; for plain ASCII it changes nothing. */
const passwordBytes = (password: string): Uint8Array => utf8ToBytes(password.normalize('NFKC'))

const runScrypt = (password: string, salt: Uint8Array, n: number, r: number, p: number): Uint8Array => {
  const memory = 128 * r * (n + p) + 1_024 * 1_024
  // RFC 7914, section 2: OpenSSL runs nothing beyond.
  if (r < 4 && n >= 2 ** (16 * r)) {
    throw cliError('keyring', `the keystore asks for scrypt with n=${n} and r=${r}, which RFC 7914 does not allow`)
  }
  if (memory > MAX_MEMORY_BYTES) throw cliError('keyring', `the keystore asks for ${memory} bytes of memory`)
  return plainBytes(scryptSync(passwordBytes(password), salt, KEY_BYTES, { N: n, r, p, maxmem: memory }))
}

const macOf = (derived: Uint8Array, ciphertext: Uint8Array): Uint8Array => keccak256(derived.subarray(16), ciphertext)

/** Throws cli/18 for what is no private key of secp256k1. */
export const requirePrivateKey = (bytes: Uint8Array): Uint8Array => {
  const value = bytesToBigint(bytes)
  if (bytes.length !== KEY_BYTES || value === 0n || value >= SECP256K1_ORDER) {
    throw cliError('keyring', 'not a private key: 32 bytes below the order of secp256k1 are expected')
  }
  return bytes
}

export const encryptKey = (privateKey: Uint8Array, password: string, cost: KeystoreCost = 'standard'): Keystore => {
  const { n, p } = KEYSTORE_COSTS[cost]
  const salt = randomBytes(32)
  const iv = randomBytes(16)
  const derived = runScrypt(password, salt, n, BLOCK_SIZE, p)
  const cipher = createCipheriv(CIPHER, derived.subarray(0, 16), iv)
  const ciphertext = concatBytes(cipher.update(requirePrivateKey(privateKey)), cipher.final())
  return {
    address: bytesToUnprefixedHex(privateKeyToAddress(privateKey)),
    crypto: {
      cipher: CIPHER,
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: bytesToUnprefixedHex(ciphertext),
      kdf: 'scrypt',
      kdfparams: { dklen: KEY_BYTES, n, p, r: BLOCK_SIZE, salt: salt.toString('hex') },
      mac: bytesToUnprefixedHex(macOf(derived, ciphertext)),
    },
    id: randomUUID(),
    version: 3,
  }
}

/** Members in lower case: ethers writes `Crypto`, and geth reads either. */
const lowerCaseMembers = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, member]: [string, unknown]) => [name.toLowerCase(), member]))
    : value

/** `value` is the parsed file; `path` stands in messages. Throws cli/18 for another format and for a wrong password. */
export const decryptKey = (value: unknown, password: string, path: string): Uint8Array => {
  const parsed = keystore.safeParse(lowerCaseMembers(value))
  if (!parsed.success) {
    throw cliError('keyring', `${path} is no keystore of version 3:\n${z.prettifyError(parsed.error)}`)
  }
  const { crypto } = parsed.data
  if (crypto.kdfparams.dklen !== KEY_BYTES) throw cliError('keyring', `${path}: dklen must be ${KEY_BYTES}`)
  const derived =
    crypto.kdf === 'scrypt'
      ? runScrypt(password, crypto.kdfparams.salt, crypto.kdfparams.n, crypto.kdfparams.r, crypto.kdfparams.p)
      : plainBytes(pbkdf2Sync(passwordBytes(password), crypto.kdfparams.salt, crypto.kdfparams.c, KEY_BYTES, 'sha256'))
  if (!equalBytes(macOf(derived, crypto.ciphertext), crypto.mac)) throw cliError('keyring', `${path}: wrong password`)
  const cipher = createDecipheriv(CIPHER, derived.subarray(0, 16), crypto.cipherparams.iv)
  return requirePrivateKey(concatBytes(cipher.update(crypto.ciphertext), cipher.final()))
}
