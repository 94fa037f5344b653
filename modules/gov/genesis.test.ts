import { describe, expect, it } from 'vitest'
import { ANAT_PER_NAT } from '../../core/amounts.ts'
import { bytesToHex } from '../../core/hex.ts'
import { bankTx, govTx } from '../../proto/index.ts'
import { GOV_ADDRESS } from './keys.ts'
import {
  account,
  endBlockAfter,
  faults,
  GOV,
  makeWorld,
  name,
  pack,
  refusal,
  run,
  type World,
} from './testing/world.ts'

const { method } = govTx.Msg
const nat = (amount: number) => BigInt(amount) * ANAT_PER_NAT
const anat = (amount: bigint) => [{ denom: 'anat', amount: amount.toString() }]
const DAY = 86_400n * 1_000_000_000n

const everything = ({ state }: World) =>
  state.values(GOV_ADDRESS, new Uint8Array(0), 10_000).map(([key, value]) => [bytesToHex(key), bytesToHex(value)])

const exported = (world: World): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(
      world.module.exportGenesis({ state: world.state, height: 7, chainId: 'test' }),
      (_, value: unknown) =>
        typeof value === 'object' && value !== null && Symbol.iterator in value && !Array.isArray(value)
          ? [...(value as Iterable<unknown>)]
          : value,
    ),
  ) as Record<string, unknown>

/**
 * A world with a proposal of every status, a vote of every kind, deposits of two denominations, and parameters of one's
 * own.
 */
const busyWorld = (): World => {
  const genesis = {
    starting_proposal_id: '17',
    constitution: 'We, the holders: ünïcode.',
    params: {
      min_deposit: [...anat(nat(10)), { denom: 'zcoin', amount: '5' }],
      expedited_min_deposit: [...anat(nat(50)), { denom: 'zcoin', amount: '6' }],
      proposal_cancel_dest: name(8),
      max_deposit_period: '3.500000001s',
      burn_vote_quorum: true,
    },
  }
  const world = makeWorld(genesis, [
    [account(1), nat(1_000)],
    [account(2), nat(1_000)],
    [account(1), 1_000n, 'zcoin'],
  ])
  world.stake.validator(account(5), nat(10))
  const enough = [...anat(nat(10)), { denom: 'zcoin', amount: '5' }]
  const propose = (changes: object) =>
    run(world, method.submitProposal, {
      ...{ messages: [], initialDeposit: enough, proposer: name(1), metadata: 'm', title: 't', summary: 's' },
      ...changes,
    }).proposalId
  const send = pack(bankTx.Msg.method.send, { fromAddress: GOV, toAddress: name(9), amount: anat(nat(5_000)) })
  const [passed, failed] = [propose({}), propose({ messages: [send, send] })]
  propose({})
  for (const id of [passed, failed]) run(world, method.vote, { proposalId: id, voter: name(5), option: 1 })
  endBlockAfter(world, 2n * DAY)
  const voting = propose({ title: 'voting' })
  propose({ expedited: true, initialDeposit: [...anat(nat(50)), { denom: 'zcoin', amount: '6' }] })
  propose({ title: 'waiting', initialDeposit: anat(nat(1)) })
  run(world, method.deposit, { proposalId: voting, depositor: name(2), amount: anat(nat(2)) })
  const options = [
    { option: 1, weight: '0.7' },
    { option: 4, weight: '0.3' },
  ] as const
  run(world, method.voteWeighted, { proposalId: voting, voter: name(2), options: [...options], metadata: 'why' })
  run(world, method.vote, { proposalId: voting, voter: name(5), option: 2 })
  // Its votes wait for the end of the block.
  const canceled = propose({ title: 'canceled' })
  run(world, method.vote, { proposalId: canceled, voter: name(5), option: 3 })
  run(world, method.vote, { proposalId: canceled, voter: name(2), option: 1 })
  run(world, method.cancelProposal, { proposalId: canceled, proposer: name(1) })
  return world
}

const FUNDED = [
  [GOV_ADDRESS, nat(1_000)],
  [GOV_ADDRESS, 1_000n, 'zcoin'],
] as const

