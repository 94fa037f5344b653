/** Opens the application of a home: database, engine, journal, gossip. */
import { randomBytes } from 'node:crypto'
import { Application } from '../../app/app.ts'
import type { ConsensusStatus } from '../../app/environment.ts'
import { CodedError } from '../../core/errors.ts'
import { bytesToHex } from '../../core/hex.ts'
import { createEthereumjsEngine } from '../../evm/ethereumjs/create-engine.ts'
import { openRocksStore, type RocksStore } from '../../store/rocks/rocks-store.ts'
import { toApplicationSettings } from '../config/application-settings.ts'
import { cliError } from '../errors.ts'
import { reachedStep } from '../runtime/kill-point.ts'
import { createGossip } from '../runtime/gossip.ts'
import { fetchRoute, rpcUrl } from '../runtime/comet-rpc.ts'
import { startHeavyQuestions } from '../runtime/heavy-questions.ts'
import type { NodeLog } from '../runtime/log.ts'
import { openPoolJournal } from '../runtime/pool-journal.ts'
import { VERSION } from '../version.ts'
import type { NodeConfiguration } from './load-node.ts'

/** RocksDB's block cache. */
const CACHE_BYTES = 512 * 1024 * 1024

export interface OpenApplication {
  readonly application: Application
  setConsensusStatus(status: ConsensusStatus): void
  close(): Promise<void>
}

/** setImmediate runs after input and output: a run of resolved promises alone would starve both. */
const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const openStore = async (path: string): Promise<RocksStore> => {
  try {
    return await openRocksStore({ path, cacheBytes: CACHE_BYTES })
  } catch (error) {
    if (error instanceof CodedError && /lock/i.test(error.message)) {
      throw cliError('homeInUse', `${path} is open in another process: is "chain start" running with this home?`)
    }
    throw error
  }
}

/** A database of another chain is refused before CometBFT could meet it. */
const requireSameChain = (application: Application, { home, genesis }: NodeConfiguration): void => {
  const { parameters } = application
  if (parameters === undefined) return
  const held = `${parameters.chainId} (EVM chain id ${parameters.evmChainId})`
  const wanted = `${genesis.chainId} (EVM chain id ${genesis.evmChainId})`
  if (held !== wanted) {
    throw cliError(
      'wrongChain',
      `${home.database} holds ${held}, but ${home.genesis} is of ${wanted}: use another home`,
    )
  }
}

export const openApplication = async (configuration: NodeConfiguration, log: NodeLog): Promise<OpenApplication> => {
  const { home, comet, settings } = configuration
  const store = await openStore(home.database)
  const journal = openPoolJournal(home.poolJournal, (error) => {
    log.error('the journal of the pool cannot be flushed', { reason: error.message })
  })
  const gossip = createGossip(rpcUrl(comet.rpc), log)
  const applicationSettings = toApplicationSettings(settings)
  const heavy = startHeavyQuestions({ handle: store.handle, settings: applicationSettings, log })
  let status: ConsensusStatus = { catchingUp: true, peers: 0, highestHeight: 0 }
  const closeAll = async (): Promise<void> => {
    await gossip.close()
    await heavy.close()
    journal.close()
    store.close()
    await store.closed
  }
  try {
    const application = new Application({
      store,
      engine: await createEthereumjsEngine(),
      settings: applicationSettings,
      version: VERSION,
      environment: {
        clock: { nowMs: () => performance.now() },
        yieldToEventLoop,
        journal,
        gossip,
        heavy,
        consensusStatus: () => status,
        consensusRpc: (route) => fetchRoute(comet.rpc, route),
        log,
        announceHeight: (height) => heavy.announceHeight(height),
        reached: reachedStep,
        randomId: () => bytesToHex(randomBytes(16)),
      },
    })
    // Open views are cursors of the database, which must not outlive it.
    const close = async (): Promise<void> => {
      application.close()
      await closeAll()
    }
    requireSameChain(application, configuration)
    return {
      application,
      setConsensusStatus: (next) => {
        status = next
        application.refreshStatus()
      },
      close,
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}
