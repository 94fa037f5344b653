/** What a native transaction must meet to enter the pool: the SDK's checks with its codes, then the pool's bounds. */
import { CodedError } from '../../../core/errors.ts'
import { readAuthParameters } from '../../../modules/auth/index.ts'
import { sdkError } from '../../../modules/sdk-errors.ts'
import { readMaxBlockWeight } from '../../../modules/weight/index.ts'
import { POOL_CODES } from '../../errors.ts'
import { checkMemo, checkTimeoutHeight } from '../../native/decode-transaction.ts'
import { checkFee } from '../../native/fees.ts'
import { transactionGas } from '../../native/gas.ts'
import { poolAccountOf } from '../../pool/entry.ts'
import type { AdmissionContext, Origin } from '../../pool/family.ts'
import { WAIT_TEXTS } from '../../pool/wait-texts.ts'
import { NativeEntry } from './entry.ts'
import { checkFeeFunds, checkNativeWeight, checkPoolSigners } from './pool-checks.ts'
import type { PreparedTransaction } from './prepare.ts'

/** The pool's refusals in the SDK's codes. */
const insert = (entry: NativeEntry, { pool, state, baseFeePerGas }: AdmissionContext): void => {
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
export const admitNative = (
  prepared: PreparedTransaction,
  context: AdmissionContext,
  origin: Origin = 'network',
): NativeEntry => {
  const { state, pool, settings, limits, baseFeePerGas } = context
  const { transaction, payer } = prepared
  const { hash, fee } = transaction
  const { gasLimit } = fee
  if (pool.get(hash) !== undefined) throw sdkError('alreadyInMempool')
  if (gasLimit > limits.blockGasLimit) {
    throw sdkError('invalidGasLimit', `tx gas limit ${gasLimit} exceeds block max gas ${limits.blockGasLimit}`)
  }
  const cap = settings.maxTransactionGas
  if (cap > 0n && gasLimit > cap) {
    throw sdkError('invalidGasLimit', `tx gas limit ${gasLimit} exceeds the cap of this node ${cap}`)
  }
  checkNativeWeight(prepared, readMaxBlockWeight(state))
  const parameters = readAuthParameters(state)
  checkTimeoutHeight(transaction, context.height)
  checkMemo(transaction.memo, parameters.maxMemoCharacters)
  const { feeAnat, gasPrice } = checkFee(fee, {
    // A base fee that has risen above its price refuses what comes, and lets wait what was there.
    baseFeePerGas: origin === 'journal' ? 0n : baseFeePerGas,
    minimumGasPrice: settings.minimumGasPriceAnat,
  })
  const nonce = transaction.signerInfos[0]?.sequence ?? 0n
  checkFeeFunds(state, payer, feeAnat, pool.account(payer)?.expenditureWithout(nonce))
  const signers = checkPoolSigners(prepared, state, pool, context, (resolved) => {
    const needed = transactionGas(transaction, resolved, parameters)
    if (needed <= gasLimit) return
    const figures = `gasWanted: ${gasLimit}, gasUsed: ${needed}`
    throw sdkError('outOfGas', `out of gas in location: size and signatures; ${figures}`)
  })
  const entry = new NativeEntry({
    prepared: { ...prepared, isVerified: true, isTypedData: signers.some(({ isTypedData }) => isTypedData) },
    nonce,
    gasPrice,
    feeAnat,
    arrival: context.arrival,
    addedAtMs: context.nowMs,
  })
  insert(entry, context)
  return entry
}
