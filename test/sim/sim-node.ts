/** One application with a database and a world of its own; it can be killed and made again over the same database. */
import { QueriedApplication } from '../../query/queried-application.ts'
import { APPLICATION_DEFAULTS, type ApplicationSettings } from '../../app/settings.ts'
import type { ChainParameters } from '../../app/records/chain-parameters.ts'
import type {
  BlockStep,
  BridgeKeys,
  BridgeWatch,
  Gossip,
  JournaledOrder,
  OrderJournal,
  PoolJournal,
  SnapshotShelf,
  VoteAnswer,
  VoteAnswers,
} from '../../app/environment.ts'
import type { QuestionName, Questions } from '../../app/ports.ts'
import { type HeavyPool, type ReaderCounts, startHeavyQuestions } from '../../bin/node/runtime/heavy-questions.ts'
import { CodedError, invariant } from '../../core/errors.ts'
import type { Engine, ExecutionOutcome } from '../../evm/engine.ts'
import { createEthereumjsEngine } from '../../evm/reference/create-engine.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { claimFormat } from '../../store/format.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { openRocksStore, type RocksStore } from '../../store/rocks/rocks-store.ts'
import type { KeyValueStore } from '../../store/store.ts'

const ROCKS_CACHE_BYTES = 8 * 1024 * 1024

/** Time of the simulation in milliseconds: moves only when the driver moves it. */
export interface VirtualClock {
  nowMs: number
  /** Milliseconds since 1970; `nowMs` where it is left out. */
  readonly wallMs?: number
}

export interface SimNodeOptions {
  readonly name: string
  readonly clock: VirtualClock
  /** Directory of a RocksDB; in memory without it. */
  readonly path?: string
  readonly settings?: Partial<ApplicationSettings>
  readonly snapshots?: SnapshotShelf
  /** Threads that answer heavy questions, over a RocksDB; such questions fail without. */
  readonly workers?: number
  /** What its genesis file would say. */
  readonly expectedChain?: ChainParameters
  /** Survives restarts; one in memory or at `path` when left out. */
  readonly store?: KeyValueStore
  /** One that never fails when left out. */
  readonly journal?: PoolJournal
  readonly orderJournal?: OrderJournal
  /** Those that survive everything when left out. */
  readonly voteAnswers?: VoteAnswers
  /** Nobody listens when left out. */
  readonly gossip?: Gossip
  /** The engine; every third of the nodes that leave it out runs the reference. */
  readonly engine?: 'interpreter' | 'reference'
  /** The words for failures are stored as the engine says them: of a home that the command line will look at. */
  readonly exactWords?: boolean
  /** What its daemon has read of the external chain; none runs when left out. */
  readonly bridge?: BridgeWatch
  /** With which its validator signs for the bridge; it has none when left out. */
  readonly bridgeKeys?: BridgeKeys
  /** What CometBFT would say. */
  readonly peers?: number
}

/** Every third node runs the reference: where nodes agree on an app hash, so do the engines. */
const REFERENCE_EVERY = 3
let engines: Promise<readonly Engine[]> | undefined
let opened = 0

const loadEngines = async (): Promise<readonly Engine[]> => [
  await createInterpreterEngine(),
  await createEthereumjsEngine(),
]

const chooseEngine = async (named: SimNodeOptions['engine']): Promise<Engine> => {
  engines ??= loadEngines()
  const [interpreter, reference] = await engines
  if (named === undefined) opened++
  const isReference = named === undefined ? opened % REFERENCE_EVERY === 0 : named === 'reference'
  const engine = isReference ? reference : interpreter
  if (engine === undefined) throw new TypeError('an engine is missing')
  return engine
}

/** Nodes compare logs of results too, and the reference has fewer words for running out of gas. */
const coarse = (outcome: ExecutionOutcome): ExecutionOutcome => {
  const failure = outcome.valid ? outcome.result.failure : undefined
  if (!outcome.valid || failure === undefined) return outcome
  const message = failure.message.replace(/out of gas: .*|gas uint64 overflow/, 'out of gas')
  return { ...outcome, result: { ...outcome.result, failure: { ...failure, message } } }
}

/** An engine, by default the interpreter, with the words for failures that the nodes of a simulation store. */
export const createSimulatedEngine = async (named?: Engine): Promise<Engine> => {
  const engine = named ?? (await createInterpreterEngine())
  return {
    execute: (...parameters) => {
      const outcome = engine.execute(...parameters)
      return outcome instanceof Promise ? outcome.then(coarse) : coarse(outcome)
    },
    systemCall: (...parameters) => engine.systemCall(...parameters),
    callContract: (...parameters) => engine.callContract(...parameters),
  }
}

