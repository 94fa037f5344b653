/** Which orders a node keeps, what it says of the others, and what it remembers of them. */
import { describe, expect, it } from 'vitest'
import { bytesToUtf8, EMPTY_BYTES } from '../../core/bytes.ts'
import { bytesToHex } from '../../core/hex.ts'
import { CodedError } from '../../core/errors.ts'
import { sha256, ZERO_HASH } from '../../core/hash.ts'
import { runSignatureTask } from '../../core/signature.ts'
import { writeAgent, writeCaps, writeParameters, readParameters } from '../../modules/clob/keeper/index.ts'
import { Random } from '../../test/sim/random.ts'
import { decodeAttestations } from '../../modules/clob/index.ts'
import { CLOB_ERRORS } from '../../modules/clob/errors.ts'
import {
  cancelAll,
  CHAIN,
  commit,
  makeTrader,
  nonceKey,
  openWorld,
  place,
  post,
  QUOTE,
  START_HEIGHT,
  START_MS,
  type Trader,
  type World,
} from './testing/world.ts'

const { codes } = CLOB_ERRORS

/** A trader with funds for a hundred Places. */
const funded = (world: World, number = 1): Trader => {
  const trader = makeTrader(number)
  world.fund(trader.address, 1_000n)
  return trader
}

const check = (world: World, raw: Uint8Array, recheck = false): number => {
  // As the application has it.
  if (recheck) world.orders.askedAgain()
  const { code, codespace } = world.orders.check(raw, recheck)
  expect(codespace).toBe(code === 0 ? '' : 'clob')
  return code
}

const seen = (world: World, raw: Uint8Array): number | undefined => world.orders.pool.get(sha256(raw))?.seenMs

const refusal = async (sent: Promise<unknown>): Promise<number> => {
  try {
    await sent
    return 0
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    expect(error.codespace).toBe('clob')
    return error.code
  }
}

describe('an order that somebody else signed', () => {
  it('costs no look at what its owner has in each of the markets', () => {
    const world = openWorld()
    const { state } = world
    const read = state.value.bind(state)
    let balances = 0
    state.value = (system, key) => {
      if (bytesToUtf8(key.slice(-QUOTE.length)) === QUOTE) balances++
      return read(system, key)
    }
    const thief = makeTrader(2)
    const named = (): number => balances
    expect(check(world, thief.sign({ owner: makeTrader(1).address, actions: [cancelAll(0)] }))).toBe(codes.signature)
    expect(named()).toBe(0)
    expect(check(world, thief.sign({ actions: [cancelAll(0)] }))).toBe(0)
    expect(named()).toBeGreaterThan(0)
  })

  it('is not even decoded when it comes again', () => {
    const world = openWorld()
    const { state } = world
    const forged = makeTrader(2).sign({ owner: makeTrader(1).address })
    expect(check(world, forged)).toBe(codes.signature)
    state.value = () => {
      throw new RangeError('nothing is looked at')
    }
    expect(check(world, forged)).toBe(codes.signature)
  })
})

