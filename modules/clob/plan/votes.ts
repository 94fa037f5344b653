/** What the votes of a height say about orders. */
import type { AttestedVote, VoteExtension } from '../../attestations.ts'
import { MAX_CLOB_TX_BYTES } from '../orders/clob-tx.ts'
import { maxAttestations, readAttestations } from './attestation-bytes.ts'
import { AttestationColumns } from './columns.ts'
import { type ObligationContext, tally } from './obligations.ts'
import type { Obligation } from './types.ts'

/** What is counted of the votes. */
export interface VoteCounts {
  /** Different ids that anybody attests. */
  readonly attested: number
  readonly obligated: number
  /** COMMIT votes that the proposer has put in empty. */
  readonly skipped: number
  /** Votes with a signature whose extension is not canonical: it counts as empty. Those that the envelope refuses are not among them. */
  readonly malformed: number
}

export interface ReadVotes {
  /** The obligations in canonical order. */
  readonly obligations: readonly Obligation[]
  /** Wire forms, which may be anything. */
  readonly bodies: readonly Uint8Array[]
  readonly counts: VoteCounts
}

const hasBodiesInRange = ({ bodies }: VoteExtension): boolean =>
  bodies.every(({ length }) => length >= 1 && length <= MAX_CLOB_TX_BYTES)

/**
 * `votes` are the COMMIT votes of H, in any order. An extension with one part that is not canonical says nothing at all: its bodies do
 * not count either.
 */
export const readVotes = (votes: readonly AttestedVote[], context: ObligationContext): ReadVotes => {
  const said = votes.flatMap(({ power, extension }) => (extension === undefined ? [] : [{ power, extension }]))
  const bytes = said.reduce((sum, { extension }) => sum + extension.attestations.length, 0)
  const columns = new AttestationColumns(maxAttestations(bytes))
  const isCanonical = said.map(
    ({ extension }, index) => hasBodiesInRange(extension) && readAttestations(extension.attestations, columns, index),
  )
  const powers = said.map(({ power }) => power)
  const { obligations, attested, repeats } = tally(columns, powers, context)
  const counted = said.filter((_, index) => isCanonical[index] === true && repeats[index] === 0)
  return {
    obligations,
    bodies: counted.flatMap(({ extension }) => extension.bodies),
    counts: {
      attested,
      obligated: obligations.length,
      skipped: votes.filter(({ flag, isSigned }) => flag === 'commit' && !isSigned).length,
      malformed: said.length - counted.length,
    },
  }
}
