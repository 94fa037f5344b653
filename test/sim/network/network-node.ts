/**
 * A machine with a CometBFT and its application, as a supervisor keeps them: both die together and start together. What
 * CometBFT syncs survives (blocks, its last signatures, its log up to its own last message); of the application survives
 * what its database and its journal kept.
 */
import type { VoteAnswer, VoteAnswers } from '../../../app/environment.ts'
import type { FinalizeBlockResponse, ProposedBlock } from '../../../app/ports.ts'
import { BLOCK_STEPS } from '../../../app/environment.ts'
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { bytesToHex, type Hex } from '../../../core/hex.ts'
import { sweepStep } from '../../../store/sweep.ts'
import { BLOCK_OVERHEAD_BYTES, withHash } from '../driver.ts'
import type { Random } from '../random.ts'
import { Killed, SimNode } from '../sim-node.ts'
import { committedState } from '../world.ts'
import type { Validator } from '../validators.ts'
import { blockFault, validatorsHash } from './block-validation.ts'
import { Coins } from './coins.ts'
import { CometMempool } from './comet-mempool.ts'
import { Consensus, type ConsensusPort, type Input } from './consensus.ts'
import { FaultyJournal, ORDERS, TRANSACTIONS } from './faulty-journal.ts'
import { FaultyStore } from './faulty-store.ts'
import {
  addressOf,
  type Block,
  type Commit,
  type DecidedBlock,
  extendedVotes,
  medianTimeNs,
  type Proposal,
  type Timeout,
  type Vote,
} from './messages.ts'
import type { Network } from './network.ts'
import type { NodePlan, Sabotage } from './plan.ts'
import { must } from './rules.ts'

const NANOSECONDS_PER_MILLISECOND = 1_000_000n
const SWEPT_A_BLOCK = 300
/** The points beside those of a block: between SaveBlock and FinalizeBlock, and in the one write. */
const KILL_POINTS = [...BLOCK_STEPS, 'block-saved', 'write-before', 'write-after'] as const

/** CometBFT's privval: the last thing signed, by height, round and step. */
interface Signed {
  readonly place: readonly [height: number, round: number, step: number]
  readonly what: Vote | Proposal
}

const STEPS = { proposal: 1, prevote: 2, precommit: 3 } as const

const compare = (one: Signed['place'], other: Signed['place']): number => {
  for (const [index, value] of one.entries()) if (value !== other[index]) return value - (other[index] ?? 0)
  return 0
}

export type CrashKind = 'kill' | 'power' | 'disk'

export class NetworkNode implements ConsensusPort {
  readonly index: number
  readonly plan: NodePlan
  readonly validator: Validator
  readonly self: Hex
  readonly store = new FaultyStore()
  readonly journal = new FaultyJournal(TRANSACTIONS)
  readonly orderJournal = new FaultyJournal(ORDERS)
  readonly coins = new Coins()
  mempool = new CometMempool()
  /** CometBFT's block store: the block of height h stands at h - 1. */
  readonly blocks: DecidedBlock[] = []
  /** Undefined while the machine is down. */
  consensus: Consensus | undefined
  /** Grows with every start: what was on its way to an older process is lost. */
  life = 0
  killsBefore: (typeof KILL_POINTS)[number] | undefined
  #network: Network
  #random: Random
  #node: SimNode | undefined
  #signed: Signed | undefined
  /** CometBFT's log of the height, and how much of it is on the disk. */
  #log: Input[] = []
  #syncedInputs = 0
  /** The highest Commit that was answered. */
  #answeredHeight = 0
  #lookedMs = 0
  #engineNode: SimNode | undefined
  /** The answers, which are synced before they are given. */
  #answers: readonly VoteAnswer[] = []

  constructor(network: Network, plan: NodePlan, validator: Validator, index: number, random: Random) {
    this.#network = network
    this.#random = random
    this.index = index
    this.plan = plan
    this.validator = validator
    this.self = addressOf(validator)
    this.store.onState = (changes) => this.coins.note(changes)
    this.store.isLying = this.#isSabotaged('disks that do not sync')
    this.journal.isLying = this.#isSabotaged('no journal')
  }

