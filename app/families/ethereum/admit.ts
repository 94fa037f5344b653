/** What a transaction must meet to enter the pool: geth's checks in geth's order, then the pool's bounds. */
import type { Address } from '../../../core/address.ts'
import { ANAT_PER_NAT } from '../../../core/amounts.ts'
import { bytesToKey } from '../../../core/bytes.ts'
import { type Hash, keccak256 } from '../../../core/hash.ts'
import { MAX_TRANSACTION_BYTES } from '../../../core/limits.ts'
import { poolErrors } from '../../../evm/errors.ts'
import { decodeTransaction } from '../../../evm/transaction/decode-transaction.ts'
import { recoverAuthority } from '../../../evm/transaction/recover-authority.ts'
import type { SignedTransaction, Transaction } from '../../../evm/transaction/transaction.ts'
import {
  checkEnvelope,
  checkGas,
  checkWithState,
  effectiveGasPrice,
  feeCap,
  tipCap,
  transactionCost,
} from '../../../evm/transaction/validity.ts'
import { poolError, wrongChainText } from '../../errors.ts'
import type { ApplicationSettings } from '../../settings.ts'
import { poolAccountOf } from '../../pool/entry.ts'
import type { AdmissionContext } from '../../pool/family.ts'
import { EthereumEntry } from './entry.ts'

/** Ether with two digits, as geth's fee cap message prints it: from a float of 64 bits. */
const formatNat = (amountAnat: bigint): string => {
  const whole = Number(amountAnat / ANAT_PER_NAT)
  if (whole > Number.MAX_SAFE_INTEGER) return `${BigInt(whole)}.00`
  const hundredths = (amountAnat * 100n + ANAT_PER_NAT / 2n) / ANAT_PER_NAT
  return `${hundredths / 100n}.${(hundredths % 100n).toString().padStart(2, '0')}`
}

const checkSize = (raw: Uint8Array): void => {
  if (raw.length > MAX_TRANSACTION_BYTES) {
    throw poolError('oversized', `oversized data: transaction size ${raw.length}, limit ${MAX_TRANSACTION_BYTES}`)
  }
}

/** Integers up to here are refused in geth's order and words, which print them. */
const MAX_PRINTED = 2n ** 512n

/** Integers on the wire have no bound of their own. Those that take long to print are refused before. */
const checkNumbers = (transaction: Transaction, { limits }: AdmissionContext): void => {
  const { chainId, value } = transaction
  if (chainId !== undefined && chainId > MAX_PRINTED) {
    throw poolError('wrongChain', wrongChainText(chainId, limits.chainId))
  }
  if (feeCap(transaction) > MAX_PRINTED) throw poolErrors.feeCapVeryHigh()
  if (tipCap(transaction) > MAX_PRINTED) throw poolErrors.tipVeryHigh()
  if (value > MAX_PRINTED) {
    throw poolError('insufficientFunds', 'insufficient funds for gas * price + value: the value exceeds 512 bits')
  }
}

/** Rules of eth_sendRawTransaction alone: a wallet's mistakes, not the network's. */
const checkWalletRules = (transaction: Transaction, settings: ApplicationSettings): void => {
  const feeAnat = feeCap(transaction) * transaction.gasLimit
  if (settings.txFeeCapAnat > 0n && feeAnat > settings.txFeeCapAnat) {
    const [fee, cap] = [formatNat(feeAnat), formatNat(settings.txFeeCapAnat)]
    throw poolError('feeCap', `tx fee (${fee} ether) exceeds the configured cap (${cap} ether)`)
  }
}

const checkProtected = (transaction: Transaction, settings: ApplicationSettings): void => {
  if (transaction.chainId === undefined && !settings.allowUnprotectedTransactions) {
    throw poolError('unprotected', 'only replay-protected (EIP-155) transactions allowed over RPC')
  }
}

const checkGasCap = ({ gasLimit }: Transaction, { maxTransactionGas: cap }: ApplicationSettings): void => {
  if (cap > 0n && gasLimit > cap) {
    throw poolError('gasCap', `tx gas limit ${gasLimit} exceeds the cap of this node ${cap}`)
  }
}

const checkMinimumPrice = (transaction: Transaction, context: AdmissionContext): void => {
  const minimum = context.settings.minimumGasPriceAnat
  const fee = feeCap(transaction)
  // A fee cap below the base fee waits for the base fee to fall: what it offers is its cap.
  const price = fee < context.baseFeePerGas ? fee : effectiveGasPrice(fee, tipCap(transaction), context.baseFeePerGas)
  if (price < minimum) {
    throw poolError('underpriced', 'tx underpriced', {
      effectiveGasPrice: price.toString(),
      minimumGasPrice: minimum.toString(),
      baseFeePerGas: context.baseFeePerGas.toString(),
    })
  }
}

