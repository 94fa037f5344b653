/** A transaction from the typed data that a wallet signed, as JSON has it: the way back from typed-data.ts. */
import { ZERO_ADDRESS } from '../../../core/address.ts'
import { EMPTY_BYTES, equalBytes } from '../../../core/bytes.ts'
import { hexToBytes } from '../../../core/hex.ts'
import { clobError } from '../errors.ts'
import { type Action, type ClobTx, MAX_ACTIONS, type Place, type Target } from './clob-tx.ts'
import { POST_ONLY_MODES, SELF_TRADE_PREVENTIONS, SIDES, TIMES_IN_FORCE, TRIGGER_KINDS } from './wire-names.ts'

type Members = Readonly<Record<string, unknown>>

/** Longer than any value here. */
const MAX_TEXT = 256
const DIGITS = /^\d{1,20}$/
const HEX = /^0x(?:[0-9a-fA-F]{2})*$/

const refuse = (message: string): never => {
  throw clobError('typedMessage', message)
}

const membersOf = (value: unknown, what: string): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : refuse(`${what} is no object`)

/** A number, or its decimal digits; 0 where it is left out. */
const readInteger = (members: Members, name: string): number => {
  const value = members[name] ?? 0
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
    ? number
    : refuse(`${name} is no whole number below 2^53`)
}

/** Empty where it is left out. */
const readBytes = (members: Members, name: string): Uint8Array => {
  const value = members[name] ?? '0x'
  if (typeof value !== 'string' || value.length > MAX_TEXT || !HEX.test(value))
    return refuse(`${name} is no hexadecimal text`)
  return value === '0x' ? EMPTY_BYTES : hexToBytes(value)
}

const readName = <Name extends string>(
  members: Members,
  name: string,
  names: readonly (Name | undefined)[],
  usual?: Name,
): Name => {
  const value = members[name]
  if (usual !== undefined && (value === undefined || value === '')) return usual
  return (
    names.find((known) => known !== undefined && known === value) ??
    refuse(`${name} is none of ${names.filter((known) => known !== undefined).join(', ')}`)
  )
}

const readPlace = (members: Members): Place => ({
  market: readInteger(members, 'market'),
  side: readName(members, 'side', SIDES),
  priceTicks: readInteger(members, 'priceTicks'),
  qtyLots: readInteger(members, 'qtyLots'),
  tif: readName(members, 'tif', TIMES_IN_FORCE, 'gtc'),
  stp: readName(members, 'stp', SELF_TRADE_PREVENTIONS, 'cancel_maker'),
  clientId: readBytes(members, 'clientId'),
  expireS: readInteger(members, 'expireS'),
  triggerTicks: readInteger(members, 'triggerTicks'),
  triggerKind: readName(members, 'triggerKind', TRIGGER_KINDS, 'none'),
  maxFills: readInteger(members, 'maxFills'),
  postOnlyMode: readName(members, 'postOnlyMode', POST_ONLY_MODES, 'reject'),
})

const readTarget = (members: Members): Target => {
  const clientId = readBytes(members, 'targetClientId')
  return clientId.length > 0
    ? { kind: 'client', clientId }
    : { kind: 'seq', orderSeq: readInteger(members, 'targetSeq') }
}

const readAction = (value: unknown): Action => {
  const members = membersOf(value, 'an action')
  const { kind } = members
  switch (kind) {
    case 'place':
      return { kind, place: readPlace(members) }
    case 'cancel':
      return { kind, market: readInteger(members, 'market'), target: readTarget(members) }
    case 'cancelAll': {
      const side = members['side'] === 'both' ? undefined : readName(members, 'side', SIDES)
      return { kind, market: readInteger(members, 'market'), side }
    }
    case 'replace': {
      const keepPriority = members['keepPriority'] === true
      return { kind, target: readTarget(members), place: readPlace(members), keepPriority }
    }
    case 'scheduleCancel':
      return { kind, atMs: readInteger(members, 'atMs') }
    default:
      return refuse('kind is none of place, cancel, cancelAll, replace, scheduleCancel')
  }
}

const R_AND_S_BYTES = 64
const ETHEREUM_V = 27

/** Wallets write v as 27 or 28. */
const readSignature = (members: Members): Uint8Array => {
  const signature = readBytes(members, 'signature').slice()
  const v = signature[R_AND_S_BYTES]
  if (v === ETHEREUM_V || v === ETHEREUM_V + 1) signature[R_AND_S_BYTES] = v - ETHEREUM_V
  return signature
}

/**
 * What a wallet signed, with its signature: `message` of the typed data, whose members that are empty may be left out. What the
 * wire form must be beyond that, {@link decodeClobBody} says. Throws clob/16.
 */
export const readTypedTx = (message: unknown, signature: unknown): ClobTx => {
  const members = membersOf(message, 'the message')
  const { actions } = members
  if (!Array.isArray(actions) || actions.length > MAX_ACTIONS)
    return refuse(`actions is no list of at most ${MAX_ACTIONS}`)
  const agent = readBytes(members, 'agent')
  return {
    owner: readBytes(members, 'owner'),
    subaccount: readInteger(members, 'subaccount'),
    nonceMs: readInteger(members, 'nonceMs'),
    goodTilBlock: readInteger(members, 'goodTilBlock'),
    actions: actions.map(readAction),
    sigScheme: 1,
    signature: readSignature({ signature }),
    agent: agent.length === 0 || equalBytes(agent, ZERO_ADDRESS) ? undefined : agent,
  }
}
