/** ABCI messages and their bytes. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { WireType } from '@bufbuild/protobuf/wire'
import { concatBytes, plainBytes } from '../core/bytes.ts'
import { errorText } from '../core/errors.ts'
import { BackwardWriter } from '../proto/backward-writer.ts'
import { encodeExecTxResult } from '../proto/encode-exec-tx-result.ts'
import { abci } from '../proto/index.ts'
import { protocolError } from './errors.ts'
import { encodeVarint } from './frames.ts'
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

/** Of a tag or a length, in bytes. */
const MAX_VARINT_BYTES = 5

const encodeField = (tag: number, bytes: Uint8Array): Uint8Array =>
  concatBytes(encodeVarint(tag), encodeVarint(bytes.length), bytes)

/** In the order of the fields. Most of it are results with their events, encoded by hand. */
export const encodeFinalizeBlock = (answer: FinalizeBlockAnswer): Uint8Array => {
  const schema = abci.ResponseFinalizeBlockSchema
  const { events, txResults, ...rest } = answer
  const parts = [
    toBinary(schema, create(schema, { events }), WRITE_OPTIONS),
    ...txResults.map((result) => encodeExecTxResult(result, TX_RESULTS)),
    toBinary(schema, { ...rest, events: [], txResults: [] }, WRITE_OPTIONS),
  ]
  return plainBytes(Buffer.concat(parts))
}

const encodePrepareProposal = ({ txs }: abci.ResponsePrepareProposal): Uint8Array => {
  const writer = new BackwardWriter(txs.reduce((sum, raw) => sum + raw.length + 2 * MAX_VARINT_BYTES, 0))
  for (const raw of txs.toReversed()) writer.bytes(TXS, raw)
  return writer.finish()
}

const encodeResponse = (value: abci.Response['value']): Uint8Array =>
  toBinary(abci.ResponseSchema, create(abci.ResponseSchema, { value }), WRITE_OPTIONS)

/** A Response with one field, that of the method. A full block would take the general encoder several times as long. */
export const encodeAnswer = ({ method, response }: AbciAnswer): Uint8Array => {
  switch (method) {
    case 'finalizeBlock':
      return encodeField(FINALIZE_BLOCK, encodeFinalizeBlock(response as FinalizeBlockAnswer))
    case 'prepareProposal':
      return encodeField(PREPARE_PROPOSAL, encodePrepareProposal(response as abci.ResponsePrepareProposal))
    default:
      return encodeResponse({ case: method, value: response } as abci.Response['value'])
  }
}

/** CometBFT stops at it. */
export const encodeException = (error: string): Uint8Array =>
  encodeResponse({ case: 'exception', value: create(abci.ResponseExceptionSchema, { error }) })
