/** Questions about the external chain, each answered by a majority of the endpoints. */
import type { BridgeContract } from '../../core/bridge-event.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex, quantityToHex } from '../../core/hex.ts'
import {
  BRIDGE_TOPIC,
  type BlockName,
  type LoggedEvent,
  readBlock,
  readChainId,
  readHasCode,
  readLogs,
  readSyncing,
} from './chain-answers.ts'
import type { CallLimits, Endpoint } from './endpoint.ts'
import { daemonError, isFault } from './errors.ts'
import { askQuorum, LATE_MS, majorityOf, type Question } from './quorum.ts'

const MEGABYTE = 1024 * 1024
/** A block names its transactions by hash: some 70 kB of a thousand. */
const SHORT: CallLimits = { maxBytes: 2 * MEGABYTE, timeoutMs: 10_000 }
/** Some 500 events: what is parsed at once decides how much memory the daemon takes. */
const LOGS: CallLimits = { maxBytes: MEGABYTE / 2, timeoutMs: 20_000 }
/** A block can hold this much of logs at today's gas, in hexadecimal digits, and cannot be asked for in parts. */
const LOGS_OF_A_BLOCK: CallLimits = { maxBytes: 16 * MEGABYTE, timeoutMs: 20_000 }
/** How often each endpoint is asked whether it is of the right chain and has its head. */
const IDENTITY_MS = 60_000

/** What one endpoint has answered, read; faults that the reading finds get the endpoint's name. */
const ask = async <T>(
  endpoint: Endpoint,
  method: string,
  parameters: readonly unknown[],
  limits: CallLimits,
  read: (value: unknown) => T,
): Promise<T> => {
  const value = await endpoint.call(method, parameters, limits)
  try {
    return read(value)
  } catch (error) {
    if (!isFault(error, 'malformed') || !(error instanceof CodedError)) throw error
    throw daemonError('malformed', `${endpoint.name}: malformed answer to ${method}: ${error.message}`)
  }
}

const blockAt = async (endpoint: Endpoint, tag: string): Promise<BlockName> => {
  const block = await ask(endpoint, 'eth_getBlockByNumber', [tag, false], SHORT, readBlock)
  if (block === undefined) throw daemonError('malformed', `${endpoint.name}: has no block ${tag}`)
  return block
}

const keyOfLogs = (logs: readonly LoggedEvent[]): string => {
  const texts = logs.map(({ event, blockHash, logIndex }) => [
    ...[event.id, `${event.amount}`, bytesToHex(event.from), bytesToHex(event.recipient)],
    ...[bytesToHex(event.dataHash), `${event.externalHeight}`, blockHash, logIndex],
  ])
  return `${logs.length} events with hash ${bytesToHex(keccak256(utf8ToBytes(JSON.stringify(texts))))}`
}

/** The finalized block of the majority, and who has it. */
export interface Finality {
  readonly block: BlockName
  readonly endpoints: readonly Endpoint[]
  /** Who claims to have come as far, and has not said yet which block it is. */
  readonly late: readonly Endpoint[]
}

export class ChainReader {
  readonly #endpoints: readonly Endpoint[]
  /** The time until which an endpoint is known to be of a chain, and at its head. */
  readonly #identified = new Map<Endpoint, { readonly chainId: bigint; readonly untilMs: number }>()
  /** The newest finalized height that each endpoint has claimed, be it after the others had agreed: a slow one counts, too. */
  readonly #claims = new Map<Endpoint, { readonly chainId: bigint; readonly height: number }>()
  readonly #lateMs: number
  #complaints = new Map<string, string>()

  constructor(endpoints: readonly Endpoint[], lateMs = LATE_MS) {
    this.#endpoints = endpoints
    this.#lateMs = lateMs
  }

