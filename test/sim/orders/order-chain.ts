/** A driven chain whose blocks hold orders: turmoil of every kind, and the rules of the order book after each block. */
import { expect } from 'vitest'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { ProposedBlock } from '../../../app/ports.ts'
import { bytesToHex, hexToBytes } from '../../../core/hex.ts'
import { type ClobParameters, readParameters } from '../../../modules/clob/index.ts'
import { readQueue } from '../../../modules/clob/keeper/index.ts'
import type { ChainSetup } from '../driver.ts'
import { OrderRules } from '../network/order-rules.ts'
import type { Random } from '../random.ts'
import type { SimNode, SimNodeOptions } from '../sim-node.ts'
import { makeAccounts } from '../traffic.ts'
import { fillPools, pickRoute, proposeInRounds, spoil } from '../turmoil.ts'
import type { Validator } from '../validators.ts'
import { committedState, gossip, makeGenesis, makeWorld, pendingNonce, type World } from '../world.ts'
import { callBook } from './callers.ts'
import { withMarkets } from './genesis.ts'
import { type SignedOrder, Traders, walletOf } from './traders.ts'

const ACCOUNTS = 6
const TRADERS = 6
/** Traders who have one. */
const WALLETS = 2
const CHAIN_ID = 'localnat-1'

export interface OrderChainOptions extends Partial<ChainSetup> {
  readonly random: Random
  readonly nodes: readonly Omit<SimNodeOptions, 'clock'>[]
  readonly powers?: readonly bigint[]
  readonly validators?: readonly Validator[]
  readonly parameters?: Partial<ClobParameters>
  readonly moduleState?: object
  /** The first accounts have the validators: they may vote on proposals. */
  readonly hasOperators?: boolean
}

export class OrderChain {
  readonly world: World
  readonly traders: Traders
  readonly rules: OrderRules
  readonly random: Random
  /** Heights that left something queued by contracts. */
  readonly queued: number[] = []
  /** Parameters of the state after a height, by height. */
  readonly #parameters = new Map<number, ClobParameters>()
  readonly #before: number

  private constructor(world: World, traders: Traders, random: Random) {
    this.world = world
    this.traders = traders
    this.random = random
    this.#before = world.driver.height
    this.rules = new OrderRules({
      parametersAt: (height) => this.#parametersAt(height),
      hasExtensions: (height) => {
        const from = world.driver.consensusParameters.abci.voteExtensionsEnableHeight
        return from > 0 && height >= from && height > this.#before
      },
      decidesAnything: true,
    })
    this.#note()
  }

  static async open(options: OrderChainOptions): Promise<OrderChain> {
    const { random, parameters, moduleState, hasOperators = false, ...rest } = options
    const traders = new Traders(random, TRADERS, CHAIN_ID)
    const others = makeAccounts(random, ACCOUNTS)
    // Traders have wallets, too.
    const accounts: readonly PrivateKeyAccount[] = [...others, ...traders.traders.slice(0, WALLETS).map(walletOf)]
    const appState = { ...withMarkets(makeGenesis(others, undefined), traders.addresses, parameters), ...moduleState }
    const operators = others.map(({ address }) => hexToBytes(address))
    const world = await makeWorld({ random, accounts, appState, ...rest, ...(hasOperators && { operators }) })
    return new OrderChain(world, traders, random)
  }

  /** The same traders on a chain that goes on from another one. */
  static over(world: World, traders: Traders, random: Random): OrderChain {
    return new OrderChain(world, traders, random)
  }

  /** Known to the head's nodes alone. */
  send(count: number): readonly SignedOrder[] {
    const { driver, nodes, clock } = this.world
    const time = { height: driver.height + 1, wallMs: clock.wallMs ?? 0 }
    return Array.from({ length: count }, () => {
      const order = this.traders.next(time)
      gossip(this.random.chance(80) ? nodes : [this.random.pick(nodes)], order.raw)
      return order
    })
  }

  /** Traders who have a wallet call the precompile, behind what they have sent already. */
  async call(count: number): Promise<void> {
    const { nodes } = this.world
    for (const trader of this.traders.traders.slice(0, WALLETS)) {
      const wallet = walletOf(trader)
      const nonce = await pendingNonce(nodes[0] as SimNode, wallet)
      for (let at = 0; at < count; at++) gossip(nodes, await callBook(this.random, wallet, nonce + at))
    }
  }

  /** A block with orders and all else, whatever becomes of its rounds. */
  async turmoil(): Promise<void> {
    const { world, random } = this
    this.send(random.below(8))
    await this.call(random.below(3))
    await fillPools(world, random.below(8))
    const { block, round } = await proposeInRounds(world)
    if (random.chance(10)) return await this.decide(await spoil(world, block), round)
    // Some blocks no node has processed before it votes.
    if (random.chance(60)) expect(await world.driver.process(block)).toBe(true)
    await this.decide(block, round)
  }

  async decide(block: ProposedBlock, round = 0): Promise<void> {
    const { world, random, rules } = this
    const last = world.driver.decided.at(-1)?.block
    const { response } = await world.driver.decide(block, round, () => pickRoute(random))
    this.#note()
    const shown = (content: ProposedBlock) => ({ content, hash: bytesToHex(content.hash) })
    const [first] = world.nodes
    rules.decided(last && shown(last), shown(block), response.transactionResults, committedState(first as SimNode))
    for (const node of world.nodes) rules.committed(node, node === first)
  }

  #note(): void {
    const { driver, nodes } = this.world
    const state = committedState(nodes[0] as SimNode)
    this.#parameters.set(driver.height, readParameters(state))
    if (readQueue(state).length > 0) this.queued.push(driver.height)
  }

  #parametersAt(height: number): ClobParameters {
    const known = this.#parameters.get(Math.max(height, this.#before))
    if (known === undefined) throw new RangeError(`nobody has noted the parameters of height ${height}`)
    return known
  }
}
