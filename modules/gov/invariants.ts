/** What must hold of governance after every block. */
import { bytesToHex } from '../../core/hex.ts'
import type { StateReader } from '../../store/state.ts'
import type { Coin } from '../ledger.ts'
import type { Invariant } from '../module.ts'
import { addCoins, formatCoins } from './coins.ts'
import type { GovDependencies } from './deps.ts'
import {
  readAllDeposits,
  readDeposited,
  readDueDeposits,
  readDueVotings,
  readNextProposalId,
  readProposal,
  readProposals,
} from './keeper/proposals.ts'
import { GOV_ADDRESS, type Voting } from './keys.ts'
import { isOpen, ProposalStatus } from './proposal.ts'
import {
  addShares,
  type Count,
  isRunning,
  NO_COUNT,
  readAllCounts,
  readAllVotes,
  readEndedVotings,
  readVoting,
} from './keeper/votings.ts'

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

const nameOf = ({ id, expedited }: Voting): string => `${expedited ? 'the expedited voting' : 'the voting'} on ${id}`

const voteFault = (state: StateReader): string | undefined => {
  const ended = new Set([...readEndedVotings(state)].map(nameOf))
  for (const { voting, voter } of readAllVotes(state)) {
    if (!isRunning(state, voting) && !ended.has(nameOf(voting))) {
      return `a vote of ${bytesToHex(voter)} in ${nameOf(voting)}, which takes none`
    }
  }
  for (const { id, status, expedited } of readProposals(state)) {
    const expected = status === ProposalStatus.VOTING_PERIOD ? expedited : undefined
    if (readVoting(state, id)?.expedited !== expected) return `the voting on ${id} runs, or does not, and should`
  }
  return undefined
}

const countFault = (state: StateReader, { stake }: GovDependencies): string | undefined => {
  const expected = new Map<string, Count>()
  const nameFor = (voting: Voting, operator: Uint8Array): string => `${nameOf(voting)}, of ${bytesToHex(operator)}`
  for (const { voting, voter, options } of readAllVotes(state)) {
    if (!isRunning(state, voting)) continue
    for (const { operator, shares } of stake.delegationsOf(state, voter)) {
      const name = nameFor(voting, operator)
      expected.set(name, addShares(expected.get(name) ?? NO_COUNT, shares, options))
    }
  }
  let found = 0
  for (const { voting, operator, count } of readAllCounts(state)) {
    if (!isRunning(state, voting)) continue
    found++
    const [name, are] = [nameFor(voting, operator), count.join()]
    const wanted = expected.get(name)?.join() ?? 'none'
    if (are !== wanted) return `the count of ${name} is ${are}, not ${wanted}`
  }
  return found === expected.size ? undefined : `there are ${found} counts, ${expected.size} are expected`
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
    ['deposit period', readDueDeposits(state, END_OF_TIME_NS, MAX_OPEN), open.deposit],
    ['voting period', readDueVotings(state, END_OF_TIME_NS, MAX_OPEN), open.voting],
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
  { name: 'gov/votes-are-of-votings', check: ({ state }) => voteFault(state) },
  { name: 'gov/counts-are-those-of-the-votes', check: ({ state }) => countFault(state, dependencies) },
  { name: 'gov/queues-hold-the-open-proposals', check: ({ state }) => queueFault(state) },
]
