/** The plan of a block from what stands in it and in the state before it: what Prepare, Process, Finalize, ExtendVote and audits ask. */
import type { Attestations } from '../../attestations.ts'
import type { ProposerRecord } from '../domain/proposer.ts'
import type { ClobParameters } from '../domain/settings.ts'
import { CLOB_TX_BYTE } from '../orders/clob-tx.ts'
import { shareBytes } from './caps.ts'
import type { FittingBody } from './ids.ts'
import { InjectedBodies, type ReadBody } from './injected-bodies.ts'
import { chooseBodies, type FindBody, judgeOrders, type Plan, type PlanFault } from './run-plan.ts'
import type { ListedId, PlanLimits } from './types.ts'
import { readVotes, type VoteCounts } from './votes.ts'

/** What block H+1 is planned from. */
export interface PlanInput {
  /** The votes that its first transaction holds; undefined where it holds none, because extensions are not enabled for H. */
  readonly attestations: Attestations | undefined
  /** The carried ids as the state of H has them: oldest first. */
  readonly carried: readonly ListedId[]
  /** Time of header H. */
  readonly timeOfHMs: number
  /** Hash of block H. */
  readonly salt: Uint8Array
  /** Parameters of the state of H. */
  readonly parameters: Pick<ClobParameters, 'bucketMs' | 'blockWeight'>
  /** Cap of the extensions of H, as the state of H has it. */
  readonly capBytes: number
  /** How many set H has. */
  readonly validators: number
  /** Decodes a wire form. It is asked for each order of the block, and may remember. */
  readonly readBody: ReadBody
}

/** What follows from the votes of H, before the orders of the block are looked at. */
export interface BlockList {
  /** What was carried, then the obligations: what the block must execute in this order, as far as it goes. */
  readonly list: readonly ListedId[]
  readonly limits: PlanLimits
  readonly injected: InjectedBodies
  readonly counts: VoteCounts
}

const NO_VOTES: VoteCounts = { attested: 0, obligated: 0, skipped: 0, malformed: 0 }

export const listOfBlock = (input: PlanInput): BlockList => {
  const { attestations, carried, timeOfHMs, salt, parameters, capBytes, validators, readBody } = input
  const limits = { shareBytes: shareBytes(validators, capBytes), weight: parameters.blockWeight }
  if (attestations === undefined) {
    return { list: [], limits, injected: new InjectedBodies([], readBody), counts: NO_VOTES }
  }
  const { votes, totalPower } = attestations
  const { bucketMs } = parameters
  const { obligations, bodies, counts } = readVotes(votes, { totalPower, timeOfHMs, bucketMs, salt })
  return { list: [...carried, ...obligations], limits, injected: new InjectedBodies(bodies, readBody), counts }
}

const isOrder = (raw: Uint8Array): boolean => raw[0] === CLOB_TX_BYTE

/** Orders stand behind the first transaction, without a gap. Undefined where one stands elsewhere. */
const ordersOf = (transactions: readonly Uint8Array[], first: number): readonly Uint8Array[] | undefined => {
  let end = first
  while (end < transactions.length && isOrder(transactions[end] as Uint8Array)) end++
  const isElsewhere = transactions.some((raw, index) => (index < first || index >= end) && isOrder(raw))
  return isElsewhere ? undefined : transactions.slice(first, end)
}

/** What `extension_summary` tells of a block. */
export interface ExtensionSummary extends VoteCounts {
  /** Ids that go on to the next block. */
  readonly carried: number
}

export interface BlockPlan extends Plan {
  readonly summary: ExtensionSummary
}

export interface BlockPlanFault extends PlanFault {
  /** Were the block decided all the same, nothing would be carried. */
  readonly summary: ExtensionSummary
}

/** `transactions` are all of block H+1, the injected one first where there is one. A fault makes the block invalid. */
export const planOfBlock = (
  input: PlanInput,
  transactions: readonly Uint8Array[],
  known: BlockList = listOfBlock(input),
): BlockPlan | BlockPlanFault => {
  const { list, limits, injected, counts } = known
  const orders = ordersOf(transactions, input.attestations === undefined ? 0 : 1)
  const plan =
    orders === undefined
      ? { fault: 'the block has an order that does not stand behind its vote extensions' }
      : judgeOrders(
          list,
          { count: orders.length, at: (index) => input.readBody(orders[index] as Uint8Array) },
          (listed) => injected.find(listed),
          limits,
        )
  return { ...plan, summary: { ...counts, carried: 'fault' in plan ? 0 : plan.carried.length } }
}

/** What a proposer puts behind the injected transaction: `find` asks its own pool. Everybody who has that transaction accepts it. */
export const proposeOrders = ({ list, limits, injected }: BlockList, find: FindBody): readonly FittingBody[] =>
  chooseBodies(list, (listed) => find(listed) ?? injected.find(listed), limits)

/** The record with the stop of a block of this proposer, where there was one. */
export const countStop = (before: ProposerRecord, missing: ListedId | undefined): ProposerRecord =>
  missing === undefined
    ? before
    : {
        stops: before.stops + 1,
        missingButWidelyAttested: before.missingButWidelyAttested + (missing.isWidelyAttested ? 1 : 0),
      }
