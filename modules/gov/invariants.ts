/** What must hold of governance after every block. */
import { bytesToHex } from '../../core/hex.ts'
import type { StateReader } from '../../store/state.ts'
import type { Coin } from '../ledger.ts'
import type { Invariant } from '../module.ts'
import { addCoins, formatCoins } from './coins.ts'
import type { GovDependencies } from './deps.ts'
import {
  GOV_ADDRESS,
  readAllDeposits,
  readAllVotes,
  readDeposited,
  readEndedDeposits,
  readEndedVotings,
  readNextProposalId,
  readProposal,
  readProposals,
  readVoteCount,
} from './keeper.ts'
import { isOpen, ProposalStatus } from './proposal.ts'

/** Proposals that are open at once, for the comparison with the queues. */
const MAX_OPEN = 1_000_000
const END_OF_TIME_NS = (1n << 64n) - 1n

interface Sums {
  coins: readonly Coin[]
  count: number
}

const depositFault = (state: StateReader, { ledger }: GovDependencies): string | undefined => {
  const sums = new Map<bigint, Sums>()
  let all: readonly Coin[] = []
  for (const { proposalId, coins } of readAllDeposits(state)) {
    const before = sums.get(proposalId) ?? { coins: [], count: 0 }
    sums.set(proposalId, { coins: addCoins(before.coins, coins), count: before.count + 1 })
    all = addCoins(all, coins)
  }
  for (const [id, { coins, count }] of sums) {
    const proposal = readProposal(state, id)
    if (proposal === undefined || !isOpen(proposal)) return `deposits on proposal ${id}, which takes none`
    if (proposal.depositors !== count) return `proposal ${id} has ${count} depositors, not ${proposal.depositors}`
    const total = formatCoins(proposal.totalDeposit)
    if (total !== formatCoins(coins)) return `the deposits on proposal ${id} sum to ${formatCoins(coins)}, not ${total}`
  }
  const noted = formatCoins(readDeposited(state))
  if (noted !== formatCoins(all)) return `deposits sum to ${formatCoins(all)}, not ${noted}`
  const missing = all.find(({ denom, amount }) => ledger.balance(state, GOV_ADDRESS, denom) < amount)
  return missing === undefined ? undefined : `the account has less than the deposits of ${formatCoins([missing])}`
}

const voteFault = (state: StateReader): string | undefined => {
  const counts = new Map<bigint, number>()
  for (const { proposalId, voter } of readAllVotes(state)) {
    if (readVoteCount(state, proposalId) === undefined) {
      return `a vote of ${bytesToHex(voter)} on proposal ${proposalId}, which takes none`
    }
    counts.set(proposalId, (counts.get(proposalId) ?? 0) + 1)
  }
  for (const { id, status } of readProposals(state)) {
    const expected = status === ProposalStatus.VOTING_PERIOD ? (counts.get(id) ?? 0) : undefined
    const noted = readVoteCount(state, id)
    if (noted !== expected) return `proposal ${id} has ${expected ?? 'no'} votes, noted are ${noted ?? 'none'}`
  }
  return undefined
}

const bigintOrder = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

const queueFault = (state: StateReader): string | undefined => {
  const open: Record<'deposit' | 'voting', bigint[]> = { deposit: [], voting: [] }
  const next = readNextProposalId(state)
  for (const { id, status } of readProposals(state)) {
    if (id >= next) return `proposal ${id} exists, but the next one would be ${next}`
    if (status === ProposalStatus.DEPOSIT_PERIOD) open.deposit.push(id)
    if (status === ProposalStatus.VOTING_PERIOD) open.voting.push(id)
  }
  const queues = [
    ['deposit period', readEndedDeposits(state, END_OF_TIME_NS, MAX_OPEN), open.deposit],
    ['voting period', readEndedVotings(state, END_OF_TIME_NS, MAX_OPEN), open.voting],
  ] as const
  for (const [name, queued, expected] of queues) {
    const sorted = [...queued].sort(bigintOrder)
    if (sorted.join() !== expected.join())
      return `the queue of the ${name} holds ${sorted.join()}, not ${expected.join()}`
  }
  return undefined
}

export const govInvariants = (dependencies: GovDependencies): readonly Invariant[] => [
  { name: 'gov/deposits-are-backed', check: ({ state }) => depositFault(state, dependencies) },
  { name: 'gov/votes-are-of-running-votings', check: ({ state }) => voteFault(state) },
  { name: 'gov/queues-hold-the-open-proposals', check: ({ state }) => queueFault(state) },
]
