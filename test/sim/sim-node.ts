/** One application with a database and a world of its own; it can be killed and made again over the same database. */
import { Application } from '../../app/app.ts'
import { APPLICATION_DEFAULTS, type ApplicationSettings } from '../../app/settings.ts'
import type { QuestionName, Questions } from '../../app/ports.ts'
import { CodedError } from '../../core/errors.ts'
import type { Engine } from '../../evm/engine.ts'
import { createEthereumjsEngine } from '../../evm/ethereumjs/create-engine.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { openRocksStore, type RocksStore } from '../../store/rocks/rocks-store.ts'
import type { KeyValueStore } from '../../store/store.ts'

const ROCKS_CACHE_BYTES = 8 * 1024 * 1024

/** Time of the simulation in milliseconds: moves only when the driver moves it. */
export interface VirtualClock {
  nowMs: number
}

export interface SimNodeOptions {
  readonly name: string
  readonly clock: VirtualClock
  /** Directory of a RocksDB; in memory without it. */
  readonly path?: string
  readonly settings?: Partial<ApplicationSettings>
}

let engine: Promise<Engine> | undefined

export class SimNode {
  readonly name: string
  readonly #options: SimNodeOptions
  readonly #engine: Engine
  /** Messages that the engine has run, system calls included: two of those begin every block. */
  executions = 0
  #store: KeyValueStore
  #application: Application
  /** Transactions of the pool's journal: they survive the application. */
  #journal: Uint8Array[] = []
  /** What the application told the operator. */
  readonly warnings: string[] = []

  private constructor(options: SimNodeOptions, engine_: Engine, store: KeyValueStore) {
    this.name = options.name
    this.#options = options
    this.#engine = {
      execute: (...parameters) => {
        this.executions++
        return engine_.execute(...parameters)
      },
      systemCall: (...parameters) => {
        this.executions++
        return engine_.systemCall(...parameters)
      },
    }
    this.#store = store
    this.#application = this.#start()
  }

  static async open(options: SimNodeOptions): Promise<SimNode> {
    engine ??= createEthereumjsEngine()
    return new SimNode(options, await engine, await openStore(options))
  }

  get application(): Application {
    return this.#application
  }
  get store(): KeyValueStore {
    return this.#store
  }

  /** Throws the application away, with everything that it had not committed. */
  async restart(): Promise<void> {
    this.#application.close()
    if (this.#options.path !== undefined) {
      await closeStore(this.#store)
      this.#store = await openStore(this.#options)
    }
    this.#application = this.#start()
  }

  async close(): Promise<void> {
    this.#application.close()
    await closeStore(this.#store)
  }

  /** A question as of the committed head. */
  async ask<Name extends QuestionName>(name: Name, parameters: Questions[Name]): Promise<unknown> {
    return JSON.parse(await this.#application.ask(name, parameters, this.#application.height)) as unknown
  }

  #start(): Application {
    const { clock, settings } = this.#options
    return new Application({
      store: this.#store,
      engine: this.#engine,
      settings: { ...APPLICATION_DEFAULTS, ...settings },
      version: 'simulation',
      environment: {
        clock: { nowMs: () => clock.nowMs },
        yieldToEventLoop: () => Promise.resolve(),
        journal: {
          load: () => this.#journal,
          append: (transaction) => {
            this.#journal.push(transaction)
          },
          rewrite: (transactions) => {
            this.#journal = [...transactions]
          },
        },
        gossip: { offer: () => undefined },
        heavy: { run: () => Promise.reject(new CodedError('simulation', 1, 'there are no worker threads here')) },
        consensusStatus: () => ({ catchingUp: false, peers: 0, highestHeight: 0 }),
        consensusRpc: () => Promise.reject(new CodedError('simulation', 2, 'there is no CometBFT here')),
        log: {
          info: () => undefined,
          warn: (message, fields) => void this.warnings.push(`${message} ${JSON.stringify(fields)}`),
          error: (message, fields) => void this.warnings.push(`${message} ${JSON.stringify(fields)}`),
        },
        announceHeight: () => undefined,
        reached: () => undefined,
        randomId: () => '0x01',
      },
    })
  }
}

const openStore = async ({ path }: SimNodeOptions): Promise<KeyValueStore> =>
  path === undefined ? openMemoryStore() : openRocksStore({ path, cacheBytes: ROCKS_CACHE_BYTES })

const closeStore = async (store: KeyValueStore): Promise<void> => {
  store.close()
  if ('closed' in store) await (store as RocksStore).closed
}
