/**
 * tendermint.abci.ExecTxResult by hand: a native transaction has some thirty attributes of events, and the general
 * encoder takes more than twice as long. The events are encoded once, when the transaction has run: every result is
 * written twice, for CometBFT and for the record of the block, and until then thousands wait, as bytes and not as objects.
 */
import { BackwardWriter } from './backward-writer.ts'

interface EventAttribute {
  readonly key: string
  readonly value: string
  readonly index: boolean
}

interface Event {
  readonly type: string
  readonly attributes: readonly EventAttribute[]
}

export interface ExecTxResultFields {
  readonly code: number
  readonly data: Uint8Array
  readonly log: string
  /** Both at most 2^63 - 1. */
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  /** Those of {@link encodeEvents}. */
  readonly events: Uint8Array
  readonly codespace: string
}

/** Field numbers of ExecTxResult with their wire types, as they stand on the wire. */
const TAG = {
  code: 0x08,
  data: 0x12,
  log: 0x1a,
  gasWanted: 0x28,
  gasUsed: 0x30,
  events: 0x3a,
  codespace: 0x42,
} as const
/** Event: type 1, attributes 2. EventAttribute: key 1, value 2, index 3. */
const [TYPE, ATTRIBUTES, KEY, VALUE, INDEX] = [0x0a, 0x12, 0x0a, 0x12, 0x18] as const

/**
 * The most bytes of tags and lengths: first of an event and its type, then of an attribute, its key, its value and its
 * index.
 */
const EVENT_PREFIXES_BYTES = 16
const ATTRIBUTE_PREFIXES_BYTES = 24
/** The most bytes of a character of a JavaScript text. */
const MAX_UTF8_BYTES = 3
/** The most bytes of all numbers and lengths of a result, with their tags. */
const MAX_NUMBERS_BYTES = 80

const writeAttribute = (writer: BackwardWriter, { key, value, index }: EventAttribute): void => {
  const end = writer.written
  if (index) writer.number(INDEX, 1)
  if (value !== '') writer.text(VALUE, value)
  if (key !== '') writer.text(KEY, key)
  writer.number(ATTRIBUTES, writer.written - end)
}

const writeEvent = (writer: BackwardWriter, { type, attributes }: Event): void => {
  const end = writer.written
  for (let at = attributes.length - 1; at >= 0; at--) {
    const attribute = attributes[at]
    if (attribute !== undefined) writeAttribute(writer, attribute)
  }
  if (type !== '') writer.text(TYPE, type)
  writer.number(TAG.events, writer.written - end)
}

/** What the events take where all text is ASCII: more than that is found out while it is written. */
const eventsRoom = (events: readonly Event[]): number => {
  let bytes = 0
  for (const { type, attributes } of events) {
    bytes += type.length + EVENT_PREFIXES_BYTES
    for (const { key, value } of attributes) bytes += key.length + value.length + ATTRIBUTE_PREFIXES_BYTES
  }
  return bytes
}

/** The field `events` of an ExecTxResult, tags and all: an ExecTxResult with nothing else. A view into a larger buffer. */
export const encodeEvents = (events: readonly Event[]): Uint8Array => {
  const writer = new BackwardWriter(eventsRoom(events))
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]
    if (event !== undefined) writeEvent(writer, event)
  }
  return writer.finish()
}

/** An upper bound of its bytes, with the tag and the length of a field that holds it. */
export const execTxResultRoom = ({ data, log, events, codespace }: ExecTxResultFields): number =>
  events.length + data.length + MAX_UTF8_BYTES * (log.length + codespace.length) + MAX_NUMBERS_BYTES

/** What the general encoder writes for the same fields: in the order of their numbers, defaults left out. */
export const writeExecTxResult = (writer: BackwardWriter, result: ExecTxResultFields): void => {
  const { code, data, log, gasWanted, gasUsed, events, codespace } = result
  if (codespace !== '') writer.text(TAG.codespace, codespace)
  writer.raw(events)
  if (gasUsed !== 0n) writer.uint64(TAG.gasUsed, gasUsed)
  if (gasWanted !== 0n) writer.uint64(TAG.gasWanted, gasWanted)
  if (log !== '') writer.text(TAG.log, log)
  if (data.length > 0) writer.bytes(TAG.data, data)
  if (code !== 0) writer.number(TAG.code, code)
}

/** A view into a larger buffer: copy what is kept. */
export const encodeExecTxResult = (result: ExecTxResultFields): Uint8Array => {
  const writer = new BackwardWriter(execTxResultRoom(result))
  writeExecTxResult(writer, result)
  return writer.finish()
}
