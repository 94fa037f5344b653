import { expect, it } from 'vitest'
import { ANAT_PER_NAT } from '../../core/amounts.ts'
import { ONE } from '../../core/decimal.ts'
import { bytesToHex } from '../../core/hex.ts'
import { bankTx, govTx } from '../../proto/index.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import { GOV_ADDRESS } from './keys.ts'
import { readDeposited, readParams, readProposals, writeParams } from './keeper/proposals.ts'
import { ProposalStatus } from './proposal.ts'
import {
  account,
  commitBlock,
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
const coins = (anat: bigint, zcoin: bigint) =>
  [
    { denom: 'anat', amount: anat.toString() },
    { denom: 'zcoin', amount: zcoin.toString() },
  ].filter(({ amount }) => amount !== '0')
const ACCOUNTS = [1, 2, 3, 4, 5, 6]
const HOUR = 3_600n * 1_000_000_000n

const makeChain = (): World => {
  const world = makeWorld(
    {
      params: {
        min_deposit: coins(nat(10), 100n),
        expedited_min_deposit: coins(nat(50), 500n),
        min_deposit_ratio: '0',
      },
    },
    [0, ...ACCOUNTS].flatMap((each) => [
      [each === 0 ? GOV_ADDRESS : account(each), nat(each === 0 ? 20 : 10_000)],
      [account(each), 100_000n, 'zcoin'],
    ]) as [Uint8Array, bigint, string?][],
  )
  for (const each of [1, 2, 3]) world.stake.validator(account(each), nat(each))
  for (const each of [4, 5]) world.stake.delegate(account(each), account(each - 3), nat(each))
  return world
}

const randomMessages = (random: Random) =>
  Array.from({ length: random.below(3) }, () =>
    random.chance(50)
      ? pack(bankTx.Msg.method.send, {
          fromAddress: GOV,
          toAddress: name(9),
          amount: coins(BigInt(1 + random.below(10)) * ANAT_PER_NAT, 0n),
        })
      : pack(method.vote, { proposalId: BigInt(1 + random.below(20)), voter: GOV, option: 1 }),
  )

const step = (world: World, random: Random): void => {
  const who = name(random.pick(ACCOUNTS))
  const proposalId = BigInt(1 + random.below(25))
  const amount = coins(BigInt(random.below(30)) * ANAT_PER_NAT, BigInt(random.below(300)))
  switch (random.below(6)) {
    case 0: {
      const texts = { metadata: 'm', title: 't', summary: 's' }
      const common = { messages: randomMessages(random), proposer: who, expedited: random.chance(30) }
      run(world, method.submitProposal, { ...texts, ...common, initialDeposit: amount })
      return
    }
    case 1:
      run(world, method.deposit, { proposalId, depositor: who, amount })
      return
    case 2:
      if (random.chance(20)) run(world, method.cancelProposal, { proposalId, proposer: who })
      return
    default:
      run(world, method.vote, { proposalId, voter: who, option: random.pick([1, 1, 1, 1, 2, 3, 4] as const) })
  }
}

it(
  'governance keeps its invariants over random messages and blocks, and its export gives the same state',
  seeded(412, (random) => {
    const seen = new Set<number>()
    for (let round = 0; round < 6; round++) {
      const world = makeChain()
      for (let block = 0; block < 60; block++) {
        for (let index = random.below(12); index > 0; index--) refusal(() => step(world, random))
        if (random.chance(50)) {
          const [delegator, operator] = [account(random.pick(ACCOUNTS)), account(random.pick([1, 2, 3]))]
          if (random.chance(50)) world.stake.delegate(delegator, operator, BigInt(1 + random.below(10 ** 9)))
          else world.stake.undelegate(delegator, operator, (ONE * BigInt(random.below(101))) / 100n)
        }
        if (random.chance(10)) world.stake.change(account(1), { status: random.pick(['bonded', 'unbonding']) })
        if (random.chance(5)) {
          const params = readParams(world.state)
          writeParams(world.state, { ...params, burnVoteQuorum: random.chance(50), proposalCancelDest: account(8) })
        }
        endBlockAfter(world, BigInt(random.below(12)) * HOUR)
        expect(faults(world)).toEqual([])
        for (const { status } of readProposals(world.state)) seen.add(status)
        if (random.chance(50)) commitBlock(world)
      }
      const values = ({ state }: World) =>
        state.values(GOV_ADDRESS, new Uint8Array(0), 100_000).map((entry) => entry.map(bytesToHex))
      const genesis = world.module.exportGenesis({ state: world.state, height: 7, chainId: 'test' })
      const plain: unknown = JSON.parse(
        JSON.stringify(genesis, (_, value: unknown) =>
          typeof value === 'object' && value !== null && Symbol.iterator in value ? [...(value as unknown[])] : value,
        ),
      )
      const funded = readDeposited(world.state).map(({ denom, amount }) => [GOV_ADDRESS, amount, denom] as const)
      expect(values(makeWorld(plain, funded, world.stake))).toEqual(values(world))
    }
    expect([...seen].sort((a, b) => a - b)).toEqual([
      ProposalStatus.DEPOSIT_PERIOD,
      ProposalStatus.VOTING_PERIOD,
      ProposalStatus.PASSED,
      ProposalStatus.REJECTED,
      ProposalStatus.FAILED,
    ])
  }),
)
