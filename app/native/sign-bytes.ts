/** What native signers sign: SIGN_MODE_DIRECT and SIGN_MODE_LEGACY_AMINO_JSON. */
import { utf8ToBytes } from '../../core/bytes.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import { BackwardWriter } from '../../proto/backward-writer.ts'
import { txSigning } from '../../proto/index.ts'
import { printAminoJson, printGoString } from './amino-json.ts'
import type { NativeTransaction } from './decode-transaction.ts'

/** What binds a signature to one chain, account and place. */
export interface SignerData {
  readonly chainId: string
  readonly accountNumber: bigint
  readonly sequence: bigint
}

/** Field numbers of cosmos.tx.v1beta1.SignDoc with their wire types. */
const SIGN_DOC = { bodyBytes: 0x0a, authInfoBytes: 0x12, chainId: 0x1a, accountNumber: 0x20 } as const
/** The bytes of all tags, lengths and the account number. */
const SIGN_DOC_OVERHEAD = 64

/**
 * The SignDoc (ADR-020): both byte strings as they were sent. The sequence is within the second. Written by hand
 * and without what is empty: it is made for every transaction, and the general encoder takes many times as long.
 */
const directSignBytes = (
  { bodyBytes, authInfoBytes }: NativeTransaction,
  { chainId, accountNumber }: SignerData,
): Uint8Array => {
  const writer = new BackwardWriter(bodyBytes.length + authInfoBytes.length + chainId.length + SIGN_DOC_OVERHEAD)
  if (accountNumber !== 0n) writer.uint64(SIGN_DOC.accountNumber, accountNumber)
  if (chainId !== '') writer.text(SIGN_DOC.chainId, chainId)
  if (authInfoBytes.length > 0) writer.bytes(SIGN_DOC.authInfoBytes, authInfoBytes)
  if (bodyBytes.length > 0) writer.bytes(SIGN_DOC.bodyBytes, bodyBytes)
  return writer.finish()
}

/** What all signers of a transaction sign alike in amino JSON: members by name. */
interface SharedMembers {
  readonly fee: string
  readonly memo: string
  readonly msgs: string
  /** The timeout with the comma before it, or nothing: without a bound it is left out. */
  readonly timeout: string
}

const printShared = ({ fee, memo, messages, timeoutHeight, hasUnknownFields }: NativeTransaction): SharedMembers => {
  if (hasUnknownFields) {
    throw sdkError('invalidRequest', 'SIGN_MODE_LEGACY_AMINO_JSON does not support protobuf extension options')
  }
  const coins = fee.coins.map(
    ({ denom, amount }) => `{"amount":"${amount}"${denom === '' ? '' : `,"denom":${printGoString(denom)}`}}`,
  )
  const payer = fee.payer === '' ? '' : `,"payer":${printGoString(fee.payer)}`
  return {
    fee: `{"amount":[${coins.join(',')}],"gas":"${fee.gasLimit}"${payer}}`,
    memo: printGoString(memo),
    msgs: `[${messages.map(printAminoJson).join(',')}]`,
    timeout: timeoutHeight === 0n ? '' : `,"timeout_height":"${timeoutHeight}"`,
  }
}

/** The StdSignDoc: JSON with sorted members and no spaces. */
const aminoSignBytes = (
  { fee, memo, msgs, timeout }: SharedMembers,
  { accountNumber, chainId, sequence }: SignerData,
): Uint8Array =>
  utf8ToBytes(
    `{"account_number":"${accountNumber}","chain_id":${printGoString(chainId)},"fee":${fee},"memo":${memo},` +
      `"msgs":${msgs},"sequence":"${sequence}"${timeout}}`,
  )

/** Throws sdk/18 for a mode that is not served and for what amino JSON cannot express. */
export type SignBytes = (mode: number, data: SignerData) => Uint8Array

/** The sign bytes of one transaction for its signers; the messages are printed once for all of them. */
export const signBytesOf = (transaction: NativeTransaction): SignBytes => {
  let shared: SharedMembers | undefined
  return (mode, data) => {
    switch (mode) {
      case txSigning.SignMode.DIRECT:
        return directSignBytes(transaction, data)
      case txSigning.SignMode.LEGACY_AMINO_JSON:
        shared ??= printShared(transaction)
        return aminoSignBytes(shared, data)
      default: {
        const name = txSigning.SignModeSchema.values.find(({ number }) => number === mode)?.name ?? String(mode)
        throw sdkError('invalidRequest', `unsupported sign mode ${name}`)
      }
    }
  }
}
