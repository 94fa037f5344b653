/** What the last 41 blocks say of a ClobTx that comes: nonces that are used, and Places that a cancel refuses. */
import { bytesToKey, EMPTY_BYTES, uint64ToBytes } from '../../../core/bytes.ts'
import { type Address, ADDRESS_LENGTH } from '../../../core/address.ts'
import { KEPT_BLOCKS, type Mark } from '../domain/account.ts'
import { SIDE_CODES } from '../domain/codes.ts'
import type { Side } from '../domain/order.ts'
import { MarkBounds } from './mark-bounds.ts'

export interface UsedNonce {
  readonly signer: Address
  readonly nonceMs: number
}

export const nonceKey = (signer: Address, nonceMs: number): string =>
  bytesToKey(signer) + bytesToKey(uint64ToBytes(nonceMs))

/** Nonces in use, of a block or of many. */
export class NonceIndex {
  readonly #used = new Set<string>()
  /** The keys to forget, by height. */
  readonly #byHeight = new Map<number, readonly string[]>()

  has(key: string): boolean {
    return this.#used.has(key)
  }

  add(height: number, nonces: readonly UsedNonce[]): void {
    if (nonces.length === 0) return
    const keys = nonces.map(({ signer, nonceMs }) => nonceKey(signer, nonceMs))
    for (const key of keys) this.#used.add(key)
    this.#byHeight.set(height, keys)
  }

  forget(height: number): void {
    for (const key of this.#byHeight.get(height) ?? []) this.#used.delete(key)
    this.#byHeight.delete(height)
  }

  get size(): number {
    return this.#used.size
  }
}

/** Says that a mark has a client id, which stands behind all else: it may be any bytes. */
const WITH_ID = 1
/** Mark's kind, label, market, side. */
const TERMS_BYTES = 1 + 4 + 4 + 1
const MAX_CLIENT_ID_BYTES = 16
/** Filled anew for each key, so that a key is one flat text: pieces that are joined cost four times as much memory. */
const scratch = new Uint8Array(ADDRESS_LENGTH + TERMS_BYTES + MAX_CLIENT_ID_BYTES)
const scratchView = new DataView(scratch.buffer)

type MarkTerms = Pick<Mark, 'subaccount' | 'market' | 'side' | 'clientId'>

/** Writes them behind the owner. Returns where they end. */
const writeTerms = ({ subaccount, market, side, clientId }: MarkTerms): number => {
  scratch[ADDRESS_LENGTH] = clientId.length > 0 ? WITH_ID : 0
  scratchView.setUint32(ADDRESS_LENGTH + 1, subaccount)
  scratchView.setUint32(ADDRESS_LENGTH + 5, market)
  scratch[ADDRESS_LENGTH + 9] = side === undefined ? 0 : SIDE_CODES[side]
  scratch.set(clientId, ADDRESS_LENGTH + TERMS_BYTES)
  return ADDRESS_LENGTH + TERMS_BYTES + clientId.length
}

const markKey = (mark: MarkTerms & Pick<Mark, 'owner'>): string => {
  scratch.set(mark.owner)
  return bytesToKey(scratch.subarray(0, writeTerms(mark)))
}

/** The key of a mark which may be there. */
const wantedKey = (ownerKey: string, terms: MarkTerms): string =>
  ownerKey + bytesToKey(scratch.subarray(ADDRESS_LENGTH, writeTerms(terms)))

const hasId = (key: string): boolean => key.charCodeAt(ADDRESS_LENGTH) === WITH_ID

/** Holds, of all marks with a key, the greatest nonce by the block until which it binds: those are 41 at most. */
export class MarkIndex {
  readonly #bounds = new MarkBounds()
  /** Keys of what goes with a block. */
  readonly #byHeight = new Map<number, string[]>()
  /** Marks without a client id, by owner: whoever has none is asked for no more. */
  readonly #withoutId = new Map<string, number>()

  add(height: number, marks: readonly Mark[]): void {
    if (marks.length === 0) return
    let kept = this.#byHeight.get(height)
    if (kept === undefined) {
      kept = []
      this.#byHeight.set(height, kept)
    }
    for (const mark of marks) kept.push(this.#put(mark))
  }

  /** Whether a mark that binds at `height` refuses a Place with this nonce. */
  refuses(
    place: { readonly market: number; readonly side: Side; readonly clientId: Uint8Array },
    from: { readonly ownerKey: string; readonly subaccount: number; readonly nonceMs: number },
    height: number,
  ): boolean {
    const { ownerKey, subaccount, nonceMs } = from
    const { side, clientId } = place
    const binds = (terms: Omit<MarkTerms, 'subaccount'>): boolean =>
      this.#bounds.binds(wantedKey(ownerKey, { subaccount, ...terms }), nonceMs, height)
    if (clientId.length > 0 && binds({ market: place.market, side: undefined, clientId })) return true
    if (!this.#withoutId.has(ownerKey)) return false
    for (const market of [place.market, 0]) {
      for (const markSide of [side, undefined]) {
        if (binds({ market, side: markSide, clientId: EMPTY_BYTES })) return true
      }
    }
    return false
  }

  /** Drops the marks of a block: none of them binds at `height` any more. */
  forget(forgotten: number, height: number): void {
    for (const key of this.#byHeight.get(forgotten) ?? []) {
      this.#bounds.forget(key, height)
      if (!hasId(key)) this.#countWithoutId(key.slice(0, ADDRESS_LENGTH), -1)
    }
    this.#byHeight.delete(forgotten)
  }

  #put(mark: Mark): string {
    const key = markKey(mark)
    if (mark.clientId.length === 0) this.#countWithoutId(bytesToKey(mark.owner), 1)
    this.#bounds.raise(key, mark.goodTilBlock, mark.nonceMs)
    return key
  }

  #countWithoutId(ownerKey: string, change: number): void {
    const count = (this.#withoutId.get(ownerKey) ?? 0) + change
    if (count === 0) this.#withoutId.delete(ownerKey)
    else this.#withoutId.set(ownerKey, count)
  }
}

/** The block whose nonces and marks go at the end of block `height`. */
export const forgottenAt = (height: number): number => height - KEPT_BLOCKS + 1
