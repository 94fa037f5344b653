/** Validators with real ed25519 keys, and the votes that a commit is made of. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { concatBytes, EMPTY_BYTES, plainBytes, utf8ToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { consensusAddress } from '../../core/signature.ts'
import { createTorsionedSigner } from '../../core/testing/torsioned-signer.ts'
import { extensionSignBytes, type SignedExtension } from '../../core/vote-extension.ts'
import { expect } from 'vitest'
import type { ExtendedVote } from '../../app/ports.ts'
import { bytesToHex } from '../../core/hex.ts'
import type { ValidatorUpdate } from '../../modules/module.ts'

export interface Validator {
  readonly publicKey: Uint8Array
  readonly address: Uint8Array
  readonly power: bigint
  sign(extension: SignedExtension): Uint8Array
}

// PrivateKeyInfo of an ed25519 key (RFC 8410) up to its 32 bytes.
const ED25519_PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

export const makeValidator = (name: string, power: bigint): Validator => {
  const der = Buffer.from(concatBytes(ED25519_PKCS8_PREFIX, sha256(utf8ToBytes(name))))
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = plainBytes(createPublicKey(key).export({ format: 'der', type: 'spki' })).slice(-32)
  return {
    publicKey,
    address: consensusAddress(publicKey),
    power,
    sign: (extension) => plainBytes(sign(null, extensionSignBytes(extension), key)),
  }
}

/** Its signatures have a point of small order in R: valid by ZIP-215, and not for who verifies without the cofactor. */
export const makeTorsionedValidator = (name: string, power: bigint): Validator => {
  const { publicKey, sign: signTorsioned } = createTorsionedSigner(sha256(utf8ToBytes(name)))
  const address = consensusAddress(publicKey)
  return { publicKey, address, power, sign: (extension) => signTorsioned(extensionSignBytes(extension)) }
}

/** A precommit for the decided block, as it exists somewhere in the network. */
export interface Precommit {
  readonly validator: Validator
  /** `late`: whether a proposer has it differs from round to round. */
  readonly flag: 'commit' | 'late' | 'nil' | 'absent'
  readonly extension: Uint8Array
  readonly extensionSignature: Uint8Array
}

/** The last commit as one proposer has it: late votes are there or not. */
export const commitView = (votes: readonly Precommit[], hasLate: () => boolean): readonly ExtendedVote[] =>
  votes.map(({ validator, flag, extension, extensionSignature }) => {
    const seen = flag === 'late' ? (hasLate() ? 'commit' : 'absent') : flag
    const none = { extension: EMPTY_BYTES, extensionSignature: EMPTY_BYTES }
    return {
      validatorAddress: validator.address,
      power: validator.power,
      flag: seen,
      ...(seen === 'commit' ? { extension, extensionSignature } : none),
    }
  })

/** Sets that are remembered. */
const MAX_SETS = 1_000

/** Who decides which height: updates of a block act two heights later (ABCI: FinalizeBlock). */
export class ValidatorSets {
  /** The sets by the height from which they decide, ascending. */
  readonly #sets: { readonly fromHeight: number; readonly validators: readonly Validator[] }[]
  /** Everyone who is or may become a validator, by public key. */
  readonly #keys = new Map<string, Validator>()

  constructor(validators: readonly Validator[]) {
    this.#sets = [{ fromHeight: 0, validators }]
    for (const validator of validators) this.addKey(validator)
  }

  addKey(validator: Validator): void {
    this.#keys.set(bytesToHex(validator.publicKey), validator)
  }

  get keys(): Iterable<Validator> {
    return this.#keys.values()
  }

  /** Those whose votes decide a height; of a height long ago the oldest that are remembered. */
  at(height: number): readonly Validator[] {
    const set = this.#sets.findLast(({ fromHeight }) => fromHeight <= height) ?? this.#sets[0]
    return set?.validators ?? []
  }

  /** Those of the last update, in force or not. */
  get newest(): readonly Validator[] {
    return this.#sets.at(-1)?.validators ?? []
  }

  update(height: number, updates: readonly ValidatorUpdate[]): void {
    if (updates.length === 0) return
    const powers = new Map(this.newest.map(({ publicKey, power }) => [bytesToHex(publicKey), power]))
    for (const { publicKey, power } of updates) {
      const key = bytesToHex(publicKey)
      if (power === 0n) expect(powers.delete(key), 'CometBFT halts when an unknown validator is removed').toBe(true)
      else powers.set(key, power)
    }
    expect(powers.size, 'CometBFT halts without validators').toBeGreaterThan(0)
    const validators = [...powers].map(([key, power]) => {
      const known = this.#keys.get(key)
      if (known === undefined) throw new RangeError(`nobody has the key of validator ${key}`)
      return { ...known, power }
    })
    this.#sets.push({ fromHeight: height + 2, validators })
    if (this.#sets.length > MAX_SETS) this.#sets.shift()
  }
}
