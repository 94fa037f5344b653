import { describe, expect, it } from 'vitest'
import { attest, CONTRACT, depositOf, members, World } from '../../modules/bridge/testing/world.ts'
import type { VoteExtension } from '../../modules/attestations.ts'
import type { ProposedBlock } from '../ports.ts'
import { BridgeSection } from './bridge-section.ts'
import type { VotedChain } from './chain.ts'
import { decodeExtension, EMPTY_EXTENSION, encodeExtension } from './envelope.ts'
import { bytesToHex } from '../../core/hex.ts'
import { toBridgeKeys } from '../../bin/node/bridge/bridge-keys.ts'
import { keyOf, WithdrawalWorld } from '../../modules/bridge/testing/withdrawals.ts'
import { CHAIN_ID } from '../../modules/slashing/testing/world.ts'

const CAP = 128 * 1_024
const READ = 200

/** A daemon that has read so much. */
const watch = (longest = false) => ({
  follow: () => undefined,
  events: (contract: typeof CONTRACT, from: number, max: number) =>
    contract.chainId === CONTRACT.chainId
      ? Array.from({ length: Math.min(max, READ - from) }, (_, index) =>
          depositOf(from + index, longest ? { recipient: new Uint8Array(64), amount: 2n ** 256n - 1n } : {}),
        )
      : [],
})

const say = (section: BridgeSection, { state }: World, height: number, spent = 0, cap = CAP): VoteExtension => ({
  ...EMPTY_EXTENSION,
  ...section.attest(
    { height } as ProposedBlock,
    { state, parameters: { chainId: CHAIN_ID } } as unknown as VotedChain,
    spent,
    cap,
  ),
})
const idsOf = (said: readonly { readonly id: number }[]): readonly number[] => said.map(({ id }) => id)
const range = (from: number, end: number): readonly number[] => Array.from({ length: end - from }, (_, i) => from + i)

describe('what a vote says of the bridge', () => {
  it('is what the daemon has read, what the vote before has not said first, and again in time', () => {
    const [world, section] = [new World(members(1n)), new BridgeSection(watch())]
    expect(idsOf(say(section, world, 1).bridge)).toEqual(range(0, 24))
    expect(idsOf(say(section, world, 2).bridge)).toEqual(range(24, 48))
    expect(idsOf(say(section, world, 3).bridge)).toEqual(range(0, 24))
    expect(say(new BridgeSection(undefined), world, 1)).toEqual(EMPTY_EXTENSION)
  })

  it('has the contents that state wants, and nothing of events that are decided', () => {
    const [world, section] = [new World(members(1n)), new BridgeSection(watch())]
    world.accept(depositOf(0), depositOf(2))
    world.block([{ bridge: attest(...range(3, 23).map((id) => depositOf(id))) }])
    const { bridge, bridgeContents } = say(section, world, 1)
    expect(idsOf(bridgeContents)).toEqual(range(3, 19))
    expect(idsOf(bridge)).toEqual([1, ...range(3, 26)])
    expect(idsOf(say(section, world, 2).bridgeContents)).toEqual(range(19, 23))
  })

  it('is nothing while the bridge is paused, or has no contract', () => {
    const world = new World(members(1n))
    world.updateParams({ paused: true })
    expect(say(new BridgeSection(watch()), world, 1)).toEqual(EMPTY_EXTENSION)
    world.updateParams({ contract: '', chainId: 0n })
    expect(say(new BridgeSection(watch()), world, 1)).toEqual(EMPTY_EXTENSION)
  })

  describe('with keys', () => {
    /** A withdrawal waits for signatures, and so does another set. */
    const waiting = (): WithdrawalWorld => {
      const world = new WithdrawalWorld(members(10n, 10n, 10n, 10n), undefined, { setIntervalBlocks: 5n })
      world.accept(depositOf(0))
      world.blocks(10)
      world.register(3, keyOf(9))
      world.withdraw(5n)
      world.blocks(5)
      expect(world.digests()).toHaveLength(2)
      return world
    }
    const keys = (...places: readonly number[]) => toBridgeKeys(places.map((place) => keyOf(place)))
    const digestsOf = ({ bridgeSignatures }: VoteExtension) => bridgeSignatures.map(({ digest }) => bytesToHex(digest))

    it('has its signatures over the root and the next set, and again in time', () => {
      const world = waiting()
      const section = new BridgeSection(undefined, keys(0))
      const said = say(section, world, 1)
      const sorted = world
        .digests()
        .map(bytesToHex)
        .sort((a, b) => (a < b ? -1 : 1))
      expect(digestsOf(said)).toEqual(sorted)
      expect(decodeExtension(encodeExtension(said))?.bridgeSignatures).toHaveLength(2)
      // What it has said is in the block that comes.
      expect(say(section, world, 2)).toEqual(EMPTY_EXTENSION)
      expect(say(section, world, 3)).toEqual(said)
      // Another round, and another node with the same key, sign the same.
      expect(say(section, world, 3)).toEqual(said)
      expect(say(new BridgeSection(undefined, keys(0)), world, 3)).toEqual(said)
      world.block([said])
      expect(say(section, world, 5)).toEqual(EMPTY_EXTENSION)
    })

    it('signs for the present set with the former key, and nothing with that of a stranger', () => {
      const world = waiting()
      expect(digestsOf(say(new BridgeSection(undefined, keys(3, 9)), world, 1))).toHaveLength(2)
      expect(say(new BridgeSection(undefined, keys(9)), world, 1)).toEqual(EMPTY_EXTENSION)
    })

    it('signs first where there is little room', () => {
      const world = waiting()
      const section = (): BridgeSection => new BridgeSection(watch(), keys(1))
      const said = say(section(), world, 1, CAP - 256)
      expect([said.bridgeSignatures.length, said.bridge.length]).toEqual([2, 1])
      expect(encodeExtension(said).length).toBeLessThanOrEqual(256)
      expect(say(section(), world, 1, CAP - 120).bridgeSignatures).toHaveLength(1)
      expect(say(section(), world, 1, CAP - 100).bridgeSignatures).toHaveLength(0)
      // What had no room comes with the next vote.
      const late = section()
      expect(say(late, world, 1, CAP - 100).bridgeSignatures).toHaveLength(0)
      expect(say(late, world, 2).bridgeSignatures).toHaveLength(2)
    })
  })

  it.each([256, 512, 1_024, 4_096, CAP])('never passes the %i bytes that are left, nor 4 KiB', (room) => {
    const world = new World(members(1n))
    world.block([{ bridge: attest(...watch(true).events(CONTRACT, 0, 24)) }])
    const section = new BridgeSection(watch(true))
    for (let height = 1; height < 6; height++) {
      const said = say(section, world, height, CAP - room)
      const { length } = encodeExtension(said)
      expect(length).toBeLessThanOrEqual(Math.min(room, 4_098))
      expect(length).toBeGreaterThan(0)
    }
  })
})
