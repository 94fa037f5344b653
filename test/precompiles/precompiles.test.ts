/** Every precompile over the modules of the chain, called with viem's ABIs; both engines must do the same to the state. */
import { describe, expect, it } from 'vitest'
import { toBech32 } from '@cosmjs/encoding'
import { checksumAddress } from '../../core/address.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { GOVERNANCE_ADDRESS } from '../../modules/authority.ts'
import { consensusAddressOf, formatOperator } from '../../modules/validator-addresses.ts'
import type { Engine } from '../../evm/engine.ts'
import type { AbiParameter } from '../../app/precompiles/abi/types.ts'
import { PRECOMPILES } from '../../app/precompiles/index.ts'
import { keccak256 } from '../../core/hash.ts'
import { type Pick, seededRandom } from '../../store/testing/seeded-random.ts'
import { NATIVE_TOKEN_ADDRESS, PRECOMPILE_ADDRESSES } from '../../packages/precompiles/index.ts'
import { ALICE, BOB, CONTRACT, engines, FIRST, FUNDS, KEYS, NAT, type Outcome, SECOND, STAKE, World } from './world.ts'

const [INTERPRETER, REFERENCE] = await engines()

const hex = checksumAddress
const FIRST_TEXT = formatOperator(FIRST)
const SECOND_TEXT = formatOperator(SECOND)
const PAGE = { key: '0x', offset: 0n, limit: 10n, countTotal: false, reverse: false } as const

const valueOf = <Value>(outcome: Outcome<Value>): Value => {
  if ('refusal' in outcome) throw new TypeError(`refused: ${outcome.refusal}`)
  return outcome.value
}
const refusalOf = (outcome: Outcome<unknown>): string => ('refusal' in outcome ? outcome.refusal : 'no refusal')
const logsOf = (outcome: Outcome<unknown>): readonly { readonly eventName: string; readonly args: unknown }[] =>
  'logs' in outcome ? (outcome.logs as unknown as readonly { eventName: string; args: unknown }[]) : []

/** The same scenario in both engines: everything that it returns and writes must be equal. */
const inBoth = async <Result>(scenario: (world: World, engine: Engine) => Promise<Result>): Promise<Result> => {
  const [fast, slow] = [new World(), new World()]
  const result = await scenario(fast, INTERPRETER)
  expect(await scenario(slow, REFERENCE)).toEqual(result)
  for (const world of [fast, slow]) world.nextBlock()
  expect(slow.state.changes()).toEqual(fast.state.changes())
  const context = { state: fast.state, height: fast.height, chainId: 'localnat-1' }
  for (const { name, invariants } of fast.modules) {
    // The bank's goes through the store, which holds nothing here.
    if (name === 'bank') continue
    for (const { check } of invariants) expect(check(context)).toBeUndefined()
  }
  return result
}

describe('bech32', () => {
  it('converts addresses as CosmJS does', async () => {
    await inBoth(async (world, engine) => {
      for (const prefix of ['nat', 'natvaloper', 'cosmos']) {
        const text = toBech32(prefix, ALICE)
        expect(valueOf(await world.call(engine, 'bech32', 'hexToBech32', [hex(ALICE), prefix]))).toBe(text)
        expect(valueOf(await world.call(engine, 'bech32', 'bech32ToHex', [text]))).toBe(hex(ALICE))
      }
    })
  })

  it('refuses what is no address', async () => {
    await inBoth(async (world, engine) => {
      for (const prefix of ['', ' ', 'NAT', 'a b', 'x'.repeat(52), 'naté']) {
        const outcome = await world.call(engine, 'bech32', 'hexToBech32', [hex(ALICE), prefix])
        expect(refusalOf(outcome)).toContain('invalid bech32 human readable prefix (HRP)')
      }
      const long = toBech32('nat', new Uint8Array(32))
      for (const text of [
        '',
        'nat',
        '1',
        'nat1x',
        toBech32('nat', ALICE).replace(/.$/, 'b'),
        long,
        'x'.repeat(5_000),
      ]) {
        expect(refusalOf(await world.call(engine, 'bech32', 'bech32ToHex', [text]))).toContain('invalid bech32 address')
      }
    })
  })
})