/** Ends a step of a block where {@link SimNode.killAt} says: what the application holds in memory is lost then. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

export class SimNode {
  readonly name: string
  readonly #options: SimNodeOptions
  readonly #engine: Engine
  /** Messages that the engine has run, system calls included: two of those begin every block. */
  executions = 0
  /** The next time that this step is reached, it throws {@link Killed}; restart the node then. */
  killAt: BlockStep | undefined
  #store: KeyValueStore
  #heavy: HeavyPool | undefined
  #application: QueriedApplication
  /** Transactions of the pool's journal: they survive the application. */
  #journal: Uint8Array[] = []
  #orders: JournaledOrder[] = []
  #answers: VoteAnswer[] = []
  /** What the application told the operator. */
  readonly warnings: string[] = []
  /** The part of it that is no warning. */
  readonly errors: string[] = []

  private constructor(options: SimNodeOptions, engine_: Engine, store: KeyValueStore) {
    this.name = options.name
    this.#options = options
    const worded = (outcome: ExecutionOutcome): ExecutionOutcome =>
      options.exactWords === true ? outcome : coarse(outcome)
    this.#engine = {
      execute: (...parameters) => {
        this.executions++
        const outcome = engine_.execute(...parameters)
        return outcome instanceof Promise ? outcome.then(worded) : worded(outcome)
      },
      systemCall: (...parameters) => {
        this.executions++
        return engine_.systemCall(...parameters)
      },
      callContract: (...parameters) => engine_.callContract(...parameters),
    }
    this.#store = store
    this.#application = this.#start()
  }

  static async open(options: SimNodeOptions): Promise<SimNode> {
    return new SimNode(options, await chooseEngine(options.engine), await openStore(options))
  }

  get application(): QueriedApplication {
    return this.#application
  }
  get store(): KeyValueStore {
    return this.#store
  }

  /** Throws the application away, with everything that it had not committed. */
  async restart(): Promise<void> {
    this.#application.close()
    await this.#heavy?.close()
    if (this.#options.path !== undefined) {
      await closeStore(this.#store)
      this.#store = await openStore(this.#options)
    }
    this.#application = this.#start()
  }

  /** The disk has lost the journal of orders; restart the node then. */
  loseOrders(): void {
    this.#orders = []
  }

  async close(): Promise<void> {
    this.#application.close()
    await this.#heavy?.close()
    await closeStore(this.#store)
  }

  /** A question as of the committed head. */
  async ask<Name extends QuestionName>(name: Name, parameters: Questions[Name]): Promise<unknown> {
    return JSON.parse(await this.#application.ask(name, parameters, this.#application.height)) as unknown
  }

  /** What its workers have done; undefined where it has none. */
  get readers(): ReaderCounts | undefined {
    return this.#heavy?.counts
  }

  #startWorkers(): HeavyPool | undefined {
    const { workers = 0, settings, path } = this.#options
    if (workers === 0) return undefined
    invariant(path !== undefined, 'threads share a database on disk')
    const log = { info: () => undefined, warn: () => undefined, error: (text: string) => void this.warnings.push(text) }
    const { handle } = this.#store as RocksStore
    return startHeavyQuestions({ handle, settings: { ...APPLICATION_DEFAULTS, ...settings }, workers, log })
  }

  #start(): QueriedApplication {
    const { clock, settings, snapshots, expectedChain, journal, gossip, peers = 0 } = this.#options
    const { orderJournal, voteAnswers, bridge, bridgeKeys } = this.#options
    this.#heavy = this.#startWorkers()
    return new QueriedApplication({
      store: this.#store,
      engine: this.#engine,
      settings: { ...APPLICATION_DEFAULTS, ...settings },
      version: 'simulation',
      ...(expectedChain === undefined ? {} : { expectedChain }),
      environment: {
        ...(snapshots === undefined ? {} : { snapshots }),
        ...(bridge === undefined ? {} : { bridge }),
        ...(bridgeKeys === undefined ? {} : { bridgeKeys }),
        clock: { nowMs: () => clock.nowMs, wallMs: () => clock.wallMs ?? clock.nowMs },
        yieldToEventLoop: () => Promise.resolve(),
        journal: journal ?? {
          load: () => this.#journal,
          append: (transactions) => void this.#journal.push(...transactions),
          rewrite: (transactions) => {
            this.#journal = [...transactions]
          },
        },
        orderJournal: orderJournal ?? {
          load: () => this.#orders,
          append: (orders) => void this.#orders.push(...orders),
          rewrite: (orders) => {
            this.#orders = [...orders]
          },
        },
        voteAnswers: voteAnswers ?? {
          load: () => this.#answers,
          keep: (answer) => {
            this.#answers = [...this.#answers.filter(({ height }) => height === answer.height), answer]
          },
        },
        gossip: gossip ?? { offer: () => undefined },
        heavy: this.#heavy ?? {
          run: () => Promise.reject(new CodedError('simulation', 1, 'there are no worker threads here')),
        },
        consensusStatus: () => ({ catchingUp: false, peers, highestHeight: 0 }),
        consensusRpc: () => Promise.reject(new CodedError('simulation', 2, 'there is no CometBFT here')),
        log: {
          info: () => undefined,
          warn: (message, fields) => void this.warnings.push(`${message} ${JSON.stringify(fields)}`),
          error: (message, fields) => {
            const text = `${message} ${JSON.stringify(fields)}`
            this.warnings.push(text)
            this.errors.push(text)
          },
        },
        announceHeight: (height) => this.#heavy?.announceHeight(height),
        reached: (step) => {
          if (this.killAt !== step) return
          this.killAt = undefined
          throw new Killed(step)
        },
        randomId: () => '0x01',
      },
    })
  }
}

/** Opens the store as a node opens its database. */
const openStore = async ({ path, store: given }: SimNodeOptions): Promise<KeyValueStore> => {
  if (given !== undefined) return given
  if (path === undefined) return openMemoryStore()
  const store = await openRocksStore({ path, cacheBytes: ROCKS_CACHE_BYTES })
  claimFormat(store, path)
  return store
}

const closeStore = async (store: KeyValueStore): Promise<void> => {
  store.close()
  if ('closed' in store) await (store as RocksStore).closed
}
