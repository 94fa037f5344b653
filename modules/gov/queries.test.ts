import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { ANAT_PER_NAT } from '../../core/amounts.ts'
import { bytesToUtf8 } from '../../core/bytes.ts'
import { gov, govBeta, govBetaQuery, govBetaTx, govQuery, govTx } from '../../proto/index.ts'
import { account, ask, endBlockAfter, GOV, makeWorld, name, pack, refusal, run, type World } from './testing/world.ts'

const { method } = govTx.Msg
const query = govQuery.Query.method
const legacy = govBetaQuery.Query.method
const nat = (amount: number) => BigInt(amount) * ANAT_PER_NAT
const anat = (amount: bigint) => [{ denom: 'anat', amount: amount.toString() }]
const DAY = 86_400n * 1_000_000_000n
const { DEPOSIT_PERIOD, VOTING_PERIOD, REJECTED } = gov.ProposalStatus

const text = pack({ input: govBeta.TextProposalSchema } as never, { title: 'T', description: 'D' } as never)

/** 1: rejected, of two messages; 2: a text with votes; 3: a parameter change that waits for deposits. */
const makeChain = (): World => {
  const world = makeWorld({ constitution: 'constitution' }, [
    [account(1), nat(10_000)],
    [account(2), nat(10_000)],
  ])
  world.stake.validator(account(5), nat(6))
  world.stake.delegate(account(2), account(5), nat(4))
  const self = pack(method.execLegacyContent, { authority: GOV, content: text })
  const common = { proposer: name(1), metadata: 'm', title: 't', summary: 's' }
  run(world, method.submitProposal, { ...common, messages: [self, self], initialDeposit: anat(nat(1_000)) })
  endBlockAfter(world, 2n * DAY)
  run(world, govBetaTx.Msg.method.submitProposal, {
    content: text,
    proposer: name(1),
    initialDeposit: anat(nat(1_000)),
  })
  run(world, method.deposit, { proposalId: 2n, depositor: name(2), amount: anat(nat(20)) })
  run(world, method.vote, { proposalId: 2n, voter: name(5), option: 1, metadata: 'why' })
  run(world, method.vote, { proposalId: 2n, voter: name(2), option: 3 })
  const vote = pack(method.vote, { proposalId: 9n, voter: GOV, option: 1 })
  run(world, method.submitProposal, { ...common, messages: [vote], initialDeposit: anat(nat(10)) })
  return world
}

const world = makeChain()

describe('queries of gov v1', () => {
  it('show a proposal, or say that it is not there', () => {
    const { proposal } = ask(world, query.proposal, { proposalId: 2n })
    expect(proposal).toMatchObject({ id: 2n, status: VOTING_PERIOD, title: 'T', summary: 'D', proposer: name(1) })
    expect(proposal?.totalDeposit).toMatchObject(anat(nat(1_020)))
    expect(ask(world, query.proposal, { proposalId: 3n }).proposal?.votingStartTime).toBeUndefined()
    expect(refusal(() => ask(world, query.proposal, { proposalId: 0n }))).toEqual([
      'grpc',
      3,
      'proposal id can not be 0',
    ])
    expect(refusal(() => ask(world, query.proposal, { proposalId: 10n }))).toEqual([
      'grpc',
      5,
      "proposal 10 doesn't exist",
    ])
  })

  it('list proposals by status, voter and depositor, forwards and backwards', () => {
    const ids = (request: object) => ask(world, query.proposals, request).proposals.map(({ id }) => Number(id))
    expect(ids({})).toEqual([1, 2, 3])
    expect(ids({ proposalStatus: REJECTED })).toEqual([1])
    expect(ids({ proposalStatus: DEPOSIT_PERIOD })).toEqual([3])
    expect(ids({ voter: name(2) })).toEqual([2])
    expect(ids({ depositor: name(1) })).toEqual([2, 3])
    expect(ids({ depositor: name(1), proposalStatus: VOTING_PERIOD })).toEqual([2])
    expect(ids({ pagination: { reverse: true } })).toEqual([3, 2, 1])
    const page = ask(world, query.proposals, { pagination: { limit: 1n, reverse: true, countTotal: true } })
    expect(page.pagination?.total).toBe(3n)
    const key = page.pagination?.nextKey ?? new Uint8Array(0)
    expect(ids({ pagination: { key, reverse: true } })).toEqual([2, 1])
    expect(ids({ pagination: { offset: 1n, limit: 1n } })).toEqual([2])
    expect(refusal(() => ids({ voter: 'x' }))?.slice(0, 2)).toEqual(['grpc', 3])
    expect(refusal(() => ids({ pagination: { key: new Uint8Array(3) } }))?.slice(0, 2)).toEqual(['grpc', 3])
  })

  it('look for no votes on a proposal that takes none: a block may have deleted thousands of them', () => {
    const cancelled = makeChain()
    expect(ask(cancelled, query.votes, { proposalId: 2n }).votes).toHaveLength(2)
    run(cancelled, method.cancelProposal, { proposalId: 2n, proposer: name(1) })
    let scans = 0
    const { state } = cancelled
    const values = state.values.bind(state)
    state.values = (...parameters) => {
      scans++
      return values(...parameters)
    }
    expect(ask(cancelled, query.votes, { proposalId: 2n }).votes).toEqual([])
    expect(ask(cancelled, legacy.votes, { proposalId: 2n }).votes).toEqual([])
    expect(scans).toBe(0)
  })

  it('show votes and deposits (the codes of native-wire)', () => {
    expect(ask(world, query.vote, { proposalId: 2n, voter: name(5) }).vote).toMatchObject({
      options: [{ option: 1, weight: '1.000000000000000000' }],
      metadata: 'why',
    })
    expect(refusal(() => ask(world, query.vote, { proposalId: 2n, voter: name(9) }))).toEqual([
      'grpc',
      3,
      `voter: ${name(9)} not found for proposal: 2`,
    ])
    expect(refusal(() => ask(world, query.vote, { proposalId: 2n }))?.[2]).toBe('empty voter address')
    expect(ask(world, query.votes, { proposalId: 2n }).votes.map(({ voter }) => voter)).toEqual([name(2), name(5)])
    const deposit = { proposalId: 2n, depositor: name(2) }
    expect(ask(world, query.deposit, deposit).deposit?.amount).toMatchObject(anat(nat(20)))
    expect(refusal(() => ask(world, query.deposit, { ...deposit, depositor: name(9) }))?.slice(0, 2)).toEqual([
      'grpc',
      5,
    ])
    expect(ask(world, query.deposits, { proposalId: 2n, pagination: { limit: 1n } }).deposits).toHaveLength(1)
    expect(refusal(() => ask(world, query.deposits, { proposalId: 0n }))?.slice(0, 2)).toEqual(['grpc', 3])
  })

  it('tally a running vote without ending it', () => {
    const tally = (proposalId: bigint) => ask(world, query.tallyResult, { proposalId }).tally
    expect(tally(2n)).toMatchObject({ yesCount: nat(6).toString(), noCount: nat(4).toString(), abstainCount: '0' })
    expect(tally(2n)).toEqual(tally(2n))
    expect(tally(3n)).toMatchObject({ yesCount: '0', noWithVetoCount: '0' })
    expect(refusal(() => tally(9n))?.slice(0, 2)).toEqual(['grpc', 5])
  })

  it('fill the parameters of the type that was asked for beside all (native-wire)', () => {
    const voting = ask(world, query.params, { paramsType: 'voting' })
    expect(voting.votingParams?.votingPeriod?.seconds).toBe(172_800n)
    expect([voting.depositParams, voting.tallyParams]).toEqual([undefined, undefined])
    expect(voting.params?.expeditedThreshold).toBe('0.667000000000000000')
    expect(ask(world, query.params, { paramsType: 'deposit' }).depositParams?.minDeposit).toMatchObject(
      anat(nat(1_000)),
    )
    expect(ask(world, query.params, { paramsType: 'tallying' }).tallyParams?.quorum).toBe('0.334000000000000000')
    expect(refusal(() => ask(world, query.params, { paramsType: 'x' }))).toEqual(['grpc', 3, 'unknown params type: x'])
    expect(ask(world, query.constitution, {}).constitution).toBe('constitution')
  })
})

