/**
 * CometBFT as a child: started again when it dies, when it answers no more, and also when its consensus has stopped while
 * the process lives on.
 * Its gRPC client does not end it when a call fails, as the socket's does.
 */
import type { NodeLog } from '../runtime/log.ts'
import { rpcUrl } from '../runtime/rpc-url.ts'
import { COMETBFT_POLICY, keepRunning, type Supervised } from './keep-running.ts'
import { watchHealth } from './life-signs.ts'
import type { CometbftPlan } from './messages.ts'

export interface CometbftOptions extends CometbftPlan {
  /** The address as the ABCI server names it. */
  readonly proxyApp: string
  readonly log: NodeLog
  onLine(line: string): void
  onGivenUp(error: Error): void
}

/** It answers this question from memory, in milliseconds. */
const MOST_FAILURES = 6

/**
 * The line in both of its log formats. What peers send stands behind the message, or escaped, and cannot look like
 * this.
 */
const CONSENSUS_STOPPED = /^E\[[^\]]*\] CONSENSUS FAILURE!!!|"_msg":"CONSENSUS FAILURE!!!"/

/**
 * Variables of Go, each unless the operator says another one. A tenth of CometBFT's time under load was garbage
 * collection: with twice the room it is half of that, for some 50 MB. That room grows with what lived at the last
 * collection, and at rest the next one may be two minutes away: after answers for clients, such as large blocks, it
 * kept 600 MB. Above the limit it collects at once and gives back; it is soft, so what a large network needs it takes.
 */
const RUNTIME = { GOGC: process.env['GOGC'] ?? '200', GOMEMLIMIT: process.env['GOMEMLIMIT'] ?? '384MiB' }

/** It does not remove the socket of a run before it, and cannot listen there then. */
const tidySocket = (path: string) => async (): Promise<void> => {
  const { removeStaleSocket } = await import('../../../abci/endpoint.ts')
  await removeStaleSocket(path)
}

export const runCometbft = (options: CometbftOptions): Supervised => {
  const { log, signerSocket } = options
  const onLine = (line: string): void => {
    options.onLine(line)
    if (!CONSENSUS_STOPPED.test(line)) return
    log.error('the consensus of cometbft has stopped: cometbft is started again', { line })
    void supervised.restart(line)
  }
  const supervised = keepRunning(
    {
      name: 'cometbft',
      command: options.binary,
      args: [
        ...['start', '--home', options.home],
        ...['--abci', options.transport, '--proxy_app', options.proxyApp],
        ...['--rpc.laddr', options.rpc, '--p2p.laddr', options.p2p],
        ...['--p2p.seeds', options.seeds, '--p2p.persistent_peers', options.persistentPeers],
      ],
      environment: RUNTIME,
      hasSettings: false,
      ...(signerSocket === undefined ? {} : { beforeStart: tidySocket(signerSocket) }),
      watchLife: watchHealth({ url: `${rpcUrl(options.rpc)}/health`, mostFailures: MOST_FAILURES }),
      onLine,
    },
    COMETBFT_POLICY,
    log,
    options.onGivenUp,
  )
  return supervised
}
