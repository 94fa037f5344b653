/** Native transactions from the wire: TxRaw of cosmos.tx.v1beta1 by the rules of ADR-020 and ADR-027, bounded. */
import { sha256, type Hash } from '../../core/hash.ts'
import { MAX_TRANSACTION_BYTES } from '../../core/limits.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import { tx, txSigning, web3Tx } from '../../proto/index.ts'
import { TRANSACTION_MESSAGES, WEB3_EXTENSIONS } from './definitions.ts'
import {
  MAX_AMINO_FIELDS,
  MAX_FEE_COINS,
  MAX_GAS_LIMIT,
  MAX_MEMO_BYTES,
  MAX_MESSAGES,
  MAX_SIGNATURES,
} from './limits.ts'
import { type PackedMessage, parsePublicKey, type PublicKey } from './public-key.ts'
import { BYTES, checkFields, parseBinary, WireReader } from './wire.ts'

/** How one signer signs. Modes are those of SignMode as they were sent: a dry run says 0, unspecified. */
export type SignerMode =
  | { readonly type: 'single'; readonly mode: number }
  /** `bits` has one entry for each key of the multisig, `modes` one for each that signs. */
  | { readonly type: 'multi'; readonly bits: readonly boolean[]; readonly modes: readonly number[] }

export interface SignerInfo {
  /** Left out by signers whose key the account has already. */
  readonly publicKey: PublicKey | undefined
  readonly mode: SignerMode
  readonly sequence: bigint
}

/** A coin of a fee as it was sent: the amount may be negative. */
export interface FeeCoin {
  readonly denom: string
  readonly amount: bigint
}

export interface NativeFee {
  readonly coins: readonly FeeCoin[]
  readonly gasLimit: bigint
  /** The payer as it is written; empty for the first signer. */
  readonly payer: string
}

/** A signature over typed data beside the ordinary one, which is empty then. */
export interface Web3Extension {
  /** Chain ID of the EVM. */
  readonly typedDataChainId: bigint
  /** Who pays and signs: the first signer, as the transaction writes it. */
  readonly feePayer: string
  /** r, s and v. */
  readonly feePayerSignature: Uint8Array
}

/** A decoded transaction. Its payer is its first signer, which the fee may name; a granter is refused. */
export interface NativeTransaction {
  readonly raw: Uint8Array
  /** sha256 of `raw`. */
  readonly hash: Hash
  readonly bodyBytes: Uint8Array
  readonly authInfoBytes: Uint8Array
  /** At least one message, each of a known type and without unknown critical fields. */
  readonly messages: readonly PackedMessage[]
  readonly memo: string
  /** The last height that may hold the transaction; 0 is no bound. */
  readonly timeoutHeight: bigint
  /** The body has fields that this node does not know and may ignore; amino JSON cannot sign them. */
  readonly hasUnknownFields: boolean
  /** The one extension option that is served. */
  readonly web3Extension: Web3Extension | undefined
  readonly signerInfos: readonly SignerInfo[]
  readonly fee: NativeFee
  readonly signatures: readonly Uint8Array[]
}

type TransactionEnvelope = Pick<NativeTransaction, 'bodyBytes' | 'authInfoBytes' | 'signatures'>

const FIELD_NAMES = ['', 'body_bytes', 'auth_info_bytes', 'signatures'] as const

/** ADR-027: fields in ascending order, all but the signatures once, every varint as short as possible. */
const readEnvelope = (raw: Uint8Array): TransactionEnvelope => {
  const reader = new WireReader(raw)
  const fields: [Uint8Array, Uint8Array] = [new Uint8Array(0), new Uint8Array(0)]
  const signatures: Uint8Array[] = []
  let previous = 0
  while (!reader.done) {
    const { number, wireType } = reader.tag(true)
    if (FIELD_NAMES[number] === undefined) {
      throw sdkError('parse', `cosmos.tx.v1beta1.TxRaw: {TagNum: ${number}}: unknown protobuf field`)
    }
    if (wireType !== BYTES) throw sdkError('parse', `expected ${BYTES} wire type, got ${wireType}`)
    if (number < previous) {
      throw sdkError('parse', `txRaw must follow ADR-027, got tagNum ${number} after tagNum ${previous}`)
    }
    if (number === previous && number !== 3) {
      throw sdkError('parse', `txRaw must follow ADR-027, ${FIELD_NAMES[number]} stands there twice`)
    }
    previous = number
    const value = reader.bytes(true)
    if (number === 3) signatures.push(value)
    else fields[number - 1] = value
    if (signatures.length > MAX_SIGNATURES) throw tooManySignatures(signatures.length)
  }
  const [bodyBytes, authInfoBytes] = fields
  return { bodyBytes, authInfoBytes, signatures }
}

