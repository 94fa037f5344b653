/** ABCI messages and their bytes. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { encodeExecTxResult } from '../proto/encode-exec-tx-result.ts'
import { errorText } from '../core/errors.ts'
import { abci } from '../proto/index.ts'
import { protocolError } from './errors.ts'

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

/** Field numbers of Response and of ResponseFinalizeBlock. */
const FINALIZE_BLOCK = 21
const TX_RESULTS = 2
const schema = abci.ResponseFinalizeBlockSchema

/** In the order of the fields. Most of it are results with their events, encoded by hand. */
export const encodeFinalizeBlock = (answer: abci.ResponseFinalizeBlock): Uint8Array => {
  const writer = new BinaryWriter()
  const { events, txResults } = answer
  writer.raw(toBinary(schema, create(schema, { events }), WRITE_OPTIONS))
  for (const result of txResults) {
    writer.tag(TX_RESULTS, WireType.LengthDelimited).bytes(encodeExecTxResult(result))
  }
  writer.raw(toBinary(schema, { ...answer, events: [], txResults: [] }, WRITE_OPTIONS))
  return writer.finish()
}

export const encodeResponse = (response: abci.Response): Uint8Array =>
  response.value.case === 'finalizeBlock'
    ? new BinaryWriter()
        .tag(FINALIZE_BLOCK, WireType.LengthDelimited)
        .bytes(encodeFinalizeBlock(response.value.value))
        .finish()
    : toBinary(abci.ResponseSchema, response, WRITE_OPTIONS)