describe('queries of gov v1beta1', () => {
  it('show a text as the content, another single message as itself, and no other proposal', () => {
    const content = (proposalId: bigint) => ask(world, legacy.proposal, { proposalId }).proposal?.content
    expect(content(2n)?.typeUrl).toBe('/cosmos.gov.v1beta1.TextProposal')
    const bytes = content(2n)?.value ?? new Uint8Array(0)
    expect(fromBinary(govBeta.TextProposalSchema, bytes)).toMatchObject({ title: 'T', description: 'D' })
    expect(content(3n)?.typeUrl).toBe('/cosmos.gov.v1.MsgVote')
    expect(refusal(() => content(1n))?.slice(0, 2)).toEqual(['sdk', 29])
    const listed = ask(world, legacy.proposals, {}).proposals
    expect(listed.map(({ proposalId }) => proposalId)).toEqual([2n, 3n])
    // Go's zero time.
    expect(listed[1]?.votingStartTime?.seconds).toBe(-62_135_596_800n)
  })

  it('show votes, deposits and tallies with decimals as integers', () => {
    expect(ask(world, legacy.vote, { proposalId: 2n, voter: name(5) }).vote?.options).toMatchObject([
      { option: 1, weight: '1000000000000000000' },
    ])
    expect(ask(world, legacy.votes, { proposalId: 2n }).votes).toHaveLength(2)
    const deposit = { proposalId: 2n, depositor: name(2) }
    expect(ask(world, legacy.deposit, deposit).deposit?.amount).toMatchObject(anat(nat(20)))
    expect(ask(world, legacy.deposits, { proposalId: 2n }).deposits).toHaveLength(2)
    expect(ask(world, legacy.tallyResult, { proposalId: 2n }).tally).toMatchObject({ yes: nat(6).toString() })
    const tallying = ask(world, legacy.params, { paramsType: 'tallying' })
    expect(bytesToUtf8(tallying.tallyParams?.quorum ?? new Uint8Array(0))).toBe('334000000000000000')
    expect(tallying.votingParams?.votingPeriod?.seconds).toBe(0n)
    expect(ask(world, legacy.params, { paramsType: 'voting' }).votingParams?.votingPeriod?.seconds).toBe(172_800n)
    expect(refusal(() => ask(world, legacy.params, {}))?.[2]).toBe(' is not a valid parameter type')
  })

  it('of both versions are served completely', () => {
    const paths = [govQuery.Query, govBetaQuery.Query].flatMap((service) =>
      service.methods.map(({ name: each }) => `/${service.typeName}/${each}`),
    )
    expect(world.module.queries.map(({ path }) => path).sort()).toEqual(paths.sort())
    const messages = [govTx.Msg, govBetaTx.Msg].flatMap((service) =>
      service.methods.map(({ input }) => `/${input.typeName}`),
    )
    expect(world.module.messages.map(({ typeUrl }) => typeUrl).sort()).toEqual(messages.sort())
  })
})
