/** The way back in a genesis: an export that somebody changed is refused, and the text names the field. */
import { describe, expect, it } from 'vitest'
import { dump, emptyState, initState, makeBlock, refusal } from '../../slashing/testing/world.ts'
import { BRIDGE_ADDRESS } from '../keys.ts'
import { depositOf, members } from '../testing/world.ts'
import { keyOf, WithdrawalWorld } from '../testing/withdrawals.ts'
import { initBridgeGenesis, parseBridgeGenesis } from './index.ts'

interface Signed {
  signatures: { member: number; signature: string }[]
}

/** What an export has, as far as it is changed here. */
interface Exported {
  way_back: ({ pending: Signed & { root: string; size: number; nonce: number }; signed: Signed } & {
    set_nonce: number
    held: string
  })[]
  signing_sets: (Signed & { nonce: number; threshold: string; members: { address: string }[] })[]
  withdrawals: unknown[]
}

/** A root is signed, another one waits with a signature, and so does a second set. */
const exportOf = (): [WithdrawalWorld, Exported] => {
  const world = new WithdrawalWorld(members(10n, 10n, 10n, 10n), undefined, { setIntervalBlocks: 5n })
  world.accept(depositOf(0), depositOf(1))
  world.blocks(10)
  world.withdraw(10n)
  world.block()
  world.signBy([0, 1, 2])
  world.withdraw(3n)
  world.register(0, keyOf(9))
  world.blocks(5)
  world.signBy([1])
  return [world, world.export() as Exported]
}

const faultOf = (change: (genesis: Exported) => void): string => {
  const [world, genesis] = exportOf()
  change(genesis)
  const [codespace, , message] = refusal(() => initState(world.module, genesis))
  expect(codespace).toBe('genesis')
  return message
}

describe('the way back of a genesis', () => {
  it('is taken as it was exported', () => {
    const [world, genesis] = exportOf()
    expect([genesis.way_back[0]?.pending.signatures.length, genesis.signing_sets[1]?.signatures.length]).toEqual([1, 1])
    expect(dump(initState(world.module, genesis), BRIDGE_ADDRESS)).toEqual(dump(world.state, BRIDGE_ADDRESS))
  })

  it.each<[string, (genesis: Exported) => void, string]>([
    [
      'a signature of one member twice',
      ({ way_back: [first] }) => first?.signed.signatures.push(...first.signed.signatures.slice(0, 1)),
      'way_back[0].signed.signatures[3].member: is',
    ],
    [
      'a signature of a member that the set has not',
      ({ way_back: [first] }) => first?.pending.signatures.forEach((each) => (each.member = 4)),
      'way_back[0].pending.signatures[0].member: is 4, and the set that signs has 4 members',
    ],
    [
      'a signature over a set of a member that the one before has not',
      ({ signing_sets: [, second] }) => second?.signatures.forEach((each) => (each.member = 77)),
      'signing_sets[1].signatures[0].member: is 77',
    ],
    [
      'a signature over the first set',
      ({ signing_sets: [first, second] }) => first?.signatures.push(...(second?.signatures ?? [])),
      'signing_sets[0].signatures[0].member',
    ],
    [
      'a signature of another member',
      ({ way_back: [first] }) => first?.pending.signatures.forEach((each) => (each.member ^= 1)),
      'way_back[0].pending.signatures[0].signature: is not of member',
    ],
    [
      'a signed root with too few signatures',
      ({ way_back: [first] }) => first?.signed.signatures.pop(),
      'way_back[0].signed.signatures: must have more than the threshold',
    ],
    [
      'another root',
      ({ way_back: [first] }) => void (first && (first.pending.root = `0x${'ab'.repeat(32)}`)),
      'way_back[0].pending.root: is not that of 2 withdrawals of the chain id test-1',
    ],
    [
      'a root of more withdrawals than there are',
      ({ way_back: [first] }) => void (first && (first.pending.size = 3)),
      'way_back[0].pending.size: must be between 1 and 2',
    ],
    [
      'a root of a set that is not in force',
      ({ way_back: [first] }) => void (first && (first.pending.nonce = 2)),
      'way_back[0].pending.nonce',
    ],
    [
      'a set in force that is none',
      ({ way_back: [first] }) => void (first && (first.set_nonce = 3)),
      'way_back[0].set_nonce: must be that of the last set (2)',
    ],
    [
      'a threshold that all members together do not pass',
      ({ signing_sets: [first] }) => void (first && (first.threshold = '40')),
      'signing_sets[0].threshold: must be at least two thirds of the power of its members (40), and below it',
    ],
    [
      'a threshold of less than two thirds',
      ({ signing_sets: [first] }) => void (first && (first.threshold = '25')),
      'signing_sets[0].threshold',
    ],
    ['a set that is missing', ({ signing_sets }) => signing_sets.shift(), 'signing_sets[0].nonce: must be 1'],
    [
      'an address of a set twice',
      ({ signing_sets: [first] }) => first?.members.splice(1, 1, ...first.members.slice(0, 1)),
      'signing_sets[0].members[1].address: must be above',
    ],
    [
      'a contract twice',
      ({ way_back }) => way_back.push(...way_back.slice(0, 1)),
      'way_back[1].contract: stands before it',
    ],
    ['sets of a contract that is unknown', (genesis) => (genesis.way_back = []), 'signing_sets[0].contract'],
  ])('is refused with %s', (_, change, member) => {
    expect(faultOf(change)).toContain(`app_state.bridge.${member}`)
  })

  it('is refused where it was made for another chain id', () => {
    const [, genesis] = exportOf()
    const init = (changed: Exported) => () =>
      initBridgeGenesis(makeBlock(emptyState(), 0)[0].state, parseBridgeGenesis(changed), 'other-2')
    expect(refusal(init(genesis))[2]).toContain(
      'way_back[0].pending.root: is not that of 2 withdrawals of the chain id other-2',
    )
    // Without a withdrawal a set shows it.
    const [first] = genesis.way_back
    const bare = { ...genesis, withdrawals: [], way_back: [{ ...first, pending: undefined, signed: undefined }] }
    expect(refusal(init(JSON.parse(JSON.stringify(bare)) as Exported))[2]).toContain(
      'signing_sets[1].signatures[0].signature',
    )
  })
})
