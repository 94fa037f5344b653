/** Fees of native transactions: one coin of anat for the whole gas limit, against the prices of gas. */
import { DENOMINATION } from '../../core/amounts.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import type { FeeCoin, NativeFee } from './decode-transaction.ts'

export interface GasPrices {
  /** anat per gas, in force in the block: a rule of validity. */
  readonly baseFeePerGas: bigint
  /** anat per gas below which this node takes nothing into its pool; 0 where blocks are judged. */
  readonly minimumGasPrice: bigint
}

export interface PaidFee {
  /** What the first signer pays, whatever the transaction uses. */
  readonly feeAnat: bigint
  /** anat per gas, rounded down: for the order of the pool. */
  readonly gasPrice: bigint
}

const formatCoins = (coins: readonly FeeCoin[]): string =>
  coins.map(({ denom, amount }) => `${amount}${denom.slice(0, 128)}`).join(',')

/** A price below what is required, with the three decimals that tell it from the requirement. */
const formatPrice = (feeAnat: bigint, gasLimit: bigint): string => {
  const thousandths = (feeAnat * 1_000n) / gasLimit
  return `${thousandths / 1_000n}.${String(thousandths % 1_000n).padStart(3, '0')}`
}

/** Throws sdk/18 without a gas limit, sdk/13 for a missing, zero, negative or low fee or another denomination. */
export const checkFee = (
  { coins, gasLimit }: Omit<NativeFee, 'payer'>,
  { baseFeePerGas, minimumGasPrice }: GasPrices,
): PaidFee => {
  if (gasLimit <= 0n) throw sdkError('invalidRequest', 'gas cannot be zero')
  const [coin] = coins
  const required = baseFeePerGas > minimumGasPrice ? baseFeePerGas : minimumGasPrice
  const minimumFee = (): string => `${required * gasLimit}${DENOMINATION}`
  if (coin === undefined) {
    throw sdkError('insufficientFee', `fee not provided. The minimum global fee for this tx is: ${minimumFee()}`)
  }
  if (coins.some(({ amount }) => amount < 0n)) {
    throw sdkError('insufficientFee', `invalid fee provided: ${formatCoins(coins)}`)
  }
  if (coins.length > 1 || coin.denom !== DENOMINATION) {
    throw sdkError(
      'insufficientFee',
      `expected only native token ${DENOMINATION} for fee, but got ${formatCoins(coins)}`,
    )
  }
  const feeAnat = coin.amount
  if (feeAnat < baseFeePerGas * gasLimit) {
    throw sdkError(
      'insufficientFee',
      `gas prices too low, got: ${formatPrice(feeAnat, gasLimit)}${DENOMINATION} required: ${required}${DENOMINATION}. ` +
        'Please retry using a higher gas price or a higher fee',
    )
  }
  if (feeAnat === 0n || feeAnat < minimumGasPrice * gasLimit) {
    throw sdkError(
      'insufficientFee',
      `provided fee < minimum global fee (${formatCoins(coins)} < ${minimumFee()}). Please increase the gas price.`,
    )
  }
  return { feeAnat, gasPrice: feeAnat / gasLimit }
}
