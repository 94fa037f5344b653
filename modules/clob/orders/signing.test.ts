import { readFileSync } from 'node:fs'
import { makeSignBytes, makeSignDoc } from '@cosmjs/proto-signing'
import { TypedDataEncoder } from 'ethers'
import { type Hex, hashTypedData, recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { concatBytes, equalBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { keccak256, sha256 } from '../../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../../core/hex.ts'
import { signDigest as signWithKey } from '../../../core/signature.ts'
import { seededRandom } from '../../../store/testing/seeded-random.ts'
import { generateSignatures } from '../../../test/vectors/clob/generate-signatures.ts'
import { digestOf, typedDataOf as independentTypedData } from '../../../test/vectors/clob/sign.ts'
import type { ClobTx, SignatureScheme } from './clob-tx.ts'
import { CLOB_ERRORS } from '../errors.ts'
import {
  decodeClobBody,
  encodeClobTx,
  expectedSigner,
  recoverSigner,
  signatureTaskOf,
  signBytesOf,
  signDigest,
  type SigningChain,
  typedDataOf,
} from './index.ts'
import { randomTx } from './testing/random-tx.ts'
import { messageOf } from './testing/reference.ts'

const SEED = Number(process.env['SEED'] ?? 1)
const CHAIN: SigningChain = { chainId: 'nat-2517-1', evmChainId: 2517 }
/** Its EVM chain id is the same. */
const OTHER: SigningChain = { chainId: 'localnat-1', evmChainId: 2517 }
const KEY = new Uint8Array(32).fill(0x42)

interface Vector {
  readonly name: string
  readonly code: number
  readonly raw: Hex
  readonly hash: Hex
  readonly chain: SigningChain
  readonly scheme: SignatureScheme
  readonly phase: number
  readonly weight: number
  readonly message: unknown
  readonly domain?: unknown
  readonly signBytes?: Hex
  readonly digest: Hex
  readonly signature: Hex
  readonly signer: Hex
}

const FILE = new URL('../../../test/vectors/clob/signatures.json', import.meta.url)
const text = readFileSync(FILE, 'utf8')
const { vectors } = JSON.parse(text) as { readonly vectors: readonly Vector[] }

/** Bigints as decimal text, as the vectors have them. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each)))

const codeOf = (raw: Uint8Array): number => {
  try {
    decodeClobBody(raw)
    return 0
  } catch (error) {
    if (error instanceof CodedError && error.codespace === 'clob') return error.code
    throw error
  }
}

describe('vectors of signatures', () => {
  it('are those that the script makes', async () => {
    expect(await generateSignatures()).toBe(text)
  })

  it('have every code of static validity', () => {
    const codes = new Set(vectors.map(({ code }) => code))
    const known = Object.values(CLOB_ERRORS.entries).filter(({ code }) => code <= CLOB_ERRORS.codes.signature)
    for (const { code } of known) expect(codes).toContain(code)
    expect(vectors.length).toBeGreaterThan(100)
  })

  it.each(vectors.filter(({ code }) => code !== 0 && code !== 15))('$name: code $code', ({ raw, code }) => {
    expect(codeOf(hexToBytes(raw))).toBe(code)
  })

  it.each(vectors.filter(({ code }) => code === 0 || code === 15))('$name', (vector) => {
    const { raw, hash, code, phase, weight, chain, scheme, message, domain, signBytes, digest } = vector
    const body = decodeClobBody(hexToBytes(raw))
    const { tx } = body
    expect(bytesToHex(body.hash)).toBe(hash)
    expect(tx.sigScheme).toBe(scheme)
    expect([body.phase, body.weight]).toEqual([phase, weight])
    expect(bytesToHex(encodeClobTx(tx))).toBe(raw)
    const data = typedDataOf(tx, chain)
    expect(plain(data.message)).toEqual(message)
    if (domain !== undefined) expect(data.domain).toEqual(domain)
    if (signBytes !== undefined) expect(bytesToHex(signBytesOf(tx, chain))).toBe(signBytes)
    expect(bytesToHex(signDigest(tx, chain))).toBe(digest)
    expect(bytesToHex(tx.signature)).toBe(vector.signature)
    const signer = recoverSigner(tx, chain)
    expect(signer && bytesToHex(signer)).toBe(vector.signer)
    expect(signer !== undefined && equalBytes(signer, expectedSigner(tx))).toBe(code === 0)
  })
})

/** Runs a check on random transactions; prints the seed and the transaction of a failure. */
const onRandom = (salt: number, runs: number, check: (tx: ClobTx) => void): void => {
  const pick = seededRandom(SEED * salt)
  for (let run = 0; run < runs; run++) {
    const tx = randomTx(pick)
    try {
      check(tx)
    } catch (error) {
      process.stderr.write(`failed with SEED=${SEED} on ${bytesToHex(encodeClobTx(tx))}\n`)
      throw error
    }
  }
}

describe('what is signed', () => {
  it('is what viem, ethers and a description of its own make of random transactions', () => {
    onRandom(7001, 300, (tx) => {
      const data = typedDataOf(tx, CHAIN)
      const digest = bytesToHex(signDigest({ ...tx, sigScheme: 1 }, CHAIN))
      expect(digest).toBe(hashTypedData(data))
      const types = { ClobTx: [...data.types.ClobTx], Action: [...data.types.Action] }
      expect(digest).toBe(TypedDataEncoder.hash(data.domain, types, data.message))
      expect(plain(independentTypedData(messageOf(tx), CHAIN))).toEqual(plain(data))
    })
  })

  it('is what CosmJS makes a SignDoc of', () => {
    onRandom(8009, 300, (random) => {
      const { chainId } = CHAIN
      for (const [sigScheme, hash] of [
        [2, keccak256],
        [3, sha256],
      ] as const) {
        const tx: ClobTx = { ...random, sigScheme }
        const body = encodeClobTx({ ...tx, signature: new Uint8Array(0) }).subarray(1)
        const bytes = makeSignBytes(makeSignDoc(body, new Uint8Array(0), chainId, 0))
        expect(signBytesOf(tx, CHAIN)).toEqual(bytes)
        expect(signDigest(tx, CHAIN)).toEqual(hash(bytes))
        expect(signDigest(tx, CHAIN)).toEqual(digestOf(messageOf(tx), sigScheme, CHAIN))
      }
    })
  })

  it('differs between chains, schemes and any two transactions', () => {
    const seen = new Map<string, string>()
    onRandom(9001, 1_000, (tx) => {
      for (const sigScheme of [1, 2, 3] as const) {
        for (const chain of [CHAIN, OTHER]) {
          const unsigned = { ...tx, sigScheme, signature: new Uint8Array(0) }
          const what = `${chain.chainId} ${bytesToHex(encodeClobTx(unsigned))}`
          const digest = bytesToHex(signDigest(unsigned, chain))
          expect(seen.get(digest) ?? what).toBe(what)
          seen.set(digest, what)
        }
      }
    })
  })
})

const signed = (tx: ClobTx, chain: SigningChain): ClobTx => {
  const { r, s, yParity } = signWithKey(signDigest(tx, chain), KEY)
  return { ...tx, signature: concatBytes(r, s, Uint8Array.of(yParity)) }
}

describe('the signer', () => {
  it('is the one whose key signed, on this chain alone', () => {
    const [address, plainAddress] = [1, 3].map((scheme) => {
      const found = vectors.find((vector) => vector.scheme === scheme && vector.code === 0)
      return found === undefined ? '' : found.signer
    })
    expect(address).not.toBe(plainAddress)
    onRandom(10_007, 100, (tx) => {
      const whole = signed(tx, CHAIN)
      const signer = recoverSigner(whole, CHAIN)
      const other = recoverSigner(whole, OTHER)
      expect(signer).toBeDefined()
      expect(signer !== undefined && other !== undefined && equalBytes(signer, other)).toBe(false)
      // What was written and read again is what was signed.
      expect(recoverSigner(decodeClobBody(encodeClobTx(whole)).tx, CHAIN)).toEqual(signer)
    })
  })

  it('is the one that viem recovers, of a signature that viem made', async () => {
    const account = privateKeyToAccount(bytesToHex(KEY))
    const pick = seededRandom(SEED * 11_003)
    for (let run = 0; run < 20; run++) {
      const tx: ClobTx = { ...randomTx(pick), sigScheme: 1 }
      const data = typedDataOf(tx, CHAIN)
      const signature = hexToBytes(await account.signTypedData(data))
      signature[64] = (signature[64] ?? 0) - 27
      const signer = recoverSigner({ ...tx, signature }, CHAIN)
      expect(signer && bytesToHex(signer)).toBe(account.address.toLowerCase())
      expect(await recoverTypedDataAddress({ ...data, signature: bytesToHex(signature) })).toBe(account.address)
    }
  })

  it('is nobody where the signature has another form or is of no key', () => {
    const tx = signed(randomTx(seededRandom(SEED)), CHAIN)
    const change = (at: number, bytes: Uint8Array): ClobTx => {
      const signature = tx.signature.slice()
      signature.set(bytes, at)
      return { ...tx, signature }
    }
    expect(recoverSigner(tx, CHAIN)).toBeDefined()
    expect(recoverSigner(change(64, Uint8Array.of(2)), CHAIN)).toBeUndefined()
    expect(recoverSigner(change(32, new Uint8Array(32).fill(0xff)), CHAIN)).toBeUndefined()
    expect(recoverSigner(change(0, new Uint8Array(32)), CHAIN)).toBeUndefined()
    expect(recoverSigner({ ...tx, signature: tx.signature.slice(1) }, CHAIN)).toBeUndefined()
    expect(signatureTaskOf({ ...tx, signature: new Uint8Array(0) }, CHAIN)).toBeUndefined()
    // 5 is the x of no point: the form is right, and there is no key.
    const r = new Uint8Array(32)
    r[31] = 5
    expect(signatureTaskOf(change(0, r), CHAIN)).toBeDefined()
    expect(recoverSigner(change(0, r), CHAIN)).toBeUndefined()
  })
})
