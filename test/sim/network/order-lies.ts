/** What liars do to the order book: extensions that say what is not so, and blocks that hold another batch than the votes oblige them to. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { readAttestations } from '../../../app/attestations/injected.ts'
import { decodeExtension, encodeExtension } from '../../../app/attestations/envelope.ts'
import { planInputOf } from '../../../app/orders/block-plan.ts'
import { concatBytes, EMPTY_BYTES, equalBytes, keyToBytes } from '../../../core/bytes.ts'
import { sha256Key } from '../../../core/hash.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { verifyExtensionSignature } from '../../../core/vote-extension.ts'
import type { VoteExtension } from '../../../modules/attestations.ts'
import {
  decodeAttestations,
  encodeAttestations,
  idOf,
  listOfBlock,
  proposeOrders,
} from '../../../modules/clob/index.ts'
import type { Attestation } from '../../../modules/clob/plan/index.ts'
import { InjectedExtensionsSchema, InjectedVoteSchema } from '../../../proto/gen/nat/clob/v1/vote_extensions_pb.ts'
import { withTransactions } from '../driver.ts'
import type { Random } from '../random.ts'
import type { SignedOrder } from '../orders/traders.ts'
import type { Lie } from './lies.ts'
import type { Block } from './messages.ts'
import type { NetworkNode } from './network-node.ts'
import type { Origin } from './rules.ts'

const INJECTED_BYTE = 0x71
const ORDER_BYTE = 0x70
const MAX_DT_MS = 30_000
const ID_BYTES = 12

export interface OrderLiarContext {
  readonly random: Random
  readonly chainId: string
  /** The most bytes of an extension. */
  capBytes(height: number): number
  /** Liars know them, and nobody else but perhaps a node or two. */
  hidden(): readonly SignedOrder[]
  /** One that nobody has seen. */
  fresh(): SignedOrder
}

/** What a vote is for. */
export interface VotedBlock {
  readonly hash: Uint8Array
  readonly height: number
}

const NOTHING: VoteExtension = {
  attestations: EMPTY_BYTES,
  bodies: [],
  bridge: [],
  bridgeContents: [],
  bridgeSignatures: [],
}

/** The attestations that all liars make up: together they attest the same. */
const fabricated = ({ hash }: VotedBlock, count: number): readonly Attestation[] =>
  Array.from({ length: count }, (_, index) => ({
    id: sha256Key(concatBytes(hash, Uint8Array.of(index & 255, index >> 8))).slice(0, ID_BYTES),
    phase: ([0, 1, 2] as const)[index % 3] ?? 0,
    dtMs: -MAX_DT_MS,
  }))

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)])

/** Writes what it is given, in the order in which it is given: canonical or not. */
const encodeAnyhow = (list: readonly Attestation[]): Uint8Array => {
  const bytes: number[] = []
  for (const phase of [0, 1, 2]) {
    const own = list.filter((each) => each.phase === phase)
    bytes.push(...varint(own.length))
    const [first] = own
    if (first === undefined) continue
    bytes.push(...varint(first.dtMs < 0 ? -2 * first.dtMs - 1 : 2 * first.dtMs))
    for (const { id } of own) bytes.push(...keyToBytes(id))
    for (const [index, { dtMs }] of own.slice(1).entries()) {
      bytes.push(...varint(Math.max(0, dtMs - (own[index]?.dtMs ?? 0))))
    }
  }
  return Uint8Array.from(bytes)
}

type Change = (
  attested: readonly Attestation[],
  said: VoteExtension,
  block: VotedBlock,
  context: OrderLiarContext,
) => Uint8Array

const attest = (said: VoteExtension, list: readonly Attestation[]): Uint8Array => {
  const unique = [...new Map(list.map((each) => [each.id, each])).values()]
  return encodeExtension({ ...said, attestations: encodeAttestations(unique) })
}

const anyhow = (said: VoteExtension, list: readonly Attestation[]): Uint8Array =>
  encodeExtension({ ...said, attestations: encodeAnyhow(list) })

const withBodies = (said: VoteExtension, bodies: readonly Uint8Array[]): Uint8Array =>
  encodeExtension({ ...said, bodies: [...said.bodies, ...bodies] })

