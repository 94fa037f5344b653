/** Signatures of native transactions, of single keys and of multisigs. */
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import {
  type MultisigPublicKey,
  packPublicKey,
  type PublicKey,
  publicKeyAddress,
  type SinglePublicKey,
  verifyWithKey,
} from '../../../app/native/public-key.ts'
import { signBytesOf, type SignerData } from '../../../app/native/sign-bytes.ts'
import { requiredSigners } from '../../../app/native/signers.ts'
import type { Address } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { concatBytes, equalBytes } from '../../../core/bytes.ts'
import { keccak256, sha256 } from '../../../core/hash.ts'
import { signDigest } from '../../../core/signature.ts'
import { multisigSignature, tx, txSigning } from '../../../proto/index.ts'
import { cliError } from '../../errors.ts'
import { checkTransaction } from './tx-document.ts'

const { SignMode } = txSigning
const SIGNATURE_BYTES = 64

export const SIGN_MODES = { direct: SignMode.DIRECT, 'amino-json': SignMode.LEGACY_AMINO_JSON } as const
export type SignModeName = keyof typeof SIGN_MODES

type SignerInit = MessageInitShape<typeof tx.SignerInfoSchema>

const modeInfo = (publicKey: PublicKey, mode: txSigning.SignMode): MessageInitShape<typeof tx.ModeInfoSchema> =>
  publicKey.type === 'multisig'
    ? multisigMode(publicKey, new Set(publicKey.keys.slice(0, publicKey.threshold)))
    : { sum: { case: 'single', value: { mode } } }

const signerInfo = (publicKey: PublicKey, mode: txSigning.SignMode, sequence: bigint): SignerInit => ({
  publicKey: packPublicKey(publicKey),
  modeInfo: modeInfo(publicKey, mode),
  sequence,
})

/** The transaction with one signer at its place, and a signature there; the other signers stay. */
const withSigner = (transaction: tx.Tx, index: number, info: SignerInit, signature: Uint8Array): tx.Tx => {
  const count = requiredSigners(checkTransaction(transaction)).length
  const infos = Array.from({ length: count }, (_, at) => transaction.authInfo?.signerInfos[at] ?? {})
  const signatures = Array.from({ length: count }, (_, at) => transaction.signatures[at] ?? new Uint8Array(0))
  return create(tx.TxSchema, {
    ...(transaction.body === undefined ? {} : { body: transaction.body }),
    authInfo: {
      ...(transaction.authInfo?.fee === undefined ? {} : { fee: transaction.authInfo.fee }),
      signerInfos: infos.with(index, info),
    },
    signatures: signatures.with(index, signature),
  })
}

/** The place of an account among the signers. Throws cli/19 when it does not sign. */
export const signerIndex = (transaction: tx.Tx, address: Address): number => {
  const signers = requiredSigners(checkTransaction(transaction))
  const index = signers.findIndex((signer) => equalBytes(signer, address))
  if (index >= 0) return index
  const names = signers.map((signer) => encodeBech32(signer)).join(', ')
  throw cliError('transaction', `${encodeBech32(address)} does not sign this transaction; its signers are ${names}`)
}

/** Signs with zeros of a signature's length, for a simulation, which asks neither sequence nor signature. */
export const withPlaceholder = (transaction: tx.Tx, address: Address, publicKey: PublicKey | undefined): tx.Tx => {
  const index = signerIndex(transaction, address)
  if (publicKey === undefined) return withSigner(transaction, index, {}, new Uint8Array(0))
  const placeholder = new Uint8Array(SIGNATURE_BYTES)
  const signature =
    publicKey.type === 'multisig' ? encodeMultisig(Array(publicKey.threshold).fill(placeholder)) : placeholder
  return withSigner(transaction, index, signerInfo(publicKey, SignMode.DIRECT, 0n), signature)
}

const signWithKey = ({ type }: SinglePublicKey, privateKey: Uint8Array, signBytes: Uint8Array): Uint8Array => {
  const { r, s } = signDigest(type === 'secp256k1' ? sha256(signBytes) : keccak256(signBytes), privateKey)
  return concatBytes(r, s)
}

export interface SigningKey {
  readonly publicKey: SinglePublicKey
  readonly privateKey: Uint8Array
}