describe('the genesis of governance', () => {
  it('of an export gives the same values under the same keys', () => {
    const world = busyWorld()
    const genesis = exported(world)
    const again = makeWorld(genesis, FUNDED, world.stake)
    expect(everything(again)).toEqual(everything(world))
    expect(exported(again)).toEqual(genesis)
    expect([faults(world), faults(again)]).toEqual([[], []])
    expect(genesis['ended_votings']).toMatchObject([{ expedited: false, votes: [{}, {}], counts: [{}] }])
    const statuses = (genesis['proposals'] as { status: string }[]).map(({ status }) => status.slice(16))
    expect(statuses).toEqual(['PASSED', 'FAILED', 'REJECTED', 'VOTING_PERIOD', 'VOTING_PERIOD', 'DEPOSIT_PERIOD'])
  })

  it('of nothing has the defaults in the form of the SDK', () => {
    expect(exported(makeWorld(undefined))).toEqual({
      starting_proposal_id: '1',
      deposits: [],
      ended_votings: [],
      votes: [],
      proposals: [],
      constitution: '',
      params: {
        min_deposit: anat(nat(1_000)),
        max_deposit_period: '172800s',
        voting_period: '172800s',
        quorum: '0.334000000000000000',
        threshold: '0.500000000000000000',
        veto_threshold: '0.334000000000000000',
        min_initial_deposit_ratio: '0.000000000000000000',
        proposal_cancel_ratio: '0.500000000000000000',
        proposal_cancel_dest: '',
        expedited_voting_period: '86400s',
        expedited_threshold: '0.667000000000000000',
        expedited_min_deposit: anat(nat(5_000)),
        burn_vote_quorum: false,
        burn_proposal_deposit_prevote: false,
        burn_vote_veto: true,
        min_deposit_ratio: '0.010000000000000000',
      },
    })
  })

  type Edit = (genesis: Record<string, unknown>) => unknown
  const list = (genesis: Record<string, unknown>, member: string) => genesis[member] as Record<string, unknown>[]
  const cases: readonly (readonly [string, Edit, string])[] = [
    [
      'a start of zero',
      (genesis) => Object.assign(genesis, { starting_proposal_id: '0' }),
      'app_state.gov.starting_proposal_id',
    ],
    [
      'quorum of two',
      (genesis) => Object.assign(genesis, { params: { quorum: '2' } }),
      'app_state.gov.params: quorom too large',
    ],
    ['unknown member', (genesis) => Object.assign(genesis, { x: 1 }), 'app_state.gov.x: unknown field'],
    ['old parameters', (genesis) => Object.assign(genesis, { voting_params: {} }), 'app_state.gov.voting_params'],
    [
      'duplicate proposals',
      (genesis) => list(genesis, 'proposals').push(list(genesis, 'proposals')[0] ?? {}),
      'duplicate proposal id: 17',
    ],
    [
      'duplicate votes',
      (genesis) => list(genesis, 'votes').push(list(genesis, 'votes')[0] ?? {}),
      'app_state.gov.votes[2]',
    ],
    [
      'duplicate deposits',
      (genesis) => list(genesis, 'deposits').push(list(genesis, 'deposits')[0] ?? {}),
      'total_deposit',
    ],
    [
      'votes on nothing',
      (genesis) => Object.assign(list(genesis, 'votes')[0] ?? {}, { proposal_id: '99' }),
      'proposal 99',
    ],
    [
      'votes on what is over',
      (genesis) => Object.assign(list(genesis, 'votes')[0] ?? {}, { proposal_id: '17' }),
      'proposal 17',
    ],
    [
      'deposits on nothing',
      (genesis) => list(genesis, 'deposits').push({ ...list(genesis, 'deposits')[0], proposal_id: '99' }),
      'proposal 99',
    ],
    [
      'a sum that is not one',
      (genesis) => Object.assign(list(genesis, 'proposals')[3] ?? {}, { total_deposit: [] }),
      'proposals[3].total_deposit',
    ],
    ['a late proposal', (genesis) => Object.assign(genesis, { starting_proposal_id: '20' }), 'must be below'],
    [
      'a bad message',
      (genesis) => Object.assign(list(genesis, 'proposals')[0] ?? {}, { messages: [{ type_url: '/x', value: '%' }] }),
      'proposals[0].messages[0].value',
    ],
    [
      'a bad weight',
      (genesis) =>
        Object.assign(list(genesis, 'votes')[0] ?? {}, { options: [{ option: 'VOTE_OPTION_YES', weight: '0.5' }] }),
      'votes[0].options: total weight lower than 1.00',
    ],
  ]
  it.each(cases)('refuses %s by name', (_, edit, words) => {
    const genesis = exported(busyWorld())
    edit(genesis)
    const found = refusal(() => makeWorld(genesis, FUNDED))
    expect(found?.slice(0, 2)).toEqual(['genesis', 1])
    expect(found?.[2]).toContain(words)
  })

  it('refuses deposits that the account does not have', () => {
    const genesis = exported(busyWorld())
    expect(refusal(() => makeWorld(genesis, []))?.[2]).toContain("the module's account has 0")
  })
})