/** Each may be too long for what is left of the cap: then it is as good as a vote that comes late. */
const EXTENSION_LIES: Readonly<Record<string, Change>> = {
  'says nothing': () => EMPTY_BYTES,
  'withholds half': (list, said, _, { random }) =>
    attest(
      said,
      list.filter(() => random.chance(50)),
    ),
  'makes ids up': (list, said, block) => attest(said, [...list, ...fabricated(block, 9)]),
  'fills its room with what it made up': (_, said, block, { capBytes }) =>
    attest(said, fabricated(block, Math.floor((capBytes(block.height) * 3) / 4 / 14))),
  'attests hidden orders': (list, said, { hash }, { hidden, random }) =>
    attest(said, [
      ...list,
      ...hidden().map((order) => ({
        id: idOf(hash, order.hash),
        phase: random.pick([0, 1, 2] as const),
        dtMs: -MAX_DT_MS,
      })),
    ]),
  'dates back': (list, said) =>
    attest(
      said,
      list.map((each) => ({ ...each, dtMs: -MAX_DT_MS })),
    ),
  'dates ahead': (list, said) =>
    attest(
      said,
      list.map((each) => ({ ...each, dtMs: MAX_DT_MS })),
    ),
  'dates anyhow': (list, said, _, { random }) =>
    attest(
      said,
      list.map((each) => ({ ...each, dtMs: random.below(2 * MAX_DT_MS + 1) - MAX_DT_MS })),
    ),
  'turns the order around': (list, said) =>
    attest(
      said,
      list.map((each) => ({ ...each, dtMs: -each.dtMs })),
    ),
  'attests in other phases': (list, said) =>
    attest(
      said,
      list.map((each) => ({ ...each, phase: ((each.phase + 1) % 3) as Attestation['phase'] })),
    ),
  'attests in two phases': (list, said) =>
    anyhow(
      said,
      list.flatMap((each) => [each, { ...each, phase: ((each.phase + 1) % 3) as Attestation['phase'] }]),
    ),
  'repeats itself': (list, said) =>
    anyhow(
      said,
      list.flatMap((each) => [each, each]),
    ),
  'does not sort': (list, said) => anyhow(said, list.toReversed()),
  'dates beyond the range': (list, said) =>
    anyhow(
      said,
      list.map((each) => ({ ...each, dtMs: MAX_DT_MS + 1 })),
    ),
  'brings garbage': (_, said, __, { random }) =>
    withBodies(said, [
      random.bytes(100 + random.below(200)),
      concatBytes(Uint8Array.of(ORDER_BYTE), random.bytes(150)),
    ]),
  'brings bodies of no id': (_, said, __, { fresh, hidden }) =>
    withBodies(said, [
      fresh().raw,
      ...hidden()
        .slice(0, 2)
        .map(({ raw }) => raw),
    ]),
  'brings a body that is too long': (_, said) => withBodies(said, [new Uint8Array(4_097)]),
  'brings a body without bytes': (_, said) => withBodies(said, [EMPTY_BYTES]),
  'is cut short': (list, said, _, { random }) => {
    const whole = attest(said, list)
    return whole.slice(0, random.below(whole.length + 1))
  },
  'has bytes behind it': (list, said) => concatBytes(attest(said, list), Uint8Array.of(0)),
  'has a longer version than it must be': (list, said) =>
    concatBytes(Uint8Array.of(0x08, 0x81, 0x00), attest(said, list).slice(2)),
  'has a field that nobody knows': (list, said) => concatBytes(attest(said, list), Uint8Array.of(0x7a, 0x00)),
  'is as long as it may be': (_, __, { height }, { capBytes, random }) => random.bytes(capBytes(height)),
  'is too long': (_, __, { height }, { capBytes }) => new Uint8Array(capBytes(height) + 1),
}

/** What a liar says instead of what its honest application would say. */
export const lieInExtension = (extension: Uint8Array, block: VotedBlock, context: OrderLiarContext): Uint8Array => {
  const said = decodeExtension(extension) ?? NOTHING
  const lie = context.random.pick(Object.values(EXTENSION_LIES))
  return lie(decodeAttestations(said.attestations) ?? [], said, block, context)
}

