/** What the rest of the module, and through its index the node, takes of the plan. */
export { decodeAttestations, encodeAttestations, isCanonicalAttestations } from './attestation-bytes.ts'
export {
  type BlockList,
  type BlockPlan,
  type BlockPlanFault,
  countStop,
  type ExtensionSummary,
  listOfBlock,
  planOfBlock,
  type PlanInput,
  proposeOrders,
} from './block.ts'
export {
  attestationsThatFit,
  bridgeReserveBytes,
  capBytes,
  injectedBytes,
  longestClobTx,
  MAX_BUDGET_BYTES,
  shareBytes,
} from './caps.ts'
export { MAX_DT_MS } from './columns.ts'
export { type Body, type FittingBody, fits, idOf, type PlannedBody } from './ids.ts'
export type { ReadBody } from './injected-bodies.ts'
export { type ObligationContext, obligations } from './obligations.ts'
export {
  type BlockOrders,
  chooseBodies,
  type FindBody,
  judgeOrders,
  MAX_AGE,
  type Plan,
  type PlanFault,
  runPlan,
  type TakenOrder,
} from './run-plan.ts'
export {
  type Candidate,
  selectAttestations,
  selectCandidates,
  type SelectionContext,
  type SelectionLimits,
  toAttestations,
} from './select.ts'
export type { Attestation, IdKey, ListedId, Obligation, PlanLimits } from './types.ts'
export type { VoteCounts } from './votes.ts'
