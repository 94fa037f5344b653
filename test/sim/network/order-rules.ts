/**
 * What must hold of the order book in every decided block. The batch is judged once more by the slow model of test/clob/plan,
 * which shares nothing with the node, and against what honest validators have said with their own votes.
 */
import { fromBinary } from '@bufbuild/protobuf'
import { decodeExtension } from '../../../app/attestations/envelope.ts'
import { EMPTY_BYTES, keyToBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { sha256 } from '../../../core/hash.ts'
import { bytesToHex, type Hex } from '../../../core/hex.ts'
import type { TransactionResult } from '../../../app/ports.ts'
import { Books, type ClobParameters, decodeClobBody, readCarried } from '../../../modules/clob/index.ts'
import { InjectedExtensionsSchema } from '../../../proto/gen/nat/clob/v1/vote_extensions_pb.ts'
import { dumpBooks } from '../../clob/dump-books.ts'
import {
  type NaiveBody,
  naiveDecode,
  type NaiveId,
  naiveId,
  type NaiveObligation,
  naiveObligations,
  naivePlan,
} from '../../clob/plan/naive.ts'
import type { StateReader } from '../../../store/state.ts'
import { checkInvariants, committedState } from '../world.ts'
import type { Block } from './messages.ts'
import type { SimNode } from '../sim-node.ts'
import { must } from './rules.ts'

const [INJECTED_BYTE, ORDER_BYTE] = [0x71, 0x70]
const NANOSECONDS_PER_MILLISECOND = 1_000_000n
/** clob/notPlanned. */
const NOT_PLANNED = 100
/** No order lives longer. */
const LONGEST_LOOK = 45
const [KIB, MIB] = [1_024, 1_048_576]

/** What a run has met of the order book. */
export interface OrderReport {
  /** Blocks with a batch. */
  batches: number
  executed: number
  /** How many of them have code 0. */
  succeeded: number
  stops: number
  /** The most stops in a row. */
  mostStops: number
  /** Blocks in which a phase had no room. */
  full: number
  carried: number
  /** Blocks whose batch was not the planned one. */
  refused: number
  obligations: number
  /** Ids that somebody attested and that were not obligations. */
  ignored: number
  skippedVotes: number
  unreadVotes: number
  injectedBodies: number
  poolsLost: number
  /** Checks that an id of nearly all honest validators is in the next list. */
  certain: number
  /** Blocks from the first that was obliged to hold an order to the one that does. */
  mostDelay: number
  /** Orders that were not in the first. */
  delayed: number
  /** Votes that a liar has signed with two extensions. */
  twoFaced: number
  /** Counts by what a liar's block has. */
  readonly batchLies: Record<string, number>
}

interface InjectedVote {
  readonly validator: Hex
  readonly power: bigint
  readonly attestations: Uint8Array
  readonly bodies: readonly Uint8Array[]
}

interface HonestWord {
  readonly validator: Hex
  readonly dts: ReadonlyMap<string, number>
}

/** Who says what where nodes vote for themselves. */
export interface HonestVoters {
  readonly isLiar: (validator: Hex) => boolean
  readonly powerAt: (validator: Hex, height: number) => bigint
}

export interface OrderRulesOptions {
  /** Parameters of the state after a height. */
  readonly parametersAt: (height: number) => ClobParameters
  readonly hasExtensions: (height: number) => boolean
  /** Left out where nobody tells what honest validators have said. */
  readonly voters?: HonestVoters
  /** Blocks that no honest node accepts are decided all the same: their orders do nothing. */
  readonly decidesAnything?: boolean
}

/** What the rules look at of a block. */
export type CheckedBlock = Pick<Block, 'content' | 'hash'>

const plain = (bytes: Uint8Array): string => bytesToHex(bytes).slice(2)
const millisecondsOf = ({ content }: CheckedBlock): number => Number(content.timeNs / NANOSECONDS_PER_MILLISECOND)
const powerOf = (list: readonly { readonly power: bigint }[]): bigint =>
  list.reduce((sum, { power }) => sum + power, 0n)

/** Weights are the codec's: it has tests of its own. */
const bodyOf = (raw: Uint8Array): NaiveBody => {
  const hash = plain(sha256(raw))
  try {
    return { hash, length: raw.length, weight: decodeClobBody(raw).weight }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return { hash, length: raw.length, weight: null }
  }
}

export class OrderRules {
  readonly report: OrderReport = {
    batches: 0,
    executed: 0,
    succeeded: 0,
    stops: 0,
    mostStops: 0,
    full: 0,
    carried: 0,
    refused: 0,
    obligations: 0,
    ignored: 0,
    skippedVotes: 0,
    unreadVotes: 0,
    injectedBodies: 0,
    poolsLost: 0,
    certain: 0,
    mostDelay: 0,
    delayed: 0,
    twoFaced: 0,
    batchLies: {},
  }
  readonly #options: OrderRulesOptions
  /** Words by the hash of the block that is voted for, then by validator. */
  readonly #words = new Map<Hex, Map<Hex, HonestWord>>()
  readonly #executed = new Map<string, number>()
  /** Ids by height of the block that was obliged to have them in its list. */
  readonly #certain = new Map<number, { readonly salt: string; readonly ids: ReadonlySet<string> }>()
  #carried: readonly NaiveId[] = []
  #checkedHeight = 0
  #stopsInARow = 0

  constructor(options: OrderRulesOptions) {
    this.#options = options
  }

  get checkedHeight(): number {
    return this.#checkedHeight
  }

  lied(why: string): void {
    this.report.batchLies[why] = (this.report.batchLies[why] ?? 0) + 1
  }

  /** An honest validator votes for a block. What it says twice of one it says both times, but for a machine that lost its disk. */
  said(validator: Hex, block: Hex, extension: Uint8Array): void {
    const list = naiveDecode(decodeExtension(extension)?.attestations ?? EMPTY_BYTES) ?? []
    const words = this.#words.get(block) ?? new Map<Hex, HonestWord>()
    this.#words.set(block, words)
    const before = words.get(validator)
    const dts = new Map(list.map(({ phase, id, dt }) => [`${phase} ${id}`, dt]))
    for (const id of dts.keys()) if (before !== undefined && !before.dts.has(id)) dts.delete(id)
    words.set(validator, { validator, dts })
  }

  /** A node has committed a height: its book is the one that its state holds. */
  committed(node: SimNode, isThorough: boolean): void {
    const { application, name } = node
    const state = committedState(node)
    const live = dumpBooks(application.source.books(), [])
    const rebuilt = dumpBooks(Books.load(state), [])
    const at = live.findIndex((line, index) => line !== rebuilt[index])
    must(
      at < 0 && live.length === rebuilt.length,
      'the book is the one that state holds',
      () => `${name} at ${application.height}: ${live[at]}, not ${rebuilt[at]}`,
    )
    if (isThorough) checkInvariants(node)
  }

  /** Called for each height by the first node that has it. `state` is that after the block. */
  decided(
    last: CheckedBlock | undefined,
    block: CheckedBlock,
    results: readonly TransactionResult[],
    state: StateReader,
  ): void {
    const { height, transactions } = block.content
    this.#checkedHeight = height
    const at = (): string => `height ${height}`
    const orders = transactions.flatMap((raw, index) => (raw[0] === ORDER_BYTE ? [index] : []))
    const isInjected = last !== undefined && this.#options.hasExtensions(height - 1)
    must(isInjected === (transactions[0]?.[0] === INJECTED_BYTE), 'votes stand first where there are any', at)
    if (!isInjected) {
      must(orders.length === 0 || this.#options.decidesAnything === true, 'there are no orders without votes', at)
      must(
        orders.every((place) => results[place]?.code === NOT_PLANNED),
        'orders without votes do not run',
        at,
      )
      this.#carried = []
    } else {
      const isInPlace = orders.every((place, index) => place === index + 1)
      const isPlanned = this.#checkBatch(last, block, isInPlace)
      must(
        isPlanned || this.#options.decidesAnything === true,
        'the batch is the one that the votes oblige the block to hold',
        at,
      )
      must(
        orders.every((place) => (results[place]?.code !== NOT_PLANNED) === isPlanned),
        'orders run where their batch is the planned one, and there alone',
        at,
      )
      if (!isPlanned) {
        this.#carried = []
        this.report.refused++
      }
    }
    const carried = readCarried(state).map(
      ({ id, phase, salt, age }) => `${plain(keyToBytes(id))} ${phase} ${plain(salt)} ${age}`,
    )
    const expected = this.#carried.map(({ id, phase, salt, age }) => `${id} ${phase} ${salt} ${age}`)
    must(carried.join() === expected.join(), 'what is carried is what the model carries', at)
    this.#count(orders, results)
  }

  #count(orders: readonly number[], results: readonly TransactionResult[]): void {
    const { report } = this
    if (orders.length > 0) report.batches++
    report.executed += orders.length
    report.succeeded += orders.filter((place) => results[place]?.code === 0).length
  }

  #votesOf({ content: { transactions, lastCommit } }: CheckedBlock): readonly InjectedVote[] {
    const { votes } = fromBinary(InjectedExtensionsSchema, (transactions[0] as Uint8Array).subarray(1))
    const commits = lastCommit.filter(({ flag }) => flag === 'commit')
    return commits.flatMap(({ validatorAddress, power }, index) => {
      const { extension = EMPTY_BYTES, signature = EMPTY_BYTES } = votes[index] ?? {}
      if (signature.length === 0) {
        this.report.skippedVotes++
        return []
      }
      const said = decodeExtension(extension)
      if (extension.length > 0 && said === undefined) this.report.unreadVotes++
      const { attestations = EMPTY_BYTES, bodies = [] } = said ?? {}
      return [{ validator: bytesToHex(validatorAddress), power, attestations, bodies }]
    })
  }

  /** False where the batch is another one. */
  #checkBatch(last: CheckedBlock, block: CheckedBlock, isInPlace: boolean): boolean {
    const { report } = this
    const { height, lastCommit, transactions } = block.content
    const votes = this.#votesOf(block)
    const total = powerOf(lastCommit)
    const salt = plain(last.content.hash)
    const { bucketMs } = this.#options.parametersAt(height - 1)
    const timeOfH = millisecondsOf(last)
    const obligations = naiveObligations(votes, { total, timeOfH, bucket: bucketMs, salt })
    this.#checkObligations(obligations, votes, { total, timeOfH, block: last.hash, height })
    const list: readonly NaiveId[] = [...this.#carried, ...obligations]
    const bodies = transactions.filter(([byte]) => byte === ORDER_BYTE).map(bodyOf)
    const injected = votes.flatMap((vote) => vote.bodies).filter(([byte]) => byte === ORDER_BYTE)
    report.injectedBodies += injected.length
    const plan = naivePlan(list, bodies, injected.map(bodyOf), this.#limits(height, lastCommit.length))
    if (plan === undefined || !isInPlace) return false
    for (const { hash } of bodies) {
      must(
        !this.#executed.has(hash),
        'no order is executed twice',
        () => `${hash}, ${height} and ${this.#executed.get(hash)}`,
      )
      this.#executed.set(hash, height)
      this.#noteDelay(hash, height)
    }
    for (const id of plan.taken)
      this.#checkTaken(
        list.find((each) => each.id === id),
        height,
      )
    this.#carried = plan.carried
    report.carried += plan.carried.length
    report.obligations += obligations.length
    if (plan.missing === undefined) {
      if (plan.taken.length < list.length) report.full++
      this.#stopsInARow = 0
    } else {
      report.stops++
      this.#stopsInARow++
      report.mostStops = Math.max(report.mostStops, this.#stopsInARow)
    }
    return true
  }

  #noteDelay(hash: string, height: number): void {
    let first = height
    for (const [since, { salt, ids }] of this.#certain) {
      if (since < first && ids.has(naiveId(salt, hash))) first = since
    }
    if (first < height) this.report.delayed++
    this.report.mostDelay = Math.max(this.report.mostDelay, height - first)
  }

  /** More than a third has attested it, so that an honest validator has. */
  #checkTaken(listed: NaiveId | undefined, height: number): void {
    if (this.#options.voters === undefined) return
    const words = this.#words.get(`0x${listed?.salt}`)
    const isAttested = [...(words?.values() ?? [])].some(({ dts }) => dts.has(`${listed?.phase} ${listed?.id}`))
    must(
      isAttested,
      'an honest validator has attested every order that is executed',
      () => `${listed?.id} at ${height}`,
    )
  }

  #checkObligations(
    obligations: readonly NaiveObligation[],
    votes: readonly InjectedVote[],
    { total, timeOfH, block, height }: { total: bigint; timeOfH: number; block: Hex; height: number },
  ): void {
    const { voters } = this.#options
    if (voters === undefined) return
    const { isLiar } = voters
    const honest = votes
      .filter(({ validator }) => !isLiar(validator))
      .map(({ power, attestations }) => ({
        power,
        dts: new Map((naiveDecode(attestations) ?? []).map(({ phase, id, dt }) => [`${phase} ${id}`, dt])),
      }))
    for (const { id, phase, time } of obligations) {
      const attesters = honest.filter(({ dts }) => dts.has(`${phase} ${id}`))
      const times = attesters.map(({ dts }) => timeOfH + (dts.get(`${phase} ${id}`) ?? 0))
      const at = (): string => `${id} of phase ${phase} at ${height}: ${time}, honest ones ${times.join()}`
      must(times.length > 0, 'no obligation is made up', at)
      must(time >= Math.min(...times), 'no time is before the first honest one', at)
      if (powerOf(attesters) * 3n > total) must(time <= Math.max(...times), 'no time is after the last honest one', at)
    }
    must(
      new Set(obligations.map(({ id }) => id)).size === obligations.length,
      'no id is in two phases',
      () => `${height}`,
    )
    const known = new Set(obligations.map(({ id, phase }) => `${phase} ${id}`))
    const certain = { salt: block.slice(2), ids: new Set<string>() }
    this.#certain.set(height, certain)
    this.#certain.delete(height - LONGEST_LOOK)
    for (const [key, power] of this.#honestPowers(voters, block, height)) {
      // Liars and those who missed it together are below a third: whatever votes were left out, it is an obligation.
      if ((total - power) * 3n >= total) continue
      this.report.certain++
      certain.ids.add(key.slice(2))
      must(known.has(key), 'an order that honest validators attest is in the next list', () => `${key} at ${height}`)
    }
    const attested = new Set(votes.flatMap(({ attestations }) => naiveDecode(attestations) ?? []).map(({ id }) => id))
    this.report.ignored += attested.size - obligations.length
  }

  /**
   * The power of the honest validators that attest an id, by phase and id, whether the block has their votes or not.
   */
  #honestPowers({ powerAt }: HonestVoters, block: Hex, height: number): ReadonlyMap<string, bigint> {
    const powers = new Map<string, bigint>()
    for (const { validator, dts } of this.#words.get(block)?.values() ?? []) {
      const power = powerAt(validator, height - 1)
      for (const key of dts.keys()) powers.set(key, (powers.get(key) ?? 0n) + power)
    }
    return powers
  }

  /** The limits of the design, for so many validators. */
  #limits(height: number, validators: number): { readonly bytes: number; readonly weight: number } {
    const { extensionBudgetBytes } = this.#options.parametersAt(Math.max(0, height - 2))
    const { blockWeight } = this.#options.parametersAt(height - 1)
    const cap = Math.min(128 * KIB, Math.max(2 * KIB, Math.floor(extensionBudgetBytes / validators)))
    const injected = validators * (cap + 74) + 8
    return { bytes: Math.min(2 * MIB, 3 * MIB - 192 * KIB - injected), weight: blockWeight }
  }
}
