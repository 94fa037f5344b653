/** When a transaction runs within its block, and how much work it may make. */
import type { Action, Phase, Place } from './clob-tx.ts'
import { DEFAULT_MAX_FILLS } from './fields.ts'

/** The weight of a CancelAll and a ScheduleCancel: a CancelAll removes up to so many orders at once. */
const SWEEP_WEIGHT = 20

/** Whether it may meet resting orders when it runs. */
export const canTake = ({ tif, triggerKind }: Place): boolean => tif !== 'post_only' && triggerKind === 'none'

/** Most resting orders that it meets. */
export const maxFillsOf = ({ maxFills }: Place): number => (maxFills === 0 ? DEFAULT_MAX_FILLS : maxFills)

const weightOfPlace = (place: Place): number => (canTake(place) ? maxFillsOf(place) : 1)

export const weightOfAction = (action: Action): number => {
  switch (action.kind) {
    case 'place':
    case 'replace':
      return weightOfPlace(action.place)
    case 'cancelAll':
    case 'scheduleCancel':
      return SWEEP_WEIGHT
    case 'cancel':
      return 1
  }
}

export const weightOf = (actions: readonly Action[]): number => {
  let weight = 0
  for (const action of actions) weight += weightOfAction(action)
  return weight
}

/** The latest phase that one of its actions needs. */
export const phaseOf = (actions: readonly Action[]): Phase => {
  let phase: Phase = 0
  for (const action of actions) {
    if (action.kind !== 'place' && action.kind !== 'replace') continue
    if (canTake(action.place)) return 2
    phase = 1
  }
  return phase
}
