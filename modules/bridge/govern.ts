/** What governance changes: parameters, and events in the place of the validators. */
import { DENOMINATION } from '../../core/amounts.ts'
import { type BridgeContract, type BridgeEvent, bridgeEventHash } from '../../core/bridge-event.ts'
import { equalBytes } from '../../core/bytes.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import type { ModuleContext } from '../module.ts'
import { advanceOpenId } from './acknowledge.ts'
import type { BridgeDependencies } from './deps.ts'
import { bridgeError } from './errors.ts'
import { contractChanged, eventCompleted, eventRejected } from './events.ts'
import {
  deleteEvents,
  readBurned,
  readDecided,
  readFormer,
  readMinted,
  readParams,
  readProgress,
  writeDecided,
  writeFormer,
  writeOpen,
  writeParams,
  writeProgress,
} from './keeper/index.ts'
import type { BridgeParams } from './params.ts'
import { type DecidedEvent, NO_PROGRESS } from './record.ts'
import { endOfWindow } from './section.ts'

const isSame = (a: BridgeContract | undefined, b: BridgeContract | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.chainId === b.chainId && equalBytes(a.address, b.address))

/**
 * All that waits of the old contract is forgotten. It goes on where it stopped when it is named again: nothing of it is credited
 * twice.
 */
const changeContract = (
  { state, emit }: Pick<ModuleContext, 'state' | 'emit'>,
  from: BridgeContract | undefined,
  to: BridgeContract | undefined,
): void => {
  const { contradictions, ...now } = readProgress(state)
  deleteEvents(state)
  // What was refused is forgotten, but counted.
  const stopped = { ...now, openId: now.nextId, remembered: 0, contradictions: 0 }
  if (from !== undefined && now.nextId > 0) writeFormer(state, from, stopped)
  const former = (to && readFormer(state, to)) ?? NO_PROGRESS
  if (to !== undefined) writeFormer(state, to, undefined)
  writeProgress(state, { ...former, contradictions })
  emit(contractChanged(to?.address, former.nextId))
}

/** A bridged denomination stands for deposits: throws bridge/9 where coins of that name are there already. */
const checkDenomination = (state: StateReader, denom: string, { ledger }: BridgeDependencies): void => {
  if (denom === DENOMINATION || ledger.supply(state, denom) <= readMinted(state, denom) - readBurned(state, denom))
    return
  throw bridgeError('denomination', `the denomination ${denom} has a supply that the bridge did not mint`)
}

/** Throws bridge/9. */
export const changeParams = (context: ModuleContext, params: BridgeParams, dependencies: BridgeDependencies): void => {
  const { state } = context
  const before = readParams(state)
  checkDenomination(state, params.denom, dependencies)
  if (!isSame(before.contract, params.contract)) changeContract(context, before.contract, params.contract)
  writeParams(state, params)
}

/** Throws bridge/3 without a contract, bridge/4 for an event that had its turn, and bridge/5 for one beyond the window. */
const requireContract = (state: StateReader, id: number): BridgeContract => {
  const { contract } = readParams(state)
  if (contract === undefined) throw bridgeError('noContract')
  const progress = readProgress(state)
  if (id < progress.nextId) throw bridgeError('settled', `event ${id} was settled already`)
  const end = endOfWindow(progress)
  if (id < end) return contract
  throw bridgeError('notInWindow', `event ${id} is beyond ${end - 1}, the last one that can be decided now`)
}

const decide = (state: StateWriter, id: number, decided: DecidedEvent): void => {
  writeOpen(state, id, [])
  writeDecided(state, id, decided)
  const progress = readProgress(state)
  writeProgress(state, { ...progress, openId: advanceOpenId(state, progress.openId) })
}

/** Throws bridge/3 to 6. */
export const completeEvent = ({ state, height, timeNs, emit }: ModuleContext, event: BridgeEvent): void => {
  const { id } = event
  const contract = requireContract(state, id)
  const before = readDecided(state, id)
  const isOther =
    before?.kind === 'accepted' &&
    !equalBytes(bridgeEventHash(contract, before.event), bridgeEventHash(contract, event))
  if (isOther) throw bridgeError('otherContent', `event ${id} was accepted with another content`)
  decide(state, id, { kind: 'accepted', event, height, timeNs, isImmediate: true })
  emit(eventCompleted(id))
}

/** Throws bridge/3 to 5. */
export const rejectEvent = ({ state, emit }: ModuleContext, id: number, reason: string): void => {
  requireContract(state, id)
  decide(state, id, { kind: 'rejected', reason: `governance: ${reason}` })
  emit(eventRejected(id, reason))
}
