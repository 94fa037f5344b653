import { describe, expect, it } from 'vitest'
import { formatSeconds, NS_PER_SECOND } from '../../core/time.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { stakingTx } from '../../proto/index.ts'
import { BONDED_POOL_ADDRESS as BONDED, NOT_BONDED_POOL_ADDRESS as NOT_BONDED } from './index.ts'
import {
  account,
  accountText,
  codeOf,
  coin,
  createValidatorMessage,
  keyOf,
  NAT,
  operatorText,
  World,
} from './testing/world.ts'

const { method } = stakingTx.Msg

const makeWorld = (): World => {
  const world = World.start([10n, 10n])
  for (const number of [0, 3, 5]) world.fund(account(number), 100n * NAT)
  world.hookCalls.length = 0
  return world
}

const short = (number: number): string => Buffer.from(account(number).slice(0, 3)).toString('hex')

/** Events as `type(key=value, ...)`, addresses by their number. */
const eventTexts = (world: World): readonly string[] => {
  const names = new Map(
    [0, 1, 3, 5].flatMap(
      (n) =>
        [
          [accountText(n), `a${n}`],
          [operatorText(n), `v${n}`],
        ] as const,
    ),
  )
  return world.events.map(
    ({ type, attributes }) =>
      `${type}(${attributes.map(({ key, value }) => `${key}=${names.get(value) ?? value}`).join(', ')})`,
  )
}

const created = (change: Record<string, unknown>): string =>
  codeOf(() => makeWorld().createValidator(3, 10n * NAT, change))

const rates = (rate: string, maxRate: string, maxChangeRate: string) => ({
  commission: { rate, maxRate, maxChangeRate },
})
const ONE = NAT.toString()
/** The field `key` of a PubKey: one byte, 32 times. */
const keyField = (byte: number): Uint8Array => Uint8Array.of(10, 32, ...new Uint8Array(32).fill(byte))

