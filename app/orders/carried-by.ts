/** What a block carries, by the one plan for who proposes, judges, decides and votes. */
import type { Hash } from '../../core/hash.ts'
import { type PlanInput, planOfBlock } from '../../modules/clob/index.ts'
import { readConsensusParameters } from '../../modules/consensus/index.ts'
import type { Attestations } from '../../modules/attestations.ts'
import { carriesExtensions, INJECTED_BYTE, readAttestations } from '../attestations/injected.ts'
import type { VotedChain } from '../attestations/chain.ts'
import type { BatchOutcome } from '../block/batch.ts'
import type { ProposedBlock } from '../ports.ts'
import { planInputOf } from './block-plan.ts'
import type { CarriedBy } from './ports.ts'

/** What the first transaction attests; a text says why the block is none of this chain. */
const attestationsOf = (block: ProposedBlock, chain: VotedChain): Attestations | string | undefined => {
  const { height, transactions } = block
  const { parameters, state } = chain
  if (!carriesExtensions(readConsensusParameters(state), height, parameters.initialHeight)) return undefined
  const [first] = transactions
  if (first?.[0] !== INJECTED_BYTE) return 'the block does not begin with vote extensions'
  return readAttestations(chain, block, first)
}

export interface PlannedBlocks {
  readonly readBody: PlanInput['readBody']
  /**
   * What came of the batch of a block that this node has accepted on top of the same chain. CometBFT's hash names all that a plan
   * is made from but the chain below, and whoever keeps these forgets them with each commit.
   */
  accepted(hash: Hash): Pick<BatchOutcome, 'carried'> | undefined
}

/**
 * What ProcessProposal has planned is not planned again. CometBFT may ask for the vote on a block that was never processed here, or
 * before a crash: then all of it is judged from the block and the state below.
 */
export const carriedByPlan =
  ({ readBody, accepted }: PlannedBlocks): CarriedBy =>
  (block, chain) => {
    const known = accepted(block.hash)
    if (known !== undefined) return known.carried
    const attestations = attestationsOf(block, chain)
    if (typeof attestations === 'string') return undefined
    const plan = planOfBlock(planInputOf(chain, block, attestations, readBody), block.transactions)
    return 'fault' in plan ? undefined : plan.carried
  }
