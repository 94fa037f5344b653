import { describe, expect, it } from 'vitest'
import { ONE } from '../../core/decimal.ts'
import { InvariantError } from '../../core/errors.ts'
import type { Overlay } from '../../store/overlay.ts'
import type { CommitVote, Event } from '../module.ts'
import type { ValidatorView } from '../stake.ts'
import { formatConsensusAddress } from '../validator-addresses.ts'
import { readSigningInfo, SLASHING_ADDRESS } from './keeper/signing-info.ts'
import { isMissed, missedIndexes, setMissed } from './keeper/missed-blocks.ts'
import { slashingModule, type SlashingParts } from './module.ts'
import { FakeStake, makeValidator } from './testing/fake-stake.ts'
import { beginBlock, brokenInvariants, dump, emptyState, initState, makeBlock, shown, timeAt } from './testing/world.ts'

const VALIDATOR = makeValidator(1)
const { consensusAddress: ADDRESS } = VALIDATOR
const NAME = formatConsensusAddress(ADDRESS)

interface World {
  readonly stake: FakeStake
  readonly module: SlashingParts
  readonly state: Overlay
}

/** One validator, bonded at `height`. */
const makeWorld = (window: number, height = 0): World => {
  const stake = new FakeStake()
  stake.put(VALIDATOR)
  const module = slashingModule.create({ stake, punisher: stake })
  const state = initState(module, { params: { signed_blocks_window: String(window) } })
  module.hooks.staking.afterValidatorBonded?.(makeBlock(state, height)[0], ADDRESS, VALIDATOR.operator)
  return { stake, module, state }
}

const voteOf = (flag: CommitVote['flag'], power = 100n): CommitVote => ({ validatorAddress: ADDRESS, power, flag })

/** One vote a block, from a height up to another, exclusive. */
const vote = (world: World, flag: CommitVote['flag'], from: number, to: number): Event[] => {
  const events: Event[] = []
  for (let height = from; height < to; height++) {
    events.push(...beginBlock(world.module, world.state, height, { lastCommit: [voteOf(flag)] }))
  }
  return events
}

const validatorOf = ({ stake, state }: World): ValidatorView | undefined => stake.validator(state, VALIDATOR.operator)
const infoOf = ({ state }: World) => readSigningInfo(state, ADDRESS)

describe('downtime', () => {
  it('is punished with the 51st missed block of 100 (x/slashing/abci_test.go, TestBeginBlocker)', () => {
    const world = makeWorld(100)
    vote(world, 'commit', 0, 100)
    expect(infoOf(world)).toEqual({ startHeight: 0, jailedUntilNs: 0n, tombstoned: false, missedBlocks: 0 })
    const before = vote(world, 'absent', 100, 150)
    expect(validatorOf(world)?.isJailed).toBe(false)
    expect(shown(before).at(-1)).toBe(`liveness(address=${NAME}, missed_blocks=50, height=149)`)
    const events = vote(world, 'absent', 150, 151)
    expect(validatorOf(world)?.isJailed).toBe(true)
    expect(shown(events)).toEqual([
      `liveness(address=${NAME}, missed_blocks=51, height=150)`,
      `slash(address=${NAME}, power=100, reason=missing_signature, jailed=${NAME}, burned_coins=${ONE})`,
    ])
    // The stake of the commit: one block and the delay of updates before.
    expect(world.stake.slashes).toEqual([
      { consensusAddress: ADDRESS, infractionHeight: 148, power: 100n, fraction: ONE / 100n },
    ])
    expect(infoOf(world)).toEqual({
      startHeight: 0,
      jailedUntilNs: timeAt(150) + 600_000_000_000n,
      tombstoned: false,
      missedBlocks: 0,
    })
    expect(missedIndexes(world.state, ADDRESS, 100)).toEqual([])
  })

  it('is counted from the start of a new validator on (TestHandleNewValidator)', () => {
    const world = makeWorld(1000, 1001)
    vote(world, 'commit', 1001, 1002)
    vote(world, 'absent', 1002, 1003)
    expect(infoOf(world)).toEqual({ startHeight: 1001, jailedUntilNs: 0n, tombstoned: false, missedBlocks: 1 })
    expect(world.stake.slashes).toEqual([])
  })

  it('is punished once: a jailed validator is passed over (TestHandleAlreadyJailed)', () => {
    const world = makeWorld(1000)
    vote(world, 'commit', 0, 1000)
    vote(world, 'absent', 1000, 1501)
    expect(validatorOf(world)?.tokens).toBe(99n * ONE)
    const written = dump(world.state, SLASHING_ADDRESS)
    expect(vote(world, 'absent', 1501, 1504)).toEqual([])
    expect(validatorOf(world)?.tokens).toBe(99n * ONE)
    expect(dump(world.state, SLASHING_ADDRESS)).toEqual(written)
  })

  it('is forgiven for a whole window after each bonding (TestValidatorDippingInAndOut)', () => {
    const world = makeWorld(1000)
    const bond = (height: number) =>
      world.module.hooks.staking.afterValidatorBonded?.(makeBlock(world.state, height)[0], ADDRESS, VALIDATOR.operator)
    vote(world, 'commit', 0, 100)
    bond(700)
    vote(world, 'absent', 700, 1701)
    expect(infoOf(world)?.missedBlocks).toBe(1000)
    expect(validatorOf(world)?.isJailed).toBe(false)
    expect(brokenInvariants(world.module, world.state, 1700)).toEqual([])
    vote(world, 'absent', 1701, 1702)
    expect(validatorOf(world)?.isJailed).toBe(true)
    expect(infoOf(world)).toMatchObject({ startHeight: 700, missedBlocks: 0 })
    world.stake.unjail(makeBlock(world.state, 5000)[0], ADDRESS)
    bond(5000)
    vote(world, 'commit', 5000, 5001)
    expect(validatorOf(world)?.isJailed).toBe(false)
    expect(infoOf(world)?.startHeight).toBe(5000)
    vote(world, 'absent', 5000, 6001)
    expect(validatorOf(world)?.isJailed).toBe(false)
    vote(world, 'absent', 6001, 6500)
    expect(validatorOf(world)?.isJailed).toBe(true)
    expect(world.stake.slashes.map(({ infractionHeight }) => infractionHeight)).toEqual([1699, 5999])
  })

  it('of the first window is punished at its end, also when the validator signs again', () => {
    const world = makeWorld(100)
    vote(world, 'absent', 2, 60)
    vote(world, 'commit', 60, 101)
    expect(infoOf(world)?.missedBlocks).toBe(58)
    expect(validatorOf(world)?.isJailed).toBe(false)
    // Place 1 was never missed: nothing but the limit brings this validator up.
    expect(isMissed(world.state, ADDRESS, 1)).toBe(false)
    vote(world, 'commit', 101, 102)
    expect(validatorOf(world)?.isJailed).toBe(true)
    expect(brokenInvariants(world.module, world.state, 101)).toEqual([])
  })

  it('is not a vote for nil', () => {
    const world = makeWorld(10)
    expect(vote(world, 'nil', 1, 50)).toEqual([])
    expect(infoOf(world)?.missedBlocks).toBe(0)
  })

  it('of validators that staking does not know has no consequence, and one without a signing info halts the node', () => {
    const stake = new FakeStake()
    const module = slashingModule.create({ stake, punisher: stake })
    const state = initState(module, undefined)
    expect(beginBlock(module, state, 1, { lastCommit: [voteOf('absent')] })).toEqual([])
    stake.put(VALIDATOR)
    expect(() => beginBlock(module, state, 1, { lastCommit: [voteOf('absent')] })).toThrow(InvariantError)
  })
})

