/** Opens the application of a home: database, engine, journal, gossip. */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { QueriedApplication } from '../../query/queried-application.ts'
import type { ChainParameters } from '../../app/records/chain-parameters.ts'
import type { ConsensusStatus } from '../../app/environment.ts'
import type { NodeWitness } from './runtime/node-witness.ts'
import { type Meter, SILENT_METER } from '../../core/meter.ts'
import { readCommittedHeight } from '../../app/index/chain-reader.ts'
import { bytesToHex } from '../../core/hex.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { readBridgeKeys, toBridgeKeys } from './bridge/bridge-keys.ts'
import { requireGenesisOf } from './genesis/kept-genesis.ts'
import type { DaemonServer } from './bridge/serve-daemon.ts'
import { toApplicationSettings } from './config/application-settings.ts'
import { cliError } from '../errors.ts'
import { reachedStep } from './runtime/kill-point.ts'
import { createGossip } from './runtime/gossip.ts'
import { fetchReply, readReply } from './runtime/comet-rpc.ts'
import { ConsensusReplies } from './runtime/consensus-replies.ts'
import { rpcUrl } from './runtime/rpc-url.ts'
import { startHeavyQuestions } from './runtime/heavy-questions.ts'
import { startHistory } from './runtime/history.ts'
import type { PartLog } from './runtime/log.ts'
import { warnOfOpenFiles } from './runtime/open-files.ts'
import { openVoteAnswers } from './runtime/vote-answers.ts'
import { openOrderJournal } from './runtime/order-journal.ts'
import { openPoolJournal } from './runtime/pool-journal.ts'
import { createSignatureThread } from './runtime/signature-thread.ts'
import { startSnapshots } from './runtime/snapshots.ts'
import { startSweeper } from './runtime/sweeper.ts'
import { VERSION } from '../version.ts'
import type { NodeConfiguration } from './load-node.ts'
import { registerApplicationFigures } from './metrics/application-figures.ts'
import { BlockFigures } from './metrics/block-figures.ts'
import { registerDatabaseFigures } from './metrics/database-figures.ts'
import { openDatabase } from './open-database.ts'
import { joinWitnesses } from './witnesses.ts'

export interface OpenApplication {
  readonly application: QueriedApplication
  setConsensusStatus(status: ConsensusStatus): void
  close(): Promise<void>
}

