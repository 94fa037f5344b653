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
import { askQuorum, majorityOf } from './quorum.ts'

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
}

export class ChainReader {
  readonly #endpoints: readonly Endpoint[]
  /** The time until which an endpoint is known to be of a chain, and at its head. */
  readonly #identified = new Map<Endpoint, { readonly chainId: bigint; readonly untilMs: number }>()
  #complaints = new Map<string, string>()

  constructor(endpoints: readonly Endpoint[]) {
    this.#endpoints = endpoints
  }

  /** What was wrong, since the last call, with endpoints that the majority did without. */
  takeComplaints(): readonly string[] {
    const complaints = [...this.#complaints.values()]
    this.#complaints = new Map()
    return complaints
  }

  /** The highest finalized block that a majority has reached and agrees on. */
  async finality(chainId: bigint): Promise<Finality> {
    const heights = new Map<Endpoint, number>()
    await this.#quorum(
      this.#endpoints,
      'the finalized block',
      async (endpoint) => {
        await this.#identify(endpoint, chainId)
        heights.set(endpoint, (await blockAt(endpoint, 'finalized')).number)
      },
      () => 'it has one',
    )
    const sorted = [...heights.values()].toSorted((a, b) => b - a)
    const height = sorted[majorityOf(this.#endpoints.length) - 1] ?? 0
    const able = [...heights].filter(([, at]) => at >= height).map(([endpoint]) => endpoint)
    const { value, agreed } = await this.#blockOf(able, height)
    return { block: value, endpoints: agreed }
  }

  /** The hash of a block that is finalized. */
  async hashAt({ endpoints }: Finality, height: number): Promise<string> {
    return (await this.#blockOf(endpoints, height)).value.hash
  }

  async hasCode({ endpoints }: Finality, contract: BridgeContract, height: number): Promise<boolean> {
    const parameters = [bytesToHex(contract.address), quantityToHex(height)]
    const what = `the code of the contract at block ${height}`
    const { value } = await this.#quorum(
      endpoints,
      what,
      (endpoint) => ask(endpoint, 'eth_getCode', parameters, SHORT, readHasCode),
      String,
    )
    return value
  }

  /** Both ends are finalized blocks. Rejects with `limited` or `tooLarge` where fewer blocks may be answered. */
  async logs(
    { endpoints }: Finality,
    contract: BridgeContract,
    from: number,
    to: number,
  ): Promise<readonly LoggedEvent[]> {
    const filter = {
      address: bytesToHex(contract.address),
      topics: [BRIDGE_TOPIC],
      fromBlock: quantityToHex(from),
      toBlock: quantityToHex(to),
    }
    const limits = from === to ? LOGS_OF_A_BLOCK : LOGS
    const read = (value: unknown): readonly LoggedEvent[] => readLogs(contract, from, to, value)
    const { value } = await this.#quorum(
      endpoints,
      `the logs of blocks ${from} to ${to}`,
      (endpoint) => ask(endpoint, 'eth_getLogs', [filter], limits, read),
      keyOfLogs,
    )
    return value
  }

  #blockOf(endpoints: readonly Endpoint[], height: number) {
    return this.#quorum(
      endpoints,
      `block ${height}`,
      async (endpoint) => {
        const block = await blockAt(endpoint, quantityToHex(height))
        if (block.number === height) return block
        throw daemonError('malformed', `${endpoint.name}: answers block ${block.number} for block ${height}`)
      },
      ({ hash }) => hash,
    )
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

  async #quorum<T>(
    voters: readonly Endpoint[],
    what: string,
    question: (endpoint: Endpoint) => Promise<T>,
    keyOf: (value: T) => string,
  ) {
    const counted = async (endpoint: Endpoint): Promise<T> => {
      try {
        return await question(endpoint)
      } catch (error) {
        // What stands behind its address may have been replaced.
        if (isFault(error, 'unreachable')) this.#identified.delete(endpoint)
        throw error
      }
    }
    const agreement = await askQuorum(voters, this.#endpoints.length, what, counted, keyOf)
    for (const [name, complaint] of agreement.complaints) this.#complaints.set(name, complaint)
    return agreement
  }
}
