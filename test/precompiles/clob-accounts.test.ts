/**
 * Who asks the order book, and what becomes of it in the next block: accounts that delegate (EIP-7702), contracts that destroy
 * themselves behind their call, and all that a contract can do to an order that it has. Both engines must end in the same state.
 */
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  type Address,
  checksumAddress,
  contractAddress,
  FEE_COLLECTOR_ADDRESS,
  parseAddress,
} from '../../core/address.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { delegationCode } from '../../evm/delegation.ts'
import type { Engine } from '../../evm/engine.ts'
import { code, load, op, type Part } from '../../evm/testing/assembler.ts'
import { createLedger, readBalance } from '../../modules/bank/index.ts'
import { Books } from '../../modules/clob/book/books.ts'
import { CLOB_ACCOUNT, type Market } from '../../modules/clob/index.ts'
import * as keeper from '../../modules/clob/keeper/index.ts'
import { runClobStep } from '../../modules/clob/matching/index.ts'
import type { Event } from '../../modules/module.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import { clobAbi, PRECOMPILE_ADDRESSES } from '../../packages/precompiles/index.ts'
import { account, ALICE, BOB, CONTRACT, engines, FUNDS, NAT, World } from './world.ts'

const [INTERPRETER, REFERENCE] = await engines()
const CLOB = parseAddress(PRECOMPILE_ADDRESSES.clob)
const GAS = 2_000_000n
const CODE_HOLDER = account(0xd0)
const ledger = createLedger({ isBlockedReceiver: () => false })

/** Sells NAT: what an owner has without any other module. A lot is a thousandth. */
const MARKET: Market = {
  ...{ id: 1, baseDenom: 'anat', quoteDenom: 'uusd', lotSize: 10n ** 15n, factor: 1n, minNotional: 0n, bandPpm: 0 },
  fees: [{ volume: 0n, makerPpm: 0, takerPpm: 0 }],
  ...{ maxOpenOrders: 100, triggerNotional: 1n, minEquity: 0n, status: 'active', mode: 'continuous' },
}

const ORDER = {
  ...{ market: 1, side: 2, priceTicks: 100, qtyLots: 5_000n, tif: 1, stp: 0, clientId: '0x01' as Hex, expireS: 0n },
  ...{ triggerTicks: 0, triggerKind: 0, maxFills: 1, postOnlyMode: 0 },
}

const dataOf = (...[functionName, args]: readonly [string, readonly unknown[]]): Uint8Array =>
  hexToBytes(encodeFunctionData({ abi: clobAbi, functionName, args } as never))
const PLACE = dataOf('placeOrder', [0, ORDER])

const inBoth = async (scenario: (world: World, engine: Engine) => Promise<unknown>): Promise<void> => {
  const worlds = [INTERPRETER, REFERENCE].map((engine) => {
    const world = new World()
    keeper.writeMarket(world.state, MARKET)
    keeper.writeTimeMs(world.state, Number(world.timeNs / 1_000_000n))
    return { world, engine }
  })
  const found = []
  for (const { world, engine } of worlds) found.push(await scenario(world, engine))
  expect(found[1]).toEqual(found[0])
  const [fast, slow] = worlds
  expect(slow?.world.state.changes()).toEqual(fast?.world.state.changes())
}

const install = (world: World, address: Address, bytes: Uint8Array): void => {
  const held = world.state.account(address) ?? EMPTY_ACCOUNT
  world.state.setAccount(address, { ...held, codeHash: world.state.setCode(bytes) })
}

const callWith = (data: Uint8Array): Part[] => [
  ...load(data),
  ...op('CALL', GAS, CLOB, 0n, 0n, BigInt(data.length), 0n, 0n),
  'POP',
]

/** The end of the block, and the step of the next one. Returns what the step refused, and open orders of the market by number. */
const stepOf = (world: World) => {
  world.nextBlock()
  const { state, height } = world
  const events: Event[] = []
  runClobStep(
    Books.load(state),
    {
      ...{ state, height: height + 1, timeMs: Number(world.timeNs / 1_000_000n) + 1_000, ledger },
      ...{ feeCollector: FEE_COLLECTOR_ADDRESS, emit: (event: Event) => void events.push(event) },
    },
    [],
  )
  const refused = events
    .filter(({ type }) => type === 'order_rejected')
    .map(({ attributes }) => attributes.find(({ key }) => key === 'reason')?.value)
  const open = [...keeper.scanOrders(state, 1)].map(({ seq, owner, left }) => [seq, bytesToHex(owner), left] as const)
  return { refused, open }
}

