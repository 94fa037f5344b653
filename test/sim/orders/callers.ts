/** Owners who ask the order book through its precompile, as a contract does: viem makes what they send. */
import { encodeFunctionData, type Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { clobAbi, PRECOMPILE_ADDRESSES } from '../../../packages/precompiles/index.ts'
import type { Random } from '../random.ts'
import { GWEI, signTransaction } from '../traffic.ts'
import { MID_TICKS } from './genesis.ts'

const MOST_LOTS = 40
const SPREAD_TICKS = 60
const CLIENT_IDS = ['0x', '0x00000001', '0x00000002', '0x0c'] as const
const GAS = 500_000n

const dataOf = (random: Random): Hex => {
  const market = random.chance(3) ? 9 : 1 + random.below(2)
  const clientId = random.pick(CLIENT_IDS)
  const kind = random.below(10)
  if (kind === 0) {
    const args = [0, random.below(3), random.below(3)] as const
    return encodeFunctionData({ abi: clobAbi, functionName: 'cancelAll', args })
  }
  if (kind === 1) {
    const args = [market, BigInt(1 + random.below(300))] as const
    return encodeFunctionData({ abi: clobAbi, functionName: 'cancelOrder', args })
  }
  if (kind === 2) {
    return encodeFunctionData({ abi: clobAbi, functionName: 'cancelClientOrder', args: [0, market, clientId] })
  }
  const keepPriority = random.chance(50)
  if (kind === 3 && random.chance(30)) {
    const atMs = random.chance(50) ? 0n : 4_102_444_800_000n
    return encodeFunctionData({ abi: clobAbi, functionName: 'scheduleCancel', args: [atMs] })
  }
  const order = {
    ...{ market, side: 1 + random.below(2), priceTicks: MID_TICKS - SPREAD_TICKS + random.below(2 * SPREAD_TICKS) },
    ...{ qtyLots: BigInt(1 + random.below(MOST_LOTS)), tif: 1 + random.below(4), stp: random.below(4), clientId },
    ...{ expireS: 0n, triggerTicks: 0, triggerKind: 0, maxFills: random.below(22), postOnlyMode: random.below(2) },
  }
  if (kind === 4) {
    const args = [0, BigInt(1 + random.below(300)), order, keepPriority] as const
    return encodeFunctionData({ abi: clobAbi, functionName: 'replaceOrder', args })
  }
  if (kind === 5) {
    const args = [0, clientId, order, keepPriority] as const
    return encodeFunctionData({ abi: clobAbi, functionName: 'replaceClientOrder', args })
  }
  return encodeFunctionData({ abi: clobAbi, functionName: 'placeOrder', args: [0, order] })
}

/** A transaction that calls the precompile. Some of the calls are refused. */
export const callBook = (random: Random, account: PrivateKeyAccount, nonce: number): Promise<Uint8Array> =>
  signTransaction(account, 2, {
    ...{ nonce, to: PRECOMPILE_ADDRESSES.clob, data: dataOf(random), gas: GAS },
    ...{ maxFeePerGas: 40n * GWEI, tip: GWEI + BigInt(random.below(1_000_000)) },
  })
