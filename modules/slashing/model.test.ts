import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { ONE } from '../../core/decimal.ts'
import { slashingTx } from '../../proto/index.ts'
import type { Overlay } from '../../store/overlay.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import type { CommitVote } from '../module.ts'
import type { ValidatorView } from '../stake.ts'
import { formatConsensusAddress } from '../validator-addresses.ts'
import { readSigningInfo, SLASHING_ADDRESS } from './keeper/signing-info.ts'
import { missedIndexes } from './keeper/missed-blocks.ts'
import { slashingModule } from './module.ts'
import { FakeStake, makeValidator } from './testing/fake-stake.ts'
import { beginBlock, brokenInvariants, dump, exportGenesis, initState, makeBlock, runMessage } from './testing/world.ts'

const HEIGHTS = 2_500
const JAIL_SECONDS = 50

/** What one validator missed, as a plain list of heights. */
interface Model {
  readonly validator: ValidatorView
  readonly name: string
  start: number
  missed: number[]
  /** Height at which it comes back. */
  jailedUntil: number | undefined
  absencePercent: number
}

interface Limits {
  readonly window: number
  /** The share in thousandths. */
  readonly minSigned: number
}

/** Half to even, by plain numbers. */
const mostMissed = ({ window, minSigned }: Limits): number => {
  const [whole, rest] = [Math.floor((window * minSigned) / 1000), (window * minSigned) % 1000]
  return window - (whole + (rest > 500 || (rest === 500 && whole % 2 === 1) ? 1 : 0))
}

/** What the vote must bring, as text. */
const countInModel = (model: Model, height: number, isAbsent: boolean, limits: Limits): readonly string[] => {
  if (model.jailedUntil !== undefined) return []
  const told: string[] = []
  model.missed = model.missed.filter((each) => each > height - limits.window)
  if (isAbsent) {
    model.missed.push(height)
    told.push(`liveness ${model.name} ${model.missed.length}`)
  }
  if (height > model.start + limits.window && model.missed.length > mostMissed(limits)) {
    told.push(`slash ${model.name} 100`)
    Object.assign(model, { missed: [], jailedUntil: height + JAIL_SECONDS })
  }
  return told
}

const randomLimits = (random: Random): Limits => ({
  window: random.chance(20) ? 1 + random.below(20) : 20 + random.below(random.chance(30) ? 2_500 : 200),
  minSigned: random.pick([0, 1, 50, 333, 500, 500, 501, 750, 950, 1000]),
})

class Run {
  readonly stake = new FakeStake()
  readonly module = slashingModule.create({ stake: this.stake, punisher: this.stake })
  state: Overlay = initState(this.module, {
    params: { signed_blocks_window: '100', downtime_jail_duration: `${JAIL_SECONDS}s` },
  })
  limits: Limits = { window: 100, minSigned: 500 }
  readonly models = [1, 2, 3, 4].map((byte): Model => {
    const validator = makeValidator(byte)
    const name = formatConsensusAddress(validator.consensusAddress)
    return { validator, name, start: 0, missed: [], jailedUntil: undefined, absencePercent: 0 }
  })

  bond(model: Model, height: number): void {
    const { consensusAddress, operator } = model.validator
    this.module.hooks.staking.afterValidatorBonded?.(makeBlock(this.state, height)[0], consensusAddress, operator)
    model.start = height
  }

  release(height: number): void {
    for (const model of this.models) {
      if (model.jailedUntil === undefined || height < model.jailedUntil) continue
      this.stake.unjail(makeBlock(this.state, height)[0], model.validator.consensusAddress)
      model.jailedUntil = undefined
      this.bond(model, height)
    }
  }

  vote(random: Random, height: number): number {
    const expected: string[] = []
    const lastCommit = this.models.map((model): CommitVote => {
      if (random.chance(1)) model.absencePercent = random.pick([0, 0, 1, 30, 51, 70, 100])
      const flag = random.chance(model.absencePercent) ? 'absent' : random.pick(['commit', 'nil'] as const)
      expected.push(...countInModel(model, height, flag === 'absent', this.limits))
      return { validatorAddress: model.validator.consensusAddress, power: 100n, flag }
    })
    const told = beginBlock(this.module, this.state, height, { lastCommit }).map(
      ({ type, attributes: [address, figure] }) => `${type} ${address?.value} ${figure?.value}`,
    )
    expect(told, `height ${height}`).toEqual(expected)
    return expected.filter((each) => each.startsWith('slash')).length
  }

  changeLimits(random: Random, height: number): void {
    this.limits = randomLimits(random)
    runMessage(this.module, this.state, height, slashingTx.MsgUpdateParamsSchema, {
      authority: encodeBech32(GOVERNANCE_ADDRESS),
      params: {
        signedBlocksWindow: BigInt(this.limits.window),
        minSignedPerWindow: utf8ToBytes(((ONE / 1000n) * BigInt(this.limits.minSigned)).toString()),
        downtimeJailDuration: { seconds: BigInt(JAIL_SECONDS) },
        slashFractionDoubleSign: utf8ToBytes('0'),
        slashFractionDowntime: utf8ToBytes('0'),
      },
    })
    for (const model of this.models) model.missed = model.missed.filter((each) => each > height - this.limits.window)
  }

  compare(height: number): void {
    for (const { validator, missed, start } of this.models) {
      const info = readSigningInfo(this.state, validator.consensusAddress)
      expect([info?.startHeight, info?.missedBlocks], `height ${height}`).toEqual([start, missed.length])
    }
  }

  compareBits(height: number): void {
    expect(brokenInvariants(this.module, this.state, height)).toEqual([])
    for (const { validator, missed } of this.models) {
      const places = missed.map((each) => each % this.limits.window).sort((a, b) => a - b)
      expect(missedIndexes(this.state, validator.consensusAddress, this.limits.window)).toEqual(places)
    }
  }

  /** Goes on with a state that begins with an export of this one. */
  exportAndInit(height: number): void {
    const begun = initState(this.module, exportGenesis(this.module, this.state, height), height)
    expect(dump(begun, SLASHING_ADDRESS)).toEqual(dump(this.state, SLASHING_ADDRESS))
    this.state = begun
  }
}

describe('missed blocks', () => {
  it.each([0, 1, 2, 3, 4, 5])(
    'are those of a plain list of heights, over random votes and changes of the window, run %i',
    (salt) =>
      seeded(700 + salt, (random) => {
        const run = new Run()
        for (const model of run.models) {
          run.stake.put(model.validator)
          run.bond(model, 0)
        }
        let punished = 0
        for (let height = 2; height < HEIGHTS; height++) {
          run.release(height)
          punished += run.vote(random, height)
          if (random.below(150) === 0) run.changeLimits(random, height)
          run.compare(height)
          if (random.below(100) === 0) run.compareBits(height)
          if (random.below(400) === 0) run.exportAndInit(height)
        }
        expect(run.stake.slashes).toHaveLength(punished)
        expect(punished).toBeGreaterThan(0)
      })(),
  )
})
