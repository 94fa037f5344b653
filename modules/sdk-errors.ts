/** The Cosmos SDK's root codespace `sdk`: every code that this chain answers with, and its closing words. */
import { CodedError } from '../core/errors.ts'

/** As types/errors/errors.go of the SDK numbers them. */
export const SDK_CODES = {
  parse: [2, 'tx parse error'],
  unauthorized: [4, 'unauthorized'],
  insufficientFunds: [5, 'insufficient funds'],
  unknownRequest: [6, 'unknown request'],
  invalidAddress: [7, 'invalid address'],
  invalidPublicKey: [8, 'invalid pubkey'],
  unknownAddress: [9, 'unknown address'],
  invalidCoins: [10, 'invalid coins'],
  outOfGas: [11, 'out of gas'],
  memoTooLarge: [12, 'memo too large'],
  insufficientFee: [13, 'insufficient fee'],
  tooManySignatures: [14, 'maximum number of signatures exceeded'],
  noSignatures: [15, 'no signatures supplied'],
  invalidRequest: [18, 'invalid request'],
  alreadyInMempool: [19, 'tx already in mempool'],
  mempoolFull: [20, 'mempool is full'],
  tooLarge: [21, 'tx too large'],
  keyNotFound: [22, 'key not found'],
  invalidHeight: [26, 'invalid height'],
  invalidType: [29, 'invalid type'],
  timeoutHeight: [30, 'tx timeout height'],
  unknownExtension: [31, 'unknown extension options'],
  wrongSequence: [32, 'incorrect account sequence'],
  notSupported: [37, 'feature not supported'],
  notFound: [38, 'not found'],
  invalidGasLimit: [41, 'invalid gas limit'],
} as const

/** The message ends as the SDK's wrapped errors do: in the words of its code. */
export const sdkError = (kind: keyof typeof SDK_CODES, message = ''): CodedError => {
  const [code, words] = SDK_CODES[kind]
  return new CodedError('sdk', code, message === '' ? words : `${message}: ${words}`)
}

/** Statuses of gRPC, for queries. */
export const GRPC_CODES = { unknown: 2, invalidArgument: 3, notFound: 5, unimplemented: 12 } as const

export const queryRefusal = (kind: keyof typeof GRPC_CODES, message: string): CodedError =>
  new CodedError('grpc', GRPC_CODES[kind], message)
