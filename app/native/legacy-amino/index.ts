/** StdTx, the transaction of the Cosmos SDK before protobuf, from amino JSON to amino binary and back. */
import { CodedError } from '../../../core/errors.ts'
import { MAX_AMINO_BYTES } from '../limits.ts'
import { decodeRegistered, encodeRegistered } from './binary.ts'
import { parseRegistered, printRegistered } from './json.ts'
import { refuseAmino, STD_TX_TYPE } from './schema.ts'

const checkLength = (length: number): void => {
  if (length > MAX_AMINO_BYTES) throw refuseAmino(`${length} bytes, at most ${MAX_AMINO_BYTES} are allowed`)
}

/** What printing refuses, such as a time beyond the year 9999, in the service's code. */
const asRefusal = <Result>(work: () => Result): Result => {
  try {
    return work()
  } catch (error) {
    if (error instanceof CodedError && error.codespace === 'sdk') throw refuseAmino(error.message)
    throw error
  }
}

/** Throws grpc/2. */
export const encodeAminoTx = (json: string): Uint8Array => {
  checkLength(json.length)
  return encodeRegistered(parseRegistered(STD_TX_TYPE, json) as never)
}

/** Throws grpc/2. */
export const decodeAminoTx = (binary: Uint8Array): string => {
  checkLength(binary.length)
  return asRefusal(() => printRegistered(decodeRegistered(STD_TX_TYPE, binary)))
}
