/**
 * Vote extensions that this node has heard of and that no block has matched yet. To note one costs a look-up: what it says is read only
 * when somebody asks.
 */
import { bytesToKey, keyToBytes, viewBuffer } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import { consensusAddress } from '../../core/signature.ts'
import { idOf } from '../../modules/clob/index.ts'
import { readValidators } from '../../modules/consensus/index.ts'
import type { StateReader } from '../../store/state.ts'

/** Blocks with votes for them: rounds of one height may bring several. */
const MAX_BLOCKS = 8
/** Where there is one validator its vote is this node's own, and CometBFT brings it to nobody. */
const OWN = 'own'

/** A block, with the votes for it. */
export interface VotedBlock {
  readonly height: number
  /** The salt of the ids in its votes. */
  readonly hash: Hash
  /** Extensions by the key of the validator's address, or {@link OWN}. */
  readonly votes: ReadonlyMap<string, Uint8Array>
}

export interface VotePowers {
  /** The power of a voter, by the key of the validator's address. */
  powerOf(voter: string): bigint
  readonly total: bigint
}

/** Whoever votes for a height, by the keys of their addresses. `state` is that of the block below. */
export const votersOf = (state: StateReader, height: number): ReadonlySet<string> =>
  new Set(readValidators(state, height).map(({ publicKey }) => bytesToKey(consensusAddress(publicKey))))

/** `state` is that of the block below, or after it. */
export const votePowers = (state: StateReader, height: number): VotePowers => {
  const validators = readValidators(state, height)
  const powers = new Map(validators.map(({ publicKey, power }) => [bytesToKey(consensusAddress(publicKey)), power]))
  const total = validators.reduce((sum, { power }) => sum + power, 0n)
  const own = validators.length === 1 ? total : 0n
  return { powerOf: (voter) => (voter === OWN ? own : (powers.get(voter) ?? 0n)), total }
}

/** Whether so much power obliges the next block. docs/clob-spec.md, Obligations. */
export const isObliging = (power: bigint, total: bigint): boolean => 3n * power > total

export class HeardVotes {
  #blocks: { height: number; hash: Hash; votes: Map<string, Uint8Array> }[] = []

  get blocks(): readonly VotedBlock[] {
    return this.#blocks
  }

  /**
   * `validator` is undefined where the vote is that of this node. Of the others CometBFT has verified the signature of the extension, and not
   * yet that of the vote: who sends it may have named anybody, so `validator` must be one of the set.
   */
  note(height: number, hash: Hash, validator: Uint8Array | undefined, extension: Uint8Array): void {
    if (extension.length === 0) return
    const key = bytesToKey(hash)
    let block = this.#blocks.find((each) => each.height === height && bytesToKey(each.hash) === key)
    if (block === undefined) {
      block = { height, hash, votes: new Map() }
      this.#blocks.push(block)
    }
    block.votes.set(validator === undefined ? OWN : bytesToKey(validator), extension)
    if (this.#blocks.length <= MAX_BLOCKS) return
    // The one that has just come has one vote yet, and is the one that most likely gets more.
    const others = this.#blocks.filter((each) => each !== block)
    const fewest = Math.min(...others.map(({ votes }) => votes.size))
    const left = others.find(({ votes }) => votes.size === fewest)
    this.#blocks = this.#blocks.filter((each) => each !== left)
  }

  /** The block is committed: votes for it are what the next one holds, and all others are over. */
  settle(height: number, hash: Hash): void {
    const key = bytesToKey(hash)
    this.#blocks = this.#blocks.filter(
      (block) => block.height > height || (block.height === height && bytesToKey(block.hash) === key),
    )
  }

  clear(): void {
    this.#blocks = []
  }

  /** Whether votes of more than a third of the power name the order for one of the blocks. It costs a search through their bytes. */
  isAttested(orderHash: Hash, powersAt: (height: number) => VotePowers): boolean {
    return this.#blocks.some(({ height, hash, votes }) => {
      const id = viewBuffer(keyToBytes(idOf(hash, orderHash)))
      const { powerOf, total } = powersAt(height)
      let power = 0n
      for (const [voter, extension] of votes) if (viewBuffer(extension).includes(id)) power += powerOf(voter)
      return isObliging(power, total)
    })
  }
}
