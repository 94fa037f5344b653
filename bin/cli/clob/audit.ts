/** `chain clob audit`: whether a chain did with orders what its validators' votes oblige it to. docs/clob-spec.md, Audit. */
import { bytesToKey, bytesToUnprefixedHex, equalBytes } from '../../../core/bytes.ts'
import {
  CAPS_KEY,
  CARRIED_KEY,
  countStop,
  type ListedId,
  PARAMS_KEY,
  proposerKey,
  type ProposerRecord,
  readCaps,
  readCarried,
  readParameters,
  readProposer,
} from '../../../modules/clob/index.ts'
import { cliError } from '../../errors.ts'
import { AuditFault, type Rule } from './audit-fault.ts'
import { blockFault, followFault, headerHash, signedFault } from './audit-light.ts'
import { AuditNode, type Header, type Member, type SignedHeader, type Stored } from './audit-node.ts'
import { type JudgedBlock, judgeBlock, sameList } from './audit-plan.ts'
import { type BlockAnswers, prefetch } from './audit-prefetch.ts'
import { proofFault, ProvenState } from './audit-state.ts'

export interface AuditOptions {
  readonly node: string
  /** A: its header is trusted. */
  readonly from: number
  /** B: the last block that is checked; undefined: the last that can be. */
  readonly to: number | undefined
  /** Hash of header A, 32 bytes; without it the node is trusted for it. */
  readonly trustedHash: Uint8Array | undefined
  /** Initial height of the genesis file; undefined: the node is asked. */
  readonly initialHeight: number | undefined
}

/** What a proposer did in the blocks of the audit. */
export interface ProposerSummary {
  readonly address: string
  blocks: number
  stops: number
  /** Stops at ids that more than two thirds attested. */
  wideStops: number
  /** Extensions left out of txs[0] though their votes are in the commit. */
  skippedVotes: number
  /** Summed up over the blocks. */
  powerLeftOut: bigint
}

export interface AuditSummary {
  readonly from: number
  readonly to: number
  readonly orders: number
  readonly obligations: number
  readonly proposers: readonly ProposerSummary[]
}

interface Verified {
  readonly header: Header
  readonly members: readonly Member[]
}

interface Context {
  readonly node: AuditNode
  readonly extensionsFrom: number
  readonly initialHeight: number
}

class BlockAudit {
  readonly #context: Context
  /** H and H+1. */
  #head: Verified
  #next: Verified
  #carried: readonly ListedId[]
  readonly #stops = new Map<string, ProposerRecord>()
  readonly proposers = new Map<string, ProposerSummary>()
  orders = 0
  obligations = 0

  constructor(context: Context, head: Verified, next: Verified, carried: readonly ListedId[]) {
    this.#context = context
    this.#head = head
    this.#next = next
    this.#carried = carried
  }