const tooManySignatures = (count: number) =>
  sdkError('tooManySignatures', `signatures: ${count}, limit: ${MAX_SIGNATURES}`)

const notSupported = (what: string) => sdkError('notSupported', `${what} not supported by this chain`)

const readMessages = (messages: readonly PackedMessage[]): readonly PackedMessage[] => {
  if (messages.length === 0) throw sdkError('invalidRequest', 'must contain at least one message')
  if (messages.length > MAX_MESSAGES) {
    throw sdkError('invalidRequest', `${messages.length} messages, at most ${MAX_MESSAGES} are allowed`)
  }
  return messages.map(({ typeUrl, value }) => {
    if (!TRANSACTION_MESSAGES.has(typeUrl)) {
      throw sdkError('parse', `unable to resolve type URL ${typeUrl.slice(0, 200)}`)
    }
    return { typeUrl, value }
  })
}

/** `limit` is in bytes. Throws sdk/12. */
export const checkMemo = (memo: string, limit: bigint | number): void => {
  const length = Buffer.byteLength(memo)
  if (length <= limit) return
  throw sdkError('memoTooLarge', `maximum number of characters is ${limit} but received ${length} characters`)
}

type Body = Pick<NativeTransaction, 'messages' | 'memo' | 'timeoutHeight' | 'hasUnknownFields' | 'web3Extension'>

const readExtensions = ([option, ...others]: readonly PackedMessage[]): Web3Extension | undefined => {
  if (option === undefined) return undefined
  if (others.length > 0 || !WEB3_EXTENSIONS.includes(option.typeUrl)) throw sdkError('unknownExtension')
  // Under each name the fields are the same.
  const { typedDataChainId, feePayer, feePayerSig } = parseBinary(web3Tx.ExtensionOptionsWeb3TxSchema, option.value)
  return { typedDataChainId, feePayer, feePayerSignature: feePayerSig }
}

const readBody = (bytes: Uint8Array): Body & { readonly fieldCount: number } => {
  const { count, hasUnknown } = checkFields(bytes, tx.TxBodySchema, true)
  const body = parseBinary(tx.TxBodySchema, bytes)
  const messages = readMessages(body.messages)
  const web3Extension = readExtensions(body.extensionOptions)
  if (body.unordered) throw notSupported('unordered transactions are')
  if (body.timeoutTimestamp !== undefined) throw notSupported('timeout_timestamp is')
  checkMemo(body.memo, MAX_MEMO_BYTES)
  return {
    messages,
    memo: body.memo,
    timeoutHeight: body.timeoutHeight,
    // An option that is not critical may be ignored like a field that is not.
    fieldCount: count,
    hasUnknownFields: hasUnknown || body.nonCriticalExtensionOptions.length > 0,
    web3Extension,
  }
}

/** Integers as math.Int prints them: what it reads beside (0x, underscores, signs) has no need. */
const AMOUNT = /^(?:0|-?[1-9][0-9]{0,77})$/

const readFee = (fee: tx.Fee | undefined): NativeFee => {
  if (fee === undefined) return { coins: [], gasLimit: 0n, payer: '' }
  if (fee.granter !== '') throw notSupported('a fee granter is')
  if (fee.gasLimit > MAX_GAS_LIMIT) {
    throw sdkError('invalidRequest', `invalid gas supplied; ${fee.gasLimit} > ${MAX_GAS_LIMIT}`)
  }
  if (fee.amount.length > MAX_FEE_COINS) {
    throw sdkError('insufficientFee', `${fee.amount.length} fee coins, one is expected`)
  }
  const coins = fee.amount.map(({ denom, amount }) => {
    if (!AMOUNT.test(amount)) throw sdkError('parse', `invalid fee amount ${JSON.stringify(amount.slice(0, 80))}`)
    return { denom, amount: BigInt(amount) }
  })
  return { coins, gasLimit: fee.gasLimit, payer: fee.payer }
}

