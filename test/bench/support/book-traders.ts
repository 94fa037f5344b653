/** Accounts that trade, and their orders, signed with the native library. */
import type { Address } from '../../../core/address.ts'
import { concatBytes, EMPTY_BYTES, uint32ToBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import { privateKeyToAddress, signDigest as signHash } from '../../../core/signature.ts'
import { type Action, encodeClobTx, type Place, signDigest } from '../../../modules/clob/orders/index.ts'

export const BOOK_CHAIN = { chainId: 'localnat-1', evmChainId: 2517 }

export const limit = (
  side: Place['side'],
  qtyLots: number,
  priceTicks: number,
  changes: Partial<Place> = {},
): Action => ({
  kind: 'place',
  place: {
    ...{ market: 1, side, priceTicks, qtyLots, tif: 'post_only', stp: 'cancel_maker' },
    ...{ clientId: EMPTY_BYTES, expireS: 0, triggerTicks: 0, triggerKind: 'none' },
    ...{ maxFills: 0, postOnlyMode: 'reject' },
    ...changes,
  },
})

export interface SignedTerms {
  readonly nonceMs: number
  readonly goodTilBlock: number
}

export class BookTrader {
  readonly privateKey: Uint8Array
  readonly address: Address
  #lastNonceMs = 0

  constructor(privateKey: Uint8Array) {
    this.privateKey = privateKey
    this.address = privateKeyToAddress(privateKey)
  }

  /** Number `index` of those that nobody else has a key of. */
  static at(index: number): BookTrader {
    return new BookTrader(sha256(concatBytes(utf8ToBytes('bench trader'), uint32ToBytes(index))))
  }

  /** The wire form; the nonce is `nonceMs` or the next that is free. */
  sign(actions: readonly Action[], { nonceMs, goodTilBlock }: SignedTerms): Uint8Array {
    this.#lastNonceMs = Math.max(this.#lastNonceMs + 1, nonceMs)
    const unsigned = {
      owner: this.address,
      subaccount: 0,
      nonceMs: this.#lastNonceMs,
      goodTilBlock,
      actions,
      sigScheme: 2 as const,
      agent: undefined,
      signature: EMPTY_BYTES,
    }
    const { r, s, yParity } = signHash(signDigest(unsigned, BOOK_CHAIN), this.privateKey)
    return encodeClobTx({ ...unsigned, signature: concatBytes(r, s, Uint8Array.of(yParity)) })
  }
}
