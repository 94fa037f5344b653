/** Proposals of the next height that were executed: by content, and those whose hash is known. */
import { bytesToKey } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import { MAX_CANDIDATES } from '../../core/limits.ts'
import { type Candidate, sealCandidate, type SealedBlock } from './candidate.ts'
import { type BlockContent, contentKey } from '../records/content.ts'

/** Bounded: rounds of consensus may bring any number of proposals. */
export class Proposals {
  readonly #candidates = new Map<string, Candidate>()
  readonly #sealed = new Map<string, SealedBlock>()

  find(content: BlockContent): Candidate | undefined {
    return this.#candidates.get(contentKey(content))
  }

  keep(candidate: Candidate): void {
    bound(this.#candidates)
    this.#candidates.set(contentKey(candidate.content), candidate)
  }

  findSealed(hash: Hash): SealedBlock | undefined {
    return this.#sealed.get(bytesToKey(hash))
  }

  seal(candidate: Candidate, hash: Hash): SealedBlock {
    const sealed = sealCandidate(candidate, hash)
    bound(this.#sealed)
    this.#sealed.set(bytesToKey(hash), sealed)
    return sealed
  }

  /** A candidate stands on the head that it was executed on, which its content does not name. */
  clear(): void {
    this.#candidates.clear()
    this.#sealed.clear()
  }
}

/** Makes room for one more. */
const bound = (map: Map<string, unknown>): void => {
  while (map.size >= MAX_CANDIDATES) {
    const [oldest] = map.keys()
    if (oldest === undefined) return
    map.delete(oldest)
  }
}
