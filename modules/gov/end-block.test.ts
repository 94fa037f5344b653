import type { MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { moduleAddress } from '../../core/address.ts'
import { ANAT_PER_NAT } from '../../core/amounts.ts'
import { ONE } from '../../core/decimal.ts'
import { InvariantError } from '../../core/errors.ts'
import { bankTx, govTx } from '../../proto/index.ts'
import { readParams, readProposal, writeParams } from './keeper/proposals.ts'
import { GOV_ADDRESS } from './keys.ts'
import { CLEARED_PER_BLOCK } from './limits.ts'
import { ProposalStatus } from './proposal.ts'
import {
  account,
  attribute,
  commitBlock,
  endBlockAfter,
  eventShapes,
  faults,
  GOV,
  makeWorld,
  name,
  pack,
  refusal,
  run,
  type World,
} from './testing/world.ts'
import { readEndedVotings, readVotes } from './keeper/votings.ts'

const { method } = govTx.Msg
const { DEPOSIT_PERIOD, VOTING_PERIOD, PASSED, REJECTED, FAILED } = ProposalStatus
const DAY = 86_400n * 1_000_000_000n
const nat = (amount: number) => BigInt(amount) * ANAT_PER_NAT
const anat = (amount: bigint) => [{ denom: 'anat', amount: amount.toString() }]
const EXEC = pack(method.updateParams, {
  authority: GOV,
  params: {
    minDeposit: anat(nat(7)),
    expeditedMinDeposit: anat(nat(8)),
    maxDepositPeriod: { seconds: 10n },
    votingPeriod: { seconds: 9n },
    expeditedVotingPeriod: { seconds: 8n },
    ...{ quorum: '0.3', threshold: '0.5', expeditedThreshold: '0.6', vetoThreshold: '0.3' },
    ...{ minInitialDepositRatio: '0', minDepositRatio: '0', proposalCancelRatio: '0' },
  },
})
const spend = (amount: bigint) =>
  pack(bankTx.Msg.method.send, { fromAddress: GOV, toAddress: name(9), amount: anat(amount) })

/** Account 1 proposes, account 2 deposits too; account 5 is the validator. */
const makeChain = (): World => {
  const world = makeWorld({}, [
    [account(1), nat(50_000)],
    [account(2), nat(50_000)],
  ])
  world.stake.validator(account(5), nat(10))
  return world
}

const propose = (world: World, changes: MessageInitShape<typeof govTx.MsgSubmitProposalSchema> = {}): bigint =>
  run(world, method.submitProposal, {
    messages: [],
    initialDeposit: anat(nat(1_000)),
    proposer: name(1),
    metadata: 'metadata',
    title: 'title',
    summary: 'summary',
    ...changes,
  }).proposalId

const vote = (world: World, proposalId: bigint, option: 1 | 2 | 3 | 4, voter = 5) =>
  run(world, method.vote, { proposalId, voter: name(voter), option })

const status = (world: World, id: bigint) => readProposal(world.state, id)?.status
const balanceOf = (world: World, address: Uint8Array) => world.dependencies.ledger.balance(world.state, address, 'anat')
const REFUND = [
  'coin_spent(spender, amount)',
  'coin_received(receiver, amount)',
  'transfer(recipient, sender, amount)',
  'message(sender)',
]

describe('a deposit period', () => {
  it('ends exactly at its time and gives the deposits back (x/gov/abci_test.go, TestTickExpiredDepositPeriod)', () => {
    const world = makeChain()
    const id = propose(world, { initialDeposit: anat(nat(10)) })
    endBlockAfter(world, 2n * DAY - 1n)
    expect([status(world, id), world.events]).toEqual([DEPOSIT_PERIOD, []])
    endBlockAfter(world, 1n)
    expect(readProposal(world.state, id)).toBeUndefined()
    expect(balanceOf(world, account(1))).toBe(nat(50_000))
    expect(eventShapes(world)).toEqual([...REFUND, 'inactive_proposal(proposal_id, proposal_result)'])
    expect(attribute(world, 'inactive_proposal', 'proposal_result')).toBe('proposal_dropped')
    expect(faults(world)).toEqual([])
  })

  it('burns them when the parameters say so', () => {
    const world = makeChain()
    writeParams(world.state, { ...readParams(world.state), burnProposalDepositPrevote: true })
    propose(world, { initialDeposit: anat(nat(10)) })
    endBlockAfter(world, 2n * DAY)
    expect(balanceOf(world, account(1)) + balanceOf(world, GOV_ADDRESS)).toBe(nat(49_990))
    expect(eventShapes(world)).toEqual([
      'coin_spent(spender, amount)',
      'burn(burner, amount)',
      'inactive_proposal(proposal_id, proposal_result)',
    ])
  })

  it('of several ends one by one (TestTickMultipleExpiredDepositPeriod)', () => {
    const world = makeChain()
    const first = propose(world, { initialDeposit: anat(nat(10)) })
    endBlockAfter(world, 2_000_000_000n)
    const second = propose(world, { initialDeposit: anat(nat(10)) })
    endBlockAfter(world, 2n * DAY - 1_000_000_000n)
    expect([status(world, first), status(world, second)]).toEqual([undefined, DEPOSIT_PERIOD])
    endBlockAfter(world, 5_000_000_000n)
    expect(status(world, second)).toBeUndefined()
  })
})

describe('a voting period', () => {
  it('that nobody votes in rejects and gives back (TestTickPassedVotingPeriod)', () => {
    const world = makeChain()
    const id = propose(world)
    endBlockAfter(world, 2n * DAY)
    expect(readProposal(world.state, id)).toMatchObject({
      status: REJECTED,
      failedReason: 'proposal did not get enough votes to pass',
      depositors: 0,
    })
    expect(balanceOf(world, account(1))).toBe(nat(50_000))
    expect(eventShapes(world)).toEqual([...REFUND, 'active_proposal(proposal_id, proposal_result, proposal_log)'])
    expect(attribute(world, 'active_proposal', 'proposal_result')).toBe('proposal_rejected')
    expect(refusal(() => vote(world, id, 1))?.slice(0, 2)).toEqual(['gov', 3])
    expect(faults(world)).toEqual([])
  })

  it('carries out the messages when it passes, after the refund (TestProposalPassedEndblocker)', () => {
    const world = makeChain()
    const id = propose(world, { messages: [EXEC] })
    vote(world, id, 1)
    expect([...readVotes(world.state, { id, expedited: false })]).toHaveLength(1)
    endBlockAfter(world, 2n * DAY)
    expect(readProposal(world.state, id)).toMatchObject({ status: PASSED, failedReason: '' })
    expect(readProposal(world.state, id)?.finalTally.yes).toBe(nat(10))
    expect(readParams(world.state).minDeposit).toEqual([{ denom: 'anat', amount: nat(7) }])
    expect(balanceOf(world, account(1))).toBe(nat(50_000))
    expect(attribute(world, 'active_proposal', 'proposal_log')).toBe('passed')
    // x/gov/keeper/tally_test.go, TestVoteRemovalAfterTally
    expect([...readVotes(world.state, { id, expedited: false })]).toEqual([])
    expect(faults(world)).toEqual([])
  })

  it('keeps the votes of another proposal (x/gov/keeper/tally_test.go, TestMultipleProposalsVoteRemoval)', () => {
    const world = makeChain()
    const first = propose(world)
    endBlockAfter(world, 1n)
    const second = propose(world)
    for (const id of [first, second]) for (const voter of [5, 6]) vote(world, id, voter === 5 ? 1 : 3, voter)
    endBlockAfter(world, 2n * DAY - 1n)
    expect([first, second].map((id) => [...readVotes(world.state, { id, expedited: false })].length)).toEqual([0, 2])
    expect([status(world, first), status(world, second)]).toEqual([PASSED, VOTING_PERIOD])
  })

  it('burns the deposits after a veto', () => {
    const world = makeChain()
    const id = propose(world)
    run(world, method.deposit, { proposalId: id, depositor: name(2), amount: anat(nat(500)) })
    vote(world, id, 4)
    endBlockAfter(world, 2n * DAY)
    expect(status(world, id)).toBe(REJECTED)
    expect([1, 2].map((each) => balanceOf(world, account(each)))).toEqual([nat(49_000), nat(49_500)])
    expect(balanceOf(world, GOV_ADDRESS)).toBe(0n)
    expect(eventShapes(world).slice(0, 2)).toEqual(['coin_spent(spender, amount)', 'burn(burner, amount)'])
    expect(faults(world)).toEqual([])
  })
})

describe('messages that fail', () => {
  it('undo all that the proposal did (TestEndBlockerProposalHandlerFailed)', () => {
    const world = makeChain()
    const id = propose(world, { messages: [EXEC, spend(100_000n)] })
    vote(world, id, 1)
    endBlockAfter(world, 2n * DAY)
    expect(status(world, id)).toBe(FAILED)
    expect(readParams(world.state).minDeposit).toEqual([{ denom: 'anat', amount: nat(1_000) }])
    expect(attribute(world, 'active_proposal', 'proposal_result')).toBe('proposal_failed')
    expect(attribute(world, 'active_proposal', 'proposal_log')).toMatch(
      /^passed, but msg 1 \(\/cosmos\.bank\.v1beta1\.MsgSend\) failed on execution: .*insufficient funds$/,
    )
    expect(readProposal(world.state, id)?.failedReason).toContain('insufficient funds')
    expect(eventShapes(world)).toEqual([...REFUND, 'active_proposal(proposal_id, proposal_result, proposal_log)'])
    expect(faults(world)).toEqual([])
  })

  it('cannot spend the deposits of others, but what lies above them', () => {
    const world = makeChain()
    const other = propose(world, { initialDeposit: anat(nat(10)) })
    const [greedy, modest] = [nat(10), nat(3)].map((amount) => propose(world, { messages: [spend(amount)] }))
    for (const id of [greedy, modest]) vote(world, id ?? 0n, 1)
    const context = { state: world.state, emit: () => undefined }
    world.dependencies.ledger.send(context, account(2), GOV_ADDRESS, [{ denom: 'anat', amount: nat(5) }])
    run(world, method.deposit, { proposalId: other, depositor: name(2), amount: anat(nat(10)) })
    const end = readProposal(world.state, greedy ?? 0n)?.votingEndTimeNs ?? 0n
    writeParams(world.state, { ...readParams(world.state), maxDepositPeriodNs: 9n * DAY })
    const late = propose(world, { initialDeposit: anat(nat(10)) })
    endBlockAfter(world, end - world.timeNs)
    expect(status(world, late)).toBe(DEPOSIT_PERIOD)
    expect([status(world, greedy ?? 0n), status(world, modest ?? 0n)]).toEqual([FAILED, PASSED])
    expect(readProposal(world.state, greedy ?? 0n)?.failedReason).toContain('deposits of other proposals')
    expect(balanceOf(world, account(9))).toBe(nat(3))
    expect(balanceOf(world, GOV_ADDRESS)).toBe(nat(12))
    expect(faults(world)).toEqual([])
  })

  it('cannot vote or deposit on the proposal that they stand in', () => {
    const world = makeChain()
    const self = pack(method.vote, { proposalId: 1n, voter: GOV, option: 1 })
    const id = propose(world, { messages: [self] })
    vote(world, id, 1)
    endBlockAfter(world, 2n * DAY)
    expect(readProposal(world.state, id)).toMatchObject({ status: FAILED, failedReason: '1: inactive proposal' })
    expect(faults(world)).toEqual([])
  })

  it('halt the node by a fault of its own, and only by one', () => {
    const world = makeChain()
    const id = propose(world, { messages: [EXEC] })
    vote(world, id, 1)
    const halting = world.dependencies as { -readonly [Key in keyof World['dependencies']]: World['dependencies'][Key] }
    const { prepareMessage } = world.dependencies
    halting.prepareMessage = (message) => ({
      ...prepareMessage(message),
      execute: () => {
        throw new InvariantError('broken')
      },
    })
    expect(() => endBlockAfter(world, 2n * DAY)).toThrow(InvariantError)
  })
})

describe('an expedited proposal (TestExpeditedProposal_PassAndConversionToRegular)', () => {
  const begin = () => {
    const world = makeChain()
    const id = propose(world, { initialDeposit: anat(nat(2_500)), expedited: true })
    run(world, method.deposit, { proposalId: id, depositor: name(2), amount: anat(nat(2_500)) })
    expect(status(world, id)).toBe(VOTING_PERIOD)
    return { world, id }
  }

  it('that passes is over after its day', () => {
    const { world, id } = begin()
    vote(world, id, 1)
    endBlockAfter(world, DAY)
    expect(status(world, id)).toBe(PASSED)
    expect([1, 2].map((each) => balanceOf(world, account(each)))).toEqual([nat(50_000), nat(50_000)])
  })

  it.each([
    [true, PASSED],
    [false, REJECTED],
  ] as const)('that does not becomes regular, and then passes: %s', (passes, expected) => {
    const { world, id } = begin()
    vote(world, id, 3)
    endBlockAfter(world, DAY)
    const proposal = readProposal(world.state, id)
    expect(proposal).toMatchObject({ status: VOTING_PERIOD, expedited: false, depositors: 2 })
    expect((proposal?.votingEndTimeNs ?? 0n) - (proposal?.votingStartTimeNs ?? 0n)).toBe(2n * DAY)
    expect(proposal?.finalTally.no).toBe(nat(10))
    expect(balanceOf(world, GOV_ADDRESS)).toBe(nat(5_000))
    expect(eventShapes(world)).toEqual(['active_proposal(proposal_id, proposal_result, proposal_log)'])
    expect(attribute(world, 'active_proposal', 'proposal_result')).toBe('expedited_proposal_rejected')
    expect(faults(world)).toEqual([])
    if (passes) vote(world, id, 1)
    endBlockAfter(world, DAY)
    expect(status(world, id)).toBe(expected)
    expect([1, 2].map((each) => balanceOf(world, account(each)))).toEqual([nat(50_000), nat(50_000)])
    expect(balanceOf(world, moduleAddress('gov'))).toBe(0n)
    expect(faults(world)).toEqual([])
  })
})

describe('the work of a block', () => {
  it('is bounded: what ended waits for the next one', () => {
    const world = makeChain()
    writeParams(world.state, { ...readParams(world.state), minDepositRatio: 0n })
    for (let index = 0; index < 120; index++) propose(world, { initialDeposit: anat(1n) })
    const left = () =>
      Array.from({ length: 120 }, (_, index) => status(world, BigInt(index + 1))).filter(Boolean).length
    endBlockAfter(world, 2n * DAY)
    expect(left()).toBe(70)
    endBlockAfter(world, 1n)
    endBlockAfter(world, 1n)
    expect([left(), balanceOf(world, account(1))]).toEqual([0, nat(50_000)])
    expect(faults(world)).toEqual([])
  })

  it('is a value for each validator, however many voted, and deletes their votes a part in each block', () => {
    const world = makeChain()
    const id = propose(world)
    const voting = { id, expedited: false }
    const voters = 2 * CLEARED_PER_BLOCK
    for (let index = 0; index < voters; index++) {
      world.stake.delegate(account(1_000 + index), account(5), nat(1))
      vote(world, id, 1, 1_000 + index)
    }
    expect(faults(world)).toEqual([])
    commitBlock(world)
    const { state } = world
    const reads: Uint8Array[] = []
    const value = state.value.bind(state)
    state.value = (system, key) => {
      reads.push(key)
      return value(system, key)
    }
    endBlockAfter(world, 2n * DAY)
    expect(status(world, id)).toBe(PASSED)
    expect(readProposal(world.state, id)?.finalTally.yes).toBe(nat(voters))
    expect(reads.length).toBeLessThan(50)
    const left = () => [...readVotes(world.state, voting)].length
    expect(left()).toBe(voters - CLEARED_PER_BLOCK)
    expect(faults(world)).toEqual([])
    // Whoever moves stake now changes nothing of what is over, and can be exported in the middle of it.
    world.stake.delegate(account(1_000), account(5), nat(1))
    world.stake.undelegate(account(1_000 + voters - 1), account(5), ONE)
    commitBlock(world)
    endBlockAfter(world, 1n)
    expect([left(), [...readEndedVotings(world.state)]]).toEqual([0, [voting]])
    endBlockAfter(world, 1n)
    expect([...readEndedVotings(world.state)]).toEqual([])
    expect(faults(world)).toEqual([])
  })

  it('is nothing on an idle chain: no write', () => {
    const world = makeChain()
    propose(world)
    const { state } = world
    let writes = 0
    const setValue = state.setValue.bind(state)
    state.setValue = (...parameters) => {
      writes++
      setValue(...parameters)
    }
    endBlockAfter(world, DAY)
    expect(writes).toBe(0)
  })
})
