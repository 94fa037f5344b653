/** Stakes against the chain: what must not stop it, and what must not begin. Real modules on two nodes in memory. */
import { describe, expect, it } from 'vitest'
import type { PrivateKeyAccount } from 'viem/accounts'
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { FEE_COLLECTOR_ADDRESS, moduleAddress } from '../../core/address.ts'
import { CodedError } from '../../core/errors.ts'
import { hexToBytes } from '../../core/hex.ts'
import { consensusAddress } from '../../core/signature.ts'
import type { Misbehavior } from '../../modules/module.ts'
import { formatOperator } from '../../modules/validator-addresses.ts'
import { ed25519, stakingTx } from '../../proto/index.ts'
import { exportText } from '../sim/fork.ts'
import { bech32Of, multiSendMessage, type Packed, sendMessage, signNative } from '../sim/native-transactions.ts'
import { seeded } from '../sim/random.ts'
import { makeAccounts } from '../sim/traffic.ts'
import { makeValidator } from '../sim/validators.ts'
import { checkInvariants, committedState, gossip, makeWorld, pendingNonce, type World } from '../sim/world.ts'

const NAT = 10n ** 18n
const UNBONDING_MS = 91_000
const STATE = { staking: { params: { unbonding_time: '90s', max_validators: 5 } } }

const pack = <Desc extends DescMessage>(schema: Desc, message: MessageInitShape<Desc>): Packed => ({
  typeUrl: `/${schema.typeName}`,
  value: toBinary(schema, create(schema, message)),
})
const coin = (amount: bigint) => ({ denom: 'anat', amount: amount.toString() })
const operatorOf = ({ address }: PrivateKeyAccount): string => formatOperator(hexToBytes(address))

const open = (salt: number, powers: readonly bigint[], run: (world: World) => Promise<void>) =>
  seeded(salt, async (random) => {
    const accounts = makeAccounts(random, powers.length + 2)
    const operators = accounts.map(({ address }) => hexToBytes(address))
    const nodes = [{ name: 'a' }, { name: 'b' }]
    const world = await makeWorld({ random, nodes, accounts, operators, powers, moduleGenesis: STATE })
    try {
      await run(world)
    } finally {
      await world.close()
    }
  })

/** The next block: what was sent, whose results are returned as `codespace/code`, and what CometBFT proves. */
const step = async (
  { driver, nodes }: World,
  sent: readonly (readonly [PrivateKeyAccount, Packed])[] = [],
  advanceMs = 1_000,
  misbehavior: readonly Misbehavior[] = [],
): Promise<readonly string[]> => {
  const [node] = nodes
  if (node === undefined) throw new RangeError('there are no nodes')
  for (const [account, message] of sent) {
    const sequence = await pendingNonce(node, account)
    const { chainId } = driver.setup
    expect(gossip(nodes, await signNative({ chainId, messages: [message], signers: [{ account, sequence }] }))).toBe(
      true,
    )
  }
  const { response } = await driver.step(node, advanceMs, misbehavior)
  for (const each of nodes) checkInvariants(each)
  return response.transactionResults.slice(-sent.length).map(({ codespace, code }) => `${codespace}/${code}`)
}

const undelegate = (account: PrivateKeyAccount, amount: bigint): Packed =>
  pack(stakingTx.MsgUndelegateSchema, {
    delegatorAddress: bech32Of(account),
    validatorAddress: operatorOf(account),
    amount: coin(amount),
  })

const createValidator = (account: PrivateKeyAccount, publicKey: Uint8Array, amount: bigint): Packed =>
  pack(stakingTx.MsgCreateValidatorSchema, {
    description: { moniker: 'again' },
    commission: { rate: '0', maxRate: '0', maxChangeRate: '0' },
    minSelfDelegation: '1',
    validatorAddress: operatorOf(account),
    pubkey: pack(ed25519.PubKeySchema, { key: publicKey }),
    value: coin(amount),
  })

const first = <T>([item]: readonly T[]): T => {
  if (item === undefined) throw new RangeError('the list is empty')
  return item
}

