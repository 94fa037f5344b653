/** The liars of a network: what each tells to whom. A lie is repeated as it was told, but for those that tell different nodes different things. */
import type { PrivateKeyAccount } from 'viem/accounts'
import { type Hex, hexToBytes } from '../../../core/hex.ts'
import { DEFAULT_CLOB_PARAMETERS } from '../../../modules/clob/index.ts'
import type { Random } from '../random.ts'
import { INVALID_KINDS, makeInvalid } from '../traffic.ts'
import { type LiarContext, type Lie, lieInBlock, lieInVote, type VoteLie } from './lies.ts'
import { lieInBatch, lieInExtension, type OrderLiarContext } from './order-lies.ts'
import type { Block, Message, Proposal, Vote } from './messages.ts'
import type { Network } from './network.ts'
import type { NetworkNode } from './network-node.ts'

type Send = (to: NetworkNode, message: Message) => void

const orderContext = (random: Random, network: Network): OrderLiarContext | undefined => {
  const { orderClients, plan, chain, sets } = network
  if (orderClients === undefined) return undefined
  const budget = plan.orders?.parameters.extensionBudgetBytes ?? DEFAULT_CLOB_PARAMETERS.extensionBudgetBytes
  return {
    random,
    chainId: chain.chainId,
    capBytes: (height) => Math.min(131_072, Math.max(2_048, Math.floor(budget / sets.at(height).length))),
    hidden: () => orderClients.hidden,
    fresh: () => orderClients.fresh(),
  }
}

export class Liars {
  readonly #random: Random
  readonly #network: Network
  readonly #context: LiarContext
  /** Undefined where nobody trades. */
  readonly #orders: OrderLiarContext | undefined
  /** What was told instead; undefined is nothing. */
  readonly #votes = new WeakMap<Vote, Vote | undefined>()
  readonly #proposals = new WeakMap<Proposal, Proposal | undefined>()
  readonly #late = new Map<Hex, Vote[]>()
  /** A stream of its own: runs without such votes are what they were. */
  readonly #faces: Random