describe('bank', () => {
  it('tells balances and supplies of the native coin', async () => {
    await inBoth(async (world, engine) => {
      const [balance] = valueOf(await world.call(engine, 'bank', 'balances', [hex(BOB)]))
      expect(balance).toEqual({ contractAddress: NATIVE_TOKEN_ADDRESS, amount: FUNDS })
      expect(valueOf(await world.call(engine, 'bank', 'balances', [hex(new Uint8Array(20).fill(9))]))).toEqual([])
      const supply = 5n * FUNDS + 2n * STAKE
      expect(valueOf(await world.call(engine, 'bank', 'totalSupply', []))).toEqual([
        { contractAddress: NATIVE_TOKEN_ADDRESS, amount: supply },
      ])
      expect(valueOf(await world.call(engine, 'bank', 'supplyOf', [NATIVE_TOKEN_ADDRESS]))).toBe(supply)
      expect(valueOf(await world.call(engine, 'bank', 'supplyOf', [hex(BOB)]))).toBe(0n)
    })
  })
})

describe('staking', () => {
  it('delegates for the caller, with log and native events', async () => {
    const outcome = await inBoth(async (world, engine) => {
      const done = await world.call(engine, 'staking', 'delegate', [hex(ALICE), FIRST_TEXT, 5n * NAT])
      expect(world.state.account(ALICE)?.balance).toBe(FUNDS - 5n * NAT)
      expect(valueOf(await world.call(engine, 'staking', 'delegation', [hex(ALICE), FIRST_TEXT]))).toEqual([
        5n * NAT * 10n ** 18n,
        { denom: 'anat', amount: 5n * NAT },
      ])
      return done
    })
    expect(valueOf(outcome)).toBe(true)
    expect(logsOf(outcome)).toMatchObject([
      {
        eventName: 'Delegate',
        args: {
          delegatorAddress: hex(ALICE),
          validatorAddress: hex(FIRST),
          amount: 5n * NAT,
          newShares: 5n * NAT * 10n ** 18n,
        },
      },
    ])
    const types = outcome.result.nativeEvents.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['coin_spent', 'coin_received', 'delegate']))
    expect(types.indexOf('coin_spent')).toBeLessThan(types.indexOf('delegate'))
    expect(outcome.result.gasUsed).toBeGreaterThan(21_000n + 50_000n)
    expect(outcome.result.gasUsed).toBeLessThan(120_000n)
  })

  it('acts for nobody but the caller: not for the sender behind a contract either', async () => {
    await inBoth(async (world, engine) => {
      const other = await world.call(engine, 'staking', 'delegate', [hex(BOB), FIRST_TEXT, NAT])
      const text = `msg.sender address ${hex(ALICE)} does not match the requester address ${hex(BOB)}`
      expect(refusalOf(other)).toBe(text)
      const through = { through: 'CALL' } as const
      const behind = await world.call(engine, 'staking', 'delegate', [hex(ALICE), FIRST_TEXT, NAT], through)
      expect(refusalOf(behind)).toContain(`msg.sender address ${hex(CONTRACT)} does not match`)
      const own = await world.call(engine, 'staking', 'delegate', [hex(CONTRACT), FIRST_TEXT, NAT], through)
      expect(valueOf(own)).toBe(true)
      expect(world.state.account(CONTRACT)?.balance).toBe(FUNDS - NAT)
    })
  })

  it('is refused in static calls, in delegated ones, and with value; reading is not', async () => {
    await inBoth(async (world, engine) => {
      const args = [hex(CONTRACT), FIRST_TEXT, NAT] as const
      const isStatic = await world.call(engine, 'staking', 'delegate', args, { through: 'STATICCALL' })
      expect(refusalOf(isStatic)).toBe('write protection')
      const delegated = await world.call(engine, 'staking', 'delegate', args, { through: 'DELEGATECALL' })
      expect(refusalOf(delegated)).toBe('precompiles cannot be reached by delegatecall or callcode')
      const paid = await world.call(engine, 'staking', 'delegate', args, { through: 'CALL', value: 1n })
      expect(refusalOf(paid)).toBe('method delegate is not payable')
      const read = await world.call(engine, 'staking', 'validator', [hex(FIRST)], { through: 'STATICCALL' })
      expect(valueOf(read).operatorAddress).toBe(hex(FIRST))
      expect(world.state.account(CONTRACT)?.balance).toBe(FUNDS)
    })
  })

  it('undelegates, takes that back, and moves stake to another validator', async () => {
    await inBoth(async (world, engine) => {
      valueOf(await world.call(engine, 'staking', 'delegate', [hex(ALICE), FIRST_TEXT, 9n * NAT]))
      const left = await world.call(engine, 'staking', 'undelegate', [hex(ALICE), FIRST_TEXT, 4n * NAT])
      const completionTime = valueOf(left)
      expect(completionTime).toBeGreaterThan(world.timeNs / 1_000_000_000n)
      expect(logsOf(left)).toMatchObject([{ eventName: 'Unbond', args: { amount: 4n * NAT, completionTime } }])
      const unbonding = valueOf(await world.call(engine, 'staking', 'unbondingDelegation', [hex(ALICE), FIRST_TEXT]))
      expect(unbonding).toMatchObject({
        delegatorAddress: encodeBech32(ALICE),
        validatorAddress: FIRST_TEXT,
        entries: [
          { creationHeight: BigInt(world.height), completionTime, initialBalance: 4n * NAT, balance: 4n * NAT },
        ],
      })
      const height = BigInt(world.height)
      const back = await world.call(engine, 'staking', 'cancelUnbondingDelegation', [
        hex(ALICE),
        FIRST_TEXT,
        1n * NAT,
        height,
      ])
      expect(valueOf(back)).toBe(true)
      expect(logsOf(back)).toMatchObject([{ eventName: 'CancelUnbondingDelegation', args: { creationHeight: height } }])
      const moved = await world.call(engine, 'staking', 'redelegate', [hex(ALICE), FIRST_TEXT, SECOND_TEXT, 2n * NAT])
      expect(logsOf(moved)).toMatchObject([
        { eventName: 'Redelegate', args: { validatorSrcAddress: hex(FIRST), validatorDstAddress: hex(SECOND) } },
      ])
      const entries = [{ creationHeight: height, completionTime: valueOf(moved), initialBalance: 2n * NAT }]
      const between = [hex(ALICE), FIRST_TEXT, SECOND_TEXT] as const
      expect(valueOf(await world.call(engine, 'staking', 'redelegation', between))).toMatchObject({
        validatorSrcAddress: FIRST_TEXT,
        entries,
      })
      const [listed] = valueOf(await world.call(engine, 'staking', 'redelegations', [hex(ALICE), '', '', PAGE]))
      expect(listed[0]?.entries[0]).toMatchObject({ redelegationEntry: entries[0], balance: 2n * NAT })
    })
  })

  it('tells of validators, and answers with nothing for what is not there', async () => {
    await inBoth(async (world, engine) => {
      const validator = valueOf(await world.call(engine, 'staking', 'validator', [hex(FIRST)]))
      expect(validator).toMatchObject({
        operatorAddress: hex(FIRST),
        consensusPubkey: Buffer.from(KEYS[0]).toString('base64'),
        jailed: false,
        status: 3,
        tokens: STAKE,
        delegatorShares: STAKE * 10n ** 18n,
        commission: 10n ** 17n,
        minSelfDelegation: 1n,
      })
      expect(validator.description.moniker).toBe('validator 1')
      const [validators, page] = valueOf(
        await world.call(engine, 'staking', 'validators', ['BOND_STATUS_BONDED', { ...PAGE, limit: 1n }]),
      )
      expect(validators.map(({ operatorAddress }) => operatorAddress)).toEqual([hex(FIRST)])
      const next = { ...PAGE, key: page.nextKey }
      const [rest] = valueOf(await world.call(engine, 'staking', 'validators', ['', next]))
      expect(rest.map(({ operatorAddress }) => operatorAddress)).toEqual([hex(SECOND)])
      expect(valueOf(await world.call(engine, 'staking', 'validator', [hex(BOB)])).operatorAddress).toBe('')
      expect(valueOf(await world.call(engine, 'staking', 'delegation', [hex(BOB), FIRST_TEXT]))).toEqual([
        0n,
        { denom: 'anat', amount: 0n },
      ])
      expect(
        valueOf(await world.call(engine, 'staking', 'unbondingDelegation', [hex(BOB), FIRST_TEXT])).entries,
      ).toEqual([])
      const none = [hex(BOB), FIRST_TEXT, SECOND_TEXT] as const
      expect(valueOf(await world.call(engine, 'staking', 'redelegation', none)).entries).toEqual([])
    })
  })

  const DESCRIPTION = { moniker: 'alice', identity: '', website: 'https://a.example', securityContact: '', details: '' }
  const RATES = { rate: 10n ** 17n, maxRate: 2n * 10n ** 17n, maxChangeRate: 10n ** 16n }
  const KEY = Buffer.alloc(32, 9).toString('base64')

  it('creates and edits a validator, for a person alone', async () => {
    await inBoth(async (world, engine) => {
      const created = await world.call(engine, 'staking', 'createValidator', [
        DESCRIPTION,
        RATES,
        NAT,
        hex(ALICE),
        KEY,
        3n * NAT,
      ])
      expect(valueOf(created)).toBe(true)
      expect(logsOf(created)).toMatchObject([
        { eventName: 'CreateValidator', args: { validatorAddress: hex(ALICE), value: 3n * NAT } },
      ])
      const edited = await world.call(engine, 'staking', 'editValidator', [
        { ...DESCRIPTION, moniker: 'renamed' },
        hex(ALICE),
        -1n,
        2n * NAT,
      ])
      expect(logsOf(edited)).toMatchObject([
        { eventName: 'EditValidator', args: { commissionRate: -1n, minSelfDelegation: 2n * NAT } },
      ])
      const validator = valueOf(await world.call(engine, 'staking', 'validator', [hex(ALICE)]))
      expect(validator).toMatchObject({ tokens: 3n * NAT, minSelfDelegation: 2n * NAT, commission: RATES.rate })
      expect(validator.description).toMatchObject({ moniker: 'renamed', website: 'https://a.example' })
      const args = [DESCRIPTION, RATES, NAT, hex(CONTRACT), KEY, 3n * NAT] as const
      const byContract = await world.call(engine, 'staking', 'createValidator', args, { through: 'CALL' })
      expect(refusalOf(byContract)).toBe(
        'this method can only be called directly to the precompile, not from a smart contract',
      )
      const shortKey = [DESCRIPTION, RATES, NAT, hex(BOB), 'AAAA', NAT] as const
      const refused = await world.call(engine, 'staking', 'createValidator', shortKey, { from: BOB })
      expect(refusalOf(refused)).toBe('consensus pubkey len is invalid, got: 3, expected: 32')
      const anybodys = [DESCRIPTION, RATES, NAT, hex(BOB), Buffer.alloc(32).toString('base64'), NAT] as const
      const open = await world.call(engine, 'staking', 'createValidator', anybodys, { from: BOB })
      expect(refusalOf(open)).toContain('the point of this ed25519 key has a small order: anybody can sign for it')
    })
  })

  it('passes on what the module refuses, with nothing written', async () => {
    await inBoth(async (world, engine) => {
      const before = world.state.account(ALICE)?.balance
      const [none, tooMuch] = [formatOperator(BOB), FUNDS * 2n]
      const unknown = await world.call(engine, 'staking', 'delegate', [hex(ALICE), none, NAT])
      expect(refusalOf(unknown)).toContain('validator does not exist')
      const poor = await world.call(engine, 'staking', 'delegate', [hex(ALICE), FIRST_TEXT, tooMuch])
      expect(refusalOf(poor)).toContain('insufficient funds')
      const zero = await world.call(engine, 'staking', 'delegate', [hex(ALICE), FIRST_TEXT, 0n])
      expect(refusalOf(zero)).toContain('invalid')
      const malformed = await world.call(engine, 'staking', 'delegate', [hex(ALICE), 'natvaloper1x', NAT])
      expect(refusalOf(malformed)).not.toBe('no refusal')
      expect(world.state.account(ALICE)?.balance).toBe(before)
      for (const { result } of [unknown, poor, zero, malformed]) expect(result.nativeEvents).toEqual([])
    })
  })
})