/** setImmediate runs after input and output: a run of resolved promises alone would starve both. */
const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A database of another chain is refused before CometBFT could meet it. */
const requireSameChain = (application: QueriedApplication, { home, genesis }: NodeConfiguration): void => {
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

/** What the database of a node with this genesis holds as its chain. */
export const chainOf = (genesis: NodeConfiguration['genesis']): ChainParameters => {
  const { chainId, evmChainId, initialHeight, hardforks } = genesis
  return { chainId, evmChainId, initialHeight, hardforks }
}

export interface OpenApplicationOptions {
  readonly configuration: NodeConfiguration
  readonly log: PartLog
  /** Is told when the database failed: what is read from it can be trusted no longer, and the node must end. */
  readonly onFault: (error: Error) => void
  /** Left out where no daemon of the bridge runs. */
  readonly bridge?: DaemonServer | undefined
  /** Left out where nobody asks for figures. */
  readonly meter?: Meter
  /** Left out where no transactions are traced. */
  readonly traces?: NodeWitness | undefined
}

export const openApplication = async (options: OpenApplicationOptions): Promise<OpenApplication> => {
  const { configuration, log, onFault, bridge, meter = SILENT_METER, traces } = options
  const { home, comet, settings } = configuration
  const bridgeKeys = toBridgeKeys(readBridgeKeys(home))
  const cacheBytes = settings['database.cache-mb'] * 1024 * 1024
  const store = await openDatabase(home.database, { cacheBytes, onFault })
  warnOfOpenFiles(home.database, log.of('database'))
  const journal = openPoolJournal(home.poolJournal, (error) => {
    log.of('pool').error('the journal of the pool cannot be flushed', { reason: error.message })
  })
  const orderJournal = openOrderJournal(home.orderJournal, (error) => {
    log.of('orders').error('the journal of orders cannot be flushed', { reason: error.message })
  })
  const voteAnswers = openVoteAnswers(home.voteAnswers)
  const gossip = createGossip(rpcUrl(comet.rpc), log.of('gossip'))
  const applicationSettings = toApplicationSettings(settings)
  // Before the threads: where its folder cannot be read the node ends, which threads that run would keep it from.
  const snapshots = startSnapshots({
    handle: store.handle,
    folder: home.snapshots,
    interval: settings['state-sync.snapshot-interval'],
    keepRecent: settings['state-sync.snapshot-keep-recent'],
    head: readCommittedHeight(store) ?? 0,
    log: log.of('snapshots'),
  })
  const heavy = startHeavyQuestions({
    handle: store.handle,
    settings: applicationSettings,
    log: log.of('questions'),
    onFault,
  })
  const signatures = availableParallelism() > 1 ? createSignatureThread({ log: log.of('pool') }) : undefined
  const sweeper = startSweeper({ store, log: log.of('database'), onFault })
  const history = settings['clob.history-enable']
    ? startHistory({ handle: store.handle, log: log.of('history'), onFault })
    : undefined
  let status: ConsensusStatus = { catchingUp: true, peers: 0, highestHeight: 0 }
  const closeAll = async (): Promise<void> => {
    await gossip.close()
    await heavy.close()
    await signatures?.close()
    await sweeper.close()
    await history?.close()
    await snapshots.close()
    journal.close()
    orderJournal.close()
    voteAnswers.close()
    store.close()
    await store.closed
  }
  const figures = meter === SILENT_METER ? [] : [new BlockFigures(meter, () => performance.now())]
  const witness = joinWitnesses(log, traces === undefined ? figures : [...figures, traces])
  const replies = new ConsensusReplies({
    fetch: (route) => fetchReply(comet.rpc, route),
    read: readReply,
    // Half of the processors are left to blocks and to all other questions.
    searches: Math.max(1, Math.floor(availableParallelism() / 2)),
  })
  try {
    const application = new QueriedApplication({
      store,
      engine: await createInterpreterEngine(),
      settings: applicationSettings,
      version: VERSION,
      ...(witness && { witness }),
      expectedChain: chainOf(configuration.genesis),
      checkGenesis: (request) => requireGenesisOf(home, request),
      environment: {
        clock: { nowMs: () => performance.now(), wallMs: () => Date.now() },
        yieldToEventLoop,
        journal,
        orderJournal,
        voteAnswers,
        gossip,
        heavy,
        ...(signatures && { signatures }),
        ...(bridgeKeys && { bridgeKeys }),
        ...(bridge && { bridge, daemons: () => [bridge.health()] }),
        consensusStatus: () => status,
        consensusRpc: (route, accepts) => replies.ask(route, accepts),
        log: log.of('consensus'),
        ...(witness && { witness }),
        announceHeight: (height) => heavy.announceHeight(height),
        reached: reachedStep,
        snapshots: snapshots.shelf,
        oldestSnapshotHeight: () => snapshots.oldestHeight(),
        randomId: () => bytesToHex(randomBytes(16)),
      },
    })
    registerApplicationFigures(meter, {
      source: application.source,
      consensusStatus: () => status,
      daemons: () => (bridge === undefined ? [] : [bridge.health()]),
      questions: () => heavy.load,
    })
    registerDatabaseFigures(meter, store, home.database)
    // Open views are cursors of the database, which must not outlive it.
    const close = async (): Promise<void> => {
      application.close()
      await closeAll()
    }
    requireSameChain(application, configuration)
    application.subscribe(({ type }) => {
      if (type !== 'head') return
      sweeper.committed()
      history?.committed()
    })
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