describe('the bitmap', () => {
  it.each([100, 32_000])(
    'holds a window of %i missed blocks, and one that signs later clears its place (TestValidatorMissedBlockBitmap_SmallWindow)',
    (window) => {
      const state = emptyState()
      for (let index = 0; index < window; index++) {
        setMissed(state, ADDRESS, index, true)
        expect(isMissed(state, ADDRESS, index)).toBe(true)
      }
      expect(missedIndexes(state, ADDRESS, window)).toEqual(Array.from({ length: window }, (_, index) => index))
      setMissed(state, ADDRESS, 0, false)
      expect(isMissed(state, ADDRESS, 0)).toBe(false)
      expect(missedIndexes(state, ADDRESS, window)).toHaveLength(window - 1)
    },
  )

  it('leaves nothing behind when its last bit goes', () => {
    const state = emptyState()
    for (const index of [0, 1023, 1024, 2000]) setMissed(state, ADDRESS, index, true)
    expect(dump(state, SLASHING_ADDRESS)).toHaveLength(2)
    for (const index of [0, 1023, 1024, 2000]) setMissed(state, ADDRESS, index, false)
    expect(dump(state, SLASHING_ADDRESS)).toEqual([])
  })
})

describe('validators that sign', () => {
  it('write nothing', () => {
    const { module, state } = makeWorld(100)
    const frozen = new Proxy(state, {
      get: (target, name) => {
        if (name === 'setValue') throw new InvariantError('a block without news writes')
        const member: unknown = Reflect.get(target, name)
        return typeof member === 'function' ? (member as () => unknown).bind(target) : member
      },
    })
    for (let height = 2; height < 300; height++) {
      expect(beginBlock(module, frozen, height, { lastCommit: [voteOf('commit')] })).toEqual([])
    }
    expect(() => beginBlock(module, frozen, 300, { lastCommit: [voteOf('absent')] })).toThrow('writes')
  })
})

describe('the hooks of staking', () => {
  it('make a signing info at the first bonding, keep it when the validator is gone, and forget its bits', () => {
    const world = makeWorld(100, 3)
    expect(infoOf(world)?.startHeight).toBe(3)
    vote(world, 'absent', 4, 80)
    expect(brokenInvariants(world.module, world.state, 79)).toEqual([])
    world.module.hooks.staking.afterValidatorRemoved?.(makeBlock(world.state, 90)[0], ADDRESS, VALIDATOR.operator)
    expect(infoOf(world)).toEqual({ startHeight: 3, jailedUntilNs: 0n, tombstoned: false, missedBlocks: 0 })
    expect(dump(world.state, SLASHING_ADDRESS)).toHaveLength(2)
    expect(brokenInvariants(world.module, world.state, 90)).toEqual([])
  })
})
