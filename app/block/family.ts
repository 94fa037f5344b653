/**
 * A family of transactions, as a block sees it, and the table of them. The first byte of a transaction on the wire tells
 * its family: docs/adr/012 has the table of bytes and its reasons.
 */
import { invariant } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import type { AuthParameters } from '../../modules/auth/index.ts'
import type { BlockTransaction } from './transaction.ts'

export interface BlockFamily {
  readonly name: string
  /** True for the family whose one transaction stands first in every block whose last commit carries vote extensions. */
  readonly isLeading: boolean
  /** True for the family of the batch: its transactions are executed together, before those of other families (batch.ts). */
  readonly isBatched?: true
  /** Whether its transactions are in the Ethereum block, where their bytes are stored. */
  readonly isInEthereumBlock: boolean
  /** Whether searches of native clients show its transactions. */
  readonly isShown: boolean
  /** Whether a transaction that begins with this byte is of the family. */
  recognises(firstByte: number): boolean
  /** The hash by which a transaction is known. */
  hash(raw: Uint8Array): Hash
  /** Throws a CodedError. */
  decode(raw: Uint8Array): BlockTransaction
  /** Least gas that any transaction of so many bytes uses: a proposal that cannot fit is refused before it is executed. */
  leastGas(bytes: number, parameters: AuthParameters): bigint
  /** Least weight of any of its transactions, in nanoseconds. */
  readonly leastWeight: number
}

const FIRST_BYTES = 256

/** Every transaction has a family: what none recognises is of the one named last. */
export class FamilyTable<Family extends BlockFamily = BlockFamily> {
  readonly #byFirstByte: readonly Family[]
  readonly #rest: Family

  constructor(families: readonly Family[], rest: Family) {
    this.#rest = rest
    this.#byFirstByte = Array.from({ length: FIRST_BYTES }, (_, firstByte) => {
      const [family = rest, second] = families.filter((each) => each.recognises(firstByte))
      invariant(second === undefined, `the families ${family.name} and ${second?.name} both take byte ${firstByte}`)
      return family
    })
  }

  of(raw: Uint8Array): Family {
    const [firstByte] = raw
    return firstByte === undefined ? this.#rest : (this.#byFirstByte[firstByte] ?? this.#rest)
  }

  /** The hash by which a transaction is known: Ethereum's keccak256, and CometBFT's SHA-256 of every other family. */
  hash(raw: Uint8Array): Hash {
    return this.of(raw).hash(raw)
  }

  /** Throws a CodedError. */
  decode(raw: Uint8Array): BlockTransaction {
    return this.of(raw).decode(raw)
  }
}
