/** The bridge's part of a vote extension: which form it has, and what an honest validator puts into it. */
import { type BridgeEvent, bridgeEventHash } from '../../core/bridge-event.ts'
import { compareBytes, equalBytes } from '../../core/bytes.ts'
import type { StateReader } from '../../store/state.ts'
import type { VoteExtension } from '../attestations.ts'
import { readDecided, readOpen, readParams, readProgress } from './keeper/index.ts'
import type { BridgeParams } from './params.ts'
import { MAX_WAITING, OPEN_WINDOW, type Progress } from './record.ts'

export const MAX_ATTESTATIONS = 24
export const MAX_CONTENTS = 16
/** One signature is over a root, and one over the next set of signers. */
export const MAX_SIGNATURES = 2

export interface Follow {
  readonly contract: BridgeParams['contract']
  /** The first event that is not decided. */
  readonly openId: number
}

/** What the daemon is to watch. */
export const readFollow = (state: StateReader): Follow => ({
  contract: readParams(state).contract,
  openId: readProgress(state).openId,
})

/** The id behind the last one that is acknowledged now. */
export const endOfWindow = ({ nextId, openId }: Progress): number =>
  Math.min(openId + OPEN_WINDOW, nextId + MAX_WAITING, 2 ** 32)

const isAscending = (said: readonly { readonly id: number }[]): boolean =>
  said.every(({ id }, index) => index === 0 || id > (said[index - 1]?.id ?? id))

/** Whether the lists are of the form that counts: few, and by ascending ids. */
export const isCanonicalBridgeSection = ({
  bridge,
  bridgeContents,
  bridgeSignatures,
}: Pick<VoteExtension, 'bridge' | 'bridgeContents' | 'bridgeSignatures'>): boolean =>
  bridge.length <= MAX_ATTESTATIONS &&
  bridgeContents.length <= MAX_CONTENTS &&
  isAscending(bridge) &&
  isAscending(bridgeContents) &&
  bridgeSignatures.length <= MAX_SIGNATURES &&
  bridgeSignatures.every(
    ({ digest }, index) => index === 0 || compareBytes(digest, bridgeSignatures[index - 1]?.digest ?? digest) > 0,
  )

export interface Sayable {
  readonly event: BridgeEvent
  readonly hash: Uint8Array
  /** More than a third has acknowledged it, and the state does not hold its content. */
  readonly isWanted: boolean
}

/**
 * What this node can say: the events that `eventsFrom` knows of the contract, as far as they are open, by id. Those that it has
 * acknowledged before are among them: the power of a set that changes is counted when something is said.
 */
export const readSayable = (
  state: StateReader,
  eventsFrom: (contract: NonNullable<BridgeParams['contract']>, from: number, max: number) => readonly BridgeEvent[],
): readonly Sayable[] => {
  const { contract, isPaused } = readParams(state)
  if (contract === undefined || isPaused) return []
  const progress = readProgress(state)
  const most = endOfWindow(progress) - progress.openId
  if (most <= 0) return []
  return eventsFrom(contract, progress.openId, most).flatMap((event) => {
    if (readDecided(state, event.id) !== undefined) return []
    const hash = bridgeEventHash(contract, event)
    const isWanted = readOpen(state, event.id).some((each) => each.isWanted && equalBytes(each.hash, hash))
    return [{ event, hash, isWanted }]
  })
}
