/** Gas and fee of a transaction: said, or asked from the node. */
import { create } from '@bufbuild/protobuf'
import { DENOMINATION } from '../../../core/amounts.ts'
import { ceiling, type Decimal, multiplyRoundUp, parseScaledDecimal, toDecimal } from '../../../core/decimal.ts'
import { feeMarketQuery, node, tx, txService } from '../../../proto/index.ts'
import { cliError } from '../../errors.ts'
import { parseGasPrice } from '../client/coins.ts'
import { type CometClient, QueryRefusal } from '../client/comet-client.ts'
import { encodeTransaction } from './tx-document.ts'
import { OFFLINE_GAS, type TxFlags } from './tx-flags.ts'

/** The base fee rises by an eighth a block at most: two full blocks may come before. */
const BASE_FEE_MARGIN: Decimal = 1_270_000_000_000_000_000n

/** Gas that the transaction takes now. Throws cli/20 with the node's words for one that would fail. */
export const askGasUsed = async (client: CometClient, transaction: tx.Tx): Promise<bigint> => {
  const { gasInfo } = await client.query(txService.Service.method.simulate, { txBytes: encodeTransaction(transaction) })
  return gasInfo?.gasUsed ?? 0n
}

const askBaseFee = async (client: CometClient): Promise<Decimal> => {
  try {
    const { baseFee } = await client.query(feeMarketQuery.Query.method.baseFee, {})
    return baseFee === '' ? 0n : parseScaledDecimal(baseFee)
  } catch (error) {
    // A node that does not serve it has its minimum price above the floor of the base fee.
    if (error instanceof QueryRefusal) return 0n
    throw error
  }
}

/** anat per gas: the node's minimum, or what the base fee may become. */
const askGasPrice = async (client: CometClient): Promise<Decimal> => {
  const { minimumGasPrice } = await client.query(node.Service.method.config, {})
  const minimum = minimumGasPrice === '' ? 0n : parseGasPrice(minimumGasPrice)
  const expected = toDecimal(ceiling(multiplyRoundUp(await askBaseFee(client), BASE_FEE_MARGIN)))
  return expected > minimum ? expected : minimum
}

/** `simulated` is the transaction as the node would estimate it. Throws cli/1 offline, and cli/20. */
export const findGasLimit = async (
  client: CometClient,
  { gas, gasAdjustment, isOffline }: TxFlags,
  simulated: () => tx.Tx,
): Promise<bigint> => {
  if (typeof gas === 'bigint') return gas
  if (!isOffline) return ceiling((await askGasUsed(client, simulated())) * gasAdjustment)
  if (gas === 'auto') throw cliError('usage', 'offline, gas cannot be estimated: say --gas <number>')
  return OFFLINE_GAS
}

/** Throws cli/1 offline, where no price can be asked for. */
export const findFee = async (
  client: CometClient,
  { fees, gasPrice, isOffline }: TxFlags,
  gasLimit: bigint,
): Promise<tx.Fee> => {
  if (fees !== undefined) return create(tx.FeeSchema, { amount: [...fees], gasLimit })
  if (gasPrice === undefined && isOffline) {
    throw cliError('usage', 'offline, the price of gas is not known: say --fees or --gas-prices')
  }
  const price = gasPrice ?? (await askGasPrice(client))
  const amount = ceiling(gasLimit * price)
  return create(tx.FeeSchema, { amount: [{ denom: DENOMINATION, amount: amount.toString() }], gasLimit })
}