describe('distribution', () => {
  it('pays rewards and commission to who calls', async () => {
    await inBoth(async (world, engine) => {
      valueOf(await world.call(engine, 'staking', 'delegate', [hex(ALICE), FIRST_TEXT, STAKE]))
      world.nextBlock()
      const pool = [{ denom: 'anat', amount: 100n * NAT }]
      const deposit = await world.call(
        engine,
        'distribution',
        'depositValidatorRewardsPool',
        [hex(BOB), FIRST_TEXT, pool],
        { from: BOB },
      )
      expect(logsOf(deposit)).toMatchObject([
        { eventName: 'DepositValidatorRewardsPool', args: { depositor: hex(BOB), validatorAddress: hex(FIRST) } },
      ])
      const due = valueOf(await world.call(engine, 'distribution', 'delegationRewards', [hex(ALICE), FIRST_TEXT]))
      expect(due).toMatchObject([{ denom: 'anat', precision: 18 }])
      const total = valueOf(await world.call(engine, 'distribution', 'delegationTotalRewards', [hex(ALICE)]))
      expect(total[1]).toEqual(due)
      expect(total[0]).toEqual([{ validatorAddress: FIRST_TEXT, reward: due }])
      const before = world.state.account(ALICE)?.balance ?? 0n
      const paid = await world.call(engine, 'distribution', 'withdrawDelegatorRewards', [hex(ALICE), FIRST_TEXT])
      const [coin] = valueOf(paid)
      expect(coin).toEqual({ denom: 'anat', amount: due[0]?.amount })
      expect(world.state.account(ALICE)?.balance).toBe(before + (coin?.amount ?? 0n))
      expect(logsOf(paid)).toMatchObject([{ eventName: 'WithdrawDelegatorReward', args: { amount: coin?.amount } }])
      return coin
    })
  })

  it('claims from all validators at once, and where the caller wants it', async () => {
    await inBoth(async (world, engine) => {
      for (const validator of [FIRST_TEXT, SECOND_TEXT]) {
        valueOf(await world.call(engine, 'staking', 'delegate', [hex(ALICE), validator, STAKE]))
      }
      world.nextBlock()
      for (const validator of [FIRST_TEXT, SECOND_TEXT]) {
        const args = [hex(BOB), validator, [{ denom: 'anat', amount: 50n * NAT }]] as const
        valueOf(await world.call(engine, 'distribution', 'depositValidatorRewardsPool', args, { from: BOB }))
      }
      const to = new Uint8Array(20).fill(0x55)
      const set = await world.call(engine, 'distribution', 'setWithdrawAddress', [hex(ALICE), hex(to)])
      expect(logsOf(set)).toMatchObject([
        { eventName: 'SetWithdrawerAddress', args: { caller: hex(ALICE), withdrawerAddress: encodeBech32(to) } },
      ])
      expect(valueOf(await world.call(engine, 'distribution', 'delegatorWithdrawAddress', [hex(ALICE)]))).toBe(
        encodeBech32(to),
      )
      expect(valueOf(await world.call(engine, 'distribution', 'delegatorValidators', [hex(ALICE)]))).toEqual([
        FIRST_TEXT,
        SECOND_TEXT,
      ])
      const claimed = await world.call(engine, 'distribution', 'claimRewards', [hex(ALICE), 10])
      expect(valueOf(claimed)).toBe(true)
      const amount = world.state.account(to)?.balance ?? 0n
      expect(amount).toBeGreaterThan(0n)
      expect(logsOf(claimed)).toMatchObject([{ eventName: 'ClaimRewards', args: { amount } }])
      expect(claimed.result.gasUsed).toBeGreaterThan(121_000n)
      const many = await world.call(engine, 'distribution', 'claimRewards', [hex(ALICE), 4_000_000_000])
      expect(refusalOf(many)).toContain('parameter exceeds the maximum number of validators')
    })
  })

  it('takes gifts to the community pool, and tells what it holds', async () => {
    await inBoth(async (world, engine) => {
      const gift = [{ denom: 'anat', amount: 7n * NAT }]
      const given = await world.call(engine, 'distribution', 'fundCommunityPool', [hex(ALICE), gift])
      expect(logsOf(given)).toMatchObject([
        { eventName: 'FundCommunityPool', args: { depositor: hex(ALICE), denom: 'anat', amount: 7n * NAT } },
      ])
      expect(valueOf(await world.call(engine, 'distribution', 'communityPool', []))).toEqual([
        { denom: 'anat', amount: 7n * NAT, precision: 18 },
      ])
      const nameless = await world.call(engine, 'distribution', 'fundCommunityPool', [
        hex(ALICE),
        [{ denom: '', amount: 1n }],
      ])
      expect(refusalOf(nameless)).toBe('invalid amount amount arg')
    })
  })

  it('answers about validators', async () => {
    await inBoth(async (world, engine) => {
      valueOf(await world.call(engine, 'distribution', 'validatorOutstandingRewards', [FIRST_TEXT]))
      valueOf(await world.call(engine, 'distribution', 'validatorCommission', [FIRST_TEXT]))
      const info = valueOf(await world.call(engine, 'distribution', 'validatorDistributionInfo', [FIRST_TEXT]))
      expect(info.operatorAddress).toBe(encodeBech32(FIRST))
      const slashes = await world.call(engine, 'distribution', 'validatorSlashes', [FIRST_TEXT, 0n, 100n, PAGE])
      expect(valueOf(slashes)[0]).toEqual([])
      const none = await world.call(engine, 'distribution', 'withdrawValidatorCommission', [FIRST_TEXT], {
        from: FIRST,
      })
      expect(refusalOf(none)).toContain('no validator commission to withdraw')
      const foreign = await world.call(engine, 'distribution', 'withdrawValidatorCommission', [FIRST_TEXT])
      expect(refusalOf(foreign)).toContain('does not match the requester address')
    })
  })
})

