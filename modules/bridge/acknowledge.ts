/** What the votes of the last commit say of events, before the hooks of a block. */
import { type BridgeEvent, bridgeEventHash } from '../../core/bridge-event.ts'
import { bytesToKey } from '../../core/bytes.ts'
import type { Attestations } from '../attestations.ts'
import type { BlockContext } from '../module.ts'
import { contradicted, eventAccepted } from './events.ts'
import {
  readDecided,
  readOpen,
  readParams,
  readProgress,
  writeDecided,
  writeOpen,
  writeProgress,
} from './keeper/index.ts'
import type { BridgeParams } from './params.ts'
import type { Progress } from './record.ts'
import { endOfWindow } from './section.ts'
import { type Powers, powersOf, tally, type Vote } from './tally.ts'
import type { StateReader } from '../../store/state.ts'

interface Heard {
  readonly votes: Vote[]
  readonly contents: BridgeEvent[]
}

/** Gathers what was heard, by id, in the order in which the ids are spoken of; within the window alone. */
const gather = ({ votes }: Attestations, { openId }: Progress, end: number): ReadonlyMap<number, Heard> => {
  const heard = new Map<number, Heard>()
  const of = (id: number): Heard | undefined => {
    if (id < openId || id >= end) return undefined
    let said = heard.get(id)
    if (said === undefined) heard.set(id, (said = { votes: [], contents: [] }))
    return said
  }
  for (const { validatorAddress, extension } of votes) {
    if (extension === undefined) continue
    for (const { id, hash } of extension.bridge) of(id)?.votes.push({ validator: validatorAddress, hash })
    for (const content of extension.bridgeContents) of(content.id)?.contents.push(content)
  }
  return heard
}

/** The first id from `openId` on that is not decided: at most the window is passed over. */
export const advanceOpenId = (state: StateReader, openId: number): number => {
  let id = openId
  while (readDecided(state, id) !== undefined) id++
  return id
}

type Contract = NonNullable<BridgeParams['contract']>

/** Returns those who contradict themselves. */
const hearOne = (
  context: BlockContext,
  { id, said, contract, powers }: { id: number; said: Heard; contract: Contract; powers: Powers },
): readonly Uint8Array[] => {
  const { state, height, timeNs, emit } = context
  const hashOf = (event: BridgeEvent): Uint8Array => bridgeEventHash(contract, event)
  const { open, accepted, contradicting } = tally(readOpen(state, id), said, powers, hashOf)
  if (accepted === undefined) {
    writeOpen(state, id, open)
    return contradicting
  }
  writeOpen(state, id, [])
  writeDecided(state, id, { kind: 'accepted', event: accepted, height, timeNs, isImmediate: false })
  emit(eventAccepted(accepted, hashOf(accepted)))
  return contradicting
}

/** Counts what the votes say of open events, with the powers of the set whose votes they are. */
export const acknowledge = (context: BlockContext, attestations: Attestations): void => {
  const { state, lastCommit } = context
  const { contract, isPaused } = readParams(state)
  if (contract === undefined || isPaused) return
  const progress = readProgress(state)
  const heard = gather(attestations, progress, endOfWindow(progress))
  if (heard.size === 0) return
  const powers = powersOf(lastCommit.map(({ validatorAddress, power }) => ({ address: validatorAddress, power })))
  let { contradictions } = progress
  const told = new Set<string>()
  for (const id of [...heard.keys()].sort((a, b) => a - b)) {
    const said = heard.get(id)
    if (said === undefined || readDecided(state, id) !== undefined) continue
    for (const validator of hearOne(context, { id, said, contract, powers })) {
      contradictions++
      // One event a block says enough of a liar.
      if (!told.has(bytesToKey(validator))) context.emit(contradicted(id, validator))
      told.add(bytesToKey(validator))
    }
  }
  const openId = advanceOpenId(state, progress.openId)
  if (openId === progress.openId && contradictions === progress.contradictions) return
  writeProgress(state, { ...progress, openId, contradictions })
}
