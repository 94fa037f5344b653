/** ABCI messages and their bytes. */
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { abci } from '../proto/index.ts'
import { protocolError } from './errors.ts'

export const READ_OPTIONS = { readUnknownFields: false } as const
export const WRITE_OPTIONS = { writeUnknownFields: false } as const

/** Byte fields are views into `frame`. Throws abci/3. */
export const decodeRequest = (frame: Uint8Array): abci.Request => {
  try {
    return fromBinary(abci.RequestSchema, frame, READ_OPTIONS)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw protocolError('undecodable', `a frame of ${frame.length} bytes is no request: ${reason}`)
  }
}

export const encodeResponse = (response: abci.Response): Uint8Array =>
  toBinary(abci.ResponseSchema, response, WRITE_OPTIONS)