/** Transactions of a block by what they are. */
const partsOf = ({ content: { transactions } }: Block) => {
  const injected = transactions[0]?.[0] === INJECTED_BYTE ? transactions[0] : undefined
  const rest = injected === undefined ? transactions : transactions.slice(1)
  return {
    injected,
    orders: rest.filter(([byte]) => byte === ORDER_BYTE),
    others: rest.filter(([byte]) => byte !== ORDER_BYTE),
  }
}

const votesOf = (injected: Uint8Array) => fromBinary(InjectedExtensionsSchema, injected.subarray(1)).votes

const encodeVotes = (votes: ReturnType<typeof votesOf>): Uint8Array =>
  concatBytes(
    Uint8Array.of(INJECTED_BYTE),
    toBinary(InjectedExtensionsSchema, create(InjectedExtensionsSchema, { version: 1, votes })),
  )

/** Whether a body stands in a vote that counts. */
const hasInjected = (injected: Uint8Array, raw: Uint8Array): boolean =>
  votesOf(injected).some(({ extension }) => decodeExtension(extension)?.bodies.some((body) => equalBytes(body, raw)))

/** The batch that the injected votes oblige the node to make, as far as it has the bodies. */
const planned = (node: NetworkNode, { content }: Block, injected: Uint8Array): readonly Uint8Array[] | undefined => {
  const { source } = node.application
  const record = source.head()
  if (record === undefined || record.header.number !== content.height - 1) return undefined
  const chain = {
    parameters: source.parameters(),
    state: source.latest(),
    head: { height: record.header.number, record },
    verifyExtension: verifyExtensionSignature,
  }
  const attestations = readAttestations(chain, content, injected)
  if (typeof attestations === 'string') return undefined
  const list = listOfBlock(planInputOf(chain, content, attestations, (raw) => source.orders.readBody(raw)))
  return proposeOrders(list, (listed) => source.orders.findBody(listed)).map(({ raw }) => raw)
}

type BatchLie = (
  node: NetworkNode,
  block: Block,
  context: OrderLiarContext,
) => readonly [origin: Origin, transactions: readonly Uint8Array[]] | undefined

/** Leaves out votes down to just above two thirds, those of honest validators first. */
const leaveOut: BatchLie = (node, block, { random }) => {
  const { injected } = partsOf(block)
  if (injected === undefined) return undefined
  const { lastCommit } = block.content
  const commits = lastCommit.filter(({ flag }) => flag === 'commit')
  const total = lastCommit.reduce((sum, { power }) => sum + power, 0n)
  const votes = votesOf(injected)
  let signed = commits.reduce((sum, { power }, at) => sum + ((votes[at]?.signature.length ?? 0) > 0 ? power : 0n), 0n)
  const kept = votes.map((vote, at) => {
    const commit = commits[at]
    const isOwn = commit !== undefined && bytesToHex(commit.validatorAddress) === node.self
    if (commit === undefined || isOwn || vote.signature.length === 0 || random.chance(20)) return vote
    if ((signed - commit.power) * 3n <= total * 2n) return vote
    signed -= commit.power
    return create(InjectedVoteSchema, { extension: EMPTY_BYTES, signature: EMPTY_BYTES })
  })
  const raw = encodeVotes(kept)
  const orders = planned(node, block, raw)
  return orders && ['honest', [raw, ...orders]]
}

/** Says something else than in its vote, once it has read those of all others. */
const signAgain: BatchLie = (node, block, context) => {
  const { injected } = partsOf(block)
  const { content } = block
  if (injected === undefined) return undefined
  const height = content.height - 1
  const commits = content.lastCommit.filter(({ flag }) => flag === 'commit')
  const own = commits.findIndex(({ validatorAddress }) => bytesToHex(validatorAddress) === node.self)
  const votes = votesOf(injected)
  const vote = votes[own]
  const last = node.blocks.at(-1)?.block.content
  if (vote === undefined || last === undefined || last.height !== height) return undefined
  const extension = lieInExtension(vote.extension, { hash: last.hash, height }, context)
  if (extension.length > context.capBytes(height)) return undefined
  const signed = { extension, height, round: content.lastCommitRound, chainId: context.chainId }
  const signature = node.validator.sign(signed)
  const raw = encodeVotes(
    votes.map((each, at) => (at === own ? create(InjectedVoteSchema, { extension, signature }) : each)),
  )
  const orders = planned(node, block, raw)
  return orders && ['honest', [raw, ...orders]]
}