describe('an order of the network', () => {
  it('is kept with the wall clock at its arrival, which nothing renews', () => {
    const world = openWorld()
    const raw = funded(world).sign()
    world.wallMs = START_MS + 5
    expect(check(world, raw)).toBe(0)
    world.wallMs = START_MS + 700
    expect(check(world, raw)).toBe(0)
    expect(check(world, raw, true)).toBe(0)
    expect(seen(world, raw)).toBe(START_MS + 5)
    expect(world.journal).toEqual([{ seenMs: START_MS + 5, raw }])
  })

  it('of every scheme is taken from the key that it names, and from no other', () => {
    const world = openWorld()
    const trader = funded(world)
    for (const sigScheme of [1, 2] as const) expect(check(world, trader.sign({ sigScheme }))).toBe(0)
    const thief = makeTrader(2)
    expect(check(world, thief.sign({ owner: trader.address }))).toBe(codes.signature)
    // The address of such a key is another one.
    expect(check(world, trader.sign({ sigScheme: 3 }))).toBe(codes.signature)
    expect(world.orders.pool.size).toBe(2)
  })

  it('that was signed for another chain is refused', () => {
    const world = openWorld()
    const trader = funded(world)
    for (const chain of [
      { ...CHAIN, chainId: 'nat-2517-1' },
      { ...CHAIN, chainId: '' },
    ]) {
      expect(check(world, trader.sign({ sigScheme: 2 }, chain))).toBe(codes.signature)
      expect(check(world, trader.sign({ sigScheme: 1 }, chain))).toBe(codes.signature)
    }
    expect(check(world, trader.sign({ sigScheme: 1 }, { ...CHAIN, evmChainId: 1 }))).toBe(codes.signature)
  })

  it('whose bytes are no statically valid transaction is refused, whatever they are', () => {
    const world = openWorld()
    const raw = funded(world).sign()
    const wrong: readonly Uint8Array[] = [
      new Uint8Array(0),
      Uint8Array.of(0x70),
      raw.subarray(0, -1),
      Uint8Array.of(...raw, 0),
      raw.map((byte, index) => (index === 2 ? 9 : byte)),
      new Uint8Array(4_097).fill(0x70),
      new Uint8Array(2 ** 20).fill(0x70),
    ]
    for (const bytes of wrong) {
      for (const recheck of [false, true]) {
        const code = check(world, bytes, recheck)
        expect(code === codes.poolGone || (code > 0 && code < 15), `${code}`).toBe(true)
      }
    }
    expect(world.orders.pool.size).toBe(0)
    expect(world.journal).toEqual([])
  })

  it('must have a good_til_block and a nonce that the next blocks can take', () => {
    const world = openWorld()
    const trader = funded(world)
    const codeOf = (changes: Parameters<Trader['sign']>[0]): number => check(world, trader.sign(changes))
    expect(codeOf({ goodTilBlock: START_HEIGHT - 1 })).toBe(codes.poolExpired)
    expect(codeOf({ goodTilBlock: START_HEIGHT })).toBe(0)
    // Whoever brings it may be a little ahead.
    expect(codeOf({ goodTilBlock: START_HEIGHT + 43 })).toBe(0)
    expect(codeOf({ goodTilBlock: START_HEIGHT + 44 })).toBe(codes.poolTooFarAhead)
    expect(codeOf({ nonceMs: START_MS - 60_001 })).toBe(codes.poolNonceStale)
    expect(codeOf({ nonceMs: START_MS - 60_000 })).toBe(0)
    expect(codeOf({ nonceMs: START_MS + 62_000 })).toBe(0)
    expect(codeOf({ nonceMs: START_MS + 62_001 })).toBe(codes.poolNonceAhead)
    // The chain has halted: the head is old, and wallets have not stopped their clocks.
    world.wallMs += 3_600_000
    expect(codeOf({ nonceMs: START_MS + 3_600_000 })).toBe(0)
    world.usedNonces.add(nonceKey(trader.address, START_MS + 77))
    expect(codeOf({ nonceMs: START_MS + 77 })).toBe(codes.poolNonceUsed)
  })

  it('of an agent is taken as long as the owner has named it, for the markets that it has', () => {
    const world = openWorld()
    const owner = funded(world, 1).address
    const agent = makeTrader(2)
    const by = (actions = [place()]): number =>
      check(world, agent.sign({ owner, agent: agent.address, nonceMs: (world.wallMs += 1), actions }))
    expect(by()).toBe(codes.poolAgent)
    const seconds = START_MS / 1_000
    writeAgent(world.state, owner, agent.address, { name: 'bot', expireS: seconds, markets: [] })
    expect(by()).toBe(codes.poolAgent)
    writeAgent(world.state, owner, agent.address, { name: 'bot', expireS: seconds + 1, markets: [] })
    expect(by()).toBe(0)
    expect(by([cancelAll(0)])).toBe(0)
    writeAgent(world.state, owner, agent.address, { name: 'bot', expireS: seconds + 1, markets: [1, 2] })
    expect(by()).toBe(0)
    expect(by([cancelAll(0)])).toBe(codes.poolAgent)
    expect(by([{ kind: 'scheduleCancel', atMs: 0 }])).toBe(codes.poolAgent)
    expect(by([place({ market: 3 })])).toBe(codes.poolAgent)
    // A signature of the owner is none of the agent.
    expect(check(world, makeTrader(1).sign({ agent: agent.address }))).toBe(codes.signature)
  })

  it('needs funds for one of its Places, softly, and a market that is open', () => {
    const world = openWorld()
    const trader = makeTrader(1)
    const codeOf = (...actions: Parameters<Trader['sign']>[0] extends infer _ ? ReturnType<typeof place>[] : never) =>
      check(world, trader.sign({ actions }))
    expect(codeOf(place({ priceTicks: 5, qtyLots: 2 }))).toBe(codes.poolFunds)
    world.fund(trader.address, 9n)
    expect(codeOf(place({ priceTicks: 5, qtyLots: 2 }))).toBe(codes.poolFunds)
    expect(codeOf(place({ priceTicks: 5, qtyLots: 2 }), place({ priceTicks: 9, qtyLots: 1 }))).toBe(0)
    expect(codeOf(place({ side: 'sell', qtyLots: 3 }))).toBe(codes.poolFunds)
    world.fund(trader.address, 30n, 'base')
    expect(codeOf(place({ side: 'sell', qtyLots: 3 }))).toBe(0)
    expect(codeOf(place({ market: 2 }))).toBe(codes.poolMarket)
    // What cancels may bind a Place that is on its way, and bring funds back.
    expect(codeOf(cancelAll(), place({ priceTicks: 500 }))).toBe(0)
    world.open.set(String.fromCharCode(...trader.address), [1])
    expect(codeOf(place({ priceTicks: 500 }))).toBe(0)
  })

  it('of a client is refused where it is too early', async () => {
    const world = openWorld()
    const trader = funded(world)
    const codeOf = (changes: Parameters<Trader['sign']>[0]): Promise<number> =>
      refusal(world.orders.submit(trader.sign(changes)))
    expect(await codeOf({ goodTilBlock: START_HEIGHT + 41 })).toBe(0)
    expect(await codeOf({ goodTilBlock: START_HEIGHT + 42 })).toBe(codes.poolTooFarAhead)
    expect(await codeOf({ nonceMs: START_MS + 60_000 })).toBe(0)
    expect(await codeOf({ nonceMs: START_MS + 60_001 })).toBe(codes.poolNonceAhead)
  })

  it('that a peer has brought a little early is attested once its time has come', () => {
    const world = openWorld()
    const trader = funded(world)
    const early = [trader.sign({ goodTilBlock: START_HEIGHT + 42 }), trader.sign({ nonceMs: START_MS + 61_500 })]
    for (const raw of early) expect(check(world, raw)).toBe(0)
    const attested = (): number => {
      const { attestations = EMPTY_BYTES } = world.orders.section.attest(world.block(), world.chain, 0, 100_000)
      return decodeAttestations(attestations)?.length ?? 0
    }
    world.wallMs += 500
    expect(attested()).toBe(0)
    commit(world)
    expect(attested()).toBe(2)
  })

  it('is one of those of its owner that all nodes keep, whichever each of them has seen first', () => {
    const random = new Random(7)
    const trader = makeTrader(1)
    const sent = Array.from({ length: 200 }, () => {
      const actions = Array.from({ length: 7 }, () => cancelAll())
      return trader.sign({
        actions,
        nonceMs: START_MS + random.below(60),
        goodTilBlock: START_HEIGHT + random.below(40),
      })
    })
    const nodes = [0, 1, 2].map((index) => {
      const world = openWorld()
      world.fund(trader.address, 1_000n)
      writeParameters(world.state, { ...readParameters(world.state), maxActions: 20 })
      // Each sees another part first, and all of it in the end.
      const part = Math.floor(sent.length / 3) * index
      const own = [...sent.slice(part), ...sent.slice(0, part)]
      for (const raw of index === 2 ? own.toReversed() : own) check(world, raw)
      return [...world.orders.pool.orders()].map(({ hash }) => bytesToHex(hash)).toSorted()
    })
    const [first, ...others] = nodes
    expect(first?.length).toBeGreaterThan(10)
    for (const other of others) expect(other).toEqual(first)
  })

  it('takes the place of later ones of its owner no more often in a block than there are places', () => {
    const world = openWorld()
    const trader = funded(world)
    writeParameters(world.state, { ...readParameters(world.state), maxActions: 1 })
    let nonceMs = START_MS + 500
    const earlier = (): number =>
      check(world, trader.sign({ actions: Array.from({ length: 10 }, () => cancelAll()), nonceMs: nonceMs-- }))
    const codesOf = (count: number): readonly number[] => Array.from({ length: count }, earlier)
    expect(codesOf(4)).toEqual([0, 0, 0, 0])
    // 40 actions are there, and 40 may leave for earlier ones.
    expect(codesOf(6)).toEqual([0, 0, 0, 0, codes.poolActions, codes.poolActions])
    commit(world)
    expect(codesOf(5)).toEqual([0, 0, 0, 0, codes.poolActions])
    expect(world.orders.pool.actionCount(trader.address)).toBe(40)
  })

  it('is bounded by the limits of its account', () => {
    const world = openWorld()
    const trader = funded(world)
    writeParameters(world.state, { ...readParameters(world.state), maxActions: 2, maxOpenOrders: 3 })
    const fifty = Array.from({ length: 40 }, () => cancelAll())
    expect(check(world, trader.sign({ actions: fifty }))).toBe(0)
    expect(check(world, trader.sign({ actions: fifty }))).toBe(0)
    expect(check(world, trader.sign({ actions: [cancelAll()] }))).toBe(codes.poolActions)
    const other = funded(world, 2)
    world.open.set(String.fromCharCode(...other.address), [1, 1, 1])
    expect(check(world, other.sign({ actions: [place()] }))).toBe(codes.poolOpenOrders)
    expect(check(world, other.sign({ actions: [cancelAll(), place()] }))).toBe(0)
    // What does not rest needs no room.
    for (const tif of ['ioc', 'fok'] as const) expect(check(world, other.sign({ actions: [place({ tif })] }))).toBe(0)
    const trigger = { triggerTicks: 500, triggerKind: 'stop' } as const
    expect(check(world, other.sign({ actions: [place({ tif: 'ioc', ...trigger })] }))).toBe(codes.poolOpenOrders)
  })

  it('is no longer than half of what a vote may say', () => {
    const world = openWorld()
    const trader = funded(world)
    const actions = Array.from({ length: 50 }, () => place({ clientId: new Uint8Array(16).fill(7) }))
    const long = trader.sign({ actions: actions.slice(0, 49).map(() => post({ clientId: new Uint8Array(16) })) })
    expect(long.length).toBeGreaterThan(1_024)
    writeCaps(world.state, [{ height: START_HEIGHT, capBytes: 2_048 }])
    expect(check(world, long)).toBe(codes.poolTooLong)
    writeCaps(world.state, [{ height: START_HEIGHT, capBytes: 2 * long.length }])
    world.orders.settle({ height: START_HEIGHT - 1, hash: ZERO_HASH, included: [], carried: [] })
    expect(check(world, long)).toBe(0)
  })

  it('that blocks have taken is refused by a look-up, and its recheck too', () => {
    const world = openWorld()
    const raw = funded(world).sign()
    expect(check(world, raw)).toBe(0)
    commit(world, [sha256(raw)])
    expect(check(world, raw)).toBe(codes.poolIncluded)
    expect(check(world, raw, true)).toBe(codes.poolGone)
    expect(world.orders.pool.size).toBe(0)
  })

  it('stays until three blocks after its good_til_block, though CometBFT drops it then', () => {
    const world = openWorld()
    const raw = funded(world).sign({ goodTilBlock: START_HEIGHT + 1 })
    expect(check(world, raw)).toBe(0)
    const stays: string[] = []
    for (let block = 0; block < 6; block++) {
      commit(world)
      stays.push(`${check(world, raw, true)} ${seen(world, raw)}`)
    }
    // Blocks 1000 and 1001 are committed, then 1002 to 1004, in which its id may still be carried.
    expect(stays).toEqual([
      `0 ${START_MS}`,
      ...Array.from({ length: 3 }, () => `${codes.poolExpired} ${START_MS}`),
      `${codes.poolGone} undefined`,
      `${codes.poolGone} undefined`,
    ])
  })

  it('stays until three blocks after the last that its nonce suits, and takes nobody the room for longer', () => {
    const world = openWorld()
    const raw = funded(world).sign({ nonceMs: START_MS - 58_000, goodTilBlock: START_HEIGHT + 40 })
    expect(check(world, raw)).toBe(0)
    const stays: (number | undefined)[] = []
    for (let block = 0; block < 8; block++) {
      commit(world)
      stays.push(seen(world, raw))
    }
    // Votes for the second block still name it, the third is obliged to it, and the three behind may carry it.
    expect(stays).toEqual([...Array.from({ length: 6 }, () => START_MS), undefined, undefined])
  })
})

