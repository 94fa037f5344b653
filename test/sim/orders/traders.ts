/** Who trades on a simulated chain: signed orders of every kind from a seed, most of which mean something. */
import { type Address } from '../../../core/address.ts'
import { concatBytes, EMPTY_BYTES, uint32ToBytes } from '../../../core/bytes.ts'
import { type Hash, sha256 } from '../../../core/hash.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { privateKeyToAddress, signDigest as signHash } from '../../../core/signature.ts'
import {
  type Action,
  type ClobTx,
  encodeClobTx,
  type Place,
  signDigest,
  type Target,
} from '../../../modules/clob/orders/index.ts'
import type { PrivateKeyAccount } from 'viem/accounts'
import { makeAccount } from '../accounts.ts'
import type { Random } from '../random.ts'
import { EVM_CHAIN_ID } from '../traffic.ts'
import { MID_TICKS } from './genesis.ts'

const CLIENT_IDS = 12
const SPREAD_TICKS = 60
const MOST_LOTS = 40
const MS_PER_SECOND = 1_000

export interface Trader {
  readonly address: Address
  readonly privateKey: Uint8Array
}

export const makeTrader = (name: string): Trader => {
  const privateKey = sha256(new TextEncoder().encode(name))
  return { address: privateKeyToAddress(privateKey), privateKey }
}

/** The same person with a wallet. */
export const walletOf = ({ privateKey }: Trader): PrivateKeyAccount => makeAccount(bytesToHex(privateKey))

export interface SignedOrder {
  readonly raw: Uint8Array
  /** SHA-256 of it. */
  readonly hash: Hash
  readonly tx: ClobTx
}

/** What a trader knows of the chain. */
export interface TradingTime {
  /** Height of the next block. */
  readonly height: number
  /** Time of the wall clock. */
  readonly wallMs: number
}

export class Traders {
  readonly traders: readonly Trader[]
  readonly #random: Random
  readonly #chainId: string
  #nonce = 0
  #strangers = 0

  constructor(random: Random, count: number, chainId: string) {
    this.#random = random
    this.#chainId = chainId
    this.traders = Array.from({ length: count }, (_, index) => makeTrader(`trader ${index}`))
  }

  get addresses(): readonly Address[] {
    return this.traders.map(({ address }) => address)
  }

  /** An order of a trader that has funds. */
  next(time: TradingTime): SignedOrder {
    const random = this.#random
    const count = random.chance(70) ? 1 : 1 + random.below(6)
    return this.sign(random.pick(this.traders), this.#actions(count), time)
  }

  /** An order of somebody whom nobody knows: a cancel costs nothing. */
  ofStranger(time: TradingTime): SignedOrder {
    const stranger = makeTrader(`stranger ${this.#strangers++}`)
    const action: Action = this.#random.chance(70)
      ? { kind: 'cancelAll', market: 0, side: undefined }
      : { kind: 'place', place: this.#place(1) }
    return this.sign(stranger, [action], time)
  }

  sign({ address, privateKey }: Trader, actions: readonly Action[], { height, wallMs }: TradingTime): SignedOrder {
    const random = this.#random
    // Two orders of one signer have different nonces, but for some that a wallet sends twice.
    const nonceMs = wallMs - random.below(2_000) + (this.#nonce++ % 7)
    const unsigned: ClobTx = {
      owner: address,
      subaccount: random.chance(90) ? 0 : 1,
      nonceMs,
      goodTilBlock: height + (random.chance(10) ? random.below(3) : 10 + random.below(30)),
      actions,
      sigScheme: random.chance(50) ? 1 : 2,
      signature: EMPTY_BYTES,
      agent: undefined,
    }
    const digest = signDigest(unsigned, { chainId: this.#chainId, evmChainId: EVM_CHAIN_ID })
    const { r, s, yParity } = signHash(digest, privateKey)
    const tx = { ...unsigned, signature: concatBytes(r, s, Uint8Array.of(yParity)) }
    const raw = encodeClobTx(tx)
    return { raw, hash: sha256(raw), tx }
  }

  #actions(count: number): readonly Action[] {
    const kinds = this.#random.below(10)
    return Array.from({ length: count }, () => {
      // Whole transactions of cancels and of posts: each phase has its own.
      if (kinds < 2) return this.#cancel()
      if (kinds < 5) return { kind: 'place', place: { ...this.#place(), tif: 'post_only' } }
      return this.#random.chance(85) ? { kind: 'place', place: this.#place() } : this.#replace()
    })
  }

  #clientId(): Uint8Array {
    return uint32ToBytes(1 + this.#random.below(CLIENT_IDS))
  }

  #target(): Target {
    return this.#random.chance(80)
      ? { kind: 'client', clientId: this.#clientId() }
      : { kind: 'seq', orderSeq: 1 + this.#random.below(500) }
  }

  #cancel(): Action {
    const random = this.#random
    const kind = random.below(10)
    if (kind === 0) return { kind: 'scheduleCancel', atMs: 0 }
    if (kind < 3) return { kind: 'cancelAll', market: random.below(3), side: random.pick(['buy', 'sell', undefined]) }
    return { kind: 'cancel', market: 1 + random.below(2), target: this.#target() }
  }

  #replace(): Action {
    return { kind: 'replace', target: this.#target(), place: this.#place(), keepPriority: this.#random.chance(50) }
  }

  #place(market = 1 + this.#random.below(2)): Place {
    const random = this.#random
    const tif = random.pick(['gtc', 'gtc', 'gtc', 'post_only', 'ioc', 'fok'] as const)
    const hasTrigger = random.chance(8) && tif !== 'fok'
    const ticks = (): number => MID_TICKS - SPREAD_TICKS + random.below(2 * SPREAD_TICKS)
    return {
      market,
      side: random.pick(['buy', 'sell']),
      priceTicks: ticks(),
      qtyLots: 1 + random.below(MOST_LOTS),
      tif,
      stp: random.pick(['cancel_maker', 'cancel_taker', 'cancel_both', 'decrement']),
      clientId: random.chance(60) ? this.#clientId() : EMPTY_BYTES,
      expireS:
        random.chance(10) && (tif === 'gtc' || tif === 'post_only')
          ? Math.floor(1_750_000_000_000 / MS_PER_SECOND) + random.below(200)
          : 0,
      triggerTicks: hasTrigger ? ticks() : 0,
      triggerKind: hasTrigger ? random.pick(['stop', 'take_profit']) : 'none',
      maxFills: random.chance(70) ? 0 : 1 + random.below(200),
      postOnlyMode: random.pick(['reject', 'slide']),
    }
  }
}
