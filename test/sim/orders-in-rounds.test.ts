/** The order book under consensus: rounds, restarts and kills at every step, with nodes whose pools differ. */
import { describe, expect, it } from 'vitest'
import { BLOCK_STEPS } from '../../app/environment.ts'
import type { Address } from '../../core/address.ts'
import { concatBytes, EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import { privateKeyToAddress, signDigest as signHash } from '../../core/signature.ts'
import { Books, codeOf, decodeClobResult, readCarried } from '../../modules/clob/index.ts'
import { type Action, type ClobTx, encodeClobTx, type Place, signDigest } from '../../modules/clob/orders/index.ts'
import { type Route, withTransactions } from './driver.ts'
import { scanOrders } from '../../modules/clob/keeper/index.ts'
import type { Random } from './random.ts'
import type { SimNode } from './sim-node.ts'
import { committedState, checkInvariants, type World, withWorld } from './world.ts'
import { EVM_CHAIN_ID } from './traffic.ts'

const CHAIN = { chainId: 'localnat-1', evmChainId: EVM_CHAIN_ID }
const TRADERS = 6
const IDS = ['', '/', 'a', 'b']

interface Trader {
  readonly address: Address
  readonly key: Uint8Array
  nonce: number
}

const makeTraders = (): readonly Trader[] =>
  Array.from({ length: TRADERS }, (_, index) => {
    const key = sha256(utf8ToBytes(`trader ${index}`))
    return { key, address: privateKeyToAddress(key), nonce: 0 }
  })

const coins = (amount: string) => ['anat', 'quote'].map((denom) => ({ denom, amount }))

const genesisOf = (traders: readonly Trader[]) => ({
  evm: { chain_id: EVM_CHAIN_ID },
  bank: { balances: traders.map(({ address }) => ({ address: bytesToHex(address), coins: coins('1000000000') })) },
  clob: {
    params: {
      extension_budget_bytes: 524_288,
      min_age_ms: 0,
      bucket_ms: 10,
      block_weight: 4_000,
      max_actions: 400,
      max_open_orders: 500,
      max_triggers: 500,
      trigger_weight: 5_000,
      contract_weight: 5_000,
      max_removals: 3,
    },
    markets: [
      {
        market: {
          id: 1,
          base_denom: 'anat',
          quote_denom: 'quote',
          lot_size: '3',
          factor: '7',
          settings: {
            fees: [{ volume: '0', maker_ppm: -100, taker_ppm: 3_000 }],
            min_notional: '0',
            band_ppm: 0,
            max_open_orders: 500,
            trigger_notional: '1',
            min_equity: '0',
            status: 'MARKET_STATUS_ACTIVE',
            mode: 'MARKET_MODE_CONTINUOUS',
          },
        },
      },
    ],
  },
})

const anyPlace = (random: Random): Place => ({
  market: 1,
  side: random.pick(['buy', 'sell'] as const),
  priceTicks: 90 + random.below(20),
  qtyLots: 1 + random.below(9),
  tif: random.pick(['gtc', 'gtc', 'ioc', 'post_only'] as const),
  stp: 'cancel_maker',
  clientId: utf8ToBytes(random.pick(IDS)),
  expireS: 0,
  triggerTicks: 0,
  triggerKind: 'none',
  maxFills: 0,
  postOnlyMode: 'reject',
})

const anyAction = (random: Random): Action => {
  const target = { kind: 'client', clientId: utf8ToBytes(random.pick(IDS.slice(1))) } as const
  switch (random.below(8)) {
    case 0:
      return { kind: 'cancel', market: 1, target }
    case 1:
      return { kind: 'cancelAll', market: random.below(2), side: undefined }
    case 2:
      return { kind: 'replace', target, place: anyPlace(random), keepPriority: random.chance(50) }
    default:
      return { kind: 'place', place: anyPlace(random) }
  }
}

const signOrder = (trader: Trader, world: World, changes: Partial<ClobTx>): Uint8Array => {
  const timeMs = Number(world.driver.timeNs / 1_000_000n)
  trader.nonce = Math.max(timeMs, trader.nonce + 1)
  const unsigned: ClobTx = {
    owner: trader.address,
    subaccount: 0,
    nonceMs: trader.nonce,
    goodTilBlock: world.driver.height + 20,
    actions: [],
    sigScheme: 2,
    agent: undefined,
    ...changes,
    signature: EMPTY_BYTES,
  }
  const { r, s, yParity } = signHash(signDigest(unsigned, CHAIN), trader.key)
  return encodeClobTx({ ...unsigned, signature: concatBytes(r, s, Uint8Array.of(yParity)) })
}

/** Orders that arrive at some of the nodes only: bodies go missing, and proposers stop. */
const sendSome = (world: World, traders: readonly Trader[], random: Random): void => {
  for (let count = random.below(12); count > 0; count--) {
    const actions = Array.from({ length: 1 + random.below(3) }, () => anyAction(random))
    const raw = signOrder(random.pick(traders), world, { actions })
    for (const node of world.nodes) {
      if (random.chance(75)) node.application.checkTx(raw, false)
    }
  }
  world.clock.nowMs += 1
}

const isOrder = (raw: Uint8Array): boolean => raw[0] === 0x70

const expectSound = (node: SimNode): void => {
  checkInvariants(node)
  Books.load(committedState(node))
}

const ROUTES: readonly Route[] = ['saw the proposal', 'block sync', 'finalize twice', 'crash before commit']

describe('the order book under consensus', () => {
  const traders = makeTraders()
  it(
    'is the same on all nodes, whichever rounds came before and however a node came to the block',
    withWorld(170, { moduleGenesis: genesisOf(traders), extensionsFrom: 1 }, async (world) => {
      const { driver, nodes } = world
      const { random } = driver
      let [orders, executed] = [0, 0]
      for (let height = 0; height < 30; height++) {
        sendSome(world, traders, random)
        const proposals = []
        for (let round = 0; round <= random.below(3); round++) {
          const block = await driver.propose(random.pick(nodes), round)
          if (random.chance(80)) expect(await driver.process(block), nodes[0]?.warnings.at(-1)).toBe(true)
          proposals.push(block)
          sendSome(world, traders, random)
        }
        const block = random.pick(proposals)
        const { response } = await driver.decide(block, proposals.indexOf(block), () => random.pick(ROUTES))
        const placed = block.transactions.flatMap((raw, index) => (isOrder(raw) ? index : []))
        orders += placed.length
        executed += placed.filter((index) => response.transactionResults[index]?.code === 0).length
        for (const node of nodes) expectSound(node)
      }
      expect(orders).toBeGreaterThan(30)
      expect(executed).toBeGreaterThan(10)
    }),
  )

  it(
    'goes on with the same book after a kill at each step of a block',
    withWorld(171, { moduleGenesis: genesisOf(traders), extensionsFrom: 1 }, async (world) => {
      const { driver, nodes } = world
      const { random } = driver
      for (let height = 0; height < 5 * BLOCK_STEPS.length; height++) {
        sendSome(world, traders, random)
        const killed = random.pick(nodes)
        killed.killAt = BLOCK_STEPS[height % BLOCK_STEPS.length]
        const block = await driver.propose(random.pick(nodes))
        expect(await driver.process(block), nodes[0]?.warnings.at(-1)).toBe(true)
        await driver.decide(block)
        for (const node of nodes) expectSound(node)
      }
      const late = await driver.propose(nodes[0] as SimNode)
      expect(late.transactions.length).toBeGreaterThan(0)
    }),
  )

  it(
    'gives a code to what was funded when it was sent and is not when it is matched, and moves nothing by it',
    withWorld(173, { moduleGenesis: genesisOf(traders), extensionsFrom: 1 }, async (world) => {
      const { driver, nodes } = world
      const [rich] = traders as [Trader]
      await driver.decide(await driver.propose(nodes[0] as SimNode))
      // Each of them locks more than half of what the owner has: CheckTx cannot know which of them comes first.
      const place = { ...anyPlace(driver.random), side: 'buy', priceTicks: 100, qtyLots: 900_000 } as const
      const raws = ['x', 'y'].map((id) =>
        signOrder(rich, world, {
          actions: [{ kind: 'place', place: { ...place, tif: 'post_only', clientId: utf8ToBytes(id) } }],
        }),
      )
      for (const node of nodes) for (const raw of raws) expect(node.application.checkTx(raw, false).code).toBe(0)
      world.clock.nowMs += 100
      const results = []
      // Some votes are lost or say something else.
      for (let height = 0; results.length < 2 && height < 19; height++) {
        const block = await driver.propose(nodes[0] as SimNode)
        const { response } = await driver.decide(block)
        results.push(...response.transactionResults.filter((_, at) => isOrder(block.transactions[at] ?? EMPTY_BYTES)))
        for (const node of nodes) expectSound(node)
      }
      expect(results.map(({ code }) => code)).toEqual([0, 0])
      const found = results.map(({ data }) => decodeClobResult(data).results[0]?.code ?? -1)
      expect(found.toSorted((a, b) => a - b)).toEqual([0, codeOf('insufficientFunds')])
      const [open] = nodes.map(openOrdersOf)
      expect(open).toHaveLength(1)
      // Its nonce is used: it does not come again.
      for (const raw of raws) expect((nodes[0] as SimNode).application.checkTx(raw, false).code).not.toBe(0)
    }),
  )

  it(
    'refuses what a lying proposer makes of the batch, and executes none of it where it is decided all the same',
    withWorld(172, { moduleGenesis: genesisOf(traders), extensionsFrom: 1 }, async (world) => {
      const { driver, nodes } = world
      const { random } = driver
      let lies = 0
      for (let height = 0; height < 25; height++) {
        sendSome(world, traders, random)
        const block = await driver.propose(nodes[0] as SimNode)
        for (const [lie, transactions] of Object.entries(liesOf(block.transactions, world, traders))) {
          const lying = withTransactions(block, transactions)
          // A stop is no lie, where nobody's vote has the body: then all nodes take it, and they must agree on that alone.
          const isAccepted = await driver.process(lying)
          if (lie !== 'a stop') expect(isAccepted, lie).toBe(false)
          lies++
        }
        const all = Object.entries(liesOf(block.transactions, world, traders))
        const [lie, transactions] = random.chance(40) && all.length > 0 ? random.pick(all) : ['', block.transactions]
        const decided = withTransactions(block, transactions)
        const before = nodes.map((node) => openOrdersOf(node))
        const { response } = await driver.decide(decided, 0, () => random.pick(ROUTES))
        for (const node of nodes) expectSound(node)
        if (lie === '' || lie === 'a stop') continue
        for (const [index, raw] of transactions.entries()) {
          if (isOrder(raw))
            expect(response.transactionResults[index], lie).toMatchObject({ code: 100, codespace: 'clob' })
        }
        expect(nodes.map((node) => openOrdersOf(node))).toEqual(before)
        expect(nodes.map((node) => readCarried(committedState(node)))).toEqual(nodes.map(() => []))
      }
      expect(lies).toBeGreaterThan(50)
    }),
  )
})

const openOrdersOf = (node: SimNode) => [...scanOrders(committedState(node), 1)].map(({ seq, left }) => [seq, left])

/** The lies by what is wrong with them. Orders that nobody attested are `stranger`'s. */
const liesOf = (
  transactions: readonly Uint8Array[],
  world: World,
  [stranger]: readonly Trader[],
): Record<string, readonly Uint8Array[]> => {
  const [injected = EMPTY_BYTES, ...rest] = transactions
  const orders = rest.filter(isOrder)
  const others = rest.filter((raw) => !isOrder(raw))
  const [first, second] = orders
  const foreign = signOrder(stranger as Trader, world, { actions: [{ kind: 'cancelAll', market: 0, side: undefined }] })
  const lies: Record<string, readonly Uint8Array[]> = {
    'an order that nobody attested': [injected, ...orders, foreign, ...others],
    'an order that does not decode': [injected, ...orders, Uint8Array.of(0x70), ...others],
    'an order of 100,000 bytes': [injected, ...orders, new Uint8Array(100_000).fill(0x70), ...others],
    'an order behind another family': [injected, ...orders, Uint8Array.of(0x02), foreign],
    'an order before the votes': [foreign, injected, ...rest],
  }
  if (first === undefined) return lies
  lies['an order twice'] = [injected, first, ...orders, ...others]
  lies['an order twice at the end'] = [injected, ...orders, first, ...others]
  lies['a stop'] = [injected, ...orders.slice(0, -1), ...others]
  const bent = first.slice()
  bent[bent.length - 1] = (bent[bent.length - 1] as number) ^ 1
  lies['an order that was bent'] = [injected, bent, ...orders.slice(1), ...others]
  if (second === undefined) return lies
  lies['orders swapped'] = [injected, second, first, ...orders.slice(2), ...others]
  lies['an order left out in between'] = [injected, ...orders.slice(1), ...others]
  return lies
}
