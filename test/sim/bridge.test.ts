/** The bridge over four validators, of which each has read the external chain by itself, and one reads lies. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { type BridgeKey, toBridgeKeys } from '../../bin/node/bridge/bridge-keys.ts'
import { EventRing } from '../../bin/node/bridge/event-ring.ts'
import type { BridgeWatch } from '../../app/environment.ts'
import type { BridgeContract, BridgeEvent } from '../../core/bridge-event.ts'
import { bytesToHex } from '../../core/hex.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { toAddress } from '../../core/address.ts'
import { sha256 } from '../../core/hash.ts'
import { privateKeyToAddress } from '../../core/signature.ts'
import { readWayBack } from '../../modules/bridge/keeper/index.ts'
import { formatConsensusAddress } from '../../modules/validator-addresses.ts'
import { bankQuery, bridge, bridgeQuery, bridgeTx } from '../../proto/index.ts'
import { bech32Of, signNative } from './native-transactions.ts'
import type { Random } from './random.ts'
import { seeded } from './random.ts'
import type { SimNode } from './sim-node.ts'
import { makeValidator } from './validators.ts'
import { checkInvariants, committedState, gossip, makeWorld, pendingNonce } from './world.ts'

const CONTRACT: BridgeContract = { chainId: 31_337n, address: new Uint8Array(20).fill(0xc0) }
const DENOM = 'bridge/token'
const RECIPIENT = toAddress(new Uint8Array(20).fill(0xaa))
const MOST_STEPS = 150

const depositOf = (id: number): BridgeEvent => ({
  id,
  amount: BigInt(id) * 3n + 1n,
  from: new Uint8Array(20).fill(9),
  // Every tenth names no account.
  recipient: id % 10 === 7 ? new Uint8Array(id % 64) : RECIPIENT,
  dataHash: new Uint8Array(32).fill(id),
  externalHeight: 1_000n + BigInt(id),
})

/** A daemon that has read some of the deposits, and says of some something else where it lies. */
class Daemon implements BridgeWatch {
  readonly ring = new EventRing()
  readonly #says: (event: BridgeEvent) => BridgeEvent
  #told = 0
  followed: number[] = []

  constructor(says: (event: BridgeEvent) => BridgeEvent) {
    this.#says = says
  }

  follow(contract: BridgeContract | undefined, nextId: number): void {
    this.ring.follow(contract, nextId)
    this.followed.push(nextId)
  }

  events(contract: BridgeContract, from: number, max: number): readonly BridgeEvent[] {
    return this.ring.events(contract, from, max)
  }