/** True when no more than one transaction of the batch is left. */
const isSmall = (orders: readonly unknown[]): boolean => orders.length < 2

const BATCH_LIES: Readonly<Record<string, BatchLie>> = {
  'leaves votes out': leaveOut,
  'signs its vote again': signAgain,
  'leaves an order out': (_, block, { random }) => {
    const { injected, orders, others } = partsOf(block)
    if (injected === undefined || isSmall(orders)) return undefined
    const at = random.below(orders.length - 1)
    return ['invalid', [injected, ...orders.toSpliced(at, 1), ...others]]
  },
  'puts an order in': (_, block, { random, fresh }) => {
    const { injected, orders, others } = partsOf(block)
    if (injected === undefined) return undefined
    return ['invalid', [injected, ...orders.toSpliced(random.below(orders.length + 1), 0, fresh().raw), ...others]]
  },
  'swaps two orders': (_, block, { random }) => {
    const { injected, orders, others } = partsOf(block)
    if (injected === undefined || isSmall(orders)) return undefined
    const at = random.below(orders.length - 1)
    const [one, other] = orders.slice(at, at + 2)
    if (one === undefined || other === undefined) return undefined
    return ['invalid', [injected, ...orders.toSpliced(at, 2, other, one), ...others]]
  },
  'turns the batch around': (_, block) => {
    const { injected, orders, others } = partsOf(block)
    if (injected === undefined || isSmall(orders)) return undefined
    return ['invalid', [injected, ...orders.toReversed(), ...others]]
  },
  'repeats an order': (_, block, { random }) => {
    const { injected, orders, others } = partsOf(block)
    if (injected === undefined || orders.length === 0) return undefined
    return ['invalid', [injected, ...orders, random.pick(orders), ...others]]
  },
  'puts an order elsewhere': (_, block, { random }) => {
    const { injected, orders, others } = partsOf(block)
    const last = orders.at(-1)
    if (injected === undefined || last === undefined) return undefined
    const at = others.length === 0 || random.chance(30) ? 0 : 1 + random.below(others.length)
    if (at === 0) return ['invalid', [last, injected, ...orders.slice(0, -1), ...others]]
    return ['invalid', [injected, ...orders.slice(0, -1), ...others.toSpliced(at, 0, last)]]
  },
  'stops without cause': (_, block, { random }) => {
    const { injected, orders } = partsOf(block)
    if (injected === undefined || orders.length === 0) return undefined
    const known = orders.flatMap((raw, at) => (hasInjected(injected, raw) ? [at] : []))
    // A body that the block itself brings is no reason to stop.
    const at = known.length > 0 && random.chance(60) ? random.pick(known) : random.below(orders.length)
    const isThere = hasInjected(injected, orders[at] as Uint8Array)
    return [isThere ? 'invalid' : 'honest', [injected, ...orders.slice(0, at)]]
  },
  'has orders and no votes': (_, block) => {
    const { injected, orders, others } = partsOf(block)
    if (injected === undefined || orders.length === 0) return undefined
    return ['invalid', [...orders, ...others]]
  },
  'alters an order': (_, block, { random }) => {
    const { injected, orders, others } = partsOf(block)
    if (injected === undefined || orders.length === 0) return undefined
    const at = random.below(orders.length)
    const altered = (orders[at] as Uint8Array).slice()
    altered[1 + random.below(altered.length - 1)] = random.below(256)
    if (equalBytes(altered, orders[at] as Uint8Array)) return undefined
    return ['invalid', [injected, ...orders.toSpliced(at, 1, altered), ...others]]
  },
}

/** A block with another batch; undefined where there is nothing to lie about. */
export const lieInBatch = (node: NetworkNode, block: Block, context: OrderLiarContext): Lie | undefined => {
  const left = Object.entries(BATCH_LIES)
  while (left.length > 0) {
    const [[why, lie] = ['', () => undefined]] = left.splice(context.random.below(left.length), 1)
    const told = lie(node, block, context)
    if (told === undefined) continue
    const [origin, transactions] = told
    const content = withTransactions(block.content, transactions)
    if (equalBytes(content.hash, block.content.hash)) continue
    return { block: { ...block, content, hash: bytesToHex(content.hash) }, origin, why }
  }
  return undefined
}