  /** What was wrong, since the last call, with endpoints that the majority did without. */
  takeComplaints(): readonly string[] {
    const complaints = [...this.#complaints.values()]
    this.#complaints = new Map()
    return complaints
  }

  /** The highest finalized block that a majority has reached and agrees on. */
  async finality(chainId: bigint): Promise<Finality> {
    await this.#quorum(this.#endpoints, {
      what: 'the finalized block',
      ask: (endpoint) => this.#claim(endpoint, chainId),
      keyOf: () => 'it has one',
    })
    const claims = [...this.#claims].filter(([, claim]) => claim.chainId === chainId)
    const sorted = claims.map(([, { height }]) => height).toSorted((a, b) => b - a)
    const height = sorted[majorityOf(this.#endpoints.length) - 1] ?? 0
    const able = claims.filter(([, claim]) => claim.height >= height).map(([endpoint]) => endpoint)
    const { value, agreed, silent } = await this.#quorum(able, this.#blockAt(height))
    return { block: value, endpoints: agreed, late: silent }
  }

  /** The hash of a block that is finalized. */
  async hashAt(finality: Finality, height: number): Promise<string> {
    return (await this.#askFinal(finality, this.#blockAt(height))).hash
  }

  hasCode(finality: Finality, contract: BridgeContract, height: number): Promise<boolean> {
    const parameters = [bytesToHex(contract.address), quantityToHex(height)]
    return this.#askFinal(finality, {
      what: `the code of the contract at block ${height}`,
      ask: (endpoint) => ask(endpoint, 'eth_getCode', parameters, SHORT, readHasCode),
      keyOf: String,
    })
  }

  /** Both ends are finalized blocks. Rejects with `limited` or `tooLarge` where fewer blocks may be answered. */
  logs(finality: Finality, contract: BridgeContract, from: number, to: number): Promise<readonly LoggedEvent[]> {
    const filter = {
      address: bytesToHex(contract.address),
      topics: [BRIDGE_TOPIC],
      fromBlock: quantityToHex(from),
      toBlock: quantityToHex(to),
    }
    const limits = from === to ? LOGS_OF_A_BLOCK : LOGS
    const read = (value: unknown): readonly LoggedEvent[] => readLogs(contract, from, to, value)
    return this.#askFinal(finality, {
      what: `the logs of blocks ${from} to ${to}`,
      ask: (endpoint) => ask(endpoint, 'eth_getLogs', [filter], limits, read),
      keyOf: keyOfLogs,
    })
  }

  #blockAt(height: number): Question<Endpoint, BlockName> {
    return {
      what: `block ${height}`,
      ask: async (endpoint) => {
        const block = await blockAt(endpoint, quantityToHex(height))
        if (block.number === height) return block
        throw daemonError('malformed', `${endpoint.name}: answers block ${block.number} for block ${height}`)
      },
      keyOf: ({ hash }) => hash,
    }
  }

  async #claim(endpoint: Endpoint, chainId: bigint): Promise<void> {
    try {
      await this.#identify(endpoint, chainId)
      this.#claims.set(endpoint, { chainId, height: (await blockAt(endpoint, 'finalized')).number })
    } catch (error) {
      this.#claims.delete(endpoint)
      throw error
    }
  }

  /**
   * Asks those who agree about the finalized block; where that brings no majority, because one of them lies or refuses, the late ones as well. They must
   * have that block, and so all blocks before it.
   */
  async #askFinal<T>({ block, endpoints, late }: Finality, question: Question<Endpoint, T>): Promise<T> {
    try {
      return (await this.#quorum(endpoints, question)).value
    } catch (error) {
      if (late.length === 0) throw error
    }
    const { ask: askAnother } = this.#blockAt(block.number)
    const asked = async (endpoint: Endpoint): Promise<T> => {
      if (late.includes(endpoint) && (await askAnother(endpoint)).hash !== block.hash) {
        throw daemonError('malformed', `${endpoint.name}: has another block ${block.number} than the majority`)
      }
      return await question.ask(endpoint)
    }
    return (await this.#quorum([...endpoints, ...late], { ...question, ask: asked })).value
  }

  async #identify(endpoint: Endpoint, chainId: bigint): Promise<void> {
    const known = this.#identified.get(endpoint)
    if (known?.chainId === chainId && performance.now() < known.untilMs) return
    const own = await ask(endpoint, 'eth_chainId', [], SHORT, readChainId)
    if (own !== chainId) {
      throw daemonError('wrongChain', `${endpoint.name}: is of chain ${own}, and the bridge is on chain ${chainId}`)
    }
    if (await ask(endpoint, 'eth_syncing', [], SHORT, readSyncing)) {
      throw daemonError('syncing', `${endpoint.name}: is still syncing`)
    }
    this.#identified.set(endpoint, { chainId, untilMs: performance.now() + IDENTITY_MS })
  }

  async #quorum<T>(voters: readonly Endpoint[], question: Question<Endpoint, T>) {
    const counted = async (endpoint: Endpoint): Promise<T> => {
      try {
        return await question.ask(endpoint)
      } catch (error) {
        // What stands behind its address may have been replaced.
        if (isFault(error, 'unreachable')) this.#identified.delete(endpoint)
        throw error
      }
    }
    const agreement = await askQuorum(voters, this.#endpoints.length, { ...question, ask: counted }, this.#lateMs)
    for (const [name, complaint] of agreement.complaints) this.#complaints.set(name, complaint)
    return agreement
  }
}
