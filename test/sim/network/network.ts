/**
 * A network of nodes in one process: all of it follows from one seed. Nodes run CometBFT's rules over messages that are late,
 * lost and reordered; machines lose processes, power and disks; liars have less than a third of the power.
 */
import { createHash, type Hash } from 'node:crypto'
import type { FinalizeBlockResponse } from '../../../app/ports.ts'
import { hexToBytes, type Hex } from '../../../core/hex.ts'
import { DEFAULT_CLOB_PARAMETERS } from '../../../modules/clob/index.ts'
import { Driver } from '../driver.ts'
import { Random } from '../random.ts'
import { Killed, type SimNode } from '../sim-node.ts'
import { operatorOf } from '../stake-genesis.ts'
import { makeAccounts } from '../traffic.ts'
import { makeTorsionedValidator, makeValidator, ValidatorSets } from '../validators.ts'
import { committedState, makeGenesis } from '../world.ts'
import { Clients } from './clients.ts'
import { Evidence } from './evidence.ts'
import { Liars } from './liars.ts'
import { OrderClients } from './order-clients.ts'
import { OrderRules } from './order-rules.ts'
import { walletOf } from '../orders/traders.ts'
import { withMarkets } from '../orders/genesis.ts'
import { Links } from './links.ts'
import { addressOf, type DecidedBlock, type Message, type Timeout } from './messages.ts'
import { type CrashKind, NetworkNode } from './network-node.ts'
import { makePlan, type Plan, type Sabotage } from './plan.ts'
import type { OrderPlan } from '../orders/plan.ts'
import { must, Rules } from './rules.ts'
import { Timeline } from './timeline.ts'

const ACCOUNTS = 8
const TICK_MS = 100
const SECOND_MS = 1_000
/** CometBFT's are longer, and so are its rounds. */
const TIMEOUTS = { propose: 1_000, prevote: 300, precommit: 300 } as const
const TIMEOUT_DELTA_MS = 200
const CALM_COMMIT_MS = 1_000

export interface NetworkOptions {
  readonly sabotage?: Sabotage | undefined
  /** People trade, and liars lie about it. */
  readonly hasOrders?: boolean
}

/** What a run has met. */
export interface Report {
  readonly crashes: Record<CrashKind | 'step', number>
  /** Unsynced writes of databases that failures of power took. */
  lostWrites: number
  lies: number
  roundsAboveZero: number
  caughtUp: number
}

export class Network {
  readonly plan: Plan
  readonly timeline = new Timeline()
  readonly rules = new Rules()
  readonly report: Report = {
    crashes: { kill: 0, power: 0, disk: 0, step: 0 },
    lostWrites: 0,
    lies: 0,
    roundsAboveZero: 0,
    caughtUp: 0,
  }
  readonly chain = {
    chainId: 'localnat-1',
    genesisTimeNs: 1_750_000_000_000_000_000n,
    maxBytes: 8_000_000,
    extensionsFrom: 0,
  }
  readonly sets: ValidatorSets
  readonly evidence: Evidence
  readonly clients: Clients
  /** Undefined where nobody trades. */
  readonly orderClients: OrderClients | undefined
  readonly orderRules: OrderRules | undefined
  readonly links: Links
  readonly nodes: readonly NetworkNode[]
  readonly #liars: Liars
  readonly #driver: Driver
  readonly #faults: Random
  readonly #traffic: Random
  readonly #hash: Hash = createHash('sha256')
  #updatedTo = 0
  /** No faults, and nothing new of clients, from now on. */
  isCalm = false

