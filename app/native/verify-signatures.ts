/** Signers and signatures of a native transaction against accounts, with the codes and texts of x/auth/ante. */
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { equalBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import type { SignatureTask } from '../../core/signature.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import { multisigSignature, txSigning } from '../../proto/index.ts'
import { accountNumberOf } from './account-number.ts'
import type { NativeTransaction, SignerInfo, SignerMode } from './decode-transaction.ts'
import {
  countKeys,
  type MultisigPublicKey,
  type PublicKey,
  publicKeyAddress,
  type SinglePublicKey,
  verifyTask,
  verifyWithKey,
} from './public-key.ts'
import { type SignBytes, signBytesOf, type SignerData } from './sign-bytes.ts'
import { isTypedDataSignature, web3ExtensionFailure } from './verify-typed-data.ts'
import { checkFields, parseBinary } from './wire.ts'

export interface SignerAccount {
  /** The next sequence: the nonce. */
  readonly sequence: bigint
  /** The key of an account that has signed a native transaction before. */
  readonly publicKey?: PublicKey | undefined
}

export interface SigningContext {
  readonly chainId: string
  /** Chain ID of the EVM: without it no signature over typed data is taken. */
  readonly evmChainId?: bigint
  /** Keys of all signers together: a parameter of x/auth. */
  readonly maxSignatures: bigint
  /** Undefined when there is no such account. */
  account(address: Address): SignerAccount | undefined
  accountNumber(address: Address): bigint
  /** Called before any signature is looked at: throws where the transaction does not pay for that. */
  charge?(signers: readonly ResolvedSigner[]): void
}

/** A signer with its account and the key that it signs with. */
export interface ResolvedSigner {
  readonly address: Address
  readonly account: SignerAccount
  readonly publicKey: PublicKey
  /** The account has no key yet: the transaction sets it. */
  readonly isNewKey: boolean
  readonly info: SignerInfo
  /** The signature was found to be over typed data, which takes longer to find. */
  readonly isTypedData: boolean
}

const resolveSigner = (info: SignerInfo, address: Address, index: number, context: SigningContext): ResolvedSigner => {
  const given = info.publicKey
  if (given !== undefined && !equalBytes(publicKeyAddress(given), address)) {
    throw sdkError(
      'invalidPublicKey',
      `pubKey does not match signer address ${encodeBech32(address)} with signer index: ${index}`,
    )
  }
  const account = context.account(address)
  if (account === undefined) throw sdkError('unknownAddress', `account ${encodeBech32(address)} does not exist`)
  const publicKey = account.publicKey ?? given
  if (publicKey === undefined) throw sdkError('invalidPublicKey', 'pubkey on account is not set')
  return { address, account, publicKey, isNewKey: account.publicKey === undefined, info, isTypedData: false }
}

/** Keys of all signers together. Throws sdk/14. */
export const checkSignatureCount = (signers: readonly { readonly publicKey: PublicKey }[], limit: bigint): void => {
  const keys = signers.reduce((count, { publicKey }) => count + countKeys(publicKey), 0)
  if (keys > limit) throw sdkError('tooManySignatures', `signatures: ${keys}, limit: ${limit}`)
}

/**
 * Finds the account and key of every signer; signatures are not looked at, so that it serves dry runs.
 * Throws sdk/4 (another number of signers), /8, /9 and /14.
 */
export const resolveSigners = (
  { signerInfos }: NativeTransaction,
  requiredSigners: readonly Address[],
  context: SigningContext,
): readonly ResolvedSigner[] => {
  if (signerInfos.length !== requiredSigners.length) {
    // With the two blanks of x/auth/ante.
    throw sdkError(
      'unauthorized',
      `invalid number of signer;  expected: ${requiredSigners.length}, got ${signerInfos.length}`,
    )
  }
  const signers = signerInfos.map((info, index) =>
    resolveSigner(info, requiredSigners[index] ?? new Uint8Array(0), index, context),
  )
  checkSignatureCount(signers, context.maxSignatures)
  return signers
}

/** Why a signature does not hold, or undefined. */
type Failure = string | undefined

/** Sign bytes of a mode for one signer. */
type ModeSignBytes = (mode: number) => Uint8Array

const verifySingle = (key: SinglePublicKey, message: Uint8Array, signature: Uint8Array, failure: string): Failure =>
  verifyWithKey(key, message, signature) ? undefined : failure

const verifyMultisig = (
  { keys, threshold }: MultisigPublicKey,
  { bits, modes }: Extract<SignerMode, { type: 'multi' }>,
  signature: Uint8Array,
  modeSignBytes: ModeSignBytes,
): Failure => {
  checkFields(signature, multisigSignature.MultiSignatureSchema)
  const { signatures } = parseBinary(multisigSignature.MultiSignatureSchema, signature)
  if (modes.length !== signatures.length) {
    return `expected ${modes.length} multisig signatures, got ${signatures.length}`
  }
  if (bits.length !== keys.length) return `bit array size is incorrect, expecting: ${keys.length}`
  const signing = keys.map((key, index) => ({ key, index })).filter(({ index }) => bits[index])
  // The SDK lets signatures pass that no bit stands for; nothing would verify them.
  if (signing.length !== signatures.length) return `signature size is incorrect ${signatures.length}`
  if (signing.length < threshold) {
    return `not enough signatures set, have ${signing.length}, expected ${threshold}`
  }
  for (const [at, { key, index }] of signing.entries()) {
    const message = modeSignBytes(modes[at] ?? 0)
    const each = signatures[at] ?? new Uint8Array(0)
    const failure = verifySingle(key, message, each, `unable to verify signature at index ${index}`)
    if (failure !== undefined) return failure
  }
  return undefined
}

const verifySignature = (
  signBytes: SignBytes,
  { publicKey, info: { mode } }: ResolvedSigner,
  signature: Uint8Array,
  data: SignerData,
): Failure => {
  try {
    if (publicKey.type !== 'multisig') {
      if (mode.type === 'multi') return 'expected a multisig key, got a single one'
      const message = signBytes(mode.mode, data)
      return verifySingle(publicKey, message, signature, 'unable to verify single signer signature')
    }
    if (mode.type !== 'multi') return 'expected the signatures of a multisig, got a single one'
    const made = new Map<number, Uint8Array>()
    return verifyMultisig(publicKey, mode, signature, (each) => {
      const message = made.get(each) ?? signBytes(each, data)
      made.set(each, message)
      return message
    })
  } catch (error) {
    if (error instanceof CodedError) return error.message
    throw error
  }
}

/** Whether the signature is over typed data where it holds; else throws sdk/4. */
const checkSignature = (
  transaction: NativeTransaction,
  signBytes: SignBytes,
  signer: ResolvedSigner,
  signature: Uint8Array,
  data: SignerData,
  evmChainId: bigint | undefined,
): boolean => {
  const { publicKey, info } = signer
  const { web3Extension } = transaction
  if (web3Extension !== undefined) {
    const failure = web3ExtensionFailure(transaction, web3Extension, publicKey, signature, data, evmChainId)
    if (failure !== undefined) throw unauthorized(failure, data, info.mode)
    return true
  }
  const failure = verifySignature(signBytes, signer, signature, data)
  if (failure === undefined) return false
  if (evmChainId !== undefined && isTypedDataSignature(transaction, publicKey, signature, data, evmChainId)) return true
  throw unauthorized(failure, data, info.mode)
}

/** The account numbers by the key, which is parsed once for many transactions. */
const accountNumbers = new WeakMap<SinglePublicKey, bigint>()

/**
 * The signature of a transaction of one single key that it carries, for another thread: what {@link verifySignatures}
 * would verify if the account's sequence is the one that the transaction names. Undefined for all others.
 */
export const soleSignatureTask = (
  transaction: NativeTransaction,
  requiredSigners: readonly Address[],
  chainId: string,
): SignatureTask | undefined => {
  const { signerInfos, signatures, web3Extension } = transaction
  if (web3Extension !== undefined) return undefined
  const [[info, ...infos], [signature, ...others], [address, ...rest]] = [signerInfos, signatures, requiredSigners]
  if (info === undefined || signature === undefined || address === undefined) return undefined
  if (infos.length > 0 || others.length > 0 || rest.length > 0) return undefined
  const { publicKey, mode, sequence } = info
  if (publicKey === undefined || publicKey.type === 'multisig' || mode.type !== 'single') return undefined
  if (!equalBytes(publicKeyAddress(publicKey), address)) return undefined
  try {
    const accountNumber = accountNumbers.get(publicKey) ?? accountNumberOf(address)
    accountNumbers.set(publicKey, accountNumber)
    const data = { chainId, accountNumber, sequence }
    return verifyTask(publicKey, signBytesOf(transaction)(mode.mode, data), signature)
  } catch (error) {
    // Such as a mode that is not served: whoever verifies it says so.
    if (error instanceof CodedError) return undefined
    throw error
  }
}

const isAminoOnly = (mode: SignerMode): boolean =>
  (mode.type === 'single' ? [mode.mode] : mode.modes).every((each) => each === txSigning.SignMode.LEGACY_AMINO_JSON)

/** Only a signature over amino JSON says the sequence itself, so only there it can be what is wrong. */
const unauthorized = (failure: string, { accountNumber, chainId, sequence }: SignerData, mode: SignerMode) =>
  sdkError(
    'unauthorized',
    isAminoOnly(mode)
      ? `signature verification failed; please verify account number (${accountNumber}), sequence (${sequence}) and chain-id (${chainId})`
      : `signature verification failed; please verify account number (${accountNumber}) and chain-id (${chainId}): (${failure})`,
  )

/**
 * Checks that every required signer signed the transaction for this chain, its account and its next sequence: the sign
 * bytes of its mode, or the same as typed data. The first signer pays. Throws sdk/15 (none), /4 (another number),
 * /8, /9, /14, what `charge` throws, /32 (sequence) and /4 (signature), in this order; a signer's sequence is checked
 * before its signature.
 */
export const verifySignatures = (
  transaction: NativeTransaction,
  requiredSigners: readonly Address[],
  context: SigningContext,
): readonly ResolvedSigner[] => {
  const { signatures } = transaction
  if (signatures.length === 0) throw sdkError('noSignatures')
  if (signatures.length !== requiredSigners.length) {
    throw sdkError(
      'unauthorized',
      `wrong number of signers; expected ${requiredSigners.length}, got ${signatures.length}`,
    )
  }
  const signers = resolveSigners(transaction, requiredSigners, context)
  context.charge?.(signers)
  const signBytes = signBytesOf(transaction)
  return signers.map((signer, index) => {
    const { sequence } = signer.account
    if (signer.info.sequence !== sequence) {
      throw sdkError('wrongSequence', `account sequence mismatch, expected ${sequence}, got ${signer.info.sequence}`)
    }
    const data: SignerData = {
      chainId: context.chainId,
      accountNumber: context.accountNumber(signer.address),
      sequence,
    }
    const signature = signatures[index] ?? new Uint8Array(0)
    return {
      ...signer,
      isTypedData: checkSignature(transaction, signBytes, signer, signature, data, context.evmChainId),
    }
  })
}
