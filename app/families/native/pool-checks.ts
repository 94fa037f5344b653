/** What the committed head and the pool say of a native transaction's signers and fee. */
import type { Address } from '../../../core/address.ts'
import { DENOMINATION } from '../../../core/amounts.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { equalBytes } from '../../../core/bytes.ts'
import { WEIGHT } from '../../../evm/weight.ts'
import { readAuthParameters } from '../../../modules/auth/index.ts'
import { sdkError } from '../../../modules/sdk-errors.ts'
import type { StateReader } from '../../../store/state.ts'
import { accountNumberOf } from '../../native/account-number.ts'
import type { ResolvedSigner, SigningContext } from '../../native/verify-signatures.ts'
import type { EntryContext } from '../../pool/entry.ts'
import type { Pool } from '../../pool/pool.ts'
import type { PreparedTransaction } from './prepare.ts'
import { checkSigners, signerAccount } from './signers.ts'
import { mostNativeWeight } from './weight.ts'

/** What signatures are for. */
type SigningChain = Pick<EntryContext, 'nativeChainId' | 'limits'>

/**
 * The first signer's account as the pool will leave it: a sequence is right from the nonce in the state (where it
 * replaces) up to the first that is missing in the pool. A higher one is refused, as by the SDK. Other signers' sequences
 * are those of the state: nothing would keep in order what the pool holds of several accounts.
 */
const poolSigning = (
  { transaction, payer }: PreparedTransaction,
  state: StateReader,
  pool: Pool,
  { nativeChainId: chainId, limits }: SigningChain,
): SigningContext => {
  const sequence = transaction.signerInfos[0]?.sequence
  return {
    chainId,
    evmChainId: limits.chainId,
    maxSignatures: readAuthParameters(state).txSigLimit,
    accountNumber: accountNumberOf,
    account: (address) => {
      const account = signerAccount(state, address)
      if (account === undefined || !equalBytes(address, payer)) return account
      const next = pool.account(address)?.nextNonce ?? account.sequence
      const fits = sequence !== undefined && sequence >= account.sequence && sequence <= next
      return { ...account, sequence: fits ? sequence : next }
    },
  }
}

/** Whether the accounts could hold the transaction in one of the next blocks. Throws sdk/8, /9 and /32, /4. */
export const checkPoolSigners = (
  prepared: PreparedTransaction,
  state: StateReader,
  pool: Pool,
  chain: SigningChain,
  charge?: SigningContext['charge'],
): readonly ResolvedSigner[] =>
  checkSigners(prepared, {
    ...poolSigning(prepared, state, pool, chain),
    ...(charge === undefined ? {} : { charge }),
  })

/** Whether a block that may weigh so much could hold it with all its gas. Throws sdk/41. */
export const checkNativeWeight = (prepared: PreparedTransaction, maxBlockWeight: number): void => {
  if (mostNativeWeight(prepared) <= maxBlockWeight) return
  const { gasLimit } = prepared.transaction.fee
  const most = (BigInt(maxBlockWeight) - BigInt(mostNativeWeight(prepared, 0n))) / BigInt(WEIGHT.nativeGas)
  throw sdkError('invalidGasLimit', `tx gas limit ${gasLimit} is more than a block has time for: at most ${most}`)
}

/** Throws sdk/9 and sdk/5. */
export const checkFeeFunds = (state: StateReader, payer: Address, feeAnat: bigint, spentAnat = 0n): void => {
  const account = state.account(payer)
  if (account === undefined)
    throw sdkError('unknownAddress', `fee payer address: ${encodeBech32(payer)} does not exist`)
  const spendable = account.balance > spentAnat ? account.balance - spentAnat : 0n
  if (spendable >= feeAnat) return
  const [has, needs] = [`${spendable}${DENOMINATION}`, `${feeAnat}${DENOMINATION}`]
  throw sdkError('insufficientFunds', `spendable balance ${has} is smaller than ${needs}`)
}