describe('an order of a client', () => {
  it('is on the disk when it is answered, then gossiped', async () => {
    const world = openWorld()
    const raw = funded(world).sign()
    const hash = await world.orders.submit(raw)
    expect(hash).toEqual(sha256(raw))
    expect(world.journal).toEqual([{ seenMs: START_MS, raw }])
    expect(world.offered).toEqual([raw])
    expect(await refusal(world.orders.submit(raw))).toBe(codes.poolKnown)
    // CometBFT asks, as it was offered the order, and keeps it.
    expect(check(world, raw)).toBe(0)
  })

  it('has the time of its arrival, though its signature is checked on another thread after it', async () => {
    const begun: (() => void)[] = []
    const world = openWorld({
      signatures: {
        check: (tasks) => new Promise((resolve) => begun.push(() => resolve(tasks.map(runSignatureTask)))),
      },
    })
    const trader = funded(world)
    const raws = Array.from({ length: 5 }, () => trader.sign({ sigScheme: 1 }))
    const bad = makeTrader(9).sign({ owner: trader.address })
    const sent = [...raws, bad].map((raw) => refusal(world.orders.submit(raw)))
    await Promise.resolve()
    world.wallMs += 40
    // A peer is faster with one of them.
    expect(check(world, raws[2] as Uint8Array)).toBe(0)
    begun[0]?.()
    expect(await Promise.all(sent)).toEqual([0, 0, 0, 0, 0, codes.signature])
    expect(raws.map((raw) => seen(world, raw))).toEqual([0, 0, 40, 0, 0].map((ms) => START_MS + ms))
    expect(world.offered).toHaveLength(4)
  })

  it('that the disk does not take is refused, and forgotten', async () => {
    const world = openWorld()
    const raw = funded(world).sign()
    world.journalFails = true
    expect(await refusal(world.orders.submit(raw))).toBe(codes.poolNotStored)
    expect(world.orders.pool.size).toBe(0)
    expect(world.offered).toEqual([])
    world.journalFails = false
    expect(await refusal(world.orders.submit(raw))).toBe(0)
  })
})

