/** What an audit tells of a chain that it found no fault with. */

/** What a proposer did in the blocks of the audit. */
export interface ProposerSummary {
  readonly address: string
  blocks: number
  stops: number
  /** Stops at ids that more than two thirds attested. */
  wideStops: number
  /** Extensions left out of txs[0] though their votes are in the commit. */
  skippedVotes: number
  /** The power of validators without a COMMIT vote in the commit, summed up over the blocks. */
  powerLeftOut: bigint
}

export interface AuditSummary {
  readonly from: number
  readonly to: number
  readonly orders: number
  readonly fills: number
  readonly obligations: number
  readonly openOrders: number
  readonly proposers: readonly ProposerSummary[]
}

export const describeAudit = (summary: AuditSummary): readonly string[] => {
  const { from, to, orders, fills, obligations, openOrders, proposers } = summary
  return [
    `ok blocks ${from + 1} to ${to}: ${orders} orders, ${fills} fills, ${obligations} obligations, ${openOrders} open orders; ` +
      'nothing was censored, inserted, reordered or matched otherwise than the rules say',
    ...proposers.map(
      ({ address, blocks, stops, wideStops, skippedVotes, powerLeftOut }) =>
        `proposer ${address}: ${blocks} blocks, ${stops} stops, ${wideStops} at widely attested ids, ${skippedVotes} skipped votes, ${powerLeftOut} power left out`,
    ),
  ]
}
