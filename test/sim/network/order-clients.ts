/** Clients of the order book: to any node, some to two, some to few of the nodes alone, and floods of owners without funds. */
import { equalBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import type { OrderPlan } from '../orders/plan.ts'
import { type SignedOrder, Traders, type TradingTime } from '../orders/traders.ts'
import type { Random } from '../random.ts'
import type { Network } from './network.ts'
import type { NetworkNode } from './network-node.ts'

const FLOOD = 60
/** Hidden orders that liars remember. */
const HIDDEN = 30

export class OrderClients {
  readonly traders: Traders
  readonly plan: OrderPlan
  readonly #random: Random
  readonly #network: Network
  #hidden: SignedOrder[] = []
  sent = 0
  taken = 0
  flooded = 0

  constructor(random: Random, network: Network, plan: OrderPlan) {
    this.#random = random
    this.#network = network
    this.plan = plan
    this.traders = new Traders(random, plan.traders, network.chain.chainId)
  }

  /** Known to liars, and to few others if any. */
  get hidden(): readonly SignedOrder[] {
    return this.#hidden
  }

  /** Known to nobody. */
  fresh(): SignedOrder {
    return this.traders.next(this.#time())
  }

  async act(): Promise<void> {
    const random = this.#random
    const { trafficPercent, burst, floodPercent } = this.plan
    if (random.chance(floodPercent)) await this.#flood()
    if (!random.chance(trafficPercent)) return
    for (let i = random.below(burst); i >= 0; i--) await this.#send()
  }

  #time(): TradingTime {
    const { timeline, chain, rules } = this.#network
    return { height: rules.highest + 1, wallMs: Number(chain.genesisTimeNs / 1_000_000n) + timeline.nowMs }
  }

  async #send(): Promise<void> {
    const random = this.#random
    const order = this.fresh()
    this.sent++
    if (random.chance(this.plan.hiddenPercent)) return await this.#hide(order)
    const node = random.pick(this.#network.nodes)
    await this.#submit(node, order)
    // A client that sends everything to two nodes.
    if (random.chance(10)) await this.#submit(random.pick(this.#network.nodes), order)
    // CometBFT's broadcast_tx beside our own door.
    if (random.chance(20)) {
      const other = random.pick(this.#network.nodes)
      await this.#at(other, () => other.mempool.take(other.application, order.raw))
    }
  }

  /** Gives the order to none, one or two of the nodes, which tell nobody. */
  async #hide(order: SignedOrder): Promise<void> {
    this.#hidden = [...this.#hidden.slice(1 - HIDDEN), order]
    for (let count = this.#random.below(3); count > 0; count--) {
      const node = this.#random.pick(this.#network.nodes)
      await this.#at(node, () => void node.application.checkTx(order.raw, false))
    }
  }

  async #submit(node: NetworkNode, { raw, hash }: SignedOrder): Promise<void> {
    await this.#at(node, async () => {
      try {
        const answer = await node.application.source.orders.submit(raw)
        if (equalBytes(answer, hash)) this.taken++
      } catch (error) {
        if (!(error instanceof CodedError)) throw error
      }
    })
  }

  async #flood(): Promise<void> {
    const node = this.#random.pick(this.#network.nodes)
    for (let i = 0; i < FLOOD; i++) {
      const { raw } = this.traders.ofStranger(this.#time())
      this.flooded++
      await this.#at(node, () => node.mempool.take(node.application, raw))
    }
  }

  async #at(node: NetworkNode, work: () => Promise<void> | void): Promise<void> {
    if (node.isUp) await this.#network.guard(node, node.life, work)
  }
}
