/** Refusals of native transactions: codes and closing words of the Cosmos SDK, codespace `sdk`. */
import { CodedError } from '../../core/errors.ts'

export const SDK_ERRORS = {
  parse: [2, 'tx parse error'],
  unauthorized: [4, 'unauthorized'],
  invalidPublicKey: [8, 'invalid pubkey'],
  unknownAddress: [9, 'unknown address'],
  memoTooLarge: [12, 'memo too large'],
  insufficientFee: [13, 'insufficient fee'],
  tooManySignatures: [14, 'maximum number of signatures exceeded'],
  noSignatures: [15, 'no signatures supplied'],
  invalidRequest: [18, 'invalid request'],
  tooLarge: [21, 'tx too large'],
  timeoutHeight: [30, 'tx timeout height'],
  unknownExtension: [31, 'unknown extension options'],
  wrongSequence: [32, 'incorrect account sequence'],
  notSupported: [37, 'feature not supported'],
} as const

/** The message ends as the SDK's wrapped errors do: in the words of its code. */
export const sdkError = (kind: keyof typeof SDK_ERRORS, message = ''): CodedError => {
  const [code, words] = SDK_ERRORS[kind]
  return new CodedError('sdk', code, message === '' ? words : `${message}: ${words}`)
}