describe('a chain', () => {
  it(
    'goes on when the only validator takes all its stake out, and ends with the one who comes next',
    open(701, [10n], async (world) => {
      const [operator, newcomer] = world.accounts
      if (operator === undefined || newcomer === undefined) throw new RangeError('there are too few accounts')
      expect(await step(world, [[operator, undelegate(operator, 10n * NAT)]])).toEqual(['/0'])
      for (let block = 0; block < 4; block++) await step(world, [], UNBONDING_MS)
      expect(world.driver.newestValidators).toHaveLength(1)
      const [old] = world.driver.newestValidators
      const next = makeValidator('newcomer', 3n)
      world.driver.addKey(next)
      expect(await step(world, [[newcomer, createValidator(newcomer, next.publicKey, 3n * NAT)]])).toEqual(['/0'])
      for (let block = 0; block < 4; block++) await step(world, [], UNBONDING_MS)
      expect(world.driver.newestValidators.map(({ publicKey, power }) => [publicKey, power])).toEqual([
        [next.publicKey, 3n],
      ])
      expect(old?.publicKey).not.toEqual(next.publicKey)
    }),
  )

  it(
    'does not take a key back that signed twice',
    open(702, [40n, 40n, 40n, 10n], async (world) => {
      const { driver, accounts } = world
      const thief = accounts[3]
      const key = driver.setup.validators[3]?.publicKey
      if (thief === undefined || key === undefined) throw new RangeError('there are too few accounts')
      for (let block = 0; block < 3; block++) await step(world)
      const evidence: Misbehavior = {
        type: 'duplicate-vote',
        validatorAddress: consensusAddress(key),
        power: 10n,
        height: driver.height - 1,
        timeNs: driver.timeNs,
        totalPower: 130n,
      }
      // Twice the same, and another of the same key, in one block.
      await step(world, [], 1_000, [evidence, evidence, { ...evidence, height: driver.height }])
      const left = 10n * NAT - NAT / 2n
      expect(await step(world, [[thief, undelegate(thief, left)]])).toEqual(['/0'])
      for (let block = 0; block < 3; block++) await step(world, [], UNBONDING_MS)
      expect(await step(world, [[thief, createValidator(thief, key, 10n * NAT)]])).toEqual(['slashing/9'])
      const other = accounts[4]
      if (other === undefined) throw new RangeError('there are too few accounts')
      expect(await step(world, [[other, createValidator(other, key, 10n * NAT)]])).toEqual(['slashing/9'])
      for (let block = 0; block < 3; block++) await step(world)
    }),
  )
})

describe('an account', () => {
  it(
    'pays a fee with all that it has, and still exists; who keeps nothing and never signed does not',
    open(704, [10n], async (world) => {
      const { driver, nodes } = world
      const [node, rich] = [first(nodes), world.accounts[1]]
      if (rich === undefined) throw new RangeError('there are too few accounts')
      const [poor] = makeAccounts(driver.random, 1)
      if (poor === undefined) throw new RangeError('there are too few accounts')
      const gas = 200_000n
      const gasPrice = 40_000_000_000n
      expect(await step(world, [[rich, sendMessage(rich, hexToBytes(poor.address), [coin(gas * gasPrice)])]])).toEqual([
        '/0',
      ])
      expect(await step(world, [[poor, sendMessage(poor, hexToBytes(rich.address), [coin(1n)])]])).toEqual(['sdk/5'])
      const state = committedState(node)
      expect(state.account(hexToBytes(poor.address))).toMatchObject({ nonce: 1n, balance: 0n })
      // The message sends to itself all that is left, and nothing to an account that did not exist.
      expect(await step(world, [[rich, multiSendMessage(rich, [hexToBytes(rich.address)], NAT)]])).toEqual(['/0'])
      expect(state.account(new Uint8Array(20).fill(0x77))).toBeUndefined()
    }),
  )

  it(
    'may send to no module and no precompile, whatever denomination',
    open(705, [10n], async (world) => {
      const account = world.accounts[1]
      if (account === undefined) throw new RangeError('there are too few accounts')
      const places = [
        moduleAddress('distribution'),
        moduleAddress('bonded_tokens_pool'),
        FEE_COLLECTOR_ADDRESS,
        hexToBytes('0x0000000000000000000000000000000000000800'),
      ]
      for (const place of places) {
        expect(await step(world, [[account, sendMessage(account, place, [coin(1n)])]])).toEqual(['sdk/4'])
      }
    }),
  )
})

