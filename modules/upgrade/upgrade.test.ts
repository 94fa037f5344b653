import type { MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { CodedError, InvariantError } from '../../core/errors.ts'
import { type upgrade, upgradeQuery, upgradeTx } from '../../proto/index.ts'
import type { Overlay } from '../../store/overlay.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import { operatorOf } from '../slashing/testing/fake-stake.ts'
import {
  ask,
  beginBlock,
  brokenInvariants,
  dump,
  emptyState,
  exportGenesis,
  initState,
  refusal,
  runMessage,
} from '../slashing/testing/world.ts'
import { readAppliedHeight, readPlan, UPGRADE_ADDRESS } from './keeper.ts'
import { upgradeModule, type UpgradeParts } from './module.ts'

const { method } = upgradeQuery.Query
const AUTHORITY = encodeBech32(GOVERNANCE_ADDRESS)

type PlanInit = MessageInitShape<typeof upgrade.PlanSchema>

/** A binary that knows some plans; each run is noted as `name at height`. */
const makeBinary = (known: readonly string[] = [], skipHeights: readonly number[] = [], isReplay = false) => {
  const runs: string[] = []
  const module = upgradeModule.create({
    knownUpgrades: new Map(
      known.map((name) => [name, ({ height }: { height: number }) => void runs.push(`${name} at ${height}`)]),
    ),
    skipHeights: new Set(skipHeights),
    isReplay,
    moduleNames: ['auth', 'bank', 'upgrade'],
  })
  return { module, runs }
}

const schedule = (state: Overlay, plan: PlanInit | undefined, height = 10, authority = AUTHORITY) => {
  const message = plan === undefined ? { authority } : { authority, plan }
  return runMessage(makeBinary().module, state, height, upgradeTx.MsgSoftwareUpgradeSchema, message)
}

/** Enters a block as the app does: the node asks first, and then begins the block. */
const enterBlock = (module: UpgradeParts, state: Overlay, height: number): void => {
  expect(module.haltReason(state, height)).toBeUndefined()
  expect(module.pendingUpgrade(state, height)).toBeUndefined()
  expect(beginBlock(module, state, height)).toEqual([])
}

describe('a plan', () => {
  it.each([
    ['no name', { height: 123_450_000n }, 'name cannot be empty'],
    [
      'time-base upgrade',
      { name: 'x', time: { seconds: 1_700_000_000n }, height: 123_450_000n },
      'time-based upgrades have been deprecated in the SDK',
    ],
    [
      'IBC upgrade',
      { name: 'x', height: 123_450_000n, upgradedClientState: {} },
      'upgrade logic for IBC has been moved to the IBC module',
    ],
    ['no due at', { name: 'missing', info: 'important' }, 'height must be greater than 0'],
    ['negative height', { name: 'minus', height: -12_345n }, 'height must be greater than 0'],
    ['too long a name', { name: 'x'.repeat(141), height: 1_000n }, 'name has more than 140 characters'],
    [
      'too long an info',
      { name: 'x', info: 'x'.repeat(10_001), height: 1_000n },
      'info has more than 10000 characters',
    ],
    ['a height that is no number', { name: 'x', height: 2n ** 60n }, 'height must be below 2^53'],
  ])('is refused as in x/upgrade/types/plan_test.go, TestPlanValid: %s', (_, plan, words) => {
    const state = emptyState()
    expect(refusal(() => schedule(state, plan))).toEqual(['sdk', 18, `${words}: invalid request`])
    expect(dump(state, UPGRADE_ADDRESS)).toEqual([])
  })

  it('is scheduled, and replaced by a later message (x/upgrade/keeper/keeper_test.go, TestScheduleUpgrade)', () => {
    const state = emptyState()
    schedule(state, { name: 'alt-good', info: 'new text here', height: 543_210_000n })
    const zeroTime = { seconds: -62_135_596_800n }
    schedule(state, { name: 'all-good', info: 'some text here', height: 123_450_000n, time: zeroTime })
    expect(readPlan(state)).toEqual({ name: 'all-good', info: 'some text here', height: 123_450_000 })
    expect(dump(state, UPGRADE_ADDRESS)).toHaveLength(1)
  })

  it('of a height that is past is refused (x/upgrade/abci_test.go, TestRequireFutureBlock)', () => {
    const words = 'upgrade cannot be scheduled in the past: invalid request'
    expect(refusal(() => schedule(emptyState(), { name: 'test', height: 9n }))).toEqual(['sdk', 18, words])
    const state = emptyState()
    schedule(state, { name: 'test', height: 10n })
    expect(makeBinary().module.haltReason(state, 11)).toBe('UPGRADE "test" NEEDED at height: 10: ')
  })

  it('that was passed over is passed over again when the block is executed once more, by whatever settings', () => {
    const scheduled = (): Overlay => {
      const state = emptyState()
      schedule(state, { name: 'test', height: 11n })
      return state
    }
    const [first, again] = [scheduled(), scheduled()]
    enterBlock(makeBinary([], [11]).module, first, 11)
    expect(() => beginBlock(makeBinary().module, scheduled(), 11)).toThrow('UPGRADE "test" NEEDED at height: 11')
    expect(beginBlock(makeBinary([], [], true).module, again, 11)).toEqual([])
    expect(dump(again, UPGRADE_ADDRESS)).toEqual(dump(first, UPGRADE_ADDRESS))
    // One that was applied is applied again.
    const replayed = makeBinary(['test'], [], true)
    beginBlock(replayed.module, scheduled(), 11)
    expect(replayed.runs).toEqual(['test at 11'])
  })

  it('cannot be applied twice (TestCantApplySameUpgradeTwice)', () => {
    const state = emptyState()
    schedule(state, { name: 'test', height: 11n })
    enterBlock(makeBinary(['test']).module, state, 11)
    expect(refusal(() => schedule(state, { name: 'test', height: 20n }, 11))).toEqual([
      'sdk',
      18,
      'upgrade with name test has already been completed: invalid request',
    ])
  })

  it('comes from governance alone (x/upgrade/keeper/msg_server_test.go, TestSoftwareUpgrade)', () => {
    const plan = { name: 'all-good', height: 123_450_000n }
    expect(refusal(() => schedule(emptyState(), plan, 10, 'authority'))[2]).toContain('invalid authority')
    const other = encodeBech32(operatorOf(1))
    expect(refusal(() => schedule(emptyState(), plan, 10, other)).slice(0, 2)).toEqual(['sdk', 4])
    expect(refusal(() => schedule(emptyState(), undefined))[2]).toBe('name cannot be empty: invalid request')
  })

  it('is cancelled by governance (TestCancelUpgrade)', () => {
    const state = emptyState()
    const cancel = (authority: string) => () =>
      runMessage(makeBinary().module, state, 10, upgradeTx.MsgCancelUpgradeSchema, { authority })
    schedule(state, { name: 'some name', info: 'some info', height: 123_450_000n })
    expect(refusal(cancel(encodeBech32(operatorOf(1)))).slice(0, 2)).toEqual(['sdk', 4])
    expect(cancel(AUTHORITY)()).toEqual([])
    expect(dump(state, UPGRADE_ADDRESS)).toEqual([])
    expect(cancel(AUTHORITY)()).toEqual([])
  })
})

describe('an upgrade', () => {
  it('happens at its height with a binary that knows it, and stops all others (TestUpgradeWithoutSkip)', () => {
    const state = emptyState()
    const [older, newer] = [makeBinary(), makeBinary(['test'])]
    schedule(state, { name: 'test', height: 13n, info: 'get it there' })
    enterBlock(older.module, state, 12)
    expect(newer.module.pendingUpgrade(state, 12)).toBeUndefined()
    const words = 'UPGRADE "test" NEEDED at height: 13: get it there'
    expect(older.module.pendingUpgrade(state, 13)).toEqual({ name: 'test', height: 13, info: 'get it there' })
    expect(older.module.haltReason(state, 13)).toBe(words)
    expect(() => beginBlock(older.module, state, 13)).toThrow(InvariantError)
    expect(() => beginBlock(older.module, state, 13)).toThrow(words)
    enterBlock(newer.module, state, 13)
    expect(newer.runs).toEqual(['test at 13'])
    expect([readPlan(state), readAppliedHeight(state, 'test')]).toEqual([undefined, 13])
    enterBlock(newer.module, state, 14)
    expect(newer.runs).toHaveLength(1)
  })

  it('halts a binary that comes too early (TestHaltIfTooNew)', () => {
    const { module, runs } = makeBinary(['future'])
    const state = emptyState()
    enterBlock(module, state, 11)
    schedule(state, { name: 'future', height: 13n })
    for (const height of [11, 12]) {
      expect(module.haltReason(state, height)).toBe(
        'BINARY UPDATED BEFORE TRIGGER! UPGRADE "future" - in binary but not executed on chain. Downgrade your binary',
      )
    }
    expect(runs).toEqual([])
    enterBlock(module, state, 13)
    expect(runs).toEqual(['future at 13'])
    expect(readPlan(state)).toBeUndefined()
  })

  it('is of the newer of two plans (TestCanOverwriteScheduleUpgrade)', () => {
    const { module, runs } = makeBinary(['test'])
    const state = emptyState()
    schedule(state, { name: 'bad_test', height: 20n })
    schedule(state, { name: 'test', height: 11n })
    enterBlock(module, state, 11)
    enterBlock(module, state, 20)
    expect(runs).toEqual(['test at 11'])
  })

  it('is passed over at heights that the operators skip (TestUpgradeSkippingOnlyTwo)', () => {
    const { module, runs } = makeBinary(['test3'], [11, 20])
    const state = emptyState()
    schedule(state, { name: 'test', height: 11n })
    enterBlock(module, state, 11)
    schedule(state, { name: 'test2', height: 20n }, 11)
    enterBlock(module, state, 20)
    schedule(state, { name: 'test3', height: 25n }, 20)
    enterBlock(module, state, 25)
    expect(['test', 'test2', 'test3'].map((name) => readAppliedHeight(state, name))).toEqual([undefined, undefined, 25])
    expect([readPlan(state), runs]).toEqual([undefined, ['test3 at 25']])
  })

  it('keeps older binaries out afterwards (TestMissingUpgradeHandler, TestBinaryVersion)', () => {
    const state = emptyState()
    schedule(state, { name: 'b_first', height: 11n })
    enterBlock(makeBinary(['b_first']).module, state, 11)
    schedule(state, { name: 'a_second', height: 12n }, 11)
    enterBlock(makeBinary(['a_second']).module, state, 12)
    const missing = 'upgrade handler is missing for a_second upgrade plan'
    expect(makeBinary(['b_first']).module.haltReason(state, 13)).toContain(missing)
    expect(makeBinary(['a_second']).module.haltReason(state, 13)).toBeUndefined()
    schedule(state, { name: 'third', height: 13n }, 12)
    expect(makeBinary(['third']).module.haltReason(state, 13)).toBeUndefined()
    expect(makeBinary(['b_first'], [13]).module.haltReason(state, 13)).toContain(missing)
  })
})

describe('queries', () => {
  it('give the plan, with Go’s zero time, or none (x/upgrade/keeper/grpc_query_test.go, TestQueryCurrentPlan)', () => {
    const { module } = makeBinary()
    const state = emptyState()
    expect(ask(module, state, 1, method.currentPlan, {}).plan).toBeUndefined()
    schedule(state, { name: 'test-plan', height: 15n })
    expect(ask(module, state, 1, method.currentPlan, {}).plan).toMatchObject({
      name: 'test-plan',
      height: 15n,
      info: '',
      time: { seconds: -62_135_596_800n, nanos: 0 },
    })
  })

  it('give the height of a plan that was applied (TestAppliedCurrentPlan)', () => {
    const { module } = makeBinary(['test-plan'])
    const state = emptyState()
    expect(ask(module, state, 1, method.appliedPlan, { name: 'foo' }).height).toBe(0n)
    schedule(state, { name: 'test-plan', height: 5n }, 4)
    enterBlock(module, state, 5)
    expect(ask(module, state, 1, method.appliedPlan, { name: 'test-plan' }).height).toBe(5n)
  })

  it('give the versions of modules, and the authority (TestModuleVersions, TestAuthority)', () => {
    const { module } = makeBinary()
    const versions = (moduleName: string) =>
      ask(module, emptyState(), 1, method.moduleVersions, { moduleName }).moduleVersions.map(
        ({ name, version }) => `${name} ${version}`,
      )
    expect(versions('')).toEqual(['auth 1', 'bank 1', 'upgrade 1'])
    expect(versions('bank')).toEqual(['bank 1'])
    expect(refusal(() => versions('abcdefg'))).toEqual([
      'grpc',
      5,
      'x/upgrade: QueryModuleVersions module abcdefg not found: module version not found',
    ])
    expect(ask(module, emptyState(), 1, method.authority, {}).address).toBe(AUTHORITY)
    const asked = ask(module, emptyState(), 1, method.upgradedConsensusState, { lastHeight: 1n })
    expect(asked.upgradedConsensusState.length).toBe(0)
  })
})

describe('the genesis', () => {
  it('begins an equal state with an export', () => {
    const { module } = makeBinary(['one', 'two'])
    const state = emptyState()
    for (const [name, height] of [
      ['two', 11],
      ['one', 12],
    ] as const) {
      schedule(state, { name, height: BigInt(height) })
      beginBlock(module, state, height)
    }
    schedule(state, { name: 'three', height: 500n, info: 'ünïcode' }, 12)
    const genesis = exportGenesis(module, state, 12)
    expect(genesis).toEqual({
      plan: { name: 'three', height: '500', info: 'ünïcode' },
      applied_plans: [
        { name: 'one', height: '12' },
        { name: 'two', height: '11' },
      ],
    })
    expect(dump(initState(module, genesis), UPGRADE_ADDRESS)).toEqual(dump(state, UPGRADE_ADDRESS))
    expect(brokenInvariants(module, state, 12)).toEqual([])
    expect(dump(initState(module, undefined), UPGRADE_ADDRESS)).toEqual([])
    expect(exportGenesis(module, emptyState(), 0)).toEqual({ applied_plans: [] })
  })

  it.each([
    ['plan: name cannot be empty', { plan: { name: '', height: '5' } }],
    ['plan.height', { plan: { name: 'x', height: '-5' } }],
    [
      'plan.name: has already been completed',
      { plan: { name: 'x', height: '5' }, applied_plans: [{ name: 'x', height: '4' }] },
    ],
    [
      'applied_plans[1].name: is there twice',
      {
        applied_plans: [
          { name: 'x', height: '4' },
          { name: 'x', height: '5' },
        ],
      },
    ],
    ['applied_plans[0].info', { applied_plans: [{ name: 'x', height: '4', info: '' }] }],
  ])('is refused with the member at fault: %s', (words, genesis) => {
    const init = () => initState(makeBinary().module, genesis)
    expect(init).toThrow(CodedError)
    expect(init).toThrow(`app_state.upgrade.${words}`)
  })
})