describe('slashing', () => {
  it('tells parameters and signing infos, and passes on why a validator stays jailed', async () => {
    await inBoth(async (world, engine) => {
      const params = valueOf(await world.call(engine, 'slashing', 'getParams', []))
      expect(params.slashFractionDoubleSign).toEqual({ value: 5n * 10n ** 16n, precision: 18 })
      expect(params.downtimeJailDuration).toBeGreaterThan(0n)
      const [infos] = valueOf(await world.call(engine, 'slashing', 'getSigningInfos', [PAGE]))
      const consensus = hex(consensusAddressOf(KEYS[0]))
      for (const { validatorAddress } of infos) expect(validatorAddress).toMatch(/^0x/)
      const one = await world.call(engine, 'slashing', 'getSigningInfo', [consensus])
      if (infos.length > 0) expect(valueOf(one).validatorAddress).toBe(consensus)
      else expect(refusalOf(one)).toContain('SigningInfo not found')
      const free = await world.call(engine, 'slashing', 'unjail', [hex(FIRST)], { from: FIRST })
      expect(refusalOf(free)).toContain('not jailed')
      expect(refusalOf(await world.call(engine, 'slashing', 'unjail', [hex(FIRST)]))).toContain('msg.sender address')
    })
  })
})

describe('gov', () => {
  const proposal = (messages: readonly unknown[], more: object = {}): `0x${string}` =>
    bytesToHex(utf8ToBytes(JSON.stringify({ messages, metadata: '', title: 'title', summary: 'summary', ...more })))
  const text = (value: unknown): `0x${string}` => bytesToHex(utf8ToBytes(String(value)))
  const deposit = (amount: bigint) => [{ denom: 'anat', amount }]

  it('takes a proposal through deposit and votes', async () => {
    await inBoth(async (world, engine) => {
      const params = valueOf(await world.call(engine, 'gov', 'getParams', []))
      const minimum = params.minDeposit[0]?.amount ?? 0n
      expect(minimum).toBeGreaterThan(0n)
      expect(params.votingPeriod % 1_000_000_000n).toBe(0n)
      const send = {
        '@type': '/cosmos.distribution.v1beta1.MsgUpdateParams',
        authority: encodeBech32(GOVERNANCE_ADDRESS),
        params: {
          community_tax: '0.03',
          base_proposer_reward: '0',
          bonus_proposer_reward: '0',
          withdraw_addr_enabled: true,
        },
      }
      const half = deposit(minimum / 2n)
      const submitted = await world.call(engine, 'gov', 'submitProposal', [hex(ALICE), proposal([send]), half])
      const id = valueOf(submitted)
      expect(logsOf(submitted)).toMatchObject([{ eventName: 'SubmitProposal', args: { proposalId: id } }])
      const open = valueOf(await world.call(engine, 'gov', 'getProposal', [id]))
      expect(open).toMatchObject({
        id,
        messages: ['/cosmos.distribution.v1beta1.MsgUpdateParams'],
        status: 1,
        title: 'title',
        proposer: hex(ALICE),
        totalDeposit: half,
        votingStartTime: 0n,
      })
      const added = await world.call(engine, 'gov', 'deposit', [hex(BOB), id, deposit(minimum)], { from: BOB })
      expect(logsOf(added)).toMatchObject([
        { eventName: 'Deposit', args: { proposalId: id, amount: deposit(minimum) } },
      ])
      expect(valueOf(await world.call(engine, 'gov', 'getProposal', [id])).status).toBe(2)
      const voted = await world.call(engine, 'gov', 'vote', [hex(ALICE), id, 1, ''])
      expect(logsOf(voted)).toMatchObject([{ eventName: 'Vote', args: { proposalId: id, option: 1 } }])
      const options = [
        { option: 1, weight: '0.7' },
        { option: 3, weight: '0.3' },
      ]
      const split = await world.call(engine, 'gov', 'voteWeighted', [hex(BOB), id, options, ''], { from: BOB })
      expect(logsOf(split)).toMatchObject([{ eventName: 'VoteWeighted', args: { proposalId: id, options } }])
      const vote = valueOf(await world.call(engine, 'gov', 'getVote', [id, hex(BOB)]))
      expect(vote).toMatchObject({ voter: hex(BOB), options: [{ option: 1 }, { option: 3 }] })
      const [votes] = valueOf(await world.call(engine, 'gov', 'getVotes', [id, PAGE]))
      expect(votes.length).toBe(2)
      expect(valueOf(await world.call(engine, 'gov', 'getDeposit', [id, hex(BOB)])).amount).toEqual(deposit(minimum))
      const [deposits] = valueOf(await world.call(engine, 'gov', 'getDeposits', [id, PAGE]))
      expect(deposits.length).toBe(2)
      expect(valueOf(await world.call(engine, 'gov', 'getTallyResult', [id]))).toMatchObject({ no: '0' })
      const none = hex(new Uint8Array(20))
      const [proposals] = valueOf(await world.call(engine, 'gov', 'getProposals', [0, none, none, PAGE]))
      expect(proposals.map((each) => each.id)).toEqual([id])
      expect(typeof valueOf(await world.call(engine, 'gov', 'getConstitution', []))).toBe('string')
      const cancelled = await world.call(engine, 'gov', 'cancelProposal', [hex(ALICE), id])
      expect(logsOf(cancelled)).toMatchObject([{ eventName: 'CancelProposal', args: { proposalId: id } }])
    })
  })

  it('refuses proposals that do not fit, in words that every node has', async () => {
    await inBoth(async (world, engine) => {
      const submit = async (json: `0x${string}`): Promise<string> =>
        refusalOf(await world.call(engine, 'gov', 'submitProposal', [hex(ALICE), json, deposit(NAT)]))
      expect(await submit('0x')).toBe('invalid proposal json jsonBlob arg ')
      expect(await submit(text('{'))).toBe('invalid proposal JSON: it does not parse')
      expect(await submit(text('['.repeat(20_000)))).toBe('invalid proposal JSON: it does not parse')
      expect(await submit(text('[]'))).toBe('invalid proposal JSON: it must be an object')
      expect(await submit(proposal([{ '@type': '/nobody.Knows' }]))).toContain('unknown @type')
      expect(await submit(proposal([{}]))).toContain('unknown @type')
      expect(await submit(proposal([], { title: 1 }))).toBe('invalid proposal JSON: title must be a string')
      const send = { '@type': '/cosmos.bank.v1beta1.MsgSend', from_address: 5 }
      expect(await submit(proposal([send]))).toBe('invalid proposal JSON: message 0 does not fit its definition')
      const unknownField = { '@type': '/cosmos.bank.v1beta1.MsgSend', nonsense: '' }
      expect(await submit(proposal([unknownField]))).toContain('does not fit its definition')
      expect(refusalOf(await world.call(engine, 'gov', 'getProposal', [99n]))).toContain('rpc error: code = NotFound')
      expect(refusalOf(await world.call(engine, 'gov', 'vote', [hex(ALICE), 99n, 1, '']))).not.toBe('no refusal')
    })
  })
})

