import { defineMethod, required } from '../method.ts'
import { type Decode, invalidValue } from '../parameters/go-json.ts'
import { decodeData } from '../parameters/hex.ts'
import type { Questions } from '../../app/ports.ts'

/** Members of the typed data that a wallet signs: docs/clob-spec.md, Signing. */
const TX_MEMBERS = ['owner', 'agent', 'subaccount', 'nonceMs', 'goodTilBlock']
const ACTION_MEMBERS = [
  ...['kind', 'market', 'side', 'priceTicks', 'qtyLots', 'tif', 'stp', 'clientId', 'expireS', 'triggerTicks'],
  ...['triggerKind', 'maxFills', 'postOnlyMode', 'targetClientId', 'targetSeq', 'keepPriority', 'atMs'],
]
const MAX_ACTIONS = 50
/** Longer than any member is. */
const MAX_TEXT = 256
/** A wire form of 4,096 bytes. */
const MAX_DATA_TEXT = 2 + 2 * 4_096

const refuseLong = (what: string): never => {
  throw invalidValue(`${what} is no text of at most ${MAX_TEXT} characters, number or boolean`)
}

/** Those members alone, each no more than a text: whatever else a client sends never reaches the thread that executes blocks. */
const membersOf = (value: unknown, names: readonly string[], what: string): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) throw invalidValue(`${what} is no object`)
  const given = new Map(Object.entries(value))
  const members: Record<string, unknown> = {}
  for (const name of names) {
    const member: unknown = given.get(name)
    if (member === undefined) continue
    if (typeof member === 'object' && member !== null) refuseLong(name)
    if (typeof member === 'string' && member.length > MAX_TEXT) refuseLong(name)
    members[name] = member
  }
  return members
}

const decodeMessage = (message: unknown): unknown => {
  const members = membersOf(message, TX_MEMBERS, 'message')
  const { actions } = message as { readonly actions?: unknown }
  if (!Array.isArray(actions) || actions.length > MAX_ACTIONS) {
    throw invalidValue(`actions is no list of at most ${MAX_ACTIONS}`)
  }
  return { ...members, actions: actions.map((action: unknown) => membersOf(action, ACTION_MEMBERS, 'an action')) }
}

/** The wire form as hexadecimal data, or what a wallet signed: `{ "message": {...}, "signature": "0x..." }`. */
const decodeOrder: Decode<Questions['sendOrder']> = (value, place) => {
  if (typeof value === 'string') {
    if (value.length > MAX_DATA_TEXT) throw invalidValue(`an order has at most ${MAX_DATA_TEXT} characters`)
    return { raw: decodeData(value, place) }
  }
  if (typeof value !== 'object' || value === null || !('message' in value) || !('signature' in value)) {
    throw invalidValue('an order is hexadecimal data, or an object with message and signature')
  }
  const { signature } = membersOf(value, ['signature'], 'an order')
  return { message: decodeMessage(value.message), signature }
}

/** Resolves to the SHA-256 by which CometBFT and native clients know the transaction. */
export const sendOrder = defineMethod({
  name: 'clob_sendOrder',
  hasEffect: true,
  cost: 10,
  parameters: [required(decodeOrder)],
  answer: ({ ask }, order) => ask('sendOrder', order),
})