/** Throws cli/19 when the key's account does not sign, and for SIGN_MODE_DIRECT with several signers. */
export const signTransaction = (
  transaction: tx.Tx,
  { publicKey, privateKey }: SigningKey,
  mode: txSigning.SignMode,
  data: SignerData,
): tx.Tx => {
  const index = signerIndex(transaction, publicKeyAddress(publicKey))
  const info = signerInfo(publicKey, mode, data.sequence)
  const unsigned = withSigner(transaction, index, info, new Uint8Array(0))
  if (mode === SignMode.DIRECT && unsigned.signatures.length > 1) {
    throw cliError('transaction', 'several accounts sign this transaction: use --sign-mode amino-json')
  }
  const signBytes = signBytesOf(checkTransaction(unsigned))(mode, data)
  return withSigner(transaction, index, info, signWithKey(publicKey, privateKey, signBytes))
}

/** The signature of one key of a multisig: over amino JSON, which does not hold the other keys' signatures. */
export const signForMultisig = (
  transaction: tx.Tx,
  { publicKey, privateKey }: SigningKey,
  data: SignerData,
): txSigning.SignatureDescriptor => {
  const signBytes = signBytesOf(checkTransaction(transaction))(SignMode.LEGACY_AMINO_JSON, data)
  return describeSignature(
    publicKey,
    SignMode.LEGACY_AMINO_JSON,
    signWithKey(publicKey, privateKey, signBytes),
    data.sequence,
  )
}

export const describeSignature = (
  publicKey: PublicKey,
  mode: txSigning.SignMode,
  signature: Uint8Array,
  sequence: bigint,
): txSigning.SignatureDescriptor =>
  create(txSigning.SignatureDescriptorSchema, {
    publicKey: packPublicKey(publicKey),
    data: { sum: { case: 'single', value: { mode, signature } } },
    sequence,
  })

const multisigMode = (
  { keys }: MultisigPublicKey,
  signing: ReadonlySet<SinglePublicKey>,
): MessageInitShape<typeof tx.ModeInfoSchema> => {
  const elems = new Uint8Array(Math.ceil(keys.length / 8))
  for (const [index, key] of keys.entries()) {
    if (signing.has(key)) elems[index >> 3] = (elems[index >> 3] ?? 0) | (0x80 >> (index & 7))
  }
  const single = { sum: { case: 'single', value: { mode: SignMode.LEGACY_AMINO_JSON } } } as const
  return {
    sum: {
      case: 'multi',
      value: {
        bitarray: { extraBitsStored: keys.length % 8, elems },
        modeInfos: Array.from({ length: signing.size }, () => single),
      },
    },
  }
}

const encodeMultisig = (signatures: readonly Uint8Array[]): Uint8Array =>
  toBinary(
    multisigSignature.MultiSignatureSchema,
    create(multisigSignature.MultiSignatureSchema, { signatures: [...signatures] }),
  )

/** One signature of a key of the multisig. */
export interface PartialSignature {
  readonly publicKey: PublicKey
  readonly signature: Uint8Array
}

const checkPartial = (
  { publicKey, signature }: PartialSignature,
  multisig: MultisigPublicKey,
  signBytes: Uint8Array,
): SinglePublicKey => {
  const name = encodeBech32(publicKeyAddress(publicKey))
  const key = multisig.keys.find((each) => publicKey.type !== 'multisig' && equalBytes(each.key, publicKey.key))
  if (key === undefined) throw cliError('transaction', `${name} is no key of the multisig`)
  if (verifyWithKey(key, signBytes, signature)) return key
  throw cliError(
    'transaction',
    `the signature of ${name} does not hold for this transaction, chain, account and sequence`,
  )
}

/** Throws cli/19 for a signature of another key or over something else, and below the threshold. */
export const combineSignatures = (
  transaction: tx.Tx,
  multisig: MultisigPublicKey,
  partials: readonly PartialSignature[],
  data: SignerData,
): tx.Tx => {
  const index = signerIndex(transaction, publicKeyAddress(multisig))
  const signBytes = signBytesOf(checkTransaction(transaction))(SignMode.LEGACY_AMINO_JSON, data)
  const signatures = new Map(partials.map((each) => [checkPartial(each, multisig, signBytes), each.signature]))
  if (signatures.size < multisig.threshold) {
    throw cliError('transaction', `${signatures.size} signatures, the multisig needs ${multisig.threshold}`)
  }
  const inOrder = multisig.keys.flatMap((key) => signatures.get(key) ?? [])
  const info: SignerInit = {
    publicKey: packPublicKey(multisig),
    modeInfo: multisigMode(multisig, new Set(signatures.keys())),
    sequence: data.sequence,
  }
  return withSigner(transaction, index, info, encodeMultisig(inOrder))
}
