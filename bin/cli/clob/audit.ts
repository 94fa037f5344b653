/** `chain clob audit`: whether a chain did with orders what its validators' votes oblige it to, and the rules. docs/clob-spec.md, Audit. */
import { bytesToKey, bytesToUnprefixedHex, equalBytes } from '../../../core/bytes.ts'
import {
  CARRIED_KEY,
  CAPS_KEY,
  countStop,
  type ListedId,
  proposerKey,
  type ProposerRecord,
  readCaps,
  readCarried,
  readProposer,
  writeCarried,
  writeProposer,
} from '../../../modules/clob/index.ts'
import { cliError } from '../../errors.ts'
import { BookReader } from './audit-begin.ts'
import { AuditedBook } from './audit-book.ts'
import { EthereumNode } from './audit-ethereum.ts'
import { AuditFault, type Rule } from './audit-fault.ts'
import { blockFault, followFault, headerHash, isFork, signedFault } from './audit-light.ts'
import { AuditNode, type Header, type Member, type SignedHeader } from './audit-node.ts'
import { type JudgedBlock, judgeBlock } from './audit-plan.ts'
import { type BlockAnswers, prefetch } from './audit-prefetch.ts'
import { askCaps, ProvenHeight, type Sources } from './audit-proven.ts'
import type { AuditSummary, ProposerSummary } from './audit-report.ts'
import { readerOf, writerOf } from './audit-state.ts'

const MS = 1_000_000n

export interface AuditOptions {
  /** The URL of CometBFT's RPC. */
  readonly node: string
  readonly jsonRpc: string
  /** A: its header is trusted. */
  readonly from: number
  /** B: the last block that is checked; undefined: the last that can be. */
  readonly to: number | undefined
  /** Hash of header A, 32 bytes; without it the node is trusted for it. */
  readonly trustedHash: Uint8Array | undefined
  /** Initial height of the genesis file; undefined: the node is asked. */
  readonly initialHeight: number | undefined
}

interface Verified {
  readonly header: Header
  readonly members: readonly Member[]
}

interface Context {
  readonly sources: Sources
  readonly extensionsFrom: number
  readonly initialHeight: number
  readonly book: AuditedBook
}

class BlockAudit {
  readonly #context: Context
  /** The headers of H and H+1. */
  #head: Verified
  #next: Verified
  /** The proven state of H. */
  #state: ProvenHeight
  #carried: readonly ListedId[]
  readonly #stops = new Map<string, ProposerRecord>()
  readonly #proposers = new Map<string, ProposerSummary>()
  #orders = 0
  #obligations = 0

  constructor(context: Context, head: Verified, next: Verified, state: ProvenHeight, carried: readonly ListedId[]) {
    this.#context = context
    this.#head = head
    this.#next = next
    this.#state = state
    this.#carried = carried
  }

