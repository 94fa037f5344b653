/** Which orders a block must execute, given what was attested: the rule that leaves a proposer no choice. docs/clob-spec.md, Plan. */
import { type Body, fits, type FittingBody, type PlannedBody } from './ids.ts'
import { Room } from './room.ts'
import type { ListedId, PlanLimits } from './types.ts'

/** Blocks that an id is carried for. */
export const MAX_AGE = 3

/** The body of an id, statically valid; undefined where whoever is asked has none. */
export type FindBody = (listed: ListedId) => Body | undefined

export interface TakenOrder {
  readonly body: FittingBody
  readonly listed: ListedId
}

export interface Plan {
  /** The transactions of the block, in its order. */
  readonly taken: readonly TakenOrder[]
  /** Where the proposer stopped. */
  readonly missing: ListedId | undefined
  /** What stands before the obligations of the next block, in its order, with its ages there. */
  readonly carried: readonly ListedId[]
}

/** Why a block is not valid. */
export interface PlanFault {
  readonly fault: string
}

/** What of the list goes on. After a stop that is all that was not taken, else what was carried before; older than three blocks is dropped. */
const carryOn = (list: readonly ListedId[], isTaken: Uint8Array, isStopped: boolean): readonly ListedId[] => {
  const carried: ListedId[] = []
  for (const [index, listed] of list.entries()) {
    if (isTaken[index] === 1 || (!isStopped && listed.age === 0) || listed.age >= MAX_AGE) continue
    carried.push({
      id: listed.id,
      phase: listed.phase,
      salt: listed.salt,
      age: listed.age + 1,
      isWidelyAttested: listed.isWidelyAttested,
    })
  }
  return carried
}

/** The orders of a block, each decoded when its turn comes: most of those of a liar's block are never looked at. */
export interface BlockOrders {
  readonly count: number
  at(index: number): PlannedBody
}

/**
 * Judges the orders of a block, all of them, as they stand behind its first transaction. `list` is what was carried (ages of 1 to 3),
 * then the obligations (age 0); `injected` finds bodies in the extensions that the block itself holds.
 */
export const judgeOrders = (
  list: readonly ListedId[],
  orders: BlockOrders,
  injected: FindBody,
  limits: PlanLimits,
): Plan | PlanFault => {
  const room = new Room(list, limits)
  const taken: TakenOrder[] = []
  const isTaken = new Uint8Array(list.length)
  let missing: ListedId | undefined
  for (const [index, listed] of list.entries()) {
    if (!room.hasRoomFor(listed.phase)) continue
    const next = taken.length
    if (next >= orders.count) {
      if (injected(listed) !== undefined) {
        return { fault: `the block leaves out order ${index} of its list, and its vote extensions have the body` }
      }
      missing = listed
      break
    }
    const body = orders.at(next)
    if (!fits(body, listed)) return { fault: `order ${next} of the block is not order ${index} of its list` }
    room.take(listed.phase, body)
    isTaken[index] = 1
    taken.push({ body, listed })
  }
  if (orders.count > taken.length) {
    return { fault: `the block has ${orders.count} orders, and its list has room for ${taken.length}` }
  }
  return { taken, missing, carried: carryOn(list, isTaken, missing !== undefined) }
}

/** Does what {@link judgeOrders} does, with orders that are decoded. */
export const runPlan = (
  list: readonly ListedId[],
  block: readonly PlannedBody[],
  injected: FindBody,
  limits: PlanLimits,
): Plan | PlanFault =>
  judgeOrders(list, { count: block.length, at: (index) => block[index] as PlannedBody }, injected, limits)

/**
 * What a proposer puts behind the first transaction. Everybody accepts it as long as `find` gives nothing but what fits the id, and
 * all that the injected extensions have.
 */
export const chooseBodies = (list: readonly ListedId[], find: FindBody, limits: PlanLimits): readonly FittingBody[] => {
  const room = new Room(list, limits)
  const chosen: FittingBody[] = []
  for (const listed of list) {
    if (!room.hasRoomFor(listed.phase)) continue
    const body = find(listed)
    if (body === undefined || !isFitting(body)) break
    room.take(listed.phase, body)
    chosen.push(body)
  }
  return chosen
}

const isFitting = (body: Body): body is FittingBody => body.body !== undefined