const natOf = ({ state }: World, address: Address): bigint => readBalance(state, address, 'anat')

describe('an account that delegates (EIP-7702)', () => {
  it('is the owner of what its delegate’s code asks, whoever calls it, and of nothing that it asks elsewhere', async () => {
    await inBoth(async (world, engine) => {
      install(world, CODE_HOLDER, code(...callWith(PLACE)))
      install(world, ALICE, delegationCode(CODE_HOLDER))
      expect((await world.execute(engine, { sender: BOB, to: ALICE })).failure).toBeUndefined()
      // Code of another contract, in a frame of the contract's own.
      expect((await world.execute(engine, { sender: BOB, to: CODE_HOLDER })).failure).toBeUndefined()
      const { refused, open } = stepOf(world)
      expect([refused, open]).toEqual([['insufficientFunds'], [[1, bytesToHex(ALICE), 5_000]]])
      expect([natOf(world, ALICE), natOf(world, CLOB_ACCOUNT)]).toEqual([FUNDS - 5n * NAT, 5n * NAT])
      return open
    })
  })

  it('to the order book itself runs nothing', async () => {
    await inBoth(async (world, engine) => {
      install(world, ALICE, delegationCode(CLOB))
      const { failure, nativeEvents } = await world.execute(engine, { sender: BOB, to: ALICE, data: PLACE })
      expect([failure, nativeEvents]).toEqual([undefined, []])
      expect(stepOf(world)).toEqual({ refused: [], open: [] })
    })
  })

  it('may sign and call in one block: both are its own, and its limits count both', async () => {
    await inBoth(async (world, engine) => {
      keeper.writeMarket(world.state, { ...MARKET, maxOpenOrders: 1 })
      install(world, CODE_HOLDER, code(...callWith(PLACE)))
      install(world, ALICE, delegationCode(CODE_HOLDER))
      await world.execute(engine, { sender: ALICE, to: CLOB, data: dataOf('placeOrder', [7, ORDER]) })
      await world.execute(engine, { sender: BOB, to: ALICE })
      const { refused, open } = stepOf(world)
      expect([refused, open]).toEqual([['accountMarketOrders'], [[1, bytesToHex(ALICE), 5_000]]])
    })
  })
})

describe('SELFDESTRUCT', () => {
  it('of a contract that has asked in its constructor: the order fails, and the coins are with the heir', async () => {
    await inBoth(async (world, engine) => {
      const child = contractAddress(CONTRACT, 1n)
      const init = code(...callWith(PLACE), ...op('SELFDESTRUCT', BOB))
      const creator = code(...load(init), ...op('CREATE', 10n * NAT, 0n, BigInt(init.length)), 'POP')
      world.state.setAccount(CONTRACT, { ...(world.state.account(CONTRACT) ?? EMPTY_ACCOUNT), nonce: 1n })
      install(world, CONTRACT, creator)
      expect((await world.execute(engine, { to: CONTRACT })).failure).toBeUndefined()
      expect(keeper.readQueuedTotals(world.state).count).toBe(1)
      const { refused, open } = stepOf(world)
      expect([refused, open]).toEqual([['insufficientFunds'], []])
      expect([natOf(world, BOB), world.state.account(child)]).toEqual([FUNDS + 10n * NAT, undefined])
    })
  })

  it('of an older contract leaves its open orders to it: whoever fills one pays to its address', async () => {
    await inBoth(async (world, engine) => {
      install(world, CONTRACT, code(...callWith(PLACE)))
      await world.execute(engine, { to: CONTRACT })
      expect(stepOf(world).open).toEqual([[1, bytesToHex(CONTRACT), 5_000]])
      install(world, CONTRACT, code(...op('SELFDESTRUCT', BOB)))
      await world.execute(engine, { to: CONTRACT })
      expect([natOf(world, CONTRACT), natOf(world, CLOB_ACCOUNT)]).toEqual([0n, 5n * NAT])
      ledger.mint({ state: world.state, emit: () => undefined }, ALICE, [{ denom: 'uusd', amount: 10n ** 9n }])
      await world.call(engine, 'clob', 'placeOrder', [0, { ...ORDER, side: 1 }])
      expect(stepOf(world).open).toEqual([])
      expect([readBalance(world.state, CONTRACT, 'uusd'), natOf(world, ALICE)]).toEqual([500_000n, FUNDS + 5n * NAT])
    })
  })
})

