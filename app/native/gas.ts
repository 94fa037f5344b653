/**
 * What a native transaction costs before its messages run, in gas of the block. The prices of bytes and signatures are
 * parameters of x/auth; that of an Ethereum key is cosmos/evm's, which is Ethereum's price of a transaction: a transfer
 * costs no less here than there.
 */
import type { AuthParameters } from '../../modules/auth/index.ts'
import type { NativeTransaction, SignerMode } from './decode-transaction.ts'
import type { PublicKey } from './public-key.ts'

const GAS_PER_ETHEREUM_SIGNATURE = 21_000n
/** Flat price of every message, about that of four storage writes. Modules add what lists and sizes cost beyond it. */
export const GAS_PER_MESSAGE = 50_000n
/** Bytes of a message's response that its price pays for: that of most has fewer. */
const FREE_RESPONSE_BYTES = 64
/**
 * Results are hashed with the responses in them, so that nobody can leave these out, and CometBFT takes 4 MiB of a block's results over
 * gRPC (abci/reply-limits.ts): at this price a block of 1,000,000,000 gas has 3.4 MB of responses at most.
 */
const GAS_PER_RESPONSE_BYTE = 300n

/** What a message pays for its response, beside {@link GAS_PER_MESSAGE}. */
export const responseGas = (bytes: number): bigint =>
  bytes <= FREE_RESPONSE_BYTES ? 0n : GAS_PER_RESPONSE_BYTE * BigInt(bytes - FREE_RESPONSE_BYTES)

/** What verifying one signer's signature costs: of a multisig every key that signs. */
const signatureGas = (publicKey: PublicKey, mode: SignerMode, perSignature: bigint): bigint => {
  if (publicKey.type !== 'multisig') {
    return publicKey.type === 'eth_secp256k1' ? GAS_PER_ETHEREUM_SIGNATURE : perSignature
  }
  // A dry run may not know yet which keys will sign.
  const signing = mode.type === 'multi' ? mode.bits.filter(Boolean).length : publicKey.threshold
  return perSignature * BigInt(signing)
}

/** Gas of the size and the signatures. `signers` are those of resolveSigners. */
export const transactionGas = (
  { raw }: NativeTransaction,
  signers: readonly { readonly publicKey: PublicKey; readonly info: { readonly mode: SignerMode } }[],
  { txSizeCostPerByte, sigVerifyCostSecp256k1 }: AuthParameters,
): bigint => {
  let gas = txSizeCostPerByte * BigInt(raw.length)
  for (const { publicKey, info } of signers) gas += signatureGas(publicKey, info.mode, sigVerifyCostSecp256k1)
  return gas
}

/** The least gas of any transaction of that size: its gas limit covers the bytes and the cheapest signature. */
export const leastTransactionGas = (length: number, parameters: AuthParameters): bigint => {
  const { txSizeCostPerByte, sigVerifyCostSecp256k1: signature } = parameters
  const cheapest = signature < GAS_PER_ETHEREUM_SIGNATURE ? signature : GAS_PER_ETHEREUM_SIGNATURE
  return txSizeCostPerByte * BigInt(length) + cheapest
}