const checkFunds = (signed: SignedTransaction, context: AdmissionContext): void => {
  const { transaction, sender } = signed
  checkWithState(context.state, sender, transaction)
  const queue = context.pool.account(sender)
  if (queue === undefined || queue.executableCount === 0) return
  const balance = context.state.account(sender)?.balance ?? 0n
  const cost = transactionCost(transaction)
  const others = queue.expenditureWithout(transaction.nonce)
  if (others + cost <= balance) return
  const replaced = queue.isExecutable(transaction.nonce) ? queue.get(transaction.nonce)?.costAnat : undefined
  const queued = others + (replaced ?? 0n)
  const added = replaced === undefined ? `tx cost ${cost}` : `tx bumped ${cost - replaced}`
  const details = `balance ${balance}, queued cost ${queued}, ${added}, overshot ${others + cost - balance}`
  throw poolError('insufficientFunds', `insufficient funds for gas * price + value: ${details}`)
}

/**
 * Whose delegations the transaction can set, in this block or a later one. Each costs 40 microseconds, and the sender
 * the gas of two transfers.
 */
const authoritiesOf = (transaction: Transaction, { state, limits }: AdmissionContext): readonly Address[] => {
  if (transaction.type !== 4) return []
  const authorities = new Map<string, Address>()
  for (const authorization of transaction.authorizationList) {
    const { chainId, nonce } = authorization
    if (chainId !== 0n && chainId !== limits.chainId) continue
    const authority = recoverAuthority(authorization)
    if (authority === undefined || (state.account(authority)?.nonce ?? 0n) > nonce) continue
    authorities.set(bytesToKey(authority), authority)
  }
  return [...authorities.values()]
}

/** An Ethereum transaction of which all is checked that does not need its sender. */
export interface ExaminedEthereum {
  readonly raw: Uint8Array
  readonly transaction: Transaction
  readonly hash: Hash
}

const checkUnknown = (hash: Hash, { pool }: AdmissionContext): void => {
  if (pool.get(hash) !== undefined) throw poolError('alreadyKnown', 'already known')
}

/**
 * The first half of an admission: decodes, and checks what needs no sender. Throws a CodedError of codespace pool, evm
 * or rlp; the text is what the sender sees. `origin` is who brought it: a wallet through eth_sendRawTransaction, or
 * CometBFT's mempool.
 */
export const examine = (raw: Uint8Array, origin: 'wallet' | 'network', context: AdmissionContext): ExaminedEthereum => {
  // Peers send what they like, and geth's order of refusals is for wallets.
  if (origin === 'network') checkSize(raw)
  const transaction = decodeTransaction(raw)
  checkNumbers(transaction, context)
  if (origin === 'wallet') checkWalletRules(transaction, context.settings)
  checkProtected(transaction, context.settings)
  checkGasCap(transaction, context.settings)
  const hash = keccak256(raw)
  checkUnknown(hash, context)
  checkSize(raw)
  checkEnvelope(transaction, context.limits)
  return { raw, transaction, hash }
}

/**
 * The second half: checks with the sender's account, and inserts. Throws as {@link examine}. Never executes code. The
 * head may have moved on since the first half, and the same transaction may have come twice.
 */
export const admit = (
  { raw, transaction, hash }: ExaminedEthereum,
  sender: Address,
  context: AdmissionContext,
): EthereumEntry => {
  checkUnknown(hash, context)
  const signed: SignedTransaction = { transaction, raw, hash, sender }
  checkGas(transaction, context.limits)
  checkMinimumPrice(transaction, context)
  checkFunds(signed, context)
  const account = poolAccountOf(context.state.account(sender))
  const fields = { signed, arrival: context.arrival, addedAtMs: context.nowMs }
  if (transaction.type === 4) {
    // Hundreds of signatures may be recovered next: not for one that has no place, which costs its sender nothing.
    context.pool.requirePlace(new EthereumEntry({ ...fields, authorities: [] }), account, context.baseFeePerGas)
  }
  const entry = new EthereumEntry({ ...fields, authorities: authoritiesOf(transaction, context) })
  context.pool.insert(entry, account, context.baseFeePerGas)
  return entry
}