type CompactBitArray = NonNullable<tx.ModeInfo_Multi['bitarray']>

/** The first key is the highest bit of the first byte; `extraBitsStored` tells how much of the last byte counts. */
const readBits = ({ elems, extraBitsStored }: CompactBitArray): readonly boolean[] => {
  if (extraBitsStored > 7 || (elems.length === 0 && extraBitsStored > 0)) {
    throw sdkError('parse', 'malformed bit array')
  }
  const count = elems.length * 8 - (extraBitsStored === 0 ? 0 : 8 - extraBitsStored)
  if (count > MAX_SIGNATURES) throw tooManySignatures(count)
  return Array.from({ length: count }, (_, i) => ((elems[i >> 3] ?? 0) & (0x80 >> (i & 7))) !== 0)
}

const readMode = (info: tx.ModeInfo | undefined): SignerMode => {
  if (info?.sum.case === 'single') return { type: 'single', mode: info.sum.value.mode }
  // None at all: a dry run may leave it out.
  if (info?.sum.case !== 'multi') return { type: 'single', mode: 0 }
  const { bitarray, modeInfos } = info.sum.value
  const modes = modeInfos.map(({ sum }) => {
    if (sum.case === 'multi') throw notSupported('a multisig within a multisig is')
    return sum.case === 'single' ? sum.value.mode : 0
  })
  return { type: 'multi', bits: bitarray === undefined ? [] : readBits(bitarray), modes }
}

const readAuthInfo = (bytes: Uint8Array): Pick<NativeTransaction, 'signerInfos' | 'fee'> => {
  checkFields(bytes, tx.AuthInfoSchema)
  const { signerInfos, fee, tip } = parseBinary(tx.AuthInfoSchema, bytes)
  if (tip !== undefined) throw notSupported('a tip is')
  if (signerInfos.length > MAX_SIGNATURES) throw tooManySignatures(signerInfos.length)
  return {
    signerInfos: signerInfos.map(({ publicKey, modeInfo, sequence }) => ({
      publicKey: publicKey === undefined ? undefined : parsePublicKey(publicKey),
      mode: readMode(modeInfo),
      sequence,
    })),
    fee: readFee(fee),
  }
}

const signsAmino = (mode: SignerMode): boolean =>
  (mode.type === 'single' ? [mode.mode] : mode.modes).includes(txSigning.SignMode.LEGACY_AMINO_JSON)

/**
 * Decodes a transaction and refuses what no state could make valid. Throws sdk/2, /8, /12, /13, /14, /18, /21, /31
 * and /37. Signers, signatures, fee and timeout are checked by the functions beside.
 */
export const decodeNativeTransaction = (raw: Uint8Array): NativeTransaction => {
  if (raw.length > MAX_TRANSACTION_BYTES) {
    throw sdkError('tooLarge', `${raw.length} bytes, at most ${MAX_TRANSACTION_BYTES} are allowed`)
  }
  const envelope = readEnvelope(raw)
  const { fieldCount, ...body } = readBody(envelope.bodyBytes)
  const authInfo = readAuthInfo(envelope.authInfoBytes)
  if (fieldCount > MAX_AMINO_FIELDS && authInfo.signerInfos.some(({ mode }) => signsAmino(mode))) {
    throw sdkError('tooLarge', `${fieldCount} fields, at most ${MAX_AMINO_FIELDS} can be signed as amino JSON`)
  }
  return { raw, hash: sha256(raw), ...envelope, ...body, ...authInfo }
}

/** `height` is that of the block that would hold the transaction. Throws sdk/30. */
export const checkTimeoutHeight = ({ timeoutHeight }: NativeTransaction, height: number): void => {
  if (timeoutHeight > 0n && BigInt(height) > timeoutHeight) {
    throw sdkError('timeoutHeight', `block height: ${height}, timeout height: ${timeoutHeight}`)
  }
}
