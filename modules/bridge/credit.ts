/** Accepted events become coins: few in a block, in the order of their ids, each once. */
import { ADDRESS_LENGTH, toAddress } from '../../core/address.ts'
import type { BridgeContract, BridgeEvent } from '../../core/bridge-event.ts'
import type { StateReader } from '../../store/state.ts'
import type { BlockContext, ModuleContext } from '../module.ts'
import type { BridgeDependencies } from './deps.ts'
import { eventCredited, eventRefused } from './events.ts'
import {
  deleteOldestRefused,
  readDecided,
  readMinted,
  readParams,
  readProgress,
  readWayBack,
  writeDecided,
  writeMinted,
  writeProgress,
  writeRefused,
  writeWayBack,
} from './keeper/index.ts'
import { BRIDGE_ADDRESS } from './keys.ts'
import { type BridgeParams, MAX_AMOUNT } from './params.ts'
import { type AcceptedEvent, type DecidedEvent, MAX_REFUSED, type Progress, type RefusedEvent } from './record.ts'

const NANOSECONDS = 1_000_000_000n

/** First height, and least time in nanoseconds, of the block that may credit it. */
export const dueOf = (
  { height, timeNs, isImmediate }: AcceptedEvent,
  { delayBlocks, delaySeconds }: BridgeParams,
): { readonly height: number; readonly timeNs: bigint } =>
  isImmediate
    ? { height, timeNs }
    : { height: height + delayBlocks, timeNs: timeNs + BigInt(delaySeconds) * NANOSECONDS }

const isDue = (event: AcceptedEvent, params: BridgeParams, { height, timeNs }: ModuleContext): boolean => {
  const due = dueOf(event, params)
  return height >= due.height && timeNs >= due.timeNs
}

/** Why an event credits nobody, for ever, or undefined. */
const refusalOf = (
  { amount, recipient }: BridgeEvent,
  { ledger }: Pick<BridgeDependencies, 'ledger'>,
): string | undefined => {
  if (recipient.length !== ADDRESS_LENGTH) return `accAddress has ${recipient.length} bytes, not ${ADDRESS_LENGTH}`
  if (amount === 0n) return 'the amount is zero'
  if (amount > MAX_AMOUNT) return `the amount is above ${MAX_AMOUNT}`
  return ledger.isBlockedReceiver(toAddress(recipient))
    ? 'accAddress is the account of a module or a precompile'
    : undefined
}

const passesLimit = (state: StateReader, { denom, mintLimit }: BridgeParams, amount: bigint): boolean =>
  readMinted(state, denom) + amount > mintLimit

/** What becomes of the next event now: undefined where it waits. */
type Verdict = { readonly credit: BridgeEvent } | { readonly refuse: RefusedEvent }

const judge = (
  context: ModuleContext,
  decided: DecidedEvent | undefined,
  params: BridgeParams,
  dependencies: BridgeDependencies,
): Verdict | undefined => {
  if (decided === undefined) return undefined
  if (decided.kind === 'rejected') return { refuse: { reason: decided.reason, event: undefined } }
  if (!isDue(decided, params, context)) return undefined
  const { event } = decided
  const reason = refusalOf(event, dependencies)
  if (reason !== undefined) return { refuse: { reason, event } }
  return passesLimit(context.state, params, event.amount) ? undefined : { credit: event }
}

const pay = (
  context: ModuleContext,
  event: BridgeEvent,
  contract: BridgeContract,
  { denom }: BridgeParams,
  { ledger }: BridgeDependencies,
): void => {
  const coin = { denom, amount: event.amount }
  ledger.mint(context, BRIDGE_ADDRESS, [coin])
  ledger.send(context, BRIDGE_ADDRESS, toAddress(event.recipient), [coin])
  writeMinted(context.state, denom, readMinted(context.state, denom) + event.amount)
  const wayBack = readWayBack(context.state, contract)
  writeWayBack(context.state, contract, { ...wayBack, held: wayBack.held + event.amount })
  context.emit(eventCredited(event, coin))
}

const refuse = ({ state, emit }: ModuleContext, progress: Progress, refused: RefusedEvent): Progress => {
  const { nextId, remembered } = progress
  writeRefused(state, nextId, refused)
  if (remembered >= MAX_REFUSED) deleteOldestRefused(state)
  emit(eventRefused(nextId, refused.reason))
  return { ...progress, refused: progress.refused + 1, remembered: Math.min(MAX_REFUSED, remembered + 1) }
}

/** Credits what is due, at the beginning of a block. */
export const creditDue = (context: BlockContext, dependencies: BridgeDependencies): void => {
  const { state } = context
  const params = readParams(state)
  const { contract } = params
  if (contract === undefined || params.isPaused) return
  const before = readProgress(state)
  let progress = before
  for (let count = 0; count < params.maxCreditsPerBlock; count++) {
    const verdict = judge(context, readDecided(state, progress.nextId), params, dependencies)
    if (verdict === undefined) break
    if ('credit' in verdict) {
      pay(context, verdict.credit, contract, params, dependencies)
      progress = { ...progress, credited: progress.credited + 1 }
    } else {
      progress = refuse(context, progress, verdict.refuse)
    }
    writeDecided(state, progress.nextId, undefined)
    progress = { ...progress, nextId: progress.nextId + 1 }
  }
  if (progress !== before) writeProgress(state, progress)
}

/** What the next event waits for, in words. */
export const waitsFor = (state: StateReader): string => {
  const params = readParams(state)
  if (params.contract === undefined) return 'the parameters name no contract'
  if (params.isPaused) return 'the bridge is paused'
  const decided = readDecided(state, readProgress(state).nextId)
  if (decided === undefined) return 'acknowledgements'
  if (decided.kind === 'accepted' && passesLimit(state, params, decided.event.amount)) {
    return 'the mint limit, where the event is valid'
  }
  return 'its delay'
}
