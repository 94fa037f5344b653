/** `chain tx sign|multisign|broadcast|simulate|encode|decode`: transactions in files, from one machine to another. */
import { writeFileSync } from 'node:fs'
import { create, fromBinary } from '@bufbuild/protobuf'
import type { Address } from '../../../core/address.ts'
import { decodeNativeTransaction } from '../../../app/native/decode-transaction.ts'
import { parsePublicKey, publicKeyAddress } from '../../../app/native/public-key.ts'
import { tx, txService, txSigning } from '../../../proto/index.ts'
import { cliError } from '../../errors.ts'
import { resolveAddress } from '../keys/addresses.ts'
import { findSignerData } from './accounts.ts'
import { broadcast } from './broadcast.ts'
import { readMessage, toJson } from '../client/messages-json.ts'
import { printResult } from '../output.ts'
import {
  combineSignatures,
  describeSignature,
  type PartialSignature,
  SIGN_MODES,
  signerIndex,
  signForMultisig,
  signTransaction,
} from './sign.ts'
import { openSigningKey, printResponse, type TxSession } from './submit.ts'
import { readJson, readText } from '../input.ts'
import { encodeTransaction, readBytes, readTransaction } from './tx-document.ts'
import type { Sender } from './tx-flags.ts'

/** Writes to a file, or to standard output. */
const write = (value: unknown, file: string | undefined, { output }: TxSession): void => {
  if (file === undefined) printResult(value, output)
  else writeFileSync(file, `${JSON.stringify(value)}\n`)
}

const describe = (descriptor: txSigning.SignatureDescriptor): unknown =>
  toJson(
    txSigning.SignatureDescriptorsSchema,
    create(txSigning.SignatureDescriptorsSchema, { signatures: [descriptor] }),
  )

export interface SignOptions {
  readonly file: string
  /** Sign for this multisig: a signature for `multisign`, not a transaction. */
  readonly multisig: string | undefined
  readonly isSignatureOnly: boolean
  readonly outputFile: string | undefined
}

/** Prints the transaction with the sender's signature, or that signature alone. */
export const signFile = async (options: SignOptions, sender: Sender, session: TxSession): Promise<void> => {
  const { client, flags, keyring } = session
  const transaction = readTransaction(options.file)
  const account: Address = options.multisig === undefined ? sender.address : resolveAddress(options.multisig, keyring)
  const index = signerIndex(transaction, account)
  const data = await findSignerData(client, account, flags)
  const key = await openSigningKey(sender, session)
  if (options.multisig !== undefined) {
    return write(describe(signForMultisig(transaction, key, data)), options.outputFile, session)
  }
  const mode = SIGN_MODES[flags.signMode]
  const signed = signTransaction(transaction, key, mode, data)
  if (!options.isSignatureOnly) return write(toJson(tx.TxSchema, signed), options.outputFile, session)
  const signature = signed.signatures[index] ?? new Uint8Array(0)
  return write(describe(describeSignature(key.publicKey, mode, signature, data.sequence)), options.outputFile, session)
}

const readSignatures = (file: string): readonly PartialSignature[] => {
  const { signatures } = readMessage(txSigning.SignatureDescriptorsSchema, readJson(file), file)
  return signatures.map(({ publicKey, data }) => {
    if (publicKey === undefined || data?.sum.case !== 'single') {
      throw cliError('usage', `${file} holds no signature of a single key: make it with "chain tx sign --multisig"`)
    }
    return { publicKey: parsePublicKey(publicKey), signature: data.sum.value.signature }
  })
}

/** Prints the transaction with the signature of a multisig, made of those in files. */
export const multisignFile = async (
  file: string,
  name: string,
  signatureFiles: readonly string[],
  outputFile: string | undefined,
  session: TxSession,
): Promise<void> => {
  const { client, flags, keyring } = session
  const record = keyring.find(name) ?? keyring.findByAddress(resolveAddress(name, keyring))
  if (record?.publicKey.type !== 'multisig') throw cliError('keyring', `${name} is no multisig of ${keyring.folder}`)
  const data = await findSignerData(client, publicKeyAddress(record.publicKey), flags)
  const partials = signatureFiles.flatMap(readSignatures)
  const signed = combineSignatures(readTransaction(file), record.publicKey, partials, data)
  return write(toJson(tx.TxSchema, signed), outputFile, session)
}

type FileSession = Pick<TxSession, 'client' | 'output'> & {
  readonly flags: Pick<TxSession['flags'], 'broadcastMode' | 'waitMs'>
}

/** Prints what the node says of a signed transaction. */
export const broadcastFile = async (file: string, { client, flags, output }: FileSession): Promise<void> =>
  printResponse(await broadcast(client, encodeTransaction(readTransaction(file)), flags), output)

/** Prints gas, events and responses as the node estimates them; signatures are not looked at. */
export const simulateFile = async (file: string, { client, output }: FileSession): Promise<void> => {
  const { method } = txService.Service
  const reply = await client.query(method.simulate, { txBytes: encodeTransaction(readTransaction(file)) })
  printResult(toJson(method.simulate.output, reply), output)
}

/** A document as the bytes that are sent, in base64. */
export const encodeFile = (file: string): string =>
  Buffer.from(encodeTransaction(readTransaction(file))).toString('base64')

/** Bytes in base64 or hexadecimal as a document; `-` reads standard input. */
export const decodeText = (text: string): unknown => {
  const { bodyBytes, authInfoBytes, signatures } = decodeNativeTransaction(
    readBytes(text === '-' ? readText(text) : text),
  )
  const transaction = create(tx.TxSchema, {
    body: fromBinary(tx.TxBodySchema, bodyBytes),
    authInfo: fromBinary(tx.AuthInfoSchema, authInfoBytes),
    signatures: [...signatures],
  })
  return toJson(tx.TxSchema, transaction)
}
