/** What the application is when somebody asks: its head, pools, order book, consensus, daemons. */
import type { ConsensusStatus } from '../../../app/environment.ts'
import type { ChainSource } from '../../../app/chain-source.ts'
import type { DaemonHealth } from '../../../app/ports.ts'
import type { Meter, Reading } from '../../../core/meter.ts'
import { readConsensusParameters } from '../../../modules/consensus/index.ts'
import { readMaxBlockWeight } from '../../../modules/weight/index.ts'

/** Questions that wait for a worker, that workers answer, and whose asker has gone. */
export interface QuestionLoad {
  readonly waiting: number
  readonly running: number
  readonly cancelled: number
}

export interface ApplicationFiguresOptions {
  readonly source: ChainSource
  consensusStatus(): ConsensusStatus
  daemons(): readonly DaemonHealth[]
  questions(): QuestionLoad
}

type Value = () => number | undefined

const ofValue =
  (value: Value): (() => readonly Reading[]) =>
  () => {
    const read = value()
    return read === undefined ? [] : [[read]]
  }

const registerHead = (meter: Meter, { head, latest, baseFeePerGas }: ChainSource): void => {
  const gauge = (name: string, help: string, value: Value): void => meter.gauge({ name, help }, ofValue(value))
  gauge('nat_block_height', 'Height of the committed head', () => head()?.header.number)
  gauge('nat_block_timestamp_seconds', 'Time of the committed head, in seconds since 1970', () => {
    const record = head()
    return record && Number(record.timeNs) / 1e9
  })
  gauge('nat_block_gas_limit', 'Gas that a block may use', () =>
    head() === undefined ? undefined : readConsensusParameters(latest()).block.maxGas,
  )
  gauge('nat_block_weight_limit', 'Weight that a block may have, in nanoseconds', () =>
    head() === undefined ? undefined : readMaxBlockWeight(latest()),
  )
  gauge('nat_base_fee_anat', 'Base fee of the next block, in anat for a gas', () =>
    head() === undefined ? undefined : Number(baseFeePerGas()),
  )
}

const registerPools = (meter: Meter, { mempool, orders }: ChainSource): void => {
  meter.gauge(
    {
      name: 'nat_pool_transactions',
      help: 'Transactions in the pool that the next block could hold (executable), and others (waiting)',
      labels: ['state'],
    },
    () => [
      [mempool.pool.executableCount, 'executable'],
      [mempool.pool.waitingCount, 'waiting'],
    ],
  )
  meter.gauge({ name: 'nat_pool_bytes', help: 'Bytes of a pool (transactions, orders)', labels: ['pool'] }, () => [
    [mempool.pool.bytes, 'transactions'],
    [orders.pool.bytes, 'orders'],
  ])
  meter.gauge({ name: 'nat_order_pool_orders', help: 'Orders that wait for a block' }, () => [[orders.pool.size]])
}

const registerBook = (meter: Meter, { books }: ChainSource): void => {
  meter.gauge({ name: 'nat_clob_markets', help: 'Markets of the order book that have been used' }, () => [
    [books().markets().length],
  ])
  meter.gauge(
    { name: 'nat_clob_open_orders', help: 'Open orders of the order book by market', labels: ['market'] },
    () =>
      books()
        .markets()
        .map((market) => [market.orders.size, String(market.id)]),
  )
}

const registerConsensus = (meter: Meter, consensusStatus: () => ConsensusStatus): void => {
  meter.gauge({ name: 'nat_consensus_catching_up', help: '1 while CometBFT fetches old blocks' }, () => [
    [consensusStatus().catchingUp ? 1 : 0],
  ])
  meter.gauge({ name: 'nat_consensus_peers', help: 'Peers of CometBFT' }, () => [[consensusStatus().peers]])
}

const registerDaemons = (meter: Meter, daemons: () => readonly DaemonHealth[]): void => {
  const labels = ['daemon'] as const
  const gauge = (name: string, help: string, value: (daemon: DaemonHealth) => number | undefined): void =>
    meter.gauge({ name, help, labels }, () =>
      daemons().flatMap((daemon): readonly Reading<typeof labels>[] => {
        const read = value(daemon)
        return read === undefined ? [] : [[read, daemon.name]]
      }),
    )
  gauge('nat_daemon_healthy', '1 while a daemon reports no error', ({ healthy }) => (healthy ? 1 : 0))
  gauge('nat_daemon_unhealthy_since_seconds', 'Since when a daemon is unhealthy, in seconds since 1970', ({ since }) =>
    since === undefined ? undefined : Date.parse(since) / 1_000,
  )
  gauge('nat_daemon_warnings', 'What a daemon does without for now', ({ warnings }) => warnings.length)
  gauge('nat_daemon_finalized_block', 'Finalized block of the external chain', (daemon) => daemon.finalizedBlock)
  gauge('nat_daemon_next_block', 'Block of the external chain that is read next', (daemon) => daemon.nextBlock)
  gauge('nat_daemon_memory_bytes', 'Memory of a daemon', (daemon) => daemon.memoryBytes)
}

const registerQuestions = (meter: Meter, questions: ApplicationFiguresOptions['questions']): void => {
  meter.gauge(
    {
      name: 'nat_questions',
      help: 'Questions of gateways that wait for a worker, and that workers answer (running)',
      labels: ['state'],
    },
    () => {
      const { waiting, running } = questions()
      return [
        [waiting, 'waiting'],
        [running, 'running'],
      ]
    },
  )
  meter.counted({ name: 'nat_questions_cancelled_total', help: 'Questions whose asker had gone' }, () => [
    [questions().cancelled],
  ])
}

export const registerApplicationFigures = (meter: Meter, options: ApplicationFiguresOptions): void => {
  const { source } = options
  registerHead(meter, source)
  registerPools(meter, source)
  registerBook(meter, source)
  registerConsensus(meter, () => options.consensusStatus())
  registerDaemons(meter, () => options.daemons())
  registerQuestions(meter, () => options.questions())
}
