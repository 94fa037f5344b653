/** ABCI messages and their bytes. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { WireType } from '@bufbuild/protobuf/wire'
import { errorText } from '../core/errors.ts'
import type { Room } from '../core/room.ts'
import { BackwardWriter } from '../proto/backward-writer.ts'
import { execTxResultRoom, writeExecTxResult } from '../proto/encode-exec-tx-result.ts'
import { abci } from '../proto/index.ts'
import { protocolError } from './errors.ts'
import type { AbciAnswer, FinalizeBlockAnswer } from './handlers.ts'

export const READ_OPTIONS = { readUnknownFields: false } as const
export const WRITE_OPTIONS = { writeUnknownFields: false } as const

/** Byte fields are views into `frame`. Throws abci/3. */
export const decodeRequest = (frame: Uint8Array): abci.Request => {
  try {
    return fromBinary(abci.RequestSchema, frame, READ_OPTIONS)
  } catch (error) {
    throw protocolError('undecodable', `a frame of ${frame.length} bytes is no request: ${errorText(error)}`)
  }
}

/** Length-delimited fields of Response, and in theirs the lists of transactions and results. */
const PREPARE_PROPOSAL = (17 << 3) | WireType.LengthDelimited
const FINALIZE_BLOCK = (21 << 3) | WireType.LengthDelimited
const TXS = (1 << 3) | WireType.LengthDelimited
const TX_RESULTS = (2 << 3) | WireType.LengthDelimited

/** Where an answer stands. */
interface Field {
  readonly tag: number
  readonly room: Room | undefined
}

/** A tag and a length take at most so many bytes. */
const MAX_PREFIX_BYTES = 12

/**
 * The fields stand in the order of their numbers. Most of the bytes are results with their events, which are encoded by
 * hand.
 */
const encodeBlock = ({ events, txResults, ...rest }: FinalizeBlockAnswer, field?: Field): Uint8Array => {
  const schema = abci.ResponseFinalizeBlockSchema
  const first = toBinary(schema, create(schema, { events }), WRITE_OPTIONS)
  const last = toBinary(schema, { ...rest, events: [], txResults: [] }, WRITE_OPTIONS)
  const others = first.length + last.length + MAX_PREFIX_BYTES
  const writer = new BackwardWriter(
    txResults.reduce((sum, each) => sum + execTxResultRoom(each), others),
    field?.room,
  )
  writer.raw(last)
  for (let at = txResults.length - 1; at >= 0; at--) {
    const result = txResults[at]
    if (result === undefined) continue
    const end = writer.written
    writeExecTxResult(writer, result)
    writer.number(TX_RESULTS, writer.written - end)
  }
  writer.raw(first)
  if (field !== undefined) writer.number(field.tag, writer.written)
  return writer.finish()
}

/** A ResponseFinalizeBlock. */
export const encodeFinalizeBlock = (answer: FinalizeBlockAnswer): Uint8Array => encodeBlock(answer)

const encodePrepareProposal = ({ txs }: abci.ResponsePrepareProposal, { tag, room }: Field): Uint8Array => {
  const capacity = txs.reduce((sum, raw) => sum + raw.length + MAX_PREFIX_BYTES, MAX_PREFIX_BYTES)
  const writer = new BackwardWriter(capacity, room)
  for (const raw of txs.toReversed()) writer.bytes(TXS, raw)
  writer.number(tag, writer.written)
  return writer.finish()
}

const encodeResponse = (value: abci.Response['value']): Uint8Array =>
  toBinary(abci.ResponseSchema, create(abci.ResponseSchema, { value }), WRITE_OPTIONS)

/**
 * A Response with one field, that of the method. A full block would take the general encoder several times as long; it
 * is written into `room`, if there is one.
 */
export const encodeAnswer = ({ method, response }: AbciAnswer, room?: Room): Uint8Array => {
  switch (method) {
    case 'finalizeBlock':
      return encodeBlock(response as FinalizeBlockAnswer, { tag: FINALIZE_BLOCK, room })
    case 'prepareProposal':
      return encodePrepareProposal(response as abci.ResponsePrepareProposal, { tag: PREPARE_PROPOSAL, room })
    default:
      return encodeResponse({ case: method, value: response } as abci.Response['value'])
  }
}

/** CometBFT stops at it. */
export const encodeException = (error: string): Uint8Array =>
  encodeResponse({ case: 'exception', value: create(abci.ResponseExceptionSchema, { error }) })
