/** A wire form that may be anything: of a block, of a journal. */
import { CodedError } from '../../core/errors.ts'
import { type ClobBody, decodeClobBody } from '../../modules/clob/index.ts'

/** Undefined where it is not statically valid. */
export const decodeOrNothing = (raw: Uint8Array): ClobBody | undefined => {
  try {
    return decodeClobBody(raw)
  } catch (error) {
    if (error instanceof CodedError) return undefined
    throw error
  }
}