  #isSabotaged(by: Sabotage): boolean {
    return this.#network.plan.sabotage === by
  }

  get chainId(): string {
    return this.#network.chain.chainId
  }

  get isUp(): boolean {
    return this.consensus !== undefined
  }

  get application(): SimNode['application'] {
    must(this.#node !== undefined, 'a node that is up', () => this.plan.name)
    return (this.#node as SimNode).application
  }

  get node(): SimNode {
    return this.#node as SimNode
  }

  get height(): number {
    return this.blocks.length
  }

  get nowNs(): bigint {
    const { timeline, chain } = this.#network
    return chain.genesisTimeNs + BigInt(timeline.nowMs + this.plan.skewMs) * NANOSECONDS_PER_MILLISECOND
  }

  // ---- life and death -----------------------------------------------------------------------------------------

  /** The handshake of CometBFT: Info, InitChain or not, and the blocks that the application lacks. May die in it. */
  async start(): Promise<void> {
    this.life++
    await this.#open()
    const { application } = this
    const held = application.info().lastBlockHeight
    const at = (): string => `${this.plan.name} holds ${held}, answered ${this.#answeredHeight}, blocks ${this.height}`
    must(held >= this.#answeredHeight, 'a synced commit is never lost', at)
    must(held <= this.height, 'the application is never ahead', at)
    must(this.#answeredHeight === 0 || this.height - held <= 1, 'the application is one block behind at most', at)
    if (held === 0) await this.#network.initChain(this.node)
    else this.#network.rules.holds(this.plan.name, held, application.info().lastBlockAppHash)
    for (const { block } of this.blocks.slice(held)) await this.#execute(block)
    application.consensusConnected()
    this.consensus = new Consensus(this, this.height + 1, this.blocks.at(-1)?.commit)
    await this.#replayLog()
  }

  async #open(): Promise<void> {
    const lookMs = this.plan.lookMs
    const { timeline } = this.#network
    const wallMs = (): number => Number(this.nowNs / NANOSECONDS_PER_MILLISECOND)
    const look = (): number => (this.#lookedMs += lookMs)
    const { keptHeights, name, engine } = this.plan
    const clock = {
      get nowMs(): number {
        return timeline.nowMs + look()
      },
      get wallMs(): number {
        return wallMs()
      },
    }
    const { store, journal, orderJournal } = this
    const voteAnswers: VoteAnswers = {
      load: () => this.#answers,
      keep: (answer) => {
        this.#answers = [...this.#answers.filter(({ height }) => height === answer.height), answer]
      },
    }
    const gossip = { offer: (raws: readonly Uint8Array[]) => this.mempool.offer(raws) }
    const pruning = { keepRecent: keptHeights, interval: 0 }
    this.#engineNode ??= await SimNode.open({
      name,
      clock,
      store,
      journal,
      orderJournal,
      voteAnswers,
      gossip,
      engine,
      peers: 3,
      settings: { pruning },
    })
    if (this.life > 1) await this.#engineNode.restart()
    this.#node = this.#engineNode
    this.#node.killAt = undefined
  }

  async #replayLog(): Promise<void> {
    const log = this.#log
    this.#log = []
    for (const input of log) {
      if (this.consensus?.isOver !== false) return
      await this.input(input)
    }
  }

  crash(kind: CrashKind): void {
    const { clients } = this.#network
    this.#network.trace(`${this.plan.name} ${kind}`)
    this.life++
    this.consensus = undefined
    this.#node = undefined
    this.mempool = new CometMempool()
    this.disarm()
    const kept = this.#syncedInputs + this.#random.below(this.#log.length - this.#syncedInputs + 1)
    this.#log.length = kind === 'kill' ? kept : Math.min(kept, this.#syncedInputs)
    if (kind === 'kill') return
    clients.mayBeLost(this.index, kind === 'disk' ? 0 : this.journal.flushedAtMs)
    if (kind === 'power') {
      this.#network.report.lostWrites += this.store.loseUnsynced(this.#random)
      this.journal.loseUnsynced(this.#random)
      this.#network.loseOrders(this)
    } else {
      this.store.loseAll()
      this.journal.loseAll()
      this.orderJournal.loseAll()
      this.#answers = []
      this.#answeredHeight = 0
    }
    this.coins.recount(this.store)
  }

  disarm(): void {
    this.killsBefore = undefined
    this.store.killInWrite = undefined
    if (this.#node !== undefined) this.#node.killAt = undefined
  }

  /** Dies at some step of its next block. */
  armKill(): void {
    const point = this.#random.pick(KILL_POINTS)
    if (point === 'block-saved') this.killsBefore = point
    else if (point === 'write-before' || point === 'write-after')
      this.store.killInWrite = point === 'write-before' ? 'before' : 'after'
    else this.node.killAt = point
  }

  async input(input: Input): Promise<void> {
    if (this.consensus === undefined) return
    this.#log.push(input)
    await this.consensus.input(input)
  }

  logOwn(input: Input): void {
    this.#log.push(input)
    this.#syncedInputs = this.#log.length
  }

  // ---- what consensus asks ------------------------------------------------------------------------------------

  validatorsAt(height: number): readonly Validator[] {
    return this.#network.sets.at(height)
  }

  hasExtensions(height: number): boolean {
    const from = this.#network.chain.extensionsFrom
    return from > 0 && height >= from
  }

  async makeBlock(height: number, _round: number, lastCommit: Commit | undefined): Promise<Block> {
    const { chain, sets, evidence, rules } = this.#network
    const votes = extendedVotes(lastCommit, sets.at(height - 1))
    const last = this.blocks.at(-1)?.block.content
    const shared = {
      height,
      timeNs:
        lastCommit === undefined || last === undefined
          ? chain.genesisTimeNs
          : medianTimeNs(lastCommit, sets.at(height - 1), last.timeNs),
      proposerAddress: this.validator.address,
      nextValidatorsHash: validatorsHash(sets.at(height + 1)),
      lastCommitRound: lastCommit?.round ?? 0,
      misbehavior: evidence.pendingAt(height),
    }
    const maxTxBytes = chain.maxBytes - BLOCK_OVERHEAD_BYTES
    const transactions = await this.application.prepareProposal({ ...shared, votes, transactions: [], maxTxBytes })
    const commit = votes.map(({ validatorAddress, power, flag }) => ({ validatorAddress, power, flag }))
    const content: ProposedBlock = withHash({ ...shared, lastCommit: commit, transactions })
    const block = { content, hash: bytesToHex(content.hash), lastCommit, appHash: this.#appHash() }
    rules.proposed(block, 'honest', this.plan.name)
    return block
  }

  #appHash(): Uint8Array {
    const { lastBlockHeight, lastBlockAppHash } = this.application.info()
    return lastBlockHeight === 0 ? EMPTY_BYTES : lastBlockAppHash
  }

  async isAcceptable(block: Block): Promise<boolean> {
    const { sets, evidence, rules, chain } = this.#network
    const last = this.blocks.at(-1)
    const context = {
      height: this.height + 1,
      sets,
      evidence,
      last,
      appHash: this.#appHash(),
      genesisTimeNs: chain.genesisTimeNs,
    }
    const fault = blockFault(block, context)
    const says = fault === undefined && (await this.application.processProposal(block.content))
    const accepts = says || this.#isSabotaged('every proposal is accepted')
    rules.judged(this.plan.name, block, accepts, fault ?? this.node.warnings.at(-1))
    this.#network.trace(`${this.plan.name} judges ${block.hash} ${accepts}`)
    return accepts
  }

  isExtensionTaken({ height, blockHash, validator, extension }: Vote): boolean {
    const hash = Buffer.from((blockHash ?? '0x').slice(2), 'hex')
    const validatorAddress = Buffer.from(validator.slice(2), 'hex')
    return this.application.verifyVoteExtension({ height, hash, validatorAddress, extension })
  }

  signVote(type: Vote['type'], height: number, round: number, block: Block | undefined): Vote | undefined {
    if (!this.validatorsAt(height).some((each) => addressOf(each) === this.self)) return undefined
    const isExtended = type === 'precommit' && block !== undefined && this.hasExtensions(height)
    const extension = isExtended ? this.#extend(height, block) : EMPTY_BYTES
    const { chainId, self, validator } = this
    const vote: Vote = {
      type,
      height,
      round,
      blockHash: block?.hash,
      validator: self,
      timeNs: this.#voteTimeNs(block),
      extension,
      extensionSignature: isExtended ? validator.sign({ extension, height, round, chainId }) : EMPTY_BYTES,
    }
    const signed = this.#sign([height, round, STEPS[type]], vote)
    if (signed === undefined || !('type' in signed) || signed.blockHash !== vote.blockHash) return undefined
    if (isExtended && !this.plan.isLiar) this.#network.orderRules?.said(self, block.hash, signed.extension)
    return signed
  }

  #extend(height: number, { content }: Block): Uint8Array {
    const { application } = this
    const extension = application.extendVote(content)
    const request = { height, hash: content.hash, validatorAddress: this.validator.address, extension }
    must(application.verifyVoteExtension(request), 'a node takes its own extension', () => this.plan.name)
    return extension
  }

  /** The time is after the last block and the one that is voted for, whatever the clock says. */
  #voteTimeNs(block: Block | undefined): bigint {
    const least = (block ?? this.blocks.at(-1)?.block)?.content.timeNs ?? this.#network.chain.genesisTimeNs
    return this.nowNs > least ? this.nowNs : least + NANOSECONDS_PER_MILLISECOND
  }

  signProposal(proposal: Proposal): Proposal | undefined {
    const signed = this.#sign([proposal.height, proposal.round, STEPS.proposal], proposal)
    return signed !== undefined && 'block' in signed && signed.block.hash === proposal.block.hash ? signed : undefined
  }

  /** What stands at that place already is said again; what lies before it is not. */
  #sign<What extends Vote | Proposal>(place: Signed['place'], what: What): Vote | Proposal | undefined {
    const forgets = this.#isSabotaged('signs twice')
    const order = this.#signed === undefined || forgets ? 1 : compare(place, this.#signed.place)
    if (order < 0) return undefined
    if (order === 0) return this.#signed?.what
    this.#signed = { place, what }
    return what
  }

  tell(message: { readonly proposal: Proposal } | { readonly vote: Vote }): void {
    this.#network.broadcast(
      this,
      'proposal' in message ? { kind: 'proposal', ...message } : { kind: 'vote', ...message },
    )
  }

  schedule(timeout: Timeout): void {
    const { life } = this
    this.#network.timeline.after(this.#network.timeoutMs(timeout), () =>
      this.#network.guard(this, life, () => this.input({ timeout })),
    )
  }

  noteConflict(one: Vote): void {
    this.#network.noteConflict(one.validator, one.height)
  }

  async decide(decided: DecidedBlock): Promise<void> {
    const { rules } = this.#network
    const { block } = decided
    rules.decides(this.plan.name, decided)
    this.blocks.push(decided)
    this.#log = []
    this.#syncedInputs = 0
    if (this.killsBefore === 'block-saved') {
      this.killsBefore = undefined
      throw new Killed('block-saved')
    }
    await this.#execute(block)
    this.consensus = new Consensus(this, this.height + 1, decided.commit)
    this.#network.afterDecision(this, decided)
  }

  /** FinalizeBlock and Commit, in a handshake or not. */
  async #execute(block: Block): Promise<void> {
    const { rules, evidence } = this.#network
    const { application } = this
    const { content } = block
    const response: FinalizeBlockResponse = await application.finalizeBlock(content)
    rules.executed(this.plan.name, block, response)
    this.#network.update(content.height, response)
    evidence.include(content.misbehavior, content.height)
    await application.commit()
    this.#answeredHeight = content.height
    const { lastBlockHeight, lastBlockAppHash } = application.info()
    must(lastBlockHeight === content.height, 'Commit moves the head', () => `${this.plan.name}: ${lastBlockHeight}`)
    rules.holds(this.plan.name, content.height, lastBlockAppHash)
    if (this.#isSabotaged('a coin is lost')) this.coins.held.set('anat', (this.coins.held.get('anat') ?? 0n) - 1n)
    rules.coins(this.plan.name, content.height, this.coins)
    must(
      this.node.errors.length === 0,
      'nothing that an operator must mend',
      () => `${this.plan.name}: ${this.node.errors.join()}`,
    )
    this.mempool.update(application, content.transactions)
    this.#checkOrders(block, response)
    if (this.plan.keptHeights > 0) sweepStep(this.store, SWEPT_A_BLOCK)
    this.#network.trace(`${this.plan.name} ${content.height} ${bytesToHex(response.appHash)}`)
  }

  #checkOrders(block: Block, { transactionResults }: FinalizeBlockResponse): void {
    const { orderRules, rules } = this.#network
    if (orderRules === undefined) return
    const { height } = block.content
    const isNew = orderRules.checkedHeight < height
    const last = rules.decided.get(height - 1)?.block
    if (isNew) orderRules.decided(last, block, transactionResults, committedState(this.node))
    orderRules.committed(this.node, isNew)
  }
}