  /** Checks block H+1 and goes on to it. Throws {@link AuditFault}. */
  async advance(answers: BlockAnswers): Promise<void> {
    const { sources, book } = this.#context
    const { node } = sources
    const height = this.#head.header.height + 1
    const behind = await follow(node, this.#next, answers.next, height)
    const lie = blockFault(answers.block, answers.results, this.#next.header, behind.header)
    if (lie !== undefined) throw new AuditFault({ height, rule: 1, what: lie, liar: node.url })
    const after = new ProvenHeight(
      sources,
      { height, appHash: behind.header.app_hash, blockHeight: height },
      answers.caps,
    )
    after.addSlots(answers.slots)
    const judged = this.#judge(answers, height)
    await this.#judgeKept(judged, after)
    const timeMs = Number(this.#next.header.time / MS)
    const { plan } = judged
    await book.step({ before: this.#state, height, timeMs, plan, results: answers.results, answers: answers.step })
    await book.judgeState(after, height)
    this.#count(judged)
    this.#head = this.#next
    this.#next = behind
    this.#state = after
  }

  /** Judges the block by rules 3 to 5. */
  #judge({ block }: BlockAnswers, height: number): JudgedBlock {
    const { sources, extensionsFrom, initialHeight, book } = this.#context
    const { header } = this.#head
    const caps = readerOf(new Map([[bytesToKey(CAPS_KEY), this.#state.capsValue]]))
    const judged = judgeBlock({
      ...this.#head,
      block,
      carried: this.#carried,
      parameters: book.parameters,
      capBytes: readCaps(caps).find((cap) => cap.height === header.height)?.capBytes,
      hasVotes: extensionsFrom > 0 && header.height >= Math.max(extensionsFrom, initialHeight),
    })
    if (!('rule' in judged)) return judged
    const { rule, what, isByHeight } = judged
    // From which height on there are votes, consensus parameters and genesis say, and nothing proves these.
    throw new AuditFault({ height, rule, what, ...(isByHeight ? { liar: sources.node.url, mayBeChain: true } : {}) })
  }

  /** Judges by rule 6 what state keeps of the plan. */
  async #judgeKept({ plan }: JudgedBlock, after: ProvenHeight): Promise<void> {
    const { height, proposer_address: address } = this.#next.header
    const key = proposerKey(address)
    await after.prove([key, CARRIED_KEY])
    const known = this.#stops.get(bytesToKey(address)) ?? readProposer(await valuesOf(this.#state, [key]), address)
    const carried = plan?.carried ?? []
    const stops = countStop(known, plan?.missing)
    const own = writerOf(new Map())
    writeCarried(own, carried)
    writeProposer(own, address, stops)
    const fault = (what: string) => new AuditFault({ height, rule: 6 satisfies Rule, what })
    if (!after.has(CARRIED_KEY, own.writes.get(bytesToKey(CARRIED_KEY)))) {
      const said = readCarried(await valuesOf(after, [CARRIED_KEY]))
      throw fault(`state carries ${said.length} ids, not the ${carried.length} that result`)
    }
    if (!after.has(key, own.writes.get(bytesToKey(key)))) {
      const said = readProposer(await valuesOf(after, [key]), address)
      throw fault(
        `proposer ${bytesToUnprefixedHex(address)} has ${said.stops} stops, ${said.missingButWidelyAttested} of them at widely attested ids; ` +
          `there are ${stops.stops} and ${stops.missingButWidelyAttested}`,
      )
    }
    this.#carried = carried
    this.#stops.set(bytesToKey(address), stops)
  }

  get book(): AuditedBook {
    return this.#context.book
  }

  summary(from: number, to: number): AuditSummary {
    const { book } = this.#context
    const proposers = [...this.#proposers.values()].sort((a, b) => (a.address < b.address ? -1 : 1))
    return {
      from,
      to,
      orders: this.#orders,
      fills: book.fills,
      obligations: this.#obligations,
      openOrders: book.openOrders,
      proposers,
    }
  }

  #count({ plan, powerLeftOut }: JudgedBlock): void {
    const address = bytesToUnprefixedHex(this.#next.header.proposer_address)
    const none = { address, blocks: 0, stops: 0, wideStops: 0, skippedVotes: 0, powerLeftOut: 0n }
    const summary: ProposerSummary = this.#proposers.get(address) ?? none
    this.#proposers.set(address, summary)
    summary.blocks++
    summary.powerLeftOut += powerLeftOut
    if (plan === undefined) return
    summary.skippedVotes += plan.summary.skipped
    if (plan.missing !== undefined) {
      summary.stops++
      if (plan.missing.isWidelyAttested) summary.wideStops++
    }
    this.#orders += plan.taken.length
    this.#obligations += plan.summary.obligated
  }
}

/** Gives the keeper's readers these values and no others. */
const valuesOf = async (at: ProvenHeight, keys: readonly Uint8Array[]) => {
  await at.prove(keys)
  const values = await Promise.all(keys.map((key) => at.value(key)))
  return readerOf(new Map(keys.map((key, index) => [bytesToKey(key), values[index]])))
}

/** Verifies the header behind a verified one. */
const follow = async (node: AuditNode, before: Verified, signed: SignedHeader, height: number): Promise<Verified> => {
  const { header } = signed
  const broken = followFault(header, before.header)
  if (broken !== undefined) {
    const hasForked = isFork(signed, before.header, before.members)
    const what = hasForked ? `${broken}, and more than two thirds of the power of ${height} signed it` : broken
    throw new AuditFault({ height, rule: 1, what, ...(hasForked ? {} : { liar: node.url }) })
  }
  const isSame = equalBytes(header.validators_hash, before.header.validators_hash)
  const members = isSame ? before.members : await node.validators(header.height)
  const what = signedFault(signed, members)
  if (what !== undefined) throw new AuditFault({ height, rule: 1, what, liar: node.url })
  return { header, members }
}

/** Header A with its set: it is trusted, or its hash is. */
const begin = async (node: AuditNode, { from, trustedHash }: AuditOptions): Promise<Verified> => {
  const [signed, members] = await Promise.all([node.signedHeader(from), node.validators(from)])
  const fault = { height: from, rule: 1, liar: node.url } as const
  const what = signedFault(signed, members)
  if (what !== undefined || signed.header.height !== from) {
    throw new AuditFault({ ...fault, what: what ?? `the header is of height ${signed.header.height}` })
  }
  if (trustedHash !== undefined && !equalBytes(headerHash(signed.header), trustedHash)) {
    // Whoever made up a header can sign it with keys of its own: only a trusted one before it would show which it is.
    throw new AuditFault({ ...fault, what: `header ${from} is not the trusted one`, mayBeChain: true })
  }
  return { header: signed.header, members }
}

/** Makes the book at A, and all that the chain's blocks are judged by. */
const beginBook = async (sources: Sources, head: Verified, next: Verified, options: AuditOptions) => {
  const { node, ethereum } = sources
  const { from } = options
  const at = { height: from, appHash: next.header.app_hash, blockHeight: from + 1 }
  const state = new ProvenHeight(sources, at, await askCaps(sources, from))
  const [start, extensionsFrom, initialHeight, evmChainId] = await Promise.all([
    new BookReader(sources, state, from + 1).read(),
    node.extensionsFrom(from),
    options.initialHeight ?? node.initialHeight(),
    ethereum.chainId(),
  ])
  const carried = readCarried(readerOf(start.known))
  const book = new AuditedBook(sources, { chainId: head.header.chain_id, evmChainId }, start)
  return new BlockAudit({ sources, extensionsFrom, initialHeight, book }, head, next, state, carried)
}

/** Checks blocks A+1 to B. Throws {@link AuditFault} at the first fault, and cli/10 and cli/20 where the node does not answer. */
export const auditClob = async (options: AuditOptions): Promise<AuditSummary> => {
  const { from } = options
  const node = new AuditNode(options.node)
  const sources = { node, ethereum: new EthereumNode(options.jsonRpc) }
  const to = options.to ?? (await node.latestHeight()) - 1
  if (to <= from) throw cliError('usage', `no block to check: --to (${to}) must be above --from (${from})`)
  const head = await begin(node, options)
  const next = await follow(node, head, await node.signedHeader(from + 1), from + 1)
  const audit = await beginBook(sources, head, next, options)
  for await (const answers of prefetch(sources, audit.book, from + 1, to)) await audit.advance(answers)
  return audit.summary(from, to)
}
