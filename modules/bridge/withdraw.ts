/** Coins are burned here, and become a leaf of the tree that proves to the contract what it may release. */
import type { BridgeContract } from '../../core/bridge-event.ts'
import { withdrawalDomainHash, withdrawalLeaf } from '../../core/bridge-withdrawal.ts'
import { equalBytes } from '../../core/bytes.ts'
import { appendedNodes } from '../../core/withdrawal-tree.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import type { Coin } from '../ledger.ts'
import type { MessageContext, ModuleContext } from '../module.ts'
import type { BridgeDependencies } from './deps.ts'
import { bridgeError } from './errors.ts'
import { coinsWithdrawn } from './events.ts'
import {
  nodesOf,
  readBurned,
  readMinted,
  readParams,
  readWayBack,
  writeBurned,
  writeNode,
  writeWayBack,
  writeWithdrawal,
} from './keeper/index.ts'
import type { BridgeParams } from './params.ts'
import type { WithdrawalRequest } from './wire.ts'
import { MAX_WITHDRAWALS, type StoredWithdrawal, type WayBack } from './way-back-record.ts'

/** What stays in state for ever: the withdrawal and two nodes on average, 33 at most. */
const WITHDRAWAL_GAS = 100_000n
const DAY_NS = 86_400_000_000_000n

const dayOf = (timeNs: bigint): number => Number(timeNs / DAY_NS)

const withdrawnOn = ({ day, dayAmount }: WayBack, today: number): bigint => (day === today ? dayAmount : 0n)

/** Throws bridge/3, 8, 10, 11, 16 and 21. */
const requireOpen = (params: BridgeParams, { coin, recipient }: WithdrawalRequest): BridgeContract => {
  const { contract, denom, isPaused, withdrawLimit, minWithdrawal } = params
  if (contract === undefined) throw bridgeError('noContract')
  if (isPaused) throw bridgeError('paused')
  if (withdrawLimit === 0n) throw bridgeError('withdraw')
  if (coin.denom !== denom) throw bridgeError('withdrawal', `the bridge withdraws ${denom}, and not ${coin.denom}`)
  if (coin.amount < minWithdrawal) throw bridgeError('tooLittle', `a withdrawal is at least ${minWithdrawal}${denom}`)
  if (equalBytes(recipient, contract.address)) throw bridgeError('recipient')
  return contract
}

/** Counts the withdrawal, and returns how far the way back is with it. Throws bridge/12 to 15. */
const count = (
  before: WayBack,
  amount: bigint,
  { withdrawLimit, maxWithdrawalsPerBlock }: BridgeParams,
  { height, timeNs }: ModuleContext,
): WayBack => {
  const day = dayOf(timeNs)
  const dayAmount = withdrawnOn(before, day) + amount
  if (dayAmount > withdrawLimit) {
    const left = withdrawLimit - (dayAmount - amount)
    throw bridgeError('dayLimit', `${left > 0n ? left : 0n} of the limit of this day (UTC) are left`)
  }
  if (amount > before.held) throw bridgeError('held', `the contract holds ${before.held} for withdrawals`)
  const inBlock = (before.height === height ? before.inBlock : 0) + 1
  if (inBlock > maxWithdrawalsPerBlock) throw bridgeError('blockLimit')
  if (before.size >= MAX_WITHDRAWALS - 1) throw bridgeError('full')
  return { ...before, size: before.size + 1, held: before.held - amount, day, dayAmount, height, inBlock }
}

/** Writes a withdrawal, and the nodes that its leaf completes in the tree. */
export const appendWithdrawal = (
  state: StateWriter,
  contract: BridgeContract,
  nativeChainId: string,
  id: number,
  withdrawal: StoredWithdrawal,
): void => {
  const { recipient, amount } = withdrawal
  const domain = withdrawalDomainHash({ ...contract, nativeChainId })
  const leaf = withdrawalLeaf(domain, { id, recipient, amount })
  writeWithdrawal(state, contract, id, withdrawal)
  for (const node of appendedNodes(id, leaf, nodesOf(state, contract))) writeNode(state, contract, node)
}

/** Deposits of another denomination are not for those who have this one, though one contract holds both. Throws bridge/13. */
const requireMinted = (state: StateReader, { denom, amount }: Coin): void => {
  const left = readMinted(state, denom) - readBurned(state, denom)
  if (amount > left) throw bridgeError('held', `${left}${denom} have come over the bridge and not gone back`)
}

const burn = (context: ModuleContext, sender: Uint8Array, coin: Coin, { ledger }: BridgeDependencies): void => {
  const { state } = context
  ledger.burn(context, sender, [coin])
  writeBurned(state, coin.denom, readBurned(state, coin.denom) + coin.amount)
}

/** Burns the coins and returns the id of the withdrawal. Throws bridge/3, 8, 10 to 16, and 21; sdk/5 where the sender has too little. */
export const withdraw = (context: MessageContext, request: WithdrawalRequest, needs: BridgeDependencies): number => {
  context.consumeGas(WITHDRAWAL_GAS, 'a withdrawal over the bridge')
  const { state, height, chainId } = context
  const { sender, recipient, coin } = request
  const params = readParams(state)
  const contract = requireOpen(params, request)
  const before = readWayBack(state, contract)
  const after = count(before, coin.amount, params, context)
  requireMinted(state, coin)
  burn(context, sender, coin, needs)
  const id = before.size
  appendWithdrawal(state, contract, chainId, id, { sender, recipient, height, ...coin })
  writeWayBack(state, contract, after)
  context.emit(coinsWithdrawn(id, request, contract))
  return id
}