describe('a contract with open orders', () => {
  it('replaces them, keeps their place, and lets them die at a time', async () => {
    await inBoth(async (world, engine) => {
      const through = { through: 'CALL' } as const
      const ask = async (...[name, args]: readonly [string, readonly unknown[]]) => {
        const { refusal } = (await world.call(engine, 'clob', name as never, args as never, through)) as {
          refusal?: string
        }
        return refusal
      }
      for (const clientId of ['0x01', '0x02']) await ask('placeOrder', [0, { ...ORDER, clientId }])
      stepOf(world)
      await ask('replaceOrder', [0, 1n, { ...ORDER, qtyLots: 2_000n }, true])
      await ask('replaceClientOrder', [0, '0x02', { ...ORDER, clientId: '0x02', priceTicks: 101 }, true])
      await ask('replaceClientOrder', [0, '0x09', ORDER, false])
      await ask('replaceOrder', [0, 2n ** 64n - 1n, ORDER, false])
      const after = stepOf(world)
      expect(after.open.map(([seq, , left]) => [seq, left])).toEqual([
        [1, 2_000],
        [3, 5_000],
      ])
      expect(after.refused).toEqual(['orderNotFound'])
      expect(natOf(world, CLOB_ACCOUNT)).toBe(7n * NAT)
      const atMs = world.timeNs / 1_000_000n + 7_000n
      await ask('scheduleCancel', [atMs])
      expect(stepOf(world).open).toHaveLength(2)
      expect(keeper.readAccount(world.state, CONTRACT).switchMs).toBe(Number(atMs))
      expect(stepOf(world).open).toEqual([])
      expect(natOf(world, CLOB_ACCOUNT)).toBe(0n)
      expect(await ask('scheduleCancel', [2n ** 53n])).toBe('at_ms is not within 0 to 9007199254740991')
      expect(await ask('replaceOrder', [0, 0n, ORDER, false])).toContain('a target is a client id')
    })
  })

  it('finds one by its client id, and pays for each number that it looks at', async () => {
    await inBoth(async (world, engine) => {
      expect(await world.call(engine, 'clob', 'getNextOrderSeq', [])).toMatchObject({ value: 1n })
      for (let at = 1; at <= 40; at++) {
        const from = at === 35 ? BOB : ALICE
        await world.call(engine, 'clob', 'placeOrder', [0, { ...ORDER, qtyLots: 1n, clientId: `0x${at + 10}` }], {
          from,
        })
      }
      stepOf(world)
      expect(await world.call(engine, 'clob', 'getNextOrderSeq', [])).toMatchObject({ value: 41n })
      const find = async (clientId: Hex, fromSeq: bigint, limit: number, owner = BOB, subaccount = 0) => {
        const args = [1, checksumAddress(owner), subaccount, clientId, fromSeq, limit] as const
        const { result, ...found } = await world.call(engine, 'clob', 'findOrder', args, { through: 'STATICCALL' })
        return { gas: result.gasUsed, value: 'value' in found ? found.value : found.refusal }
      }
      expect((await find('0x45', 0n, 1_000)).value).toEqual([35n, 0n])
      expect((await find('0x45', 30n, 5)).value).toEqual([0n, 35n])
      expect((await find('0x45', 36n, 1_000)).value).toEqual([0n, 0n])
      expect((await find('0x45', 0n, 1_000, ALICE)).value).toEqual([0n, 0n])
      expect((await find('0x45', 0n, 1_000, BOB, 1)).value).toEqual([0n, 0n])
      expect((await find('0x', 0n, 1_000)).value).toEqual([0n, 0n])
      expect((await find('0x45', 2n ** 64n - 1n, 2 ** 32 - 1)).value).toEqual([0n, 0n])
      expect((await find('0x45', 0n, 0)).value).toEqual([0n, 1n])
      const [few, many] = [await find('0x99', 0n, 10), await find('0x99', 0n, 40)]
      expect([few.value, many.value]).toEqual([
        [0n, 11n],
        [0n, 0n],
      ])
      expect(Number(many.gas - few.gas)).toBeGreaterThan(30 * 1_000)
      // Numbers of orders that are gone are paid for like others: nobody passes over them for nothing.
      for (let seq = 1; seq <= 30; seq++) keeper.writeOrder(world.state, 1, seq, undefined)
      const gone = await find('0x99', 0n, 30)
      expect(gone.value).toEqual([0n, 31n])
      expect(gone.gas).toBeGreaterThan(30_000n)
      expect((await find('0x45', 0n, 30)).value).toEqual([0n, 31n])
    })
  })
})
