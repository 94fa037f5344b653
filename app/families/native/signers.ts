/** The signers of a native transaction in the state: an account's sequence is its nonce. */
import type { Address } from '../../../core/address.ts'
import { type AuthParameters, readPublicKey } from '../../../modules/auth/index.ts'
import { sdkError } from '../../../modules/sdk-errors.ts'
import type { StateReader } from '../../../store/state.ts'
import { accountNumberOf } from '../../native/account-number.ts'
import { parsePublicKey } from '../../native/public-key.ts'
import {
  type ResolvedSigner,
  resolveSigners,
  type SignerAccount,
  type SigningContext,
  verifySignatures,
} from '../../native/verify-signatures.ts'
import type { PreparedTransaction } from './prepare.ts'

/** Undefined when there is no such account. */
export const signerAccount = (state: StateReader, address: Address): SignerAccount | undefined => {
  const account = state.account(address)
  if (account === undefined) return undefined
  const key = readPublicKey(state, address)
  return {
    sequence: account.nonce,
    ...(key === undefined ? {} : { publicKey: parsePublicKey(key) }),
  }
}

export const signingContext = (
  state: StateReader,
  { chainId, evmChainId }: { readonly chainId: string; readonly evmChainId: bigint },
  { txSigLimit: maxSignatures }: AuthParameters,
): SigningContext => ({
  chainId,
  evmChainId,
  maxSignatures,
  account: (address) => signerAccount(state, address),
  accountNumber: accountNumberOf,
})

/** Throws what verifySignatures throws; signatures are not verified twice. */
export const checkSigners = (prepared: PreparedTransaction, context: SigningContext): readonly ResolvedSigner[] => {
  const { transaction, signers, isVerified, isTypedData } = prepared
  if (!isVerified) return verifySignatures(transaction, signers, context)
  const resolved = resolveSigners(transaction, signers, context)
  context.charge?.(resolved)
  for (const { account, info } of resolved) {
    if (info.sequence === account.sequence) continue
    throw sdkError('wrongSequence', `account sequence mismatch, expected ${account.sequence}, got ${info.sequence}`)
  }
  return resolved.map((signer) => ({ ...signer, isTypedData }))
}