describe('MsgCreateValidator', () => {
  it.each([
    [{}, 'ok'],
    [{ validatorAddress: accountText(3) }, 'sdk/7'],
    [{ validatorAddress: operatorText(0) }, 'staking/4'],
    [{ pubkey: undefined }, 'staking/39'],
    [
      { pubkey: { typeUrl: '/cosmos.crypto.secp256k1.PubKey', value: Uint8Array.of(10, 33, ...new Uint8Array(33)) } },
      'staking/6',
    ],
    [
      { pubkey: { typeUrl: '/cosmos.crypto.ed25519.PubKey', value: Uint8Array.of(10, 31, ...new Uint8Array(31)) } },
      'sdk/8',
    ],
    // No point of the curve; then one of small order, for which anybody could sign.
    [{ pubkey: { typeUrl: '/cosmos.crypto.ed25519.PubKey', value: keyField(2) } }, 'sdk/8'],
    [{ pubkey: { typeUrl: '/cosmos.crypto.ed25519.PubKey', value: keyField(0) } }, 'sdk/8'],
    [{ pubkey: { typeUrl: '/cosmos.crypto.ed25519.PubKey', value: keyField(9) } }, 'ok'],
    [{ pubkey: createValidatorMessage(0, 1n).pubkey }, 'staking/5'],
    [{ value: coin(0n) }, 'sdk/18'],
    [{ value: coin(-1n) }, 'sdk/18'],
    [{ value: coin(1n, 'ibc/27') }, 'sdk/18'],
    [{ value: { denom: 'anat', amount: '1e3' } }, 'sdk/18'],
    [{ value: coin(1_000n * NAT) }, 'sdk/5'],
    [{ value: coin(2n ** 256n - 1n) }, 'sdk/5'],
    [{ description: {} }, 'sdk/18'],
    [{ description: { moniker: 'm'.repeat(71) } }, 'sdk/18'],
    [{ description: { moniker: 'é'.repeat(36) } }, 'sdk/18'],
    [{ description: { moniker: 'm', details: 'd'.repeat(281) } }, 'sdk/18'],
    [{ commission: undefined }, 'sdk/18'],
    [rates('', ONE, ONE), 'sdk/18'],
    [rates('0.1', ONE, ONE), 'sdk/18'],
    [rates('0', `${2n * NAT}`, '0'), 'staking/10'],
    [rates('-1', ONE, '0'), 'staking/9'],
    [rates(ONE, '1', '0'), 'staking/11'],
    [rates('0', ONE, '-1'), 'staking/13'],
    [rates('0', '1', '2'), 'staking/14'],
    [{ minSelfDelegation: '0' }, 'sdk/18'],
    [{ minSelfDelegation: '' }, 'sdk/18'],
    [{ minSelfDelegation: (11n * NAT).toString() }, 'staking/16'],
  ])('%j: %s', (change, code) => {
    expect(created(change)).toBe(code)
  })

  it('is refused with words about governance when the operator is not admitted', () => {
    const world = makeWorld()
    world.admitted = false
    expect(codeOf(() => world.createValidator(3, NAT))).toBe('sdk/4')
    expect(() => world.createValidator(3, NAT)).toThrow('governance must approve the operator first: unauthorized')
  })

  it('is refused below the least commission rate', () => {
    const world = World.start([10n], { min_commission_rate: '0.110000000000000000' })
    world.fund(account(3), NAT)
    expect(codeOf(() => world.createValidator(3, NAT))).toBe('staking/40')
  })

  it('emits, calls hooks and bonds at the end of the block as the SDK does', () => {
    const world = makeWorld()
    world.createValidator(3, 20n * NAT)
    expect(eventTexts(world)).toEqual([
      `coin_spent(spender=a3, amount=${20n * NAT}anat)`,
      `coin_received(receiver=${encodeBech32(NOT_BONDED)}, amount=${20n * NAT}anat)`,
      `create_validator(validator=v3, amount=${20n * NAT}anat)`,
    ])
    expect(world.hookCalls).toEqual([
      `afterValidatorCreated ${short(3)}`,
      `beforeDelegationCreated ${short(3)} ${short(3)}`,
      `afterDelegationModified ${short(3)} ${short(3)}`,
    ])
    expect(world.validator(3)).toMatchObject({
      status: 'unbonded',
      commissionRate: NAT / 10n,
      commissionTimeNs: world.timeNs,
    })
    world.hookCalls.length = 0
    expect(world.endBlock()).toEqual([{ publicKey: keyOf(3), power: 20n }])
    const consensus = Buffer.from(world.validator(3).consensusAddress.slice(0, 3)).toString('hex')
    expect(world.hookCalls).toEqual([`afterValidatorBonded ${consensus} ${short(3)}`])
  })
})

