/**
 * Signatures over typed data: of MetaMask and of a Ledger, which sign no bytes that they cannot show. A signature is taken
 * where the ordinary one would stand, as cosmos/evm takes it, or in the extension option of Ethermint's wallets.
 */
import { parseAccountAddress, encodeBech32 } from '../../core/bech32.ts'
import { bytesToBigint, equalBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { runSignatureTask, SECP256K1_HALF_ORDER, verifySecp256k1 } from '../../core/signature.ts'
import { hashTypedData } from '../../core/typed-data.ts'
import { txSigning } from '../../proto/index.ts'
import type { NativeTransaction, Web3Extension } from './decode-transaction.ts'
import { MAX_TYPED_DATA_BYTES } from './limits.ts'
import { type PublicKey, publicKeyAddress, type SinglePublicKey } from './public-key.ts'
import type { SignerData } from './sign-bytes.ts'
import { currentTypedData, readSignDocument } from './typed-data.ts'
import { legacyTypedData } from './typed-data-legacy.ts'

const { DIRECT, LEGACY_AMINO_JSON } = txSigning.SignMode

interface EthereumKey extends SinglePublicKey {
  readonly type: 'eth_secp256k1'
}

const isEthereumKey = (key: PublicKey): key is EthereumKey => key.type === 'eth_secp256k1'

/** Whether the transaction may have such a signature, by what is known without its accounts. */
export const mayBeTypedData = ({ raw, signerInfos }: Pick<NativeTransaction, 'raw' | 'signerInfos'>): boolean => {
  const [info, ...others] = signerInfos
  if (info === undefined || others.length > 0 || raw.length > MAX_TYPED_DATA_BYTES) return false
  const { mode, publicKey } = info
  if (mode.type !== 'single' || (mode.mode !== DIRECT && mode.mode !== LEGACY_AMINO_JSON)) return false
  return publicKey === undefined || isEthereumKey(publicKey)
}

const signs = ({ key, point }: EthereumKey, digest: Hash, signature: Uint8Array): boolean =>
  verifySecp256k1(digest, signature.subarray(0, 64), point ?? key)

/** The value of what a transaction can be told by; undefined where it cannot be told so. */
const attempt = <Result>(work: () => Result): Result | undefined => {
  try {
    return work()
  } catch (error) {
    if (error instanceof CodedError) return undefined
    throw error
  }
}

/**
 * Whether the sole signer signed the transaction as typed data, in the current form or in the older one. For a signature
 * that does not hold over the ordinary sign bytes. The work is bounded by {@link MAX_TYPED_DATA_BYTES}.
 */
export const isTypedDataSignature = (
  transaction: NativeTransaction,
  key: PublicKey,
  signature: Uint8Array,
  data: SignerData,
  evmChainId: bigint,
): boolean => {
  if (!isEthereumKey(key) || !mayBeTypedData(transaction)) return false
  if (signature.length !== 64 && signature.length !== 65) return false
  const mode = transaction.signerInfos[0]?.mode
  // The typed data of DIRECT is silent about a payer, who is the first signer in any case.
  const namesPayer = mode?.type === 'single' && mode.mode === LEGACY_AMINO_JSON
  const document = attempt(() => readSignDocument(transaction, data, namesPayer))
  if (document === undefined) return false
  const texts = new Map<string, Hash>()
  const current = attempt(() => hashTypedData(currentTypedData(document, evmChainId), texts))
  // What has no current form is not looked at in the older one.
  if (current === undefined) return false
  if (signs(key, current, signature)) return true
  const payer = encodeBech32(publicKeyAddress(key))
  const legacy = attempt(() =>
    hashTypedData(legacyTypedData(document, transaction.messages, evmChainId, payer, true), texts),
  )
  return legacy !== undefined && signs(key, legacy, signature)
}

const RECOVERY_ID = 64
/** What Ethereum's wallets add to the recovery id. */
const RECOVERY_OFFSET = 27

/** Whether the recovered key is this one; `signature` is r, s and v, and s the lower one. */
const recovers = ({ point }: EthereumKey, digest: Hash, signature: Uint8Array): boolean => {
  const v = signature[RECOVERY_ID] ?? 0
  const yParity = v >= RECOVERY_OFFSET ? v - RECOVERY_OFFSET : v
  if (yParity > 1 || point === undefined) return false
  const rs = signature.subarray(0, RECOVERY_ID)
  if (bytesToBigint(rs.subarray(32)) > SECP256K1_HALF_ORDER) return false
  const recovered = runSignatureTask({ kind: 'recover', digest, signature: rs, yParity })
  return recovered !== undefined && equalBytes(recovered, point.subarray(1))
}

const isSigner = (feePayer: string, key: EthereumKey): boolean =>
  attempt(() => equalBytes(parseAccountAddress(feePayer), publicKeyAddress(key))) ?? false

/**
 * Why the signature in the extension option does not hold, or undefined. It is over the older form, and the sole signer's;
 * the ordinary signature is empty.
 */
export const web3ExtensionFailure = (
  transaction: NativeTransaction,
  { typedDataChainId, feePayer, feePayerSignature }: Web3Extension,
  key: PublicKey,
  signature: Uint8Array,
  data: SignerData,
  evmChainId: bigint | undefined,
): string | undefined => {
  const mode = transaction.signerInfos[0]?.mode
  if (!isEthereumKey(key) || !mayBeTypedData(transaction)) return 'typed data of one Ethereum key is expected'
  if (mode?.type !== 'single' || mode.mode !== LEGACY_AMINO_JSON) return 'typed data is signed in amino JSON'
  if (signature.length > 0) return 'the signature of typed data stands in its extension option alone'
  if (typedDataChainId !== evmChainId) return `typed data of chain ${typedDataChainId}`
  if (!isSigner(feePayer, key)) return 'the fee payer of typed data is not its signer'
  if (feePayerSignature.length !== RECOVERY_ID + 1) return 'a signature of 65 bytes is expected'
  const digest = attempt(() => {
    const document = readSignDocument(transaction, data, false)
    return hashTypedData(legacyTypedData(document, transaction.messages, typedDataChainId, feePayer, false))
  })
  if (digest === undefined) return 'the transaction has no form as typed data'
  return recovers(key, digest, feePayerSignature) ? undefined : 'unable to verify the signature of typed data'
}