describe('a node that starts again', () => {
  it('has its orders with the times at which it saw them first, but those that blocks took or that have ended', () => {
    const before = openWorld()
    const trader = funded(before)
    const [taken, ended, carried, waits] = [
      trader.sign(),
      trader.sign({ goodTilBlock: START_HEIGHT }),
      trader.sign({ goodTilBlock: START_HEIGHT + 1 }),
      trader.sign(),
    ] as const
    for (const [index, raw] of [taken, ended, carried, waits].entries()) {
      before.wallMs = START_MS + index
      expect(check(before, raw)).toBe(0)
    }
    const rubbish = { seenMs: 5, raw: Uint8Array.of(0x70, 1, 2, 3) }
    const journal = [...before.journal, rubbish, ...before.journal]
    const world = openWorld({ journal })
    world.fund(trader.address, 1_000n)
    world.height = START_HEIGHT + 4
    world.usedNonces.add(nonceKey(trader.address, START_MS))
    world.orders.load()
    expect(Array.from(world.orders.pool.orders(), ({ seenMs, raw }) => [seenMs, bytesToHex(raw)])).toEqual([
      [START_MS + 2, bytesToHex(carried)],
      [START_MS + 3, bytesToHex(waits)],
    ])
    expect(world.journal).toHaveLength(2)
    // CometBFT began anew, too: it is offered what it can still gossip.
    world.orders.forgetGossip()
    world.orders.settle({ height: START_HEIGHT + 3, hash: ZERO_HASH, included: [], carried: [] })
    world.orders.offerAgain()
    expect(world.offered).toEqual([waits])
  })
})

