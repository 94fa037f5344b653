/** Bodies of orders that vote extensions bring along. */
import { bytesToKey } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import { CLOB_TX_BYTE } from '../orders/clob-tx.ts'
import { type Body, idOf } from './ids.ts'
import type { IdKey, ListedId } from './types.ts'

/** Decodes a wire form, which may be anything. */
export type ReadBody = (raw: Uint8Array) => Body

/**
 * No wire form that is statically valid is shorter: its byte, version, owner, one action, scheme and signature take so much. What is
 * shorter is never hashed, for extensions of a height could hold half a million such bodies.
 */
const MIN_BODY_BYTES = 98

/** Hashes and decodes nothing before somebody asks: a block that has all of its orders asks for nothing. */
export class InjectedBodies {
  readonly #raws: readonly Uint8Array[]
  readonly #read: ReadBody
  #hashed: readonly { readonly raw: Uint8Array; readonly hash: Uint8Array }[] | undefined
  /** The indexes by salt. Two bodies of one id would take somebody 2^48 tries within a block. */
  readonly #indexes = new Map<string, ReadonlyMap<IdKey, readonly Uint8Array[]>>()

  /** Takes the bodies of all extensions of a height, in any order. */
  constructor(raws: readonly Uint8Array[], read: ReadBody) {
    this.#raws = raws.filter((raw) => raw.length >= MIN_BODY_BYTES && raw[0] === CLOB_TX_BYTE)
    this.#read = read
  }

  /** A body that fits the id. */
  find({ id, salt }: Pick<ListedId, 'id' | 'salt'>): Body | undefined {
    if (this.#raws.length === 0) return undefined
    for (const raw of this.#indexOf(salt).get(id) ?? []) {
      const body = this.#read(raw)
      if (body.body !== undefined) return body
    }
    return undefined
  }

  #indexOf(salt: Uint8Array): ReadonlyMap<IdKey, readonly Uint8Array[]> {
    const key = bytesToKey(salt)
    const known = this.#indexes.get(key)
    if (known !== undefined) return known
    const index = new Map<IdKey, Uint8Array[]>()
    for (const { raw, hash } of this.#hashes()) {
      const id = idOf(salt, hash)
      const same = index.get(id)
      if (same === undefined) index.set(id, [raw])
      else same.push(raw)
    }
    this.#indexes.set(key, index)
    return index
  }

  /** The hash of each different body. */
  #hashes() {
    if (this.#hashed !== undefined) return this.#hashed
    const byHash = new Map<string, { readonly raw: Uint8Array; readonly hash: Uint8Array }>()
    for (const raw of this.#raws) {
      const hash = sha256(raw)
      byHash.set(bytesToKey(hash), { raw, hash })
    }
    this.#hashed = [...byHash.values()]
    return this.#hashed
  }
}
