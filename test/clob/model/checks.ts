/** Phase and weight of a transaction, and the checks of one, in their order. */
import type { Action, ClobTx, Phase, Place } from '../../../modules/clob/orders/clob-tx.ts'
import { bytesToUnprefixedHex } from '../../../core/bytes.ts'
import type { ModelItem, Step } from './step.ts'
import { Refusal } from './world.ts'

const DEFAULT_FILLS = 20
const WINDOW_MS = 60_000n
const WINDOW_BLOCKS = 40

export const fillsOf = (place: Place): number => (place.maxFills === 0 ? DEFAULT_FILLS : place.maxFills)

const placeOf = (action: Action): Place | undefined =>
  action.kind === 'place' || action.kind === 'replace' ? action.place : undefined

export const canTake = (place: Place): boolean => place.tif !== 'post_only' && place.triggerKind === 'none'

export const phaseOf = (tx: ClobTx): Phase => {
  const places = tx.actions.flatMap((action) => placeOf(action) ?? [])
  if (places.length === 0) return 0
  return places.some(canTake) ? 2 : 1
}

export const weightOf = (tx: Pick<ClobTx, 'actions'>): number =>
  tx.actions.reduce((sum, action) => {
    const place = placeOf(action)
    if (place !== undefined && canTake(place)) return sum + fillsOf(place)
    return sum + (action.kind === 'cancelAll' || action.kind === 'scheduleCancel' ? 20 : 1)
  }, 0)

/** Undefined names no market of its own: only an agent for all may send it. */
const marketNamed = (action: Action): number | undefined => {
  if (action.kind === 'scheduleCancel') return undefined
  if (action.kind === 'cancelAll') return action.market === 0 ? undefined : action.market
  return action.kind === 'cancel' ? action.market : action.place.market
}

const checkAgent = (step: Step, tx: ClobTx): void => {
  if (tx.agent === undefined) return
  const owner = bytesToUnprefixedHex(tx.owner)
  const key = bytesToUnprefixedHex(tx.agent)
  const agent = step.world.agents.find((candidate) => candidate.owner === owner && candidate.agent === key)
  if (agent === undefined || agent.expireS * 1000n <= step.timeMs) throw new Refusal('agent')
  if (agent.markets.length === 0) return
  const isAllowed = tx.actions.every((action) => {
    const market = marketNamed(action)
    return market !== undefined && agent.markets.includes(market)
  })
  if (!isAllowed) throw new Refusal('agent')
}

/** Throws the code of the first check that fails; from its return on the nonce is used. */
export const checkTransaction = (step: Step, item: ModelItem): ClobTx => {
  const { tx, signer } = item
  if (tx === undefined) throw new Refusal('malformed')
  if (phaseOf(tx) !== item.listedPhase) throw new Refusal('phase')
  if (signer === undefined || signer !== bytesToUnprefixedHex(tx.agent ?? tx.owner)) throw new Refusal('signature')
  checkAgent(step, tx)
  if (tx.goodTilBlock < step.height) throw new Refusal('goodTilPassed')
  if (tx.goodTilBlock > step.height + WINDOW_BLOCKS) throw new Refusal('goodTilFar')
  const nonceMs = BigInt(tx.nonceMs)
  if (nonceMs < step.timeMs - WINDOW_MS || nonceMs > step.timeMs + WINDOW_MS) throw new Refusal('nonceTime')
  const isUsed = step.world.nonces.some((used) => used.signer === signer && used.nonceMs === nonceMs)
  if (isUsed) throw new Refusal('nonceUsed')
  step.world.nonces.push({ height: step.height, signer, nonceMs })
  return tx
}