describe('gas', () => {
  it('fails the frame as that of any precompile where it is too little', async () => {
    await inBoth(async (world, engine) => {
      const args = [hex(ALICE), FIRST_TEXT, NAT] as const
      const poor = await world.call(engine, 'staking', 'delegate', args, { gas: 70_000n })
      expect(refusalOf(poor)).toBe('out of gas')
      expect(poor.result.gasUsed).toBe(70_000n)
      const read = await world.call(engine, 'staking', 'validators', ['', PAGE], { gas: 28_000n })
      expect(refusalOf(read)).toBe('out of gas')
      expect(world.state.account(ALICE)?.balance).toBe(FUNDS)
    })
  })

  it('grows with what a query reads', async () => {
    await inBoth(async (world, engine) => {
      const gasOf = async (limit: bigint): Promise<bigint> =>
        (await world.call(engine, 'staking', 'validators', ['', { ...PAGE, limit }])).result.gasUsed
      expect(await gasOf(2n)).toBeGreaterThanOrEqual(await gasOf(1n))
      const [none, some] = [
        await world.call(engine, 'distribution', 'delegatorValidators', [hex(ALICE)]),
        await world.call(engine, 'distribution', 'delegatorValidators', [hex(FIRST)]),
      ]
      expect(some.result.gasUsed).toBeGreaterThan(none.result.gasUsed)
    })
  })
})