  /** Checks block H+1 and goes on to it. Throws {@link AuditFault}. */
  async advance(answers: BlockAnswers): Promise<void> {
    const { node, extensionsFrom, initialHeight } = this.#context
    const { header } = this.#head
    const height = header.height + 1
    const behind = await follow(node, this.#next, answers.next, height)
    const lie = blockFault(answers.block, answers.results, this.#next.header, behind.header)
    if (lie !== undefined) throw new AuditFault({ height, rule: 1, what: lie, liar: node.url })
    const before = new ProvenState()
    prove(node, before, PARAMS_KEY, answers.parameters, this.#next.header, height)
    prove(node, before, CAPS_KEY, answers.caps, this.#next.header, height)
    const judged = judgeBlock({
      ...this.#head,
      block: answers.block,
      carried: this.#carried,
      parameters: readParameters(before),
      capBytes: readCaps(before).find((cap) => cap.height === header.height)?.capBytes,
      hasVotes: extensionsFrom > 0 && header.height >= Math.max(extensionsFrom, initialHeight),
    })
    if ('rule' in judged) throw new AuditFault({ height, ...judged })
    await this.#checkKept(answers, judged, behind.header)
    this.#count(judged)
    this.#head = this.#next
    this.#next = behind
  }

  /** Rule 6: what state keeps of the plan. */
  async #checkKept(answers: BlockAnswers, { plan }: JudgedBlock, behind: Header): Promise<void> {
    const { node } = this.#context
    const { height, proposer_address: address } = this.#next.header
    const key = proposerKey(address)
    const known = this.#stops.get(bytesToKey(address)) ?? (await this.#stopsBefore(key, address))
    const after = new ProvenState()
    prove(node, after, CARRIED_KEY, answers.carried, behind, height)
    prove(node, after, key, answers.proposer, behind, height)
    const carried = plan?.carried ?? []
    const stops = countStop(known, plan?.missing)
    const fault = (what: string) => new AuditFault({ height, rule: 6 satisfies Rule, what })
    if (!sameList(carried, readCarried(after))) {
      throw fault(`state carries ${readCarried(after).length} ids, not the ${carried.length} that result`)
    }
    const said = readProposer(after, address)
    if (said.stops !== stops.stops || said.missingButWidelyAttested !== stops.missingButWidelyAttested) {
      throw fault(
        `proposer ${bytesToUnprefixedHex(address)} has ${said.stops} stops, ${said.missingButWidelyAttested} of them at widely attested ids; ` +
          `there are ${stops.stops} and ${stops.missingButWidelyAttested}`,
      )
    }
    this.#carried = carried
    this.#stops.set(bytesToKey(address), stops)
  }

  /** The stops of a proposer that the audit meets first. */
  async #stopsBefore(key: Uint8Array, address: Uint8Array): Promise<ProposerRecord> {
    const { node } = this.#context
    const { height } = this.#head.header
    const state = new ProvenState()
    prove(node, state, key, await node.stored(key, height), this.#next.header, height + 1)
    return readProposer(state, address)
  }

  #count({ plan, powerLeftOut }: JudgedBlock): void {
    const address = bytesToUnprefixedHex(this.#next.header.proposer_address)
    const none = { address, blocks: 0, stops: 0, wideStops: 0, skippedVotes: 0, powerLeftOut: 0n }
    const summary: ProposerSummary = this.proposers.get(address) ?? none
    this.proposers.set(address, summary)
    summary.blocks++
    summary.powerLeftOut += powerLeftOut
    if (plan === undefined) return
    summary.skippedVotes += plan.summary.skipped
    if (plan.missing !== undefined) {
      summary.stops++
      if (plan.missing.isWidelyAttested) summary.wideStops++
    }
    this.orders += plan.taken.length
    this.obligations += plan.summary.obligated
  }
}

/** Adds a value at the height before `next` to what is proven. `height` is that of the block in hand. */
const prove = (
  node: AuditNode,
  state: ProvenState,
  key: Uint8Array,
  answer: Stored,
  next: Header,
  height: number,
): void => {
  const what = proofFault(key, answer, next.height - 1, next.app_hash)
  if (what !== undefined) throw new AuditFault({ height, rule: 1, what, liar: node.url })
  state.put(key, answer.value)
}

/** Verifies the header behind a verified one. */
const follow = async (node: AuditNode, before: Verified, signed: SignedHeader, height: number): Promise<Verified> => {
  const { header } = signed
  const broken = followFault(header, before.header)
  if (broken !== undefined) throw new AuditFault({ height, rule: 1, what: broken, liar: node.url })
  const isSame = equalBytes(header.validators_hash, before.header.validators_hash)
  const members = isSame ? before.members : await node.validators(header.height)
  const what = signedFault(signed, members)
  if (what !== undefined) throw new AuditFault({ height, rule: 1, what, liar: node.url })
  return { header, members }
}

/** Header A with its set: it is trusted, or its hash is. */
const begin = async (node: AuditNode, { from, trustedHash }: AuditOptions): Promise<Verified> => {
  const [signed, members] = await Promise.all([node.signedHeader(from), node.validators(from)])
  const isTrusted = trustedHash === undefined || equalBytes(headerHash(signed.header), trustedHash)
  const what = isTrusted ? signedFault(signed, members) : `header ${from} is not the trusted one`
  if (what !== undefined || signed.header.height !== from) {
    const lie = what ?? `the header is of height ${signed.header.height}`
    throw new AuditFault({ height: from, rule: 1, what: lie, liar: node.url })
  }
  return { header: signed.header, members }
}

/** Checks blocks A+1 to B by rules 1 to 6. Throws {@link AuditFault} at the first fault, and cli/10 and cli/20 where the node does not answer. */
export const auditClob = async (options: AuditOptions): Promise<AuditSummary> => {
  const { from } = options
  const node = new AuditNode(options.node)
  const to = options.to ?? (await node.latestHeight()) - 1
  if (to <= from) throw cliError('usage', `no block to check: --to (${to}) must be above --from (${from})`)
  const head = await begin(node, options)
  const next = await follow(node, head, await node.signedHeader(from + 1), from + 1)
  const state = new ProvenState()
  prove(node, state, CARRIED_KEY, await node.stored(CARRIED_KEY, from), next.header, from + 1)
  const extensionsFrom = await node.extensionsFrom(from)
  const initialHeight = options.initialHeight ?? (await node.initialHeight())
  const audit = new BlockAudit({ node, extensionsFrom, initialHeight }, head, next, readCarried(state))
  for await (const answers of prefetch(node, from + 1, to)) await audit.advance(answers)
  const proposers = [...audit.proposers.values()].sort((a, b) => (a.address < b.address ? -1 : 1))
  return { from, to, orders: audit.orders, obligations: audit.obligations, proposers }
}

const UNCHECKED =
  'not checked: rules 7 and 8, which need balances: the results of orders, fills, and the state of the book after them'

export const describeAudit = ({ from, to, orders, obligations, proposers }: AuditSummary): readonly string[] => [
  `ok blocks ${from + 1} to ${to} by rules 1 to 6: ${orders} orders, ${obligations} obligations; nothing was censored, inserted or reordered`,
  UNCHECKED,
  ...proposers.map(
    ({ address, blocks, stops, wideStops, skippedVotes, powerLeftOut }) =>
      `proposer ${address}: ${blocks} blocks, ${stops} stops, ${wideStops} at widely attested ids, ${skippedVotes} skipped votes, ${powerLeftOut} power left out`,
  ),
]
