/**
 * What this node says with its votes (ABCI: ExtendVote). CometBFT may ask for a block that was never processed here, again
 * after a crash, and again in a later round, which the request does not name. An honest node says the same each time: its
 * answer for a block is on disk before it is given.
 */
import { bytesToKey, EMPTY_BYTES } from '../../core/bytes.ts'
import type { VoteExtension } from '../../modules/attestations.ts'
import type { VotedChain } from './chain.ts'
import type { VoteAnswers } from '../environment.ts'
import type { ProposedBlock } from '../ports.ts'
import { decodeExtension, encodeExtension, EMPTY_EXTENSION } from './envelope.ts'

/** What a part of the node has to say: the order book, the bridge. */
export interface ExtensionSection {
  readonly name: string
  /**
   * The fields of the extension that are its own, for the vote on a block on top of the chain. `spentBytes` of the extension's
   * `capBytes` are used by the sections before it.
   */
  attest(block: ProposedBlock, chain: VotedChain, spentBytes: number, capBytes: number): Partial<VoteExtension>
}

/** Hashes of one height that are remembered: rounds of consensus may bring any number of blocks. */
const MAX_ANSWERS = 64

export class Voter {
  readonly #sections: readonly ExtensionSection[]
  readonly #answers: VoteAnswers
  /** What was said of each block of the newest height, by `bytesToKey` of CometBFT's hash of the block. */
  readonly #given = new Map<string, Uint8Array>()
  #height = 0

  constructor(sections: readonly ExtensionSection[], answers: VoteAnswers) {
    this.#sections = sections
    this.#answers = answers
    for (const { height, hash, extension } of answers.load()) this.#note(height, bytesToKey(hash), extension)
  }

  /** What was said of a block before; undefined where nothing was. */
  given({ height, hash }: Pick<ProposedBlock, 'height' | 'hash'>): Uint8Array | undefined {
    return height === this.#height ? this.#given.get(bytesToKey(hash)) : undefined
  }

  /**
   * Makes the extension for a block of which nothing was said yet. It has at most `capBytes`. Throws what the disk says
   * where the answer cannot be kept: then none is given.
   */
  extend(block: ProposedBlock, chain: VotedChain, capBytes: number): Uint8Array {
    // Nobody here will ever say something: nothing is worth being kept.
    if (this.#sections.length === 0) return EMPTY_BYTES
    const extension = this.#attest(block, chain, capBytes)
    this.#answers.keep({ height: block.height, hash: block.hash, extension })
    this.#note(block.height, bytesToKey(block.hash), extension)
    return extension
  }

  /** A section that would pass the cap, or that others would not read, says nothing. */
  #attest(block: ProposedBlock, chain: VotedChain, capBytes: number): Uint8Array {
    let said = EMPTY_EXTENSION
    let encoded = EMPTY_BYTES
    for (const section of this.#sections) {
      const more = { ...said, ...section.attest(block, chain, encoded.length, capBytes) }
      const bytes = encodeExtension(more)
      const isRead = bytes.length === 0 || decodeExtension(bytes) !== undefined
      if (isRead && bytes.length <= capBytes) [said, encoded] = [more, bytes]
    }
    return encoded
  }

  #note(height: number, key: string, extension: Uint8Array): void {
    // A lower height is that of a chain that was rolled back, or begins anew.
    if (height !== this.#height) this.#given.clear()
    this.#height = height
    this.#given.set(key, extension)
    for (const oldest of this.#given.keys()) {
      if (this.#given.size <= MAX_ANSWERS) break
      this.#given.delete(oldest)
    }
  }
}
