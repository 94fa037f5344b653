/** Deposits: made until a vote begins and while it runs, then given back, burned, or charged (x/gov/keeper/deposit.go). */
import type { Address } from '../../core/address.ts'
import { moduleAddress } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { type Decimal, multiply, round, toDecimal, truncate } from '../../core/decimal.ts'
import { equalBytes } from '../../core/bytes.ts'
import type { Coin, LedgerContext } from '../ledger.ts'
import type { MessageContext, ModuleContext } from '../module.ts'
import { sdkError } from '../sdk-errors.ts'
import { addCoins, amountOf, coversAll, formatCoins } from './coins.ts'
import type { GovDependencies } from './deps.ts'
import { govError } from './errors.ts'
import { deposited } from './events.ts'
import {
  deleteDeposit,
  readDeposit,
  readDeposits,
  readParams,
  readProposal,
  writeDeposit,
  writeProposal,
} from './keeper/proposals.ts'
import { GOV_ADDRESS } from './keys.ts'
import { GAS_PER_DEPOSIT, MAX_DEPOSIT_COINS, MAX_DEPOSITORS } from './limits.ts'
import type { GovParams } from './params.ts'
import { isOpen, type Proposal, ProposalStatus } from './proposal.ts'

const DISTRIBUTION_ADDRESS = moduleAddress('distribution')

const minimumOf = (params: GovParams, expedited: boolean): readonly Coin[] =>
  expedited ? params.expeditedMinDeposit : params.minDeposit

/** Throws gov/23. */
export const checkDepositDenoms = ({ minDeposit }: GovParams, coins: readonly Coin[]): void => {
  if (coins.every(({ denom }) => minDeposit.some((accepted) => accepted.denom === denom))) return
  const accepted = minDeposit.map(({ denom }) => denom).join(' ')
  throw govError(
    'invalidDepositDenom',
    `deposited ${formatCoins(coins)}, but gov accepts only the following denom(s): [${accepted}]`,
  )
}

/** What a proposal must bring. Throws gov/16. */
export const checkInitialDeposit = (params: GovParams, coins: readonly Coin[], expedited: boolean): void => {
  const ratio = params.minInitialDepositRatio
  if (ratio === 0n) return
  const needed = minimumOf(params, expedited).map(({ denom, amount }) => ({
    denom,
    amount: round(multiply(toDecimal(amount), ratio)),
  }))
  if (coversAll(coins, needed)) return
  throw govError('depositTooSmall', `was (${formatCoins(coins)}), need (${formatCoins(needed)})`)
}

/** A part of the minimal deposit in one of its denominations. Throws gov/16. */
const checkDepositSize = (minimum: readonly Coin[], ratio: Decimal, coins: readonly Coin[]): void => {
  if (ratio === 0n) return
  const thresholds = minimum.map(({ denom, amount }) => ({
    denom,
    amount: truncate(multiply(toDecimal(amount), ratio)),
  }))
  // A denomination that is not there at all does not meet even a threshold of zero.
  const has = (denom: string): boolean => coins.some((coin) => coin.denom === denom)
  if (thresholds.some(({ denom, amount }) => has(denom) && amountOf(coins, denom) >= amount)) return
  throw govError(
    'depositTooSmall',
    `received ${formatCoins(coins)} but need at least one of the following: ${formatCoins(thresholds)}`,
  )
}

const activated = (proposal: Proposal, params: GovParams, timeNs: bigint): Proposal => ({
  ...proposal,
  status: ProposalStatus.VOTING_PERIOD,
  votingStartTimeNs: timeNs,
  votingEndTimeNs: timeNs + (proposal.expedited ? params.expeditedVotingPeriodNs : params.votingPeriodNs),
})

/**
 * Takes a deposit, and begins the voting period when the proposal now has enough: returns whether it did. Throws gov/3,
 * /16, /23, /102, /104 and sdk/5.
 */
