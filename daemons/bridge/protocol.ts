/**
 * What node and daemon say to each other over the local socket: frames of a length (4 bytes, big endian) and JSON in UTF-8. Pure:
 * bytes in, messages out. Every field is checked on both sides, and nothing is longer than a frame.
 */
import { type BridgeContract, type BridgeEvent, MAX_EVENT_ID, MAX_RECIPIENT_BYTES } from '../../core/bridge-event.ts'
import {
  bytesToUtf8,
  concatBytes,
  EMPTY_BYTES,
  isUtf8,
  readUint32,
  uint32ToBytes,
  utf8ToBytes,
} from '../../core/bytes.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { daemonError } from './errors.ts'

/** Another version of node or daemon is refused. */
export const PROTOCOL_VERSION = 1
export const MAX_FRAME_BYTES = 128 * 1024
/** A frame of so many events is below its bound: one is below 600 bytes. */
export const EVENTS_A_FRAME = 128
export const MAX_TEXT_CHARACTERS = 1_000
export const MAX_WARNINGS = 16
export const MAX_ENDPOINTS = 16
const MAX_URL_CHARACTERS = 2_048

/** Node to daemon: what to watch. Sent at once and after every change. */
export interface FollowMessage {
  readonly type: 'follow'
  readonly version: number
  /** URLs. */
  readonly endpoints: readonly string[]
  readonly contract: BridgeContract | undefined
  readonly nextId: number
}

/** Daemon to node, each second and after every round. */
export interface HealthMessage {
  readonly type: 'health'
  readonly error: string | undefined
  readonly warnings: readonly string[]
  readonly finalized: number | undefined
  readonly scanned: number | undefined
  /** Memory of the process, in bytes. */
  readonly memory: number
}

/** Daemon to node: events that follow those that were told before. */
export interface EventsMessage {
  readonly type: 'events'
  readonly contract: BridgeContract
  /** What was told before is void. */
  readonly isFirst: boolean
  readonly events: readonly BridgeEvent[]
}

export type ToDaemon = FollowMessage
export type FromDaemon = HealthMessage | EventsMessage

type Fields = Readonly<Record<string, unknown>>

const wrong = (what: string): Error => daemonError('protocol', `a frame has a wrong ${what}`)

const fieldsOf = (value: unknown, what: string): Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(what)
  return value as Fields
}

const listOf = (value: unknown, most: number, what: string): readonly unknown[] => {
  if (!Array.isArray(value) || value.length > most) throw wrong(what)
  return value as readonly unknown[]
}

const textOf = (value: unknown, most: number, what: string): string => {
  if (typeof value !== 'string' || value.length > most) throw wrong(what)
  return value
}

const numberOf = (value: unknown, most: number, what: string): number => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > most) throw wrong(what)
  return value
}

const optional = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === undefined ? undefined : read(value)

const bytesOf = (value: unknown, least: number, most: number, what: string): Uint8Array => {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-f]{2})*$/.test(value)) throw wrong(what)
  const bytes = hexToBytes(value)
  if (bytes.length < least || bytes.length > most) throw wrong(what)
  return bytes
}

const bigintOf = (value: unknown, bits: number, what: string): bigint => {
  if (typeof value !== 'string' || !/^(?:0|[1-9][0-9]{0,77})$/.test(value)) throw wrong(what)
  const number = BigInt(value)
  if (number >> BigInt(bits) !== 0n) throw wrong(what)
  return number
}

const writeContract = ({ chainId, address }: BridgeContract): object => ({
  chainId: `${chainId}`,
  address: bytesToHex(address),
})

const readContract = (value: unknown): BridgeContract => {
  const { chainId, address } = fieldsOf(value, 'contract')
  return { chainId: bigintOf(chainId, 64, 'chain id'), address: bytesOf(address, 20, 20, 'address') }
}

const writeEvent = ({ id, amount, from, recipient, dataHash, externalHeight }: BridgeEvent): object => ({
  id,
  amount: `${amount}`,
  from: bytesToHex(from),
  recipient: bytesToHex(recipient),
  dataHash: bytesToHex(dataHash),
  externalHeight: `${externalHeight}`,
})