/** Parsed JSON of whatever shape. */
type Json = { [key: string]: Json } & { length?: number }

/** A chain that goes on from the third block of the world, after an edit of its export. */
const beginEdited = async (world: World, edit: (state: Json) => void): Promise<void> => {
  for (let block = 0; block < 3; block++) await step(world)
  const { driver } = world
  const state = JSON.parse(exportText(first(world.nodes), driver.height)) as Json
  delete state['export']
  edit(state)
  const begun = await makeWorld({
    ...driver.setup,
    random: driver.random,
    nodes: [{ name: 'c' }],
    accounts: world.accounts,
    validators: driver.newestValidators,
    appState: state,
    initialHeight: driver.height + 1,
    genesisTimeNs: driver.timeNs,
  })
  await begun.close()
}

/** Periods of the first delegation's validator, whose start becomes that of period `start`: `ratios` by period, in anat. */
const editPeriods =
  (running: number, start: number, ratios: Readonly<Record<number, string>>) =>
  ({ distribution }: Json): void => {
    const lists = distribution as unknown as Record<string, readonly Json[]>
    const [info] = lists['delegator_starting_infos'] ?? []
    const name = info?.['validator_address'] as unknown as string
    const ofOthers = (list: string): readonly Json[] =>
      (lists[list] ?? []).filter(({ validator_address }) => (validator_address as unknown) !== name)
    Object.assign(info?.['starting_info'] ?? {}, { previous_period: start.toString() })
    const current = { validator_address: name, rewards: { rewards: [], period: running.toString() } }
    const historical = Object.entries(ratios).map(([period, amount]) => ({
      validator_address: name,
      period,
      rewards: { cumulative_reward_ratio: [{ denom: 'anat', amount }], reference_count: 1 },
    }))
    Object.assign(distribution ?? {}, {
      validator_current_rewards: [...ofOthers('validator_current_rewards'), current],
      validator_historical_rewards: [...ofOthers('validator_historical_rewards'), ...historical],
    })
  }

const EDITS: readonly (readonly [string, (state: Json) => void, string])[] = [
  [
    'a signing info is missing',
    (state) => void delete state['slashing']?.['signing_infos'],
    'bonded-have-signing-infos',
  ],
  [
    'a delegation has no start',
    (state) => void delete state['distribution']?.['delegator_starting_infos'],
    'references-are-counted',
  ],
  [
    'the start of a delegation and its reference are missing',
    (state) => {
      const { distribution } = state
      if (distribution === undefined) return
      const kept = distribution['validator_historical_rewards'] as unknown as readonly Json[]
      delete distribution['delegator_starting_infos']
      Object.assign(distribution, {
        validator_historical_rewards: kept.map((each) => ({
          ...each,
          rewards: { ...each['rewards'], reference_count: 1 },
        })),
      })
    },
    'stakes-have-records',
  ],
  ['a period is missing', (state) => void delete state['distribution']?.['validator_historical_rewards'], 'references'],
  [
    'a delegation starts at a period that is to come',
    editPeriods(3, 900, { 2: '4', 900: '5' }),
    'has rewards of period 900, but period 3 runs',
  ],
  [
    'a delegation starts at the running period',
    editPeriods(3, 3, { 2: '5', 3: '5' }),
    'has rewards of period 3, but period 3 runs',
  ],
  [
    'what a token has earned falls from one period to the next',
    editPeriods(5, 1, { 1: '5', 4: '4.999999999999999999' }),
    'its rewards of anat fall from period 1 to period 4',
  ],
]

it('a genesis file whose periods are in order begins a chain', () =>
  open(706, [10n, 10n], (world) =>
    expect(beginEdited(world, editPeriods(5, 1, { 1: '5', 4: '5' }))).resolves.toBeUndefined(),
  )())

describe('a genesis file that contradicts itself is refused, when', () => {
  it.each(EDITS)('%s', (_, edit, words) =>
    open(703, [10n, 10n], async (world) => {
      const attempt = beginEdited(world, edit)
      await expect(attempt).rejects.toThrow(words)
      await expect(attempt).rejects.toBeInstanceOf(CodedError)
    })(),
  )
})
