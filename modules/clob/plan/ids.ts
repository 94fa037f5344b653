/** The id under which validators attest an order. docs/clob-spec.md, Ids. */
import { type Hash, sha256Key } from '../../../core/hash.ts'
import type { ClobBody } from '../orders/clob-tx.ts'
import type { IdKey, ListedId } from './types.ts'

export const ID_BYTES = 12
const SALT_BYTES = 32

/** An order of which the wire form is at hand. */
export interface Body {
  /** The wire form. */
  readonly raw: Uint8Array
  /** SHA-256 of the wire form. */
  readonly hash: Hash
  /** Undefined where the wire form is not statically valid: then it fits no id. */
  readonly body: ClobBody | undefined
}

/** A transaction of the order book at its place in a block. */
export type PlannedBody = Body

/** A body that is statically valid. */
export interface FittingBody extends Body {
  readonly body: ClobBody
}

// All that is hashed for an id: it is filled anew for each.
const preimage = new Uint8Array(2 * SALT_BYTES)

/** First 12 bytes of SHA-256(salt || hash): `salt` is the hash of the block in whose votes it is attested, 32 bytes like `hash`. */
export const idOf = (salt: Uint8Array, hash: Uint8Array): IdKey => {
  preimage.set(salt)
  preimage.set(hash, SALT_BYTES)
  return sha256Key(preimage).slice(0, ID_BYTES)
}

/** Whether the body is the one that the id means. */
export const fits = (candidate: Body, { id, salt }: Pick<ListedId, 'id' | 'salt'>): candidate is FittingBody =>
  candidate.body !== undefined && idOf(salt, candidate.hash) === id
