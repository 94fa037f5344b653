/** What a native transaction must meet to enter the pool: the SDK's checks with its codes, then the pool's bounds. */
import type { Address } from '../../core/address.ts'
import { DENOMINATION } from '../../core/amounts.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { equalBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { WEIGHT } from '../../evm/weight.ts'
import { readAuthParameters } from '../../modules/auth/index.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import { readMaxBlockWeight } from '../../modules/weight/index.ts'
import type { StateReader } from '../../store/state.ts'
import type { PreparedTransaction } from '../block/native/prepare.ts'
import { checkSigners, signerAccount } from '../block/native/signers.ts'
import { mostNativeWeight, nativeWeight } from '../block/native/weight.ts'
import { POOL_CODES } from '../errors.ts'
import { accountNumberOf } from '../native/account-number.ts'
import { checkMemo, checkTimeoutHeight } from '../native/decode-transaction.ts'
import { checkFee } from '../native/fees.ts'
import { transactionGas } from '../native/gas.ts'
import type { ResolvedSigner, SigningContext } from '../native/verify-signatures.ts'
import { type NativeEntry, poolAccountOf } from './account-queue.ts'
import type { AdmissionContext } from './admit.ts'
import type { Pool } from './pool.ts'
import { WAIT_TEXTS } from './wait-texts.ts'

export interface NativeAdmissionContext extends AdmissionContext {
  /** CometBFT's chain id. */
  readonly nativeChainId: string
  /** Of the next block. */
  readonly height: number
  /**
   * It was in the pool before the node was started again: a base fee that has risen above its price refuses what comes, and
   * lets wait what is there.
   */
  readonly wasHeld?: boolean
}

/**
 * The first signer's account as the pool will leave it: a sequence is right from the nonce in the state (where it
 * replaces) up to the first that is missing in the pool. A higher one is refused, as by the SDK. Other signers' sequences
 * are those of the state: nothing would keep in order what the pool holds of several accounts.
 */
const poolSigning = (
  { transaction, payer }: PreparedTransaction,
  state: StateReader,
  pool: Pool,
  chainId: string,
): SigningContext => {
  const sequence = transaction.signerInfos[0]?.sequence
  return {
    chainId,
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
  chainId: string,
): readonly ResolvedSigner[] => checkSigners(prepared, poolSigning(prepared, state, pool, chainId))

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

/** The pool's refusals in the SDK's codes. */
const insert = (entry: NativeEntry, { pool, state, baseFeePerGas }: NativeAdmissionContext): void => {
  const account = poolAccountOf(state.account(entry.sender))
  // A client that CometBFT tells of a code believes its transaction refused: so it is, and waits nowhere.
  if (pool.waitReason(entry, account) === 'reserved') throw sdkError('mempoolFull', WAIT_TEXTS.reserved)
  try {
    pool.insert(entry, account, baseFeePerGas)
  } catch (error) {
    if (!(error instanceof CodedError) || error.codespace !== 'pool') throw error
    if (error.code !== POOL_CODES.replacementUnderpriced) {
      throw sdkError('mempoolFull', error.message)
    }
    const expected = pool.account(entry.sender)?.nextNonce ?? entry.nonce
    throw sdkError('wrongSequence', `account sequence mismatch, expected ${expected}, got ${entry.nonce}`)
  }
}

/** Checks and inserts. Throws codes of the SDK. Executes nothing. */
export const admitNative = (prepared: PreparedTransaction, context: NativeAdmissionContext): NativeEntry => {
  const { state, pool, settings, limits, baseFeePerGas } = context
  const { transaction, payer } = prepared
  const { hash, fee } = transaction
  const { gasLimit } = fee
  if (pool.get(hash) !== undefined) throw sdkError('alreadyInMempool')
  if (gasLimit > limits.blockGasLimit) {
    throw sdkError('invalidGasLimit', `tx gas limit ${gasLimit} exceeds block max gas ${limits.blockGasLimit}`)
  }
  const maxWeight = readMaxBlockWeight(state)
  if (mostNativeWeight(prepared) > maxWeight) {
    const most = (BigInt(maxWeight) - BigInt(nativeWeight(prepared, 0n))) / BigInt(WEIGHT.nativeGas)
    throw sdkError('invalidGasLimit', `tx gas limit ${gasLimit} is more than a block has time for: at most ${most}`)
  }
  const parameters = readAuthParameters(state)
  checkTimeoutHeight(transaction, context.height)
  checkMemo(transaction.memo, parameters.maxMemoCharacters)
  const { feeAnat, gasPrice } = checkFee(fee, {
    baseFeePerGas: context.wasHeld ? 0n : baseFeePerGas,
    minimumGasPrice: settings.minimumGasPriceAnat,
  })
  const nonce = transaction.signerInfos[0]?.sequence ?? 0n
  checkFeeFunds(state, payer, feeAnat, pool.account(payer)?.expenditureWithout(nonce))
  const signers = checkPoolSigners(prepared, state, pool, context.nativeChainId)
  const needed = transactionGas(transaction, signers, parameters)
  if (needed > gasLimit) {
    throw sdkError(
      'outOfGas',
      `out of gas in location: size and signatures; gasWanted: ${gasLimit}, gasUsed: ${needed}`,
    )
  }
  const entry: NativeEntry = {
    kind: 'native',
    prepared: { ...prepared, isVerified: true },
    raw: transaction.raw,
    hash,
    sender: payer,
    nonce,
    gasLimit,
    arrival: context.arrival,
    addedAtMs: context.nowMs,
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: gasPrice,
    costAnat: feeAnat,
  }
  insert(entry, context)
  return entry
}