const readEvent = (value: unknown): BridgeEvent => {
  const { id, amount, from, recipient, dataHash, externalHeight } = fieldsOf(value, 'event')
  return {
    id: numberOf(id, MAX_EVENT_ID, 'id'),
    amount: bigintOf(amount, 256, 'amount'),
    from: bytesOf(from, 20, 20, 'sender'),
    recipient: bytesOf(recipient, 0, MAX_RECIPIENT_BYTES, 'recipient'),
    dataHash: bytesOf(dataHash, 32, 32, 'hash of data'),
    externalHeight: bigintOf(externalHeight, 53, 'height'),
  }
}

/** Errors are shortened: they may name every endpoint. */
const shorten = (text: string): string => text.slice(0, MAX_TEXT_CHARACTERS)

const toJson = (message: ToDaemon | FromDaemon): object => {
  switch (message.type) {
    case 'follow':
      return { ...message, contract: message.contract && writeContract(message.contract) }
    case 'health': {
      const { error, warnings } = message
      return { ...message, error: error && shorten(error), warnings: warnings.slice(0, MAX_WARNINGS).map(shorten) }
    }
    case 'events':
      return { ...message, contract: writeContract(message.contract), events: message.events.map(writeEvent) }
  }
}

const frame = (message: ToDaemon | FromDaemon): Uint8Array => {
  const body = utf8ToBytes(JSON.stringify(toJson(message)))
  if (body.length > MAX_FRAME_BYTES) throw daemonError('protocol', `a frame would have ${body.length} bytes`)
  return concatBytes(uint32ToBytes(body.length), body)
}

export const writeToDaemon = (message: ToDaemon): Uint8Array => frame(message)
export const writeFromDaemon = (message: FromDaemon): Uint8Array => frame(message)

/** Throws where the other side is of another version. */
export const readToDaemon = (value: unknown): ToDaemon => {
  const { type, version, endpoints, contract, nextId } = fieldsOf(value, 'message')
  if (type !== 'follow') throw wrong('type')
  if (version !== PROTOCOL_VERSION) throw daemonError('protocol', `the node speaks version ${String(version)}`)
  return {
    type,
    version,
    endpoints: listOf(endpoints, MAX_ENDPOINTS, 'list of endpoints').map((url) =>
      textOf(url, MAX_URL_CHARACTERS, 'URL'),
    ),
    contract: optional(contract, readContract),
    nextId: numberOf(nextId, MAX_EVENT_ID + 1, 'next id'),
  }
}

export const readFromDaemon = (value: unknown): FromDaemon => {
  const fields = fieldsOf(value, 'message')
  const { type } = fields
  if (type === 'events') {
    const { contract, isFirst, events } = fields
    if (typeof isFirst !== 'boolean') throw wrong('mark of the first events')
    return {
      type,
      contract: readContract(contract),
      isFirst,
      events: listOf(events, EVENTS_A_FRAME, 'list of events').map(readEvent),
    }
  }
  if (type !== 'health') throw wrong('type')
  const { error, warnings, finalized, scanned, memory } = fields
  const height = (each: unknown): number => numberOf(each, Number.MAX_SAFE_INTEGER, 'height')
  return {
    type,
    error: optional(error, (each) => textOf(each, MAX_TEXT_CHARACTERS, 'error')),
    warnings: listOf(warnings, MAX_WARNINGS, 'list of warnings').map((each) =>
      textOf(each, MAX_TEXT_CHARACTERS, 'warning'),
    ),
    finalized: optional(finalized, height),
    scanned: optional(scanned, height),
    memory: numberOf(memory, Number.MAX_SAFE_INTEGER, 'memory'),
  }
}

const parse = (body: Uint8Array): unknown => {
  if (!isUtf8(body)) throw wrong('text')
  try {
    return JSON.parse(bytesToUtf8(body)) as unknown
  } catch {
    throw wrong('text')
  }
}

/** Cuts what comes into messages. Throws where the other side breaks the protocol: its connection is of no more use then. */
export class FrameReader {
  #held: Uint8Array = EMPTY_BYTES

  push(chunk: Uint8Array): readonly unknown[] {
    let held = concatBytes(this.#held, chunk)
    const messages: unknown[] = []
    while (held.length >= 4) {
      const length = readUint32(held)
      if (length > MAX_FRAME_BYTES) throw daemonError('protocol', `a frame of ${length} bytes is too long`)
      if (held.length < 4 + length) break
      messages.push(parse(held.subarray(4, 4 + length)))
      held = held.subarray(4 + length)
    }
    this.#held = held
    return messages
  }
}
