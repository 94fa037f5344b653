import type { MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { ANAT_PER_NAT } from '../../core/amounts.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { moduleAddress } from '../../core/address.ts'
import { bankTx, govBeta, govBetaTx, govTx } from '../../proto/index.ts'
import { readDeposit, readProposal } from './keeper/proposals.ts'
import { GAS_PER_COUNT, GAS_PER_VOTE, GAS_PER_VOTING, MAX_DEPOSITORS } from './limits.ts'
import { DEFAULT_PARAMS, paramsToProto } from './params.ts'
import { decodeProposal, encodeProposal, ProposalStatus } from './proposal.ts'
import {
  account,
  attribute,
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
import { readEndedVotings, readVote, readVotes } from './keeper/votings.ts'
import { splitOptions } from './vote.ts'

const { method } = govTx.Msg
const legacy = govBetaTx.Msg.method
const nat = (amount: number) => BigInt(amount) * ANAT_PER_NAT
const REGULAR = { id: 1n, expedited: false }
const anat = (amount: bigint) => [{ denom: 'anat', amount: amount.toString() }]
const rich = (genesis: unknown = {}): World =>
  makeWorld(genesis, [
    [account(1), nat(20_000)],
    [account(2), nat(20_000)],
    [account(3), nat(1)],
    [account(2), 1_000_000n, 'zcoin'],
  ])

const SEND = pack(bankTx.Msg.method.send, { fromAddress: GOV, toAddress: name(9), amount: anat(5n) })

type Submission = MessageInitShape<typeof govTx.MsgSubmitProposalSchema>
const submission = (changes: Submission = {}): Submission => ({
  messages: [SEND],
  initialDeposit: anat(nat(10)),
  proposer: name(1),
  metadata: '',
  title: 'Proposal',
  summary: 'description of proposal',
  ...changes,
})

describe('MsgSubmitProposal refuses what the SDK refuses (x/gov/keeper/msg_server_test.go, TestMsgSubmitProposal)', () => {
  const many = '1'.repeat(300)
  const matching = '{"title":"Proposal", "description":"description of proposal"}'
  const cases: readonly (readonly [string, Submission, string, number, string])[] = [
    ['invalid addr', { proposer: '', metadata: many }, 'sdk', 7, 'invalid proposer address'],
    ['empty msgs and metadata', { messages: [] }, 'gov', 11, 'no messages proposed'],
    ['empty title', { title: '' }, 'sdk', 18, 'proposal title cannot be empty'],
    ['empty description', { summary: '' }, 'sdk', 18, 'proposal summary cannot be empty'],
    [
      'title != metadata.title',
      { metadata: matching, title: 'Proposal2' },
      'gov',
      5,
      "metadata title 'Proposal' must equal proposal title 'Proposal2",
    ],
    [
      'summary != metadata.summary',
      { metadata: matching, summary: 'description' },
      'gov',
      5,
      "metadata summary '' must equal proposal summary 'description'",
    ],
    ['metadata too long', { metadata: many }, 'gov', 15, 'metadata too long'],
    ['title too long', { title: many }, 'gov', 15, 'metadata too long'],
    ['summary too long', { summary: '1'.repeat(300 * 40) }, 'gov', 22, 'summary too long'],
    [
      "signer isn't gov account",
      { messages: [pack(bankTx.Msg.method.send, { fromAddress: name(1), toAddress: name(2), amount: anat(1n) })] },
      'gov',
      13,
      'expected gov account as only signer for proposal message',
    ],
    [
      'invalid deposited coin',
      { initialDeposit: [{ denom: 'invalid', amount: '100' }] },
      'gov',
      23,
      'deposited 100invalid, but gov accepts only the following denom(s): [anat]: invalid deposit denom',
    ],
    [
      'invalid deposited coin (multiple)',
      { initialDeposit: [...anat(7n), { denom: 'invalid', amount: '100' }] },
      'gov',
      23,
      'deposited 7anat,100invalid, but gov accepts only the following denom(s): [anat]: invalid deposit denom',
    ],
    ['coins out of order', { initialDeposit: [...anat(7n), ...anat(7n)] }, 'sdk', 10, 'invalid coins'],
    ['a proposal within', { messages: [pack(method.submitProposal, submission({ proposer: GOV }))] }, 'gov', 12, ''],
    ['too many messages', { messages: Array.from({ length: 33 }, () => SEND) }, 'gov', 12, '33 messages'],
    ['an unknown message', { messages: [{ typeUrl: '/x.y.Z', value: new Uint8Array(0) }] }, 'sdk', 2, ''],
    [
      'a message that is not valid by itself',
      { messages: [pack(bankTx.Msg.method.send, { fromAddress: GOV, toAddress: name(2), amount: [] })] },
      'gov',
      12,
      'invalid proposal message',
    ],
  ]
  it.each(cases)('%s', (_, changes, codespace, code, words) => {
    const world = rich()
    const found = refusal(() => run(world, method.submitProposal, submission(changes)))
    expect(found?.slice(0, 2)).toEqual([codespace, code])
    expect(found?.[2]).toContain(words)
  })

  it('takes metadata of any other form, and one that says the same', () => {
    const world = rich()
    const texts = ['ipfs://CID', '[1]', '{"title":5}', '{"TITLE":"Proposal","summary":"description of proposal","x":1}']
    for (const [index, metadata] of texts.entries()) {
      expect(run(world, method.submitProposal, submission({ metadata })).proposalId).toBe(BigInt(index + 1))
    }
    expect(refusal(() => run(world, method.submitProposal, submission({ metadata: 'null' })))?.[1]).toBe(5)
  })
})

describe('MsgSubmitProposal', () => {
  it('emits what the SDK emits, in its order, and asks for gas by its size', () => {
    const world = rich()
    run(world, method.submitProposal, submission())
    const first = [
      'submit_proposal(proposal_id, proposal_proposer, proposal_messages)',
      'coin_spent(spender, amount)',
      'coin_received(receiver, amount)',
      'transfer(recipient, sender, amount)',
      'message(sender)',
      'proposal_deposit(depositor, amount, proposal_id)',
    ]
    expect(eventShapes(world)).toEqual(first)
    expect(attribute(world, 'submit_proposal', 'proposal_messages')).toBe('/cosmos.bank.v1beta1.MsgSend')
    expect(world.gas).toBeGreaterThan(20_000n)
    run(world, method.submitProposal, submission({ initialDeposit: anat(nat(1_000)) }))
    expect(eventShapes(world)).toEqual([...first, 'submit_proposal(voting_period_start)'])
    expect(readProposal(world.state, 2n)?.status).toBe(ProposalStatus.VOTING_PERIOD)
    expect(faults(world)).toEqual([])
  })

  it('of v1beta1 wraps a text into the message that carries it', () => {
    const world = rich()
    const content = (title: string) => {
      const { typeUrl, value } = pack(
        { input: govBeta.TextProposalSchema } as never,
        { title, description: 'words' } as never,
      )
      return { typeUrl, value }
    }
    const message = { content: content('Text'), initialDeposit: anat(nat(10)), proposer: name(1) }
    run(world, legacy.submitProposal, message)
    const proposal = readProposal(world.state, 1n)
    expect([proposal?.title, proposal?.summary]).toEqual(['Text', 'words'])
    expect(attribute(world, 'submit_proposal', 'proposal_messages')).toBe('/cosmos.gov.v1.MsgExecLegacyContent')
    const submit = (changes: object) => refusal(() => run(world, legacy.submitProposal, { ...message, ...changes }))
    expect(submit({ content: content(' ') })?.slice(0, 2)).toEqual(['gov', 5])
    expect(submit({ content: content('1'.repeat(141)) })?.[2]).toContain('longer than max length of 140')
    const { content: _, ...without } = message
    expect(refusal(() => run(world, legacy.submitProposal, without))?.[2]).toContain('missing content')
    const other = { typeUrl: '/cosmos.params.v1beta1.ParameterChangeProposal', value: new Uint8Array(0) }
    expect(submit({ content: other })?.slice(0, 2)).toEqual(['gov', 9])
  })
})

/** stake is anat here; figures are those of the SDK's tests. */
const depositParams = (minDepositRatio: string, changes: object = {}) => ({
  params: {
    min_deposit: [
      { denom: 'anat', amount: '10000000' },
      { denom: 'zcoin', amount: '10000' },
    ],
    expedited_min_deposit: anat(50_000_000n),
    min_deposit_ratio: minDepositRatio,
    ...changes,
  },
})

describe('MsgDeposit takes what the SDK takes (x/gov/keeper/deposit_test.go, TestDepositAmount)', () => {
  type Coins = readonly (readonly [bigint, string])[]
  const cases: readonly (readonly [string, Coins, string, string | undefined])[] = [
    ['good amount and denoms', [[10_000n, 'anat']], '0.001', undefined],
    [
      'not enough balance for zcoin',
      [
        [10_000n, 'anat'],
        [1_000_001n, 'zcoin'],
      ],
      '0.001',
      'insufficient funds',
    ],
    [
      'too small amount',
      [[10n, 'anat']],
      '0.001',
      'received 10anat but need at least one of the following: 10000anat,10zcoin: minimum deposit is too small',
    ],
    [
      'too small amount with another coin',
      [[1n, 'zcoin']],
      '0.001',
      'received 1zcoin but need at least one of the following: 10000anat,10zcoin: minimum deposit is too small',
    ],
    [
      'bad denom',
      [[10_000n, 'euro']],
      '0.001',
      'deposited 10000euro, but gov accepts only the following denom(s): [anat zcoin]: invalid deposit denom',
    ],
    [
      'mix containing bad and good denom',
      [
        [10_000n, 'anat'],
        [10_000n, 'euro'],
      ],
      '0.001',
      'deposited 10000anat,10000euro, but gov accepts only the following denom(s): [anat zcoin]: invalid deposit denom',
    ],
    ['minDepositRatio is zero', [[10n, 'anat']], '0.0', undefined],
  ]
  it.each(cases)('%s', (_, coins, ratio, words) => {
    const world = rich(depositParams(ratio))
    run(world, method.submitProposal, submission({ initialDeposit: anat(10_000n) }))
    const amount = coins.map(([each, denom]) => ({ denom, amount: each.toString() }))
    const found = refusal(() => run(world, method.deposit, { proposalId: 1n, depositor: name(2), amount }))
    if (words === undefined) expect(found).toBeUndefined()
    else expect(found?.[2]).toContain(words)
    expect(faults(world)).toEqual([])
  })
})

describe('the initial deposit (x/gov/keeper/deposit_test.go, TestValidateInitialDeposit)', () => {
  type Amounts = Readonly<Record<string, number>>
  const listed = (amounts: Amounts) =>
    Object.entries(amounts).map(([denom, amount]) => ({ denom, amount: amount.toString() }))
  const cases: readonly (readonly [string, Amounts, number, Amounts, boolean])[] = [
    ['min deposit * initial percent == initial deposit', { anat: 100 }, 25, { anat: 25 }, true],
    ['min deposit * initial percent < initial deposit', { anat: 100 }, 25, { anat: 26 }, true],
    ['min deposit * initial percent > initial deposit', { anat: 100 }, 25, { anat: 24 }, false],
    ['non-base values and denom', { zcoin: 56_912 }, 50, { zcoin: 28_466 }, true],
    ['multiple coins', { anat: 100, zcoin: 200 }, 25, { anat: 25, zcoin: 50 }, true],
    ['multiple coins, one too small', { anat: 100, zcoin: 200 }, 25, { anat: 25, zcoin: 49 }, false],
    ['0 initial percent', { anat: 100 }, 0, { anat: 25 }, true],
  ]
  it.each(cases)('%s', (_, minimum, percent, initial, passes) => {
    const changes = {
      min_deposit: listed(minimum),
      min_initial_deposit_ratio: `0.${String(percent).padStart(2, '0')}`,
      expedited_min_deposit: [
        { denom: 'anat', amount: '1000000' },
        { denom: 'zcoin', amount: '1000000' },
      ],
    }
    const world = makeWorld(depositParams('0', changes), [
      [account(1), 1_000_000n],
      [account(1), 1_000_000n, 'zcoin'],
    ])
    const message = submission({ initialDeposit: listed(initial) })
    expect(refusal(() => run(world, method.submitProposal, message))?.slice(0, 2)).toEqual(
      passes ? undefined : ['gov', 16],
    )
  })
})

describe('MsgDeposit', () => {
  it('adds up by depositor and begins the vote with enough (x/gov/keeper/deposit_test.go, TestDeposits)', () => {
    for (const [expedited, times] of [
      [false, 1],
      [true, 5],
    ] as const) {
      const world = rich()
      const amount = (parts: number) => anat(nat(100 * parts * times))
      run(world, method.submitProposal, submission({ initialDeposit: amount(4), expedited }))
      run(world, method.deposit, { proposalId: 1n, depositor: name(1), amount: amount(5) })
      expect(readDeposit(world.state, 1n, account(1))?.coins).toEqual([{ denom: 'anat', amount: nat(900 * times) }])
      expect(readProposal(world.state, 1n)?.status).toBe(ProposalStatus.DEPOSIT_PERIOD)
      run(world, legacy.deposit, { proposalId: 1n, depositor: name(2), amount: amount(4) })
      expect(eventShapes(world).slice(-2)).toEqual([
        'proposal_deposit(depositor, amount, proposal_id)',
        'proposal_deposit(voting_period_start)',
      ])
      const proposal = readProposal(world.state, 1n)
      expect(proposal).toMatchObject({ status: ProposalStatus.VOTING_PERIOD, votingStartTimeNs: world.timeNs })
      expect(proposal?.totalDeposit).toEqual([{ denom: 'anat', amount: nat(1_300 * times) }])
      expect(proposal?.depositors).toBe(2)
      expect(faults(world)).toEqual([])
    }
  })

  it('of nothing, to nothing, or of one too many is refused', () => {
    const world = rich(depositParams('0'))
    const to = (proposalId: bigint, amount = anat(1n), depositor = name(2)) =>
      refusal(() => run(world, method.deposit, { proposalId, depositor, amount }))?.slice(0, 2)
    run(world, method.submitProposal, submission({ initialDeposit: anat(10n) }))
    expect(to(1n, [])).toEqual(['sdk', 10])
    expect(to(10n)).toEqual(['gov', 3])
    expect(to(1n, anat(1n), 'nat1x')).toEqual(['sdk', 7])
    for (let index = 1; index < MAX_DEPOSITORS; index++) {
      run(world, bankless(world, index), { proposalId: 1n, depositor: name(1_000 + index), amount: anat(1n) })
    }
    expect(to(1n)).toEqual(['gov', 102])
    expect(to(1n, anat(1n), name(1))).toBeUndefined()
    expect(faults(world)).toEqual([])
  })

  it('have 16 denominations together, whichever the parameters accepted over time', () => {
    const denoms = Array.from({ length: 32 }, (_, index) => `ibc/d${String(index).padStart(2, '0')}`)
    const coins = (from: number, amount: string) => denoms.slice(from, from + 16).map((denom) => ({ denom, amount }))
    const world = makeWorld(
      {},
      denoms.map((denom) => [account(1), 1_000n, denom] as const),
    )
    const accept = (from: number): void => {
      const list = (amount: bigint) => coins(from, amount.toString()).map(({ denom }) => ({ denom, amount }))
      const minimum = { minDeposit: list(500n), expeditedMinDeposit: list(900n), minDepositRatio: 0n }
      run(world, method.updateParams, { authority: GOV, params: paramsToProto({ ...DEFAULT_PARAMS, ...minimum }) })
    }
    accept(0)
    run(world, method.submitProposal, submission({ initialDeposit: coins(0, '1') }))
    accept(16)
    const more = { proposalId: 1n, depositor: name(1), amount: coins(16, '1') }
    expect(refusal(() => run(world, method.deposit, more))?.slice(0, 2)).toEqual(['gov', 104])
    expect(readProposal(world.state, 1n)?.totalDeposit).toHaveLength(16)
    expect(faults(world)).toEqual([])
    endBlockAfter(world, 10n ** 15n)
    expect(readProposal(world.state, 1n)).toBeUndefined()
  })

  it('that are stored are read, however many denominations they have', () => {
    const world = rich(depositParams('0'))
    run(world, method.submitProposal, submission({ initialDeposit: anat(10n) }))
    const proposal = readProposal(world.state, 1n)
    if (proposal === undefined) throw new RangeError('the proposal is there')
    const totalDeposit = Array.from({ length: 20 }, (_, index) => ({ denom: `d${10 + index}`, amount: 1n }))
    expect(decodeProposal(encodeProposal({ ...proposal, totalDeposit }))).toEqual({ ...proposal, totalDeposit })
  })
})

/** Gives the depositor of the next message what it deposits. */
const bankless = (world: World, index: number) => {
  const emit = () => undefined
  world.dependencies.ledger.send({ state: world.state, emit }, account(2), account(1_000 + index), [
    { denom: 'anat', amount: 1n },
  ])
  return method.deposit
}

const voting = (): World => {
  const world = rich()
  run(world, method.submitProposal, submission({ initialDeposit: anat(nat(1_000)) }))
  return world
}

describe('votes', () => {
  it('refuses what the SDK refuses (x/gov/keeper/msg_server_test.go, TestLegacyVoteWeighted and TestMsgVote)', () => {
    const world = voting()
    const split = (options: readonly (readonly [number, string])[], voter = name(2)) =>
      refusal(() =>
        run(world, legacy.voteWeighted, {
          proposalId: 1n,
          voter,
          options: options.map(([option, weight]) => ({ option: option as 1, weight })),
        }),
      )?.[2]
    const [one, half] = ['1000000000000000000', '500000000000000000']
    expect(split([[1, one]], '')).toContain('invalid voter address')
    expect(
      split([
        [1, one],
        [2, half],
      ]),
    ).toBe('total weight overflow 1.00: invalid vote option')
    expect(
      split([
        [1, half],
        [1, half],
      ]),
    ).toBe('duplicated vote option: invalid vote option')
    expect(split([[1, '0']])).toBe('option:VOTE_OPTION_YES weight:"0.000000000000000000" : invalid vote option')
    expect(split([[1, `-${one}`]])).toBe('option:VOTE_OPTION_YES weight:"-1.000000000000000000" : invalid vote option')
    expect(split([])).toContain('invalid request')
    expect(split([[0x13, one]])).toContain('invalid vote option')
    expect(split([[1, half]])).toBe('total weight lower than 1.00: invalid vote option')
    expect(
      split([
        [1, '0.5'],
        [3, '0.5'],
      ]),
    ).toContain('invalid vote option')
    // What is behind the first that is wrong nobody reads, however much it is.
    const unread = {
      option: 1,
      get weight(): string {
        return expect.fail('it was read')
      },
    }
    const crowd = [
      ...[1, 2, 3, 4, 1].map((option) => ({ option, weight: '0.2' })),
      ...Array<typeof unread>(60_000).fill(unread),
    ]
    expect(refusal(() => splitOptions(crowd))?.[2]).toBe('duplicated vote option: invalid vote option')
    const vote = (changes: object) =>
      refusal(() => run(world, method.vote, { proposalId: 1n, voter: name(2), option: 1, metadata: '', ...changes }))
    expect(vote({ option: 0 })?.slice(1)).toEqual([7, 'VOTE_OPTION_UNSPECIFIED: invalid vote option'])
    expect(vote({ proposalId: 2n })?.slice(0, 2)).toEqual(['gov', 3])
    expect(vote({ metadata: 'a'.repeat(300) })?.slice(0, 2)).toEqual(['gov', 15])
    run(world, method.submitProposal, submission())
    expect(vote({ proposalId: 2n })?.slice(0, 2)).toEqual(['gov', 3])
  })

  it('are replaced, split and counted once each (x/gov/keeper/vote_test.go, TestVotes)', () => {
    const world = voting()
    run(world, method.vote, { proposalId: 1n, voter: name(2), option: 2, metadata: 'metadata' })
    run(world, legacy.vote, { proposalId: 1n, voter: name(2), option: 1 })
    expect(readVote(world.state, REGULAR, account(2))).toEqual({
      options: [{ option: 1, weight: 10n ** 18n }],
      metadata: '',
    })
    const options = [
      { option: 1, weight: '0.6' },
      { option: 3, weight: '0.30' },
      { option: 2, weight: '0.05' },
      { option: 4, weight: '0.05' },
    ] as const
    run(world, method.voteWeighted, { proposalId: 1n, voter: name(3), options: [...options] })
    expect(attribute(world, 'proposal_vote', 'option')).toBe(
      '[{"option":1,"weight":"0.600000000000000000"},{"option":3,"weight":"0.300000000000000000"},' +
        '{"option":2,"weight":"0.050000000000000000"},{"option":4,"weight":"0.050000000000000000"}]',
    )
    expect(eventShapes(world)).toEqual(['proposal_vote(voter, option, proposal_id)'])
    expect([...readVotes(world.state, REGULAR)]).toHaveLength(2)
    expect(faults(world)).toEqual([])
  })

  it('are paid by the delegation: each is counted', () => {
    const world = voting()
    for (let index = 0; index < 3; index++) world.stake.validator(account(50 + index), 10_000_000n)
    const gasOf = (voter: number): bigint => {
      world.gas = 0n
      run(world, method.vote, { proposalId: 1n, voter: name(voter), option: 1 })
      return world.gas
    }
    expect([gasOf(2), gasOf(2)]).toEqual([GAS_PER_VOTE, 0n])
    for (let index = 0; index < 3; index++) world.stake.delegate(account(3), account(50 + index), 99n)
    expect([gasOf(3), gasOf(3)]).toEqual([GAS_PER_VOTE + 3n * GAS_PER_COUNT, 3n * GAS_PER_COUNT])
    world.gas = 0n
    world.stake.delegate(account(3), account(50), 1n)
    expect(world.gas).toBe(2n * (GAS_PER_COUNT + GAS_PER_VOTING))
    expect(faults(world)).toEqual([])
  })
})

describe('MsgCancelProposal (x/gov/keeper/deposit_test.go, TestChargeDeposit; msg_server_test.go, TestCancelProposalReq)', () => {
  const distribution = moduleAddress('distribution')
  const cases = [
    ['0', '', 0n],
    ['0.5', '', 150n],
    ['1', '', 300n],
    ['0.5', name(9), 150n],
    ['0.5', encodeBech32(distribution), 150n],
  ] as const
  it.each(cases)('of ratio %s to "%s" costs %s of 300', (ratio, destination, charge) => {
    const genesis = depositParams('0', { proposal_cancel_ratio: ratio, proposal_cancel_dest: destination })
    const world = rich(genesis)
    const { ledger } = world.dependencies
    const balance = (address: Uint8Array) => ledger.balance(world.state, address, 'anat')
    const before = balance(account(1))
    run(world, method.submitProposal, submission({ initialDeposit: anat(300n) }))
    const response = run(world, method.cancelProposal, { proposalId: 1n, proposer: name(1) })
    expect(response).toMatchObject({ proposalId: 1n, canceledHeight: 7n })
    expect(before - balance(account(1))).toBe(charge)
    expect(balance(account(9)) + balance(distribution)).toBe(destination === '' ? 0n : charge)
    expect(balance(moduleAddress('gov'))).toBe(0n)
    expect(readProposal(world.state, 1n)).toBeUndefined()
    expect(eventShapes(world).at(-1)).toBe('cancel_proposal(sender, proposal_id)')
    expect(faults(world)).toEqual([])
  })

  it('is for the proposer, of an open proposal, while its vote runs', () => {
    const world = voting()
    const cancel = (proposalId: bigint, proposer: number) =>
      refusal(() => run(world, method.cancelProposal, { proposalId, proposer: name(proposer) }))?.slice(0, 2)
    run(world, method.vote, { proposalId: 1n, voter: name(2), option: 1 })
    expect(cancel(9n, 1)).toEqual(['gov', 3])
    expect(cancel(1n, 2)).toEqual(['gov', 18])
    const end = readProposal(world.state, 1n)?.votingEndTimeNs ?? 0n
    world.timeNs = end + 1n
    expect(cancel(1n, 1)).toEqual(['gov', 20])
    world.timeNs = end
    expect(cancel(1n, 1)).toBeUndefined()
    // It counts for nothing, and the end of the block deletes it.
    expect([...readEndedVotings(world.state)]).toEqual([REGULAR])
    expect(faults(world)).toEqual([])
    endBlockAfter(world, 1n)
    expect(readVote(world.state, REGULAR, account(2))).toBeUndefined()
    expect(faults(world)).toEqual([])
  })

  it('does not pay the account of a module', () => {
    const blocked = encodeBech32(moduleAddress('bonded_tokens_pool'))
    const world = rich(depositParams('0', { proposal_cancel_dest: blocked }))
    run(world, method.submitProposal, submission({ initialDeposit: anat(300n) }))
    const found = refusal(() => run(world, method.cancelProposal, { proposalId: 1n, proposer: name(1) }))
    expect(found?.slice(0, 2)).toEqual(['sdk', 4])
    expect(faults(world)).toEqual([])
  })
})

describe('MsgUpdateParams (x/gov/keeper/msg_server_test.go, TestMsgUpdateParams)', () => {
  const world = rich()
  const params = {
    minDeposit: anat(5n),
    expeditedMinDeposit: anat(6n),
    maxDepositPeriod: { seconds: 1n },
    votingPeriod: { seconds: 9n },
    expeditedVotingPeriod: { seconds: 8n },
    ...{ quorum: '0.3', threshold: '0.5', expeditedThreshold: '0.6', vetoThreshold: '0.3' },
    ...{ minInitialDepositRatio: '0', minDepositRatio: '0', proposalCancelRatio: '0' },
  }
  const cases: readonly (readonly [object, string])[] = [
    [{ minDeposit: [] }, 'invalid minimum deposit'],
    [{ minDeposit: [{ denom: 'anat', amount: '-100' }] }, 'invalid minimum deposit'],
    [{ expeditedMinDeposit: anat(5n) }, 'expedited minimum deposit must be greater than minimum deposit'],
    [{ maxDepositPeriod: undefined }, 'maximum deposit period must not be nil'],
    [{ maxDepositPeriod: { seconds: 0n } }, 'maximum deposit period must be positive'],
    [{ quorum: 'abc' }, 'invalid quorum string'],
    [{ quorum: '-0.1' }, 'quorom cannot be negative'],
    [{ quorum: '2' }, 'quorom too large'],
    [{ threshold: 'abc' }, 'invalid threshold string'],
    [{ threshold: '-0.1' }, 'vote threshold must be positive'],
    [{ threshold: '2' }, 'vote threshold too large'],
    [{ expeditedThreshold: '0.5' }, 'must be greater than the regular threshold'],
    [{ vetoThreshold: 'abc' }, 'invalid vetoThreshold string'],
    [{ vetoThreshold: '0' }, 'veto threshold must be positive'],
    [{ vetoThreshold: '2' }, 'veto threshold too large'],
    [{ votingPeriod: undefined }, 'voting period must not be nil'],
    [{ votingPeriod: { seconds: 0n } }, 'voting period must be positive'],
    [{ votingPeriod: { seconds: 3_650n * 86_400n + 1n } }, 'voting period must be at most 3650 days'],
    [{ maxDepositPeriod: { seconds: 3_650n * 86_400n + 1n } }, 'maximum deposit period must be at most 3650 days'],
    [{ expeditedVotingPeriod: { seconds: 9n } }, 'must be strictly less than the regular voting period'],
    [{ proposalCancelDest: 'x' }, 'deposits destination address is invalid'],
  ]
  it.each(cases)('refuses %o', (changes, words) => {
    const message = { authority: GOV, params: { ...params, ...changes } }
    const found = refusal(() => run(world, method.updateParams, message))
    expect(found?.slice(0, 2)).toEqual(['sdk', 18])
    expect(found?.[2]).toContain(words)
  })

  it('is for governance alone', () => {
    const message = { authority: name(1), params }
    expect(refusal(() => run(world, method.updateParams, message))?.slice(0, 2)).toEqual(['sdk', 4])
    expect(refusal(() => run(world, method.updateParams, { authority: GOV, params }))).toBeUndefined()
  })
})
