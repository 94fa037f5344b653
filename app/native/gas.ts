/**
 * What a native transaction costs before its messages run, in gas of the block. The prices of bytes and signatures are
 * x/auth's defaults; that of an Ethereum key is cosmos/evm's, which is Ethereum's price of a transaction: a transfer
 * costs no less here than there.
 */
import type { NativeTransaction, SignerMode } from './decode-transaction.ts'
import type { PublicKey } from './public-key.ts'

export const GAS_PER_BYTE = 10n
export const GAS_PER_SIGNATURE = { secp256k1: 1_000n, eth_secp256k1: 21_000n } as const
/** Flat price of a message, about that of four storage writes, for a module that does not say its own. */
export const GAS_PER_MESSAGE = 50_000n

/** What verifying one signer's signature costs: of a multisig every key that signs. */
const signatureGas = (publicKey: PublicKey, mode: SignerMode): bigint => {
  if (publicKey.type !== 'multisig') return GAS_PER_SIGNATURE[publicKey.type]
  // A simulation may not know yet which keys will sign.
  const signing = mode.type === 'multi' ? mode.bits.filter(Boolean).length : publicKey.threshold
  return GAS_PER_SIGNATURE.secp256k1 * BigInt(signing)
}

/** Gas of the size and the signatures. `signers` are those of resolveSigners. */
export const transactionGas = (
  { raw }: NativeTransaction,
  signers: readonly { readonly publicKey: PublicKey; readonly info: { readonly mode: SignerMode } }[],
): bigint => {
  let gas = GAS_PER_BYTE * BigInt(raw.length)
  for (const { publicKey, info } of signers) gas += signatureGas(publicKey, info.mode)
  return gas
}
