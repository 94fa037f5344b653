/** Which orders of the pool the votes for one block oblige the next one to hold, counted in steps as the votes come. */
import { decodeAttestations, type IdKey } from '../../modules/clob/index.ts'
import { decodeExtension } from '../attestations/envelope.ts'
import { isObliging, type VotedBlock, type VotePowers } from './heard-votes.ts'
import type { OrderIds } from './order-ids.ts'
import type { PooledOrder } from './pooled-order.ts'

/** Bodies that are hashed in a step: about a millisecond. */
const HASHES_A_STEP = 500

export class VoteTally {
  readonly block: VotedBlock
  /** Those that more than a third of the power names. */
  readonly attested = new Set<PooledOrder>()
  readonly #powers: VotePowers
  readonly #ids: OrderIds
  readonly #read = new Set<string>()
  readonly #powerById = new Map<IdKey, bigint>()
  /** Attested, and no body of the pool is theirs yet. */
  readonly #unknown = new Set<IdKey>()
  #arrivals = 0

  constructor(block: VotedBlock, powers: VotePowers, ids: OrderIds) {
    this.block = block
    this.#powers = powers
    this.#ids = ids
  }

  /**
   * Reads a vote that was not read, at most; `found` is told of orders that have become attested. False where there is more to do.
   * `arrivals` is that of the pool.
   */
  step(arrivals: number, found: (order: PooledOrder) => void): boolean {
    if (!this.#ids.advance(this.block.hash, HASHES_A_STEP)) return false
    if (arrivals !== this.#arrivals) {
      this.#arrivals = arrivals
      for (const id of [...this.#unknown]) this.#attest(id, found)
    }
    for (const [voter, extension] of this.block.votes) {
      if (this.#read.has(voter)) continue
      this.#read.add(voter)
      this.#count(extension, this.#powers.powerOf(voter), found)
      return this.#read.size === this.block.votes.size
    }
    return true
  }

  #count(extension: Uint8Array, power: bigint, found: (order: PooledOrder) => void): void {
    const said = decodeExtension(extension)
    const attestations = said === undefined ? [] : (decodeAttestations(said.attestations) ?? [])
    const { total } = this.#powers
    for (const { id } of attestations) {
      const before = this.#powerById.get(id) ?? 0n
      this.#powerById.set(id, before + power)
      if (!isObliging(before, total) && isObliging(before + power, total)) this.#attest(id, found)
    }
  }

  #attest(id: IdKey, found: (order: PooledOrder) => void): void {
    const order = this.#ids.find(this.block.hash, id)
    if (order === undefined) {
      this.#unknown.add(id)
      return
    }
    this.#unknown.delete(id)
    this.attested.add(order)
    found(order)
  }
}