describe('MsgEditValidator', () => {
  const KEEP = '[do-not-modify]'
  const keep = { moniker: KEEP, identity: KEEP, website: KEEP, securityContact: KEEP, details: KEEP }
  const edit = (world: World, change: Record<string, unknown>) =>
    world.send(method.editValidator, { validatorAddress: operatorText(0), description: keep, ...change })
  const later = (): World => {
    const world = makeWorld()
    world.timeNs += 86_400n * NS_PER_SECOND
    return world
  }

  it.each([
    [{}, 'ok'],
    [{ description: {} }, 'sdk/18'],
    [{ description: { ...keep, website: 'w'.repeat(141) } }, 'sdk/18'],
    [{ validatorAddress: operatorText(3) }, 'staking/3'],
    [{ validatorAddress: 'natvaloper1' }, 'sdk/7'],
    [{ commissionRate: `${NAT + 1n}` }, 'sdk/18'],
    [{ commissionRate: '-1' }, 'sdk/18'],
    [{ commissionRate: `${(21n * NAT) / 100n}` }, 'staking/11'],
    [{ commissionRate: `${(12n * NAT) / 100n}` }, 'staking/15'],
    [{ commissionRate: `${(11n * NAT) / 100n}` }, 'ok'],
    [{ commissionRate: '0' }, 'ok'],
    [{ minSelfDelegation: '0' }, 'sdk/18'],
    [{ minSelfDelegation: '1' }, 'staking/17'],
    [{ minSelfDelegation: `${11n * NAT}` }, 'staking/16'],
    [{ minSelfDelegation: `${10n * NAT}` }, 'ok'],
  ])('%j: %s', (change, code) => {
    expect(codeOf(() => edit(later(), change))).toBe(code)
  })

  it('changes what is given alone, and the rate once a day', () => {
    const world = later()
    edit(world, { description: { ...keep, details: '' }, commissionRate: `${(11n * NAT) / 100n}` })
    expect(world.validator(0)).toMatchObject({
      description: { moniker: 'v0', details: '' },
      commissionRate: (11n * NAT) / 100n,
      commissionTimeNs: world.timeNs,
      minSelfDelegation: 1n,
    })
    expect(world.hookCalls).toEqual([`beforeValidatorModified ${short(0)}`])
    const [seconds, nanos] = [world.timeNs / NS_PER_SECOND, world.timeNs % NS_PER_SECOND]
    expect(nanos).toBe(0n)
    expect(eventTexts(world)).toEqual([
      'edit_validator(commission_rate=commission_rates:<rate:"110000000000000000" max_rate:"200000000000000000" ' +
        `max_change_rate:"10000000000000000" > update_time:<seconds:${seconds} > , min_self_delegation=1)`,
    ])
    world.timeNs += 86_399n * NS_PER_SECOND
    expect(codeOf(() => edit(world, { commissionRate: '0' }))).toBe('staking/12')
  })
})

describe('MsgDelegate, MsgUndelegate, MsgBeginRedelegate, MsgCancelUnbondingDelegation', () => {
  it('refuse what the SDK refuses', () => {
    const world = makeWorld()
    const delegate = (change: Record<string, unknown>) =>
      codeOf(() =>
        world.send(method.delegate, {
          delegatorAddress: accountText(5),
          validatorAddress: operatorText(0),
          amount: coin(1n),
          ...change,
        }),
      )
    expect(delegate({ delegatorAddress: 'x' })).toBe('sdk/7')
    expect(delegate({ validatorAddress: accountText(0) })).toBe('sdk/7')
    expect(delegate({ validatorAddress: operatorText(3) })).toBe('staking/3')
    expect(delegate({ amount: coin(0n) })).toBe('sdk/18')
    expect(delegate({ amount: undefined })).toBe('sdk/18')
    expect(delegate({ amount: coin(1n, 'stake') })).toBe('sdk/18')
    expect(delegate({ amount: coin(101n * NAT) })).toBe('sdk/5')
    expect(codeOf(() => world.undelegate(5, 0, 1n))).toBe('staking/19')
    expect(codeOf(() => world.undelegate(5, 3, 1n))).toBe('staking/3')
    expect(codeOf(() => world.undelegate(0, 0, 11n * NAT))).toBe('sdk/18')
    expect(codeOf(() => world.redelegate(5, 0, 1, 1n))).toBe('staking/19')
    expect(codeOf(() => world.redelegate(0, 0, 3, 1n))).toBe('staking/31')
    expect(codeOf(() => world.cancel(5, 0, 1n, 1))).toBe('sdk/38')
    expect(codeOf(() => world.cancel(5, 0, 1n, 0))).toBe('sdk/18')
    world.redelegate(0, 0, 1, NAT)
    world.endBlock()
    expect(codeOf(() => world.redelegate(0, 1, 0, NAT))).toBe('staking/32')
  })

  it('emit and call hooks as the SDK does', () => {
    const world = makeWorld()
    const [bonded, notBonded] = [encodeBech32(BONDED), encodeBech32(NOT_BONDED)]
    const moved = [`coin_spent(spender=${bonded}, amount=4anat)`, `coin_received(receiver=${notBonded}, amount=4anat)`]
    world.delegate(5, 0, 10n)
    expect(eventTexts(world)).toEqual([
      'coin_spent(spender=a5, amount=10anat)',
      `coin_received(receiver=${bonded}, amount=10anat)`,
      'delegate(validator=v0, delegator=a5, amount=10anat, new_shares=10.000000000000000000)',
    ])
    world.events = []
    world.hookCalls.length = 0
    const { completionTime, amount } = world.undelegate(5, 0, 4n)
    const at = world.timeNs + 21n * 86_400n * NS_PER_SECOND
    expect([completionTime?.seconds, amount?.amount, amount?.denom]).toEqual([at / NS_PER_SECOND, '4', 'anat'])
    expect(eventTexts(world)).toEqual([
      ...moved,
      `transfer(recipient=${notBonded}, sender=${bonded}, amount=4anat)`,
      `message(sender=${bonded})`,
      `unbond(validator=v0, delegator=a5, amount=4anat, completion_time=${formatSeconds(at)})`,
    ])
    expect(world.hookCalls).toEqual([
      `beforeDelegationSharesModified ${short(5)} ${short(0)}`,
      `afterDelegationModified ${short(5)} ${short(0)}`,
    ])
    world.events = []
    world.hookCalls.length = 0
    world.redelegate(5, 0, 1, 6n)
    expect(eventTexts(world)).toEqual([
      `redelegate(source_validator=v0, destination_validator=v1, delegator=a5, amount=6anat, completion_time=${formatSeconds(at)})`,
    ])
    expect(world.hookCalls).toEqual([
      `beforeDelegationSharesModified ${short(5)} ${short(0)}`,
      `beforeDelegationRemoved ${short(5)} ${short(0)}`,
      `beforeDelegationCreated ${short(5)} ${short(1)}`,
      `afterDelegationModified ${short(5)} ${short(1)}`,
    ])
    world.events = []
    world.cancel(5, 0, 1n, world.height)
    expect(eventTexts(world).at(-1)).toBe(
      `cancel_unbonding_delegation(amount=1anat, validator=v0, delegator=a5, creation_height=1)`,
    )
    world.timeNs = at
    world.events = []
    world.endBlock()
    expect(eventTexts(world)).toEqual([
      `coin_spent(spender=${notBonded}, amount=3anat)`,
      'coin_received(receiver=a5, amount=3anat)',
      'complete_unbonding(amount=3anat, validator=v0, delegator=a5)',
      'complete_redelegation(amount=6anat, delegator=a5, source_validator=v0, destination_validator=v1)',
    ])
    expect(world.faults()).toEqual([])
  })
})