export const addDeposit = (
  { ledger }: GovDependencies,
  context: MessageContext,
  id: bigint,
  depositor: Address,
  coins: readonly Coin[],
): boolean => {
  const { state } = context
  const proposal = readProposal(state, id)
  if (proposal === undefined || !isOpen(proposal)) throw govError('inactiveProposal', id.toString())
  const params = readParams(state)
  const minimum = minimumOf(params, proposal.expedited)
  checkDepositDenoms(params, coins)
  checkDepositSize(minimum, params.minDepositRatio, coins)
  const totalDeposit = addCoins(proposal.totalDeposit, coins)
  if (totalDeposit.length > MAX_DEPOSIT_COINS) {
    throw govError(
      'tooManyDenoms',
      `the deposits on proposal ${id} can have ${MAX_DEPOSIT_COINS} denominations together`,
    )
  }
  const before = readDeposit(state, id, depositor)
  if (before === undefined) {
    if (proposal.depositors >= MAX_DEPOSITORS) {
      throw govError('tooManyDepositors', `proposal ${id} has ${MAX_DEPOSITORS} depositors, who can add to theirs`)
    }
    context.consumeGas(GAS_PER_DEPOSIT * BigInt(coins.length), 'deposit')
  }
  ledger.send(context, depositor, GOV_ADDRESS, coins)
  const funded: Proposal = {
    ...proposal,
    totalDeposit,
    depositors: proposal.depositors + (before === undefined ? 1 : 0),
  }
  const starts = proposal.status === ProposalStatus.DEPOSIT_PERIOD && coversAll(funded.totalDeposit, minimum)
  writeProposal(state, starts ? activated(funded, params, context.timeNs) : funded, proposal)
  context.emit(deposited(id, depositor, coins))
  writeDeposit(state, { proposalId: id, depositor, coins: addCoins(before?.coins ?? [], coins) }, coins)
  return starts
}

/** Gives all deposits on a proposal back, each with the events of a transfer. */
export const refundDeposits = ({ ledger }: GovDependencies, context: LedgerContext, id: bigint): void => {
  for (const deposit of [...readDeposits(context.state, id)]) {
    ledger.send(context, GOV_ADDRESS, deposit.depositor, deposit.coins)
    deleteDeposit(context.state, deposit)
  }
}

/** Burns all deposits on a proposal at once. */
export const burnDeposits = ({ ledger }: GovDependencies, context: LedgerContext, id: bigint): void => {
  let coins: readonly Coin[] = []
  for (const deposit of [...readDeposits(context.state, id)]) {
    coins = addCoins(coins, deposit.coins)
    deleteDeposit(context.state, deposit)
  }
  ledger.burn(context, GOV_ADDRESS, coins)
}

/** Where the price of cancelling goes. Throws sdk/4 for the account of a module. */
const settleCharge = (
  { ledger, fundCommunityPool }: GovDependencies,
  context: ModuleContext,
  destination: Address | undefined,
  charge: readonly Coin[],
): void => {
  if (charge.length === 0) return
  if (destination === undefined) {
    ledger.burn(context, GOV_ADDRESS, charge)
  } else if (equalBytes(destination, DISTRIBUTION_ADDRESS)) {
    fundCommunityPool(context, GOV_ADDRESS, charge)
  } else if (ledger.isBlockedReceiver(destination)) {
    throw sdkError('unauthorized', `${encodeBech32(destination)} is not allowed to receive funds`)
  } else {
    ledger.send(context, GOV_ADDRESS, destination, charge)
  }
}

/**
 * Keeps a part of every deposit, truncated, and gives the rest back: the remainder of the division is the depositor's.
 */
export const chargeDeposits = (dependencies: GovDependencies, context: ModuleContext, id: bigint): void => {
  const { proposalCancelRatio: ratio, proposalCancelDest } = readParams(context.state)
  let charge: readonly Coin[] = []
  for (const deposit of [...readDeposits(context.state, id)]) {
    const kept = deposit.coins.map(({ denom, amount }) => ({
      denom,
      amount: truncate(multiply(toDecimal(amount), ratio)),
    }))
    const rest = deposit.coins
      .map(({ denom, amount }) => ({ denom, amount: amount - amountOf(kept, denom) }))
      .filter(({ amount }) => amount > 0n)
    charge = addCoins(charge, kept)
    if (rest.length > 0) dependencies.ledger.send(context, GOV_ADDRESS, deposit.depositor, rest)
    deleteDeposit(context.state, deposit)
  }
  settleCharge(dependencies, context, proposalCancelDest, charge)
}