describe('signers of orders in a block', () => {
  it('are known of what the pool has verified, and are never those that a journal claims', () => {
    const before = openWorld()
    const trader = funded(before)
    const raw = trader.sign()
    check(before, raw)
    const known = before.orders.readBody(raw)
    expect(known.body && before.orders.signerOf(known.body)).toEqual(trader.address)
    // A disk that lies: the bytes are statically valid, and signed by nobody who may.
    const forged = makeTrader(3).sign({ owner: trader.address })
    const world = openWorld({ journal: [{ seenMs: START_MS, raw: forged }] })
    world.orders.load()
    const body = world.orders.readBody(forged).body
    expect(body && world.orders.signerOf(body)).not.toEqual(trader.address)
    expect(world.orders.readBody(Uint8Array.of(0x70, 1)).body).toBeUndefined()
    expect(world.orders.readBody(new Uint8Array(5_000)).body).toBeUndefined()
  })
})

describe('CometBFT, whose mempool has lost what it held', () => {
  it('is offered orders again that it does not ask of any more', () => {
    const world = openWorld()
    const trader = funded(world)
    world.orders.load()
    const [lost, held] = [trader.sign({ goodTilBlock: START_HEIGHT + 40 }), trader.sign()]
    check(world, lost)
    check(world, held)
    for (let block = 0; block < 10; block++) {
      commit(world)
      check(world, held, true)
    }
    expect(world.offered).toEqual([])
    commit(world)
    expect(world.offered).toEqual([lost])
  })

  it('is offered nothing while it catches up, and all of it as soon as it takes it', async () => {
    const world = openWorld()
    const trader = funded(world)
    world.orders.load()
    const early = trader.sign()
    // CometBFT was restarted, and this node does not know yet that it catches up: the offer is lost.
    await world.orders.submit(early)
    expect(world.offered.splice(0)).toEqual([early])
    world.catchingUp = true
    world.orders.offerAgain()
    const late = trader.sign()
    await world.orders.submit(late)
    expect(world.offered).toEqual([])
    world.catchingUp = false
    world.orders.offerAgain()
    expect(world.offered).toEqual([early, late])
  })

  it('is offered an order again with the next block where the offer did not reach it', async () => {
    const world = openWorld()
    const trader = funded(world)
    world.orders.load()
    const order = trader.sign()
    await world.orders.submit(order)
    expect(world.offered.splice(0)).toEqual([order])
    commit(world)
    expect(world.offered).toEqual([])
    world.losses++
    commit(world)
    expect(world.offered.splice(0)).toEqual([order])
    commit(world)
    expect(world.offered).toEqual([])
  })

  it('is no place for an order while it catches up: the network may be past its end', async () => {
    const world = openWorld()
    const trader = funded(world)
    world.orders.load()
    Object.assign(world, { catchingUp: true, highestHeight: START_HEIGHT - 1 })
    const raw = trader.sign()
    await expect(world.orders.submit(raw)).rejects.toMatchObject({ codespace: 'clob', code: codes.catchingUp })
    expect(await world.orders.broadcast(raw)).toMatchObject({ codespace: 'clob', code: codes.catchingUp })
    expect(world.orders.pool.size).toBe(0)
    world.catchingUp = false
    await world.orders.submit(raw)
    expect(world.orders.pool.size).toBe(1)
  })

  it('of a node alone is told of little', () => {
    const world = openWorld({ peers: 0 })
    const trader = funded(world)
    world.orders.load()
    for (let order = 0; order < 120; order++) {
      world.journal.push({ seenMs: START_MS, raw: trader.sign({ actions: [cancelAll()] }) })
    }
    world.orders.load()
    world.orders.offerAgain()
    expect(world.offered).toHaveLength(100)
  })
})