describe('MsgUpdateParams', () => {
  const params = {
    unbondingTime: { seconds: 60n, nanos: 0 },
    maxValidators: 1,
    maxEntries: 2,
    historicalEntries: 3,
    bondDenom: 'anat',
    minCommissionRate: '50000000000000000',
  }
  const update = (world: World, change: object, authority = encodeBech32(GOVERNANCE_ADDRESS)) =>
    world.send(method.updateParams, { authority, params: { ...params, ...change } })

  it.each([
    [{ unbondingTime: { seconds: 0n, nanos: 0 } }],
    [{ unbondingTime: { seconds: -1n, nanos: 0 } }],
    [{ maxValidators: 0 }],
    [{ maxValidators: 1_001 }],
    // More than the blocks of this world have room for.
    [{ maxValidators: 901 }],
    [{ maxEntries: 0 }],
    [{ bondDenom: '' }],
    [{ bondDenom: 'stake' }],
    [{ minCommissionRate: '-1' }],
    [{ minCommissionRate: `${NAT + 1n}` }],
    [{ minCommissionRate: '' }],
  ])('refuses %o', (change) => {
    expect(codeOf(() => update(makeWorld(), change))).toBe('sdk/18')
  })

  it('is for governance alone, and a smaller set holds from the end of the block', () => {
    const world = makeWorld()
    expect(codeOf(() => update(world, {}, accountText(5)))).toBe('sdk/4')
    update(world, {})
    const weaker = Buffer.compare(account(0), account(1)) < 0 ? 1 : 0
    expect(world.endBlock()).toEqual([{ publicKey: keyOf(weaker), power: 0n }])
    expect(world.faults()).toEqual([])
  })
})