describe('input that names no method', () => {
  const send = async (data: Uint8Array): Promise<string> =>
    inBoth(async (world, engine) => {
      const to = hexToBytes(PRECOMPILE_ADDRESSES.staking)
      const { returnData, failure } = await world.execute(engine, { to, data })
      expect(failure).toEqual({ kind: 'revert', message: 'execution reverted' })
      return Buffer.from(returnData.subarray(68)).toString().replaceAll('\0', '')
    })

  it('is refused in the words of go-ethereum', async () => {
    expect(await send(new Uint8Array(0))).toBe('execution reverted')
    expect(await send(Uint8Array.of(1, 2, 3))).toBe('execution reverted')
    expect(await send(hexToBytes('0xdeadbeef00'))).toBe('no method with id: 0xdeadbeef')
  })
})

describe('hostile input', () => {
  const word = (value: bigint): string => value.toString(16).padStart(64, '0')
  const TEXTS = [FIRST_TEXT, encodeBech32(ALICE), 'anat', '', '0x', 'BOND_STATUS_BONDED', '\u0000', 'a'.repeat(200)]

  /** Well formed where chance has it: offsets point at texts that stand behind the heads. */
  const randomInput = (pick: Pick, selector: Uint8Array): Uint8Array => {
    const heads = 1 + pick(7)
    const tails = Array.from({ length: heads }, () => TEXTS[pick(TEXTS.length)] ?? '')
    const encoded = tails.map((text) => {
      const bytes = bytesToHex(utf8ToBytes(text)).slice(2)
      return word(BigInt(bytes.length / 2)) + bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')
    })
    let at = heads * 32
    const words = encoded.map((tail) => {
      const offset = BigInt(at)
      at += tail.length / 2
      const choice = pick(6)
      if (choice <= 2) return word(offset)
      if (choice === 3) return word(BigInt(bytesToHex(ALICE)))
      return word(choice === 4 ? BigInt(pick(2 ** 32)) : (1n << 256n) - 1n - BigInt(pick(3)))
    })
    return hexToBytes(`${bytesToHex(selector)}${words.join('')}${encoded.join('')}`)
  }

  it('never stops the node, and does the same in both engines: 900 calls, seed 5', async () => {
    const reverts = await inBoth(async (world, engine) => {
      const pick = seededRandom(5)
      const places = PRECOMPILES.flatMap(({ address, abi, method }) =>
        abi.flatMap((entry) => {
          const inputs = entry.inputs.map(canonical).join(',')
          const selector = keccak256(utf8ToBytes(`${entry.name}(${inputs})`)).slice(0, 4)
          return method(selector) === undefined ? [] : [{ address, selector }]
        }),
      )
      let count = 0
      for (let round = 0; round < 900; round++) {
        const { address: to, selector } = places[round % places.length] ?? { address: ALICE, selector: ALICE }
        const data = randomInput(pick, selector)
        const gasLimit = pick(4) === 0 ? 21_000n + 16n * BigInt(data.length) + BigInt(pick(100_000)) : 5_000_000n
        const { failure } = await world.execute(engine, { to, data, gasLimit: gasLimit < 60_000n ? 60_000n : gasLimit })
        if (failure?.kind === 'revert') count++
      }
      return count
    })
    expect(reverts).toBeGreaterThan(100)
    expect(reverts).toBeLessThan(900)
  })

  it('walks no list that the gas does not pay for', async () => {
    await inBoth(async (world, engine) => {
      const page = { ...PAGE, limit: 1_000n, countTotal: true }
      const enough = await world.call(engine, 'staking', 'validators', ['', page])
      expect(valueOf(enough)[1].total).toBe(2n)
      const gas = enough.result.gasUsed
      expect(valueOf(await world.call(engine, 'staking', 'validators', ['', page], { gas }))[1].total).toBe(2n)
      const poor = await world.call(engine, 'staking', 'validators', ['', page], { gas: gas - 1n })
      expect(poor.result.failure?.message).toBe('out of gas')
      const beyond = { ...PAGE, limit: 2n ** 64n - 1n }
      expect(valueOf(await world.call(engine, 'staking', 'validators', ['', beyond]))[0]).toHaveLength(2)
      const garbage = { ...PAGE, key: `0x${'ff'.repeat(300)}` } as const
      valueOf(await world.call(engine, 'gov', 'getVotes', [1n, PAGE]))
      for (const outcome of [
        await world.call(engine, 'staking', 'validators', ['', garbage]),
        await world.call(engine, 'slashing', 'getSigningInfos', [garbage]),
        await world.call(engine, 'gov', 'getVotes', [1n, garbage]),
        await world.call(engine, 'distribution', 'validatorSlashes', [FIRST_TEXT, 0n, 2n ** 64n - 1n, garbage]),
      ]) {
        expect(outcome.result.failure?.kind ?? 'revert').toBe('revert')
      }
    })
  })
})

const canonical = ({ type, components }: AbiParameter): string =>
  type.startsWith('tuple') ? `(${(components ?? []).map(canonical).join(',')})${type.slice(5)}` : type