  /** The external chain has so many deposits. It reads a few more of them, up to what a node keeps. */
  read(deposits: number, random: Random): void {
    const end = Math.min(deposits, this.#told + random.below(20), this.ring.nextId + 400)
    const events = Array.from({ length: Math.max(0, end - this.#told) }, (_, index) => depositOf(this.#told + index))
    this.ring.take(CONTRACT, this.#told === 0, events.map(this.#says))
    this.#told = Math.max(this.#told, end)
  }
}

const ask = async (node: SimNode, path: string, request: Uint8Array): Promise<Uint8Array> => {
  const answer = await node.ask('native', { path, data: Buffer.from(request).toString('base64'), height: 0 })
  return Buffer.from(answer as string, 'base64')
}

const nextIdOf = async (node: SimNode): Promise<bridgeQuery.QueryNextIdResponse> =>
  fromBinary(bridgeQuery.QueryNextIdResponseSchema, await ask(node, '/nat.bridge.v1.Query/NextId', new Uint8Array()))

const eventOf = async (node: SimNode, id: number): Promise<bridge.BridgeEvent | undefined> => {
  const { QueryEventRequestSchema, QueryEventResponseSchema } = bridgeQuery
  const request = toBinary(QueryEventRequestSchema, { $typeName: 'nat.bridge.v1.QueryEventRequest', id })
  return fromBinary(QueryEventResponseSchema, await ask(node, '/nat.bridge.v1.Query/Event', request)).event
}

const balanceOf = async (node: SimNode): Promise<bigint> => {
  const request = toBinary(bankQuery.QueryBalanceRequestSchema, {
    $typeName: 'cosmos.bank.v1beta1.QueryBalanceRequest',
    address: encodeBech32(RECIPIENT),
    denom: DENOM,
  })
  const answer = await ask(node, '/cosmos.bank.v1beta1.Query/Balance', request)
  return BigInt(fromBinary(bankQuery.QueryBalanceResponseSchema, answer).balance?.amount ?? '0')
}

/** One fourth of the power lies; late, missing and malformed extensions, and crashes, are the driver's. */
const liar = (event: BridgeEvent): BridgeEvent => ({ ...event, amount: event.amount * 1_000n })

const params = {
  chain_id: CONTRACT.chainId.toString(),
  contract: bytesToHex(CONTRACT.address),
  denom: DENOM,
  delay_blocks: 3,
  delay_seconds: 2,
}

it(
  'credits what more than two thirds have read, once, in order, on every node, and nothing else',
  seeded(0xb21d6e, async (random) => {
    const daemons = [0, 1, 2, 3].map((index) => new Daemon(index === 3 ? liar : (event) => event))
    const world = await makeWorld({
      random,
      nodes: daemons.map((bridge, index) => ({ name: `node ${index}`, bridge })),
      powers: [10n, 10n, 10n, 9n],
      moduleGenesis: { bridge: { params } },
    })
    try {
      const { driver, nodes } = world
      const [node] = nodes as readonly [SimNode]
      const deposits = 60
      let last = 0
      for (let step = 0; step < MOST_STEPS && last < deposits; step++) {
        for (const daemon of daemons) daemon.read(Math.min(deposits, step * 5), random)
        const block = await driver.propose(random.pick(nodes))
        expect(await driver.process(block)).toBe(true)
        await driver.decide(block, 0, () =>
          random.pick(['saw the proposal', 'block sync', 'crash before commit'] as const),
        )
        checkInvariants(node)
        const { nextId, openId, refused } = await nextIdOf(node)
        expect(nextId - last).toBeLessThanOrEqual(10)
        last = nextId
        expect(daemons.map(({ followed }) => followed.at(-1))).toEqual([openId, openId, openId, openId])
        const settled = Array.from({ length: nextId }, (_, id) => depositOf(id))
        const credited = settled.filter(({ recipient }) => recipient.length === 20)
        expect(refused).toBe(BigInt(nextId - credited.length))
        expect(await balanceOf(node)).toBe(credited.reduce((sum, { amount }) => sum + amount, 0n))
      }
      expect(last).toBe(deposits)
      expect(await eventOf(node, 17)).toMatchObject({
        state: bridge.EventState.REFUSED,
        reason: expect.stringContaining('accAddress has 17 bytes') as string,
      })
      expect(await eventOf(node, 18)).toMatchObject({ state: bridge.EventState.CREDITED })
      expect(await nextIdOf(node)).toMatchObject({ waitsFor: 'acknowledgements', openId: deposits })
    } finally {
      await world.close()
    }
  }),
)

const keyOf = (index: number): BridgeKey => {
  const privateKey = sha256(Uint8Array.of(0x6b, index))
  return { privateKey, address: privateKeyToAddress(privateKey) }
}

const HELD = 10n ** 24n

/** NAT that came over the bridge, and validators with keys. */
const wayBack = {
  params: { ...params, denom: 'anat', withdraw_limit: HELD.toString(), set_interval_blocks: 8 },
  minted: [{ denom: 'anat', amount: HELD.toString() }],
  keys: [0, 1, 2, 3].map((index) => ({
    validator: formatConsensusAddress(makeValidator(`validator ${index}`, 1n).address),
    address: bytesToHex(keyOf(index).address),
  })),
  way_back: [
    {
      ...{ chain_id: params.chain_id, contract: params.contract, held: HELD.toString() },
      ...{ day: 0, day_amount: '0', set_nonce: 0 },
    },
  ],
}

const signaturesOf = async (node: SimNode): Promise<bridgeQuery.QuerySignaturesResponse> =>
  fromBinary(
    bridgeQuery.QuerySignaturesResponseSchema,
    await ask(node, '/nat.bridge.v1.Query/Signatures', new Uint8Array()),
  )

it(
  'has withdrawals signed by those who hold their keys, on every node alike',
  seeded(0x3a7bac, async (random) => {
    // The last one signs with a key that nobody registered.
    const nodes = [0, 1, 2, 4].map((index) => ({ name: `node ${index}`, bridgeKeys: toBridgeKeys([keyOf(index)]) }))
    const world = await makeWorld({
      random,
      nodes: nodes.map(({ name, bridgeKeys }) => ({ name, ...(bridgeKeys && { bridgeKeys }) })),
      // Powers fall as validators are listed, so that each node votes for the one with its key.
      powers: [13n, 12n, 11n, 10n],
      moduleGenesis: { bridge: wayBack },
    })
    try {
      const { driver, nodes: running, accounts } = world
      const [node] = running as readonly [SimNode]
      let [withdrawn, signed] = [0, 0]
      for (let step = 0; step < MOST_STEPS && (step < 40 || signed < withdrawn); step++) {
        const account = random.pick(accounts)
        if (step < 40 && random.chance(60)) {
          const sequence = await pendingNonce(node, account)
          const amount = { denom: 'anat', amount: String(1 + random.below(1_000)) }
          const message = { sender: bech32Of(account), recipient: `0x${'ee'.repeat(20)}`, amount }
          const { MsgWithdrawSchema } = bridgeTx
          const value = toBinary(MsgWithdrawSchema, create(MsgWithdrawSchema, message))
          const messages = [{ typeUrl: `/${MsgWithdrawSchema.typeName}`, value }]
          const signers = [{ account, sequence }]
          gossip(running, await signNative({ chainId: driver.setup.chainId, messages, signers, gas: 600_000n }))
        }
        const block = await driver.propose(random.pick(running))
        expect(await driver.process(block)).toBe(true)
        await driver.decide(block, 0, () =>
          random.pick(['saw the proposal', 'block sync', 'crash before commit'] as const),
        )
        checkInvariants(node)
        const now = await signaturesOf(node)
        withdrawn = readWayBack(committedState(node), CONTRACT).size
        expect(now.signed?.size ?? 0).toBeGreaterThanOrEqual(signed)
        signed = now.signed?.size ?? 0
        if (now.signed !== undefined) expect(now.signed.power > now.threshold).toBe(true)
      }
      expect(withdrawn).toBeGreaterThan(10)
      expect(signed).toBe(withdrawn)
      console.log(`${withdrawn} withdrawals were signed`)
    } finally {
      await world.close()
    }
  }),
)