  constructor(random: Random, faces: Random, network: Network, account: PrivateKeyAccount, blockGas: bigint) {
    this.#random = random
    this.#faces = faces
    this.#network = network
    const { chain, plan, rules } = network
    this.#orders = orderContext(random, network)
    this.#context = {
      random,
      lies: plan.lies,
      chainId: chain.chainId,
      blockGas,
      account,
      oldTransaction: () => {
        const { transactions = [] } =
          rules.decided.get(1 + random.below(Math.max(1, rules.highest)))?.block.content ?? {}
        return transactions.find(([first]) => first !== 0x71)
      },
    }
  }

  tell(from: NetworkNode, message: Message, send: Send): void {
    if (message.kind === 'proposal') return this.#propose(from, message.proposal, send)
    const peers = this.#network.nodes.filter((node) => node !== from)
    if (message.kind !== 'vote') {
      for (const to of peers) send(to, message)
      return
    }
    if (this.#tellTwoFaces(from, message.vote, peers, send)) return
    const { equivocationPercent } = this.#network.plan.lies
    if (this.#random.chance(equivocationPercent)) {
      this.#network.report.lies++
      for (const to of peers) this.#sendVote(to, this.#lieInVote(from, message.vote), send)
      return
    }
    const lie = this.#lieInVote(from, message.vote)
    this.#votes.set(message.vote, lie)
    for (const to of peers) this.#sendVote(to, lie, send)
  }

  /** One vote for one block with two extensions, both signed as they must be: each peer takes the one that it is given. */
  #tellTwoFaces(from: NetworkNode, vote: Vote, peers: readonly NetworkNode[], send: Send): boolean {
    const { type, blockHash, height, round } = vote
    const [context, { plan, chain, orderRules, report }] = [this.#orders, this.#network]
    if (context === undefined || type !== 'precommit' || blockHash === undefined || !from.hasExtensions(height))
      return false
    if (!this.#faces.chance(plan.orders?.twoFacedPercent ?? 0)) return false
    const block = { hash: hexToBytes(blockHash), height }
    const other = lieInExtension(vote.extension, block, { ...context, random: this.#faces })
    const signed = { extension: other, height, round, chainId: chain.chainId }
    const lie = { ...vote, extension: other, extensionSignature: from.validator.sign(signed) }
    report.lies++
    if (orderRules !== undefined) orderRules.report.twoFaced++
    const first = this.#faces.below(2)
    for (const [index, to] of peers.entries()) this.#sendVote(to, index % 2 === first ? vote : lie, send)
    return true
  }

  #sendVote(to: NetworkNode, vote: Vote | undefined, send: Send): void {
    if (vote !== undefined) send(to, { kind: 'vote', vote })
  }

  /** A late one is told once its height is over. */
  #lieInVote(from: NetworkNode, vote: Vote): Vote | undefined {
    const known = [...(from.consensus?.proposals ?? [])].map(({ block }) => block.hash)
    const other = known.length === 0 ? undefined : this.#random.pick(known)
    const lie = this.#lieAboutOrders(from, vote) ?? lieInVote(vote, other, from.validator, this.#context)
    if (lie.vote !== vote || lie.isLate) this.#network.report.lies++
    if (!lie.isLate || lie.vote === undefined) return lie.vote
    this.#late.set(from.self, [...(this.#late.get(from.self) ?? []), lie.vote])
    return undefined
  }

  /** Mostly signed as it must be, and in time: such a vote counts. */
  #lieAboutOrders(from: NetworkNode, vote: Vote): VoteLie | undefined {
    const [context, random] = [this.#orders, this.#random]
    const { type, blockHash, height, round } = vote
    if (context === undefined || blockHash === undefined || type !== 'precommit' || !from.hasExtensions(height))
      return undefined
    if (!random.chance(this.#network.plan.orders?.lies.extensionPercent ?? 0)) return undefined
    const { chainId } = this.#network.chain
    const extension = lieInExtension(vote.extension, { hash: hexToBytes(blockHash), height }, context)
    const extensionSignature = from.validator.sign({
      extension,
      height,
      round: random.chance(4) ? round + 1 : round,
      chainId,
    })
    const isTooLong = extension.length > context.capBytes(height)
    return { vote: { ...vote, extension, extensionSignature }, isLate: random.chance(isTooLong ? 80 : 15) }
  }

  takeLate(self: Hex): readonly Vote[] {
    const late = this.#late.get(self) ?? []
    this.#late.delete(self)
    return late
  }

  /** Tells all the same lie, each another, or some nothing. */
  #propose(from: NetworkNode, proposal: Proposal, send: Send): void {
    const peers = this.#network.nodes.filter((node) => node !== from)
    const { lies, orders } = this.#network.plan
    const isOfOrders = orders !== undefined && this.#random.chance(orders.lies.batchPercent)
    if (!isOfOrders && !this.#random.chance(lies.proposalPercent)) {
      for (const to of peers) send(to, { kind: 'proposal', proposal })
      return
    }
    this.#network.report.lies++
    this.#proposals.set(proposal, undefined)
    const isSameForAll = this.#random.chance(50)
    const tell = async (to: readonly NetworkNode[]): Promise<void> => {
      const lieAboutOrders = isOfOrders ? this.#lieInBatch(from, proposal.block) : undefined
      const { block, origin, why } = lieAboutOrders ?? (await lieInBlock(proposal.block, from.validator, this.#context))
      this.#network.rules.proposed(block, origin, why)
      const lie = { ...proposal, block }
      this.#proposals.set(proposal, lie)
      for (const each of to) send(each, { kind: 'proposal', proposal: lie })
    }
    // Signing takes microtasks: it happens in an event of its own, so that nothing runs beside it.
    this.#network.timeline.after(0, async () => {
      if (isSameForAll) return await tell(peers)
      for (const peer of peers) if (this.#random.chance(80)) await tell([peer])
    })
  }

  #lieInBatch(from: NetworkNode, block: Block): Lie | undefined {
    const context = this.#orders
    if (!from.isUp || context === undefined) return undefined
    const lie = lieInBatch(from, block, context)
    if (lie !== undefined) this.#network.orderRules?.lied(lie.why)
    return lie
  }

  /** What a liar says once more: its own as it told it, the rest as it is. */
  repeat(node: NetworkNode, message: Message): Message | undefined {
    if (message.kind === 'vote' && message.vote.validator === node.self && this.#votes.has(message.vote)) {
      const vote = this.#votes.get(message.vote)
      return vote === undefined ? undefined : { kind: 'vote', vote }
    }
    if (message.kind === 'proposal' && this.#proposals.has(message.proposal)) {
      const proposal = this.#proposals.get(message.proposal)
      return proposal === undefined ? undefined : { kind: 'proposal', proposal }
    }
    return message
  }

  /** Sends nonsense to pools. */
  async act(give: (to: NetworkNode, raw: Uint8Array) => Promise<void>): Promise<void> {
    const { nodes, plan, chain } = this.#network
    if (!nodes.some(({ plan: { isLiar } }) => isLiar) || !this.#random.chance(plan.lies.transactionPercent)) return
    const { account, blockGas } = this.#context
    const kind = this.#random.pick(
      INVALID_KINDS.filter((name) => name !== 'a nonce ahead' && name !== 'a nonce that was used'),
    )
    const raw = await makeInvalid(kind, {
      random: this.#random,
      account,
      nonce: 0,
      chainId: chain.chainId,
      injected: undefined,
      blockGas,
    })
    await give(this.#random.pick(nodes), raw)
  }
}