  constructor(seed: number, blocks: number, { sabotage, hasOrders = false }: NetworkOptions = {}) {
    // Streams of their own: a change of one part leaves the others as they were.
    const stream = (salt: number): Random => new Random(Math.imul(seed, 1_000_003) + salt)
    this.plan = makePlan(stream(1), seed, blocks, sabotage, hasOrders ? stream(8) : undefined)
    this.chain.extensionsFrom = this.plan.extensionsFrom
    this.#faults = stream(2)
    this.#traffic = stream(3)
    const accounts = makeAccounts(stream(4), ACCOUNTS + 1)
    const { orders } = this.plan
    const torsions = stream(9)
    const makeKey = (name: string, power: bigint) =>
      (orders !== undefined && torsions.chance(orders.torsionedPercent) ? makeTorsionedValidator : makeValidator)(
        name,
        power,
      )
    const keys = this.plan.nodes.map(({ name, power }) => makeKey(name, power))
    const validators = keys.filter(({ power }) => power > 0n)
    this.sets = new ValidatorSets(validators)
    this.evidence = new Evidence(this.sets, this.rules.decided)
    this.links = new Links(stream(5), this.timeline, this.plan.network, keys.length)
    const { chainId } = this.chain
    this.orderClients = orders && new OrderClients(stream(10), this, orders)
    this.orderRules = orders && this.#makeOrderRules(orders.parameters)
    const traders = this.orderClients?.traders
    this.#liars = new Liars(
      stream(6),
      stream(11),
      this,
      accounts[ACCOUNTS] as (typeof accounts)[number],
      BigInt(this.plan.blockGas),
    )
    this.clients = new Clients({
      random: this.#traffic,
      timeline: this.timeline,
      chainId,
      // Traders have wallets, too: what they escrow the EVM does not see.
      accounts: [...accounts.slice(0, ACCOUNTS), ...(traders?.traders.slice(0, 2).map(walletOf) ?? [])],
      operators: this.plan.nodes.flatMap(({ power, isLiar }, index) =>
        power > 0n && !isLiar ? [operatorOf(index)] : [],
      ),
    })
    this.nodes = keys.map(
      (key, index) =>
        new NetworkNode(this, this.plan.nodes[index] as Plan['nodes'][number], key, index, stream(100 + index)),
    )
    const funded = makeGenesis(accounts, undefined)
    const appState = {
      ...(traders === undefined ? funded : withMarkets(funded, traders.addresses, orders?.parameters)),
      slashing: { params: { signed_blocks_window: String(this.plan.signedBlocksWindow) } },
    }
    const setup = { ...this.chain, appState, validators, maxGas: this.plan.blockGas }
    this.#driver = new Driver(stream(7), setup, [], { nowMs: 0 })
  }

  /** Up to the plan's height, or as far as the time allows. */
  async storm(mostMs: number): Promise<void> {
    for (const node of this.nodes) await this.#rise(node)
    this.#every(TICK_MS, () => this.#tick())
    this.#every(SECOND_MS, () => this.#disturb())
    while (this.rules.highest < this.plan.blocks && this.timeline.nowMs < mostMs) await this.timeline.step()
  }

  /** Everything works again, but for the liars: the network must come to agree, and to hold what it promised. */
  async calm(mostMs: number): Promise<void> {
    this.isCalm = true
    this.links.heal()
    for (const node of this.nodes) node.disarm()
    const behind = this.rules.highest - Math.min(...this.nodes.map(({ height }) => height))
    // A block of little gas holds two of the clients' transactions: what waits needs as many blocks, at one a second.
    const untilMs = this.timeline.nowMs + mostMs + (behind + this.clients.waiting) * CALM_COMMIT_MS
    const least = this.rules.highest + 3
    const isOver = (): boolean =>
      this.clients.waiting === 0 && this.nodes.every(({ isUp, height }) => isUp && height >= least)
    while (!isOver() && this.timeline.nowMs < untilMs) await this.timeline.step()
    const heights = (): string =>
      this.nodes
        .map(({ plan, isUp, height, consensus }) => `${plan.name} ${isUp ? `${height} ${String(consensus)}` : 'down'}`)
        .join('\n')
    must(
      this.nodes.every(({ isUp, height }) => isUp && height >= least),
      'a healthy network goes on',
      heights,
    )
    must(this.clients.waiting === 0, 'what was answered is in a block', () => this.clients.describeWaiting())
  }

  /** All nodes at the same height, which nobody passes. */
  async settle(): Promise<void> {
    for (const node of this.nodes) {
      while (node.height < this.rules.highest) {
        const decided = this.rules.decided.get(node.height + 1)
        must(decided !== undefined, 'every height was decided once', () => String(node.height + 1))
        if (decided !== undefined) await node.input({ decided })
      }
    }
  }

  async close(): Promise<void> {
    for (const node of this.nodes) if (node.isUp) node.application.close()
  }

  /** A line of what the run is compared by. */
  trace(line: string): void {
    this.#hash.update(`${this.timeline.nowMs} ${line}\n`)
  }

  traceHash(): string {
    return this.#hash.copy().digest('hex')
  }

  initChain(node: SimNode): Promise<void> {
    return this.#driver.reinitialize(node)
  }

  /** Those of the first node that executes a height are those of all. */
  update(height: number, { validatorUpdates }: FinalizeBlockResponse): void {
    if (height <= this.#updatedTo) return
    this.#updatedTo = height
    this.sets.update(height, validatorUpdates)
  }

  timeoutMs({ round, step }: Timeout): number {
    if (step !== 'newHeight') return TIMEOUTS[step] + TIMEOUT_DELTA_MS * Math.max(0, round)
    // A validator that is alone needs nobody's messages: the others must be able to catch up with it.
    return this.isCalm ? Math.max(this.plan.timeoutCommitMs, CALM_COMMIT_MS) : this.plan.timeoutCommitMs
  }

  noteConflict(validator: Hex, height: number): void {
    const liar = this.nodes.find(({ self }) => self === validator)
    must(liar?.plan.isLiar === true, 'an honest validator signs one thing', () => `${liar?.plan.name} at ${height}`)
    this.evidence.note(validator, height)
  }

  afterDecision(node: NetworkNode, { commit }: DecidedBlock): void {
    if (commit.round > 0) this.report.roundsAboveZero++
    const { application } = node
    if (node.plan.isLiar) for (const vote of this.#liars.takeLate(node.self)) this.#toAll(node, { kind: 'vote', vote })
    this.clients.settle(
      ({ address }) => Number(committedState(node.node).account(hexToBytes(address))?.nonce ?? 0n),
      node.height,
    )
    must(application.height === node.height, 'application and CometBFT are at one height', () => node.plan.name)
  }

  /** Work of a process: it is lost when that died meanwhile, and may die itself. */
  async guard(node: NetworkNode, life: number, work: () => Promise<void> | void): Promise<void> {
    if (node.life !== life || !node.isUp) return
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      this.report.crashes.step++
      node.crash(this.#faults.chance(50) ? 'kill' : 'power')
    }
  }

  broadcast(from: NetworkNode, message: Message): void {
    if (from.plan.isLiar) this.#liars.tell(from, message, (to, lie) => this.#send(from, to, lie))
    else this.#toAll(from, message)
  }

  #toAll(from: NetworkNode, message: Message): void {
    for (const to of this.nodes) if (to !== from) this.#send(from, to, message)
  }

  #send(from: NetworkNode, to: NetworkNode, message: Message): void {
    const { life } = to
    this.links.send(from.index, to.index, () => this.guard(to, life, () => this.#receive(to, from, message)))
  }

  async #receive(node: NetworkNode, from: NetworkNode, message: Message): Promise<void> {
    switch (message.kind) {
      case 'proposal':
        return node.input({ proposal: message.proposal })
      case 'vote':
        return node.input({ vote: message.vote })
      case 'decided':
        return this.#catchUp(node, from, message.decided)
      case 'transactions':
        for (const raw of message.raws) node.mempool.take(node.application, raw)
        return
      case 'status':
        return this.#answerStatus(node, from, message.height)
    }
  }

  async #catchUp(node: NetworkNode, from: NetworkNode, decided: DecidedBlock): Promise<void> {
    const { height } = node
    await node.input({ decided })
    if (node.height === height) return
    this.report.caughtUp++
    this.#send(node, from, { kind: 'status', height: node.height + 1 })
  }

  /** What a peer lacks: a decided block, or what was said at this height. */
  #answerStatus(node: NetworkNode, to: NetworkNode, height: number): void {
    const decided = node.blocks[height - 1]
    if (decided !== undefined) this.#send(node, to, { kind: 'decided', decided })
    if (height !== node.height + 1 || node.consensus === undefined) return
    for (const proposal of node.consensus.proposals) this.#relay(node, to, { kind: 'proposal', proposal })
    for (const vote of node.consensus.votes) this.#relay(node, to, { kind: 'vote', vote })
  }

  /** A liar repeats its lies, and tells the rest as it is. */
  #relay(node: NetworkNode, to: NetworkNode, message: Message): void {
    const told = node.plan.isLiar ? this.#liars.repeat(node, message) : message
    if (told !== undefined) this.#send(node, to, told)
  }

  #every(intervalMs: number, work: () => Promise<void> | void): void {
    const run = async (): Promise<void> => {
      await work()
      this.timeline.after(intervalMs, run)
    }
    this.timeline.after(intervalMs, run)
  }

  async #tick(): Promise<void> {
    for (const node of this.nodes) {
      if (!node.isUp) continue
      node.journal.flush(this.timeline.nowMs)
      node.orderJournal.flush(this.timeline.nowMs)
      await this.guard(node, node.life, () => node.mempool.takeOffered(node.application))
      const peer = this.#faults.pick(this.nodes)
      if (peer === node || !node.isUp) continue
      this.#send(node, peer, { kind: 'status', height: node.height + 1 })
      const raws = node.mempool.newFor(peer.index)
      if (raws.length > 0) this.#send(node, peer, { kind: 'transactions', raws })
    }
    if (this.isCalm) return
    const node = this.#traffic.pick(this.nodes)
    if (this.#traffic.chance(this.plan.trafficPercent) && node.isUp) {
      await this.guard(node, node.life, () =>
        this.#traffic.chance(10) ? this.clients.replace(node) : this.clients.send(node),
      )
    }
    await this.orderClients?.act()
    await this.#liars.act((to, raw) => this.guard(to, to.life, () => to.mempool.take(to.application, raw)))
  }

  /** Once a second. */
  async #disturb(): Promise<void> {
    if (!this.isCalm) this.links.disturb()
    if (!this.isCalm) this.#maybeLosePools()
    for (const node of this.nodes) {
      if (!node.isUp) {
        if (this.isCalm || this.#faults.chance(this.plan.crashes.restartPercent)) await this.#rise(node)
        continue
      }
      // A connection that broke is made again: the peer hears of the whole mempool.
      if (this.#faults.chance(30)) node.mempool.reconnect(this.#faults.below(this.nodes.length))
      if (this.#faults.chance(10)) node.application.refreshStatus()
      if (!this.isCalm) this.#maybeCrash(node)
    }
    if (this.isCalm) {
      const node = this.#faults.pick(this.nodes)
      await this.guard(node, node.life, () => this.clients.resendLost(node))
    }
  }

  #makeOrderRules(parameters: OrderPlan['parameters']): OrderRules {
    const liars = new Set<Hex>()
    const all = { ...DEFAULT_CLOB_PARAMETERS, ...parameters }
    return new OrderRules({
      parametersAt: () => all,
      hasExtensions: (height) => height >= this.chain.extensionsFrom,
      voters: {
        isLiar: (validator) => {
          if (liars.size === 0) for (const { plan, self } of this.nodes) if (plan.isLiar) liars.add(self)
          return liars.has(validator)
        },
        powerAt: (validator, height) => this.sets.at(height).find((each) => addressOf(each) === validator)?.power ?? 0n,
      },
    })
  }

  /** The power fails everywhere, before any order is on a disk. */
  #maybeLosePools(): void {
    const { orderRules } = this
    if (orderRules === undefined || !this.#faults.chance(this.plan.orders?.lossPercent ?? 0)) return
    orderRules.report.poolsLost++
    for (const node of this.nodes) {
      if (node.isUp) node.crash('power')
      node.orderJournal.loseAll()
    }
  }

  /** Some power failures. The random numbers of runs without orders stay what they were. */
  loseOrders({ orderJournal }: NetworkNode): void {
    if (this.orderRules !== undefined) orderJournal.loseUnsynced(this.#faults)
  }

  #maybeCrash(node: NetworkNode): void {
    const { killPercent, powerPercent, stepPercent, diskPercent } = this.plan.crashes
    const faults = this.#faults
    const kind: CrashKind | undefined = faults.chance(killPercent)
      ? 'kill'
      : faults.chance(powerPercent)
        ? 'power'
        : faults.below(1_000) < diskPercent && node.height < 150
          ? 'disk'
          : undefined
    if (kind !== undefined) {
      this.report.crashes[kind]++
      node.crash(kind)
    } else if (faults.chance(stepPercent)) node.armKill()
  }

  /** A start may die as well. */
  async #rise(node: NetworkNode): Promise<void> {
    try {
      await node.start()
      this.trace(`${node.plan.name} up at ${node.height}`)
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      node.crash('kill')
    }
  }
}
