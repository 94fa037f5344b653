/** Which votes a proposer injects where not all of them fit into its block. */

/** A vote as it would be injected. */
export interface WeighedVote {
  /** Bytes on the wire, with tag and length. */
  readonly bytes: number
  readonly power: bigint
  /** False where it is injected empty anyway. */
  readonly isTaken: boolean
}

export interface VoteRoom {
  /** The most bytes of all votes together, those of an empty one counted too. */
  readonly bytes: number
  /** The bytes of a vote that is left out. */
  readonly emptyBytes: number
  /** The power of the whole set. */
  readonly totalPower: bigint
}

/**
 * Whether each vote is taken; undefined where empty ones alone pass the room. The largest are left out first, of equal ones
 * the first, as long as the rest stays above two thirds of the power. Where that is not enough the others follow, though
 * such a proposal is rejected: one that passes max_tx_bytes would stop CometBFT.
 */
export const fitVotes = (votes: readonly WeighedVote[], room: VoteRoom): readonly boolean[] | undefined => {
  const taken = votes.map(({ isTaken }) => isTaken)
  let bytes = 0
  let power = 0n
  for (const vote of votes) {
    bytes += vote.isTaken ? vote.bytes : room.emptyBytes
    if (vote.isTaken) power += vote.power
  }
  const largestFirst = votes
    .map((vote, index) => ({ ...vote, index }))
    .filter(({ isTaken }) => isTaken)
    .toSorted((a, b) => b.bytes - a.bytes || a.index - b.index)
  for (const leastPower of [room.totalPower * 2n, undefined]) {
    for (const vote of largestFirst) {
      if (bytes <= room.bytes) return taken
      if (taken[vote.index] !== true) continue
      if (leastPower !== undefined && (power - vote.power) * 3n <= leastPower) continue
      taken[vote.index] = false
      bytes -= vote.bytes - room.emptyBytes
      power -= vote.power
    }
  }
  return bytes <= room.bytes ? taken : undefined
}
