/** Refusals that every module shares, with the codes and closing words of the Cosmos SDK's root codespace `sdk`. */
import { CodedError } from '../core/errors.ts'

export const SDK_CODES = {
  unauthorized: [4, 'unauthorized'],
  insufficientFunds: [5, 'insufficient funds'],
  unknownRequest: [6, 'unknown request'],
  invalidAddress: [7, 'invalid address'],
  invalidCoins: [10, 'invalid coins'],
  outOfGas: [11, 'out of gas'],
  invalidRequest: [18, 'invalid request'],
  keyNotFound: [22, 'key not found'],
  notFound: [38, 'not found'],
} as const

/** The message ends as the SDK's wrapped errors do: in the words of its code. */
export const refuse = (kind: keyof typeof SDK_CODES, message = ''): CodedError => {
  const [code, words] = SDK_CODES[kind]
  return new CodedError('sdk', code, message === '' ? words : `${message}: ${words}`)
}

/** Statuses of gRPC, for queries. */
export const GRPC_CODES = { invalidArgument: 3, notFound: 5, unimplemented: 12 } as const

export const queryRefusal = (kind: keyof typeof GRPC_CODES, message: string): CodedError =>
  new CodedError('grpc', GRPC_CODES[kind], message)
