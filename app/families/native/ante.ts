/** What happens to a native transaction before its messages, whatever becomes of them: the fee, the keys, the nonces. */
import { FEE_COLLECTOR_ADDRESS } from '../../../core/address.ts'
import { DENOMINATION } from '../../../core/amounts.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { bytesToBase64 } from '../../../core/bytes.ts'
import { readAuthParameters, writePublicKey } from '../../../modules/auth/index.ts'
import { sendCoins } from '../../../modules/bank/index.ts'
import { attribute } from '../../../modules/events.ts'
import type { Event } from '../../../modules/module.ts'
import { EMPTY_ACCOUNT, type StateWriter } from '../../../store/state.ts'
import { ethSecp256k1, multisigSignature } from '../../../proto/index.ts'
import { appError } from '../../errors.ts'
import { checkMemo, checkTimeoutHeight } from '../../native/decode-transaction.ts'
import { checkFee } from '../../native/fees.ts'
import { transactionGas } from '../../native/gas.ts'
import { type PackedMessage, packPublicKey, type PublicKey } from '../../native/public-key.ts'
import type { ResolvedSigner } from '../../native/verify-signatures.ts'
import { parseBinary } from '../../native/wire.ts'
import type { ContractScene } from '../../native/contract-calls.ts'
import { GasMeter } from './gas-meter.ts'
import type { PreparedTransaction } from './prepare.ts'
import { checkSigners, signingContext } from './signers.ts'

/** The block around a native transaction. */
export interface NativeContext {
  readonly state: StateWriter
  readonly height: number
  readonly timeNs: bigint
  readonly chainId: string
  readonly evmChainId: bigint
  readonly baseFeePerGas: bigint
  /** What both families left of the block's gas. */
  readonly gasLeft: bigint
  /** What runs contracts for messages; absent in tests of messages that call none. */
  readonly scene?: ContractScene
}

export interface PaidTransaction {
  /** The meter of the messages. */
  readonly meter: GasMeter
  /** The signature was over typed data. */
  readonly isTypedData: boolean
}

const ETH_KEY_URL = `/${ethSecp256k1.PubKeySchema.typeName}`

/** One name for the Ethereum key: clients read accounts by it, and some know no other. */
const packForAccount = (publicKey: PublicKey): PackedMessage =>
  packPublicKey(publicKey.type === 'eth_secp256k1' ? { ...publicKey, typeUrl: ETH_KEY_URL } : publicKey)

/** Stores the key at the first transaction, and uses the sequence up. */
const useSigner = (state: StateWriter, { address, account, publicKey, isNewKey }: ResolvedSigner): void => {
  if (isNewKey) writePublicKey(state, address, packForAccount(publicKey))
  state.setAccount(address, { ...(state.account(address) ?? EMPTY_ACCOUNT), nonce: account.sequence + 1n })
}

/** The signatures as the SDK lists them: for a multisig those of its keys, and then the whole. */
const signatureTexts = ({ info }: ResolvedSigner, signature: Uint8Array): readonly string[] => {
  if (info.mode.type === 'single') return [bytesToBase64(signature)]
  const { signatures } = parseBinary(multisigSignature.MultiSignatureSchema, signature)
  return [...signatures, signature].map(bytesToBase64)
}

const signerEvents = (signer: ResolvedSigner, signature: Uint8Array): readonly Event[] => [
  { type: 'tx', attributes: [attribute('acc_seq', `${encodeBech32(signer.address)}/${signer.info.sequence}`)] },
  ...signatureTexts(signer, signature).map((text) => ({ type: 'tx', attributes: [attribute('signature', text)] })),
]

/** Pays, uses the sequences up and gives the meter of the messages. Throws a CodedError; some of it may be done then. */
export const runAnte = (
  prepared: PreparedTransaction,
  context: NativeContext,
  emit: (event: Event) => void,
): PaidTransaction => {
  const { transaction, payer } = prepared
  const { state, gasLeft, baseFeePerGas } = context
  const { gasLimit } = transaction.fee
  const parameters = readAuthParameters(state)
  checkTimeoutHeight(transaction, context.height)
  checkMemo(transaction.memo, parameters.maxMemoCharacters)
  if (gasLimit > gasLeft) {
    throw appError(
      'outOfGas',
      `gas limit reached: the block has ${gasLeft} gas left, the transaction asks for ${gasLimit}`,
    )
  }
  const { feeAnat } = checkFee(transaction.fee, { baseFeePerGas, minimumGasPrice: 0n })
  const meter = new GasMeter(gasLimit)
  const signers = checkSigners(prepared, {
    ...signingContext(state, context, parameters),
    charge: (resolved) => meter.consume(transactionGas(transaction, resolved, parameters), 'size and signatures'),
  })
  // Signers get their nonces before the fee is paid: an account without one that pays with all that it has would be gone (EIP-161).
  for (const signer of signers) useSigner(state, signer)
  sendCoins({ state, emit }, payer, FEE_COLLECTOR_ADDRESS, [{ denom: DENOMINATION, amount: feeAnat }])
  const paid = [attribute('fee', `${feeAnat}${DENOMINATION}`), attribute('fee_payer', encodeBech32(payer))]
  emit({ type: 'tx', attributes: paid })
  for (const [index, signer] of signers.entries()) {
    for (const event of signerEvents(signer, transaction.signatures[index] ?? new Uint8Array(0))) emit(event)
  }
  return { meter, isTypedData: signers.some((signer) => signer.isTypedData) }
}
