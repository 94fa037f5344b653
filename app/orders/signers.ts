/** Who signed which order, by its hash: CheckTx, the votes and the block ask of the same orders, and recovery takes 50 us. */
import type { Address } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import type { SignatureTask } from '../../core/signature.ts'
import { addressOfKey, type ClobBody, recoverSigner, signatureTaskOf } from '../../modules/clob/index.ts'
import { MAX_KNOWN_FORGERIES, MAX_KNOWN_SIGNERS } from './limits.ts'
import type { OrderPool } from './pool.ts'
import type { SignedChain } from './ports.ts'
import { RecentKeys } from './recent-keys.ts'

type Signed = Pick<ClobBody, 'hash' | 'tx'>

export class Signers {
  readonly #pool: Pick<OrderPool, 'get'>
  readonly #chainNow: () => SignedChain
  /** One object as long as the chain is the same: what signatures are bound to is hashed once for it. */
  #chain: SignedChain | undefined
  /**
   * The signers of orders that the pool does not hold; the others have theirs with them, so that no flood drives them
   * out.
   */
  readonly #others = new RecentKeys<Address>(2 * MAX_KNOWN_SIGNERS)
  /** A signature that does not hold never will. */
  readonly #forgeries = new RecentKeys<true>(2 * MAX_KNOWN_FORGERIES)

  constructor(pool: Pick<OrderPool, 'get'>, chain: () => SignedChain) {
    this.#pool = pool
    this.#chainNow = chain
  }

  /** Undefined where the signature does not hold. */
  of(body: Signed): Address | undefined {
    const key = bytesToKey(body.hash)
    const known = this.#known(body, key)
    if (known !== undefined || this.#forgeries.has(key)) return known
    const signer = recoverSigner(body.tx, this.#currentChain())
    this.#note(body, key, signer)
    return signer
  }

  /** What another thread can find out; undefined where it is known, or where the bytes are no signature. */
  taskOf(body: Signed): SignatureTask | undefined {
    const key = bytesToKey(body.hash)
    const isKnown = this.#known(body, key) !== undefined || this.#forgeries.has(key)
    return isKnown ? undefined : signatureTaskOf(body.tx, this.#currentChain())
  }

  /** What it has found out: the answer of the task. */
  note(body: Signed, publicKey: Uint8Array | undefined): void {
    const signer = publicKey === undefined ? undefined : addressOfKey(body.tx.sigScheme, publicKey)
    this.#note(body, bytesToKey(body.hash), signer)
  }

  clear(): void {
    this.#chain = undefined
    this.#others.clear()
    this.#forgeries.clear()
  }

  #known({ hash }: Signed, key: string): Address | undefined {
    return this.#pool.get(hash)?.signer ?? this.#others.get(key)
  }

  #note({ hash }: Signed, key: string, signer: Address | undefined): void {
    const order = this.#pool.get(hash)
    if (signer === undefined) this.#forgeries.set(key, true)
    else if (order === undefined) this.#others.set(key, signer)
    else order.signer = signer
  }

  #currentChain(): SignedChain {
    const now = this.#chainNow()
    const isSame = this.#chain?.chainId === now.chainId && this.#chain.evmChainId === now.evmChainId
    if (this.#chain === undefined || !isSame) this.#chain = now
    return this.#chain
  }
}
