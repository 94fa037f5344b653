/** Runs the real CometBFT in a temporary home, for tests. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { invariant } from '../../core/errors.ts'

/**
 * Follows the rule of scripts/environment.sh: $COMETBFT_BINARY, then the PATH, then what "make setup" has built; else
 * undefined.
 */
export const findCometbft = (): string | undefined => {
  const { status, stdout } = spawnSync('sh', ['-c', '. scripts/environment.sh && find_cometbft'], {
    cwd: join(import.meta.dirname, '..', '..'),
    encoding: 'utf8',
  })
  return status === 0 ? stdout.trim() : undefined
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  invariant(bound !== null && typeof bound !== 'string', 'a port was bound')
  server.close()
  await once(server, 'close')
  return bound.port
}

export interface CometHome {
  readonly folder: string
  remove(): void
}

/** A chain of one validator; vote extensions are on from the first height. */
export const createCometHome = (binary: string): CometHome => {
  const folder = mkdtempSync(join(tmpdir(), 'abci-comet-'))
  execFileSync(binary, ['init', '--home', folder], { stdio: 'ignore' })
  const path = join(folder, 'config', 'genesis.json')
  const genesis = JSON.parse(readFileSync(path, 'utf8')) as {
    consensus_params: { abci: { vote_extensions_enable_height: string } }
  }
  genesis.consensus_params.abci.vote_extensions_enable_height = '1'
  writeFileSync(path, JSON.stringify(genesis))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export interface Comet {
  readonly rpcPort: number
  readonly process: ChildProcess
  /** Everything that it has logged. */
  log(): string
  stop(signal: NodeJS.Signals): Promise<void>
}

export const startComet = async (
  binary: string,
  home: CometHome,
  application: string,
  transport: 'socket' | 'grpc' = 'socket',
): Promise<Comet> => {
  const rpcPort = await freePort()
  const child = spawn(
    binary,
    [
      'start',
      '--home',
      home.folder,
      '--abci',
      transport,
      '--proxy_app',
      application,
      '--rpc.laddr',
      `tcp://127.0.0.1:${rpcPort}`,
      '--p2p.laddr',
      'tcp://127.0.0.1:0',
    ],
    { env: { ...process.env, CMT_CONSENSUS_TIMEOUT_COMMIT: '20ms' }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let log = ''
  child.stdout.on('data', (text) => (log += String(text)))
  child.stderr.on('data', (text) => (log += String(text)))
  const exited = once(child, 'exit')
  return {
    rpcPort,
    process: child,
    log: () => log,
    async stop(signal) {
      child.kill(signal)
      await exited
    },
  }
}

/** Resolves when CometBFT announces block `height`. */
export const waitForBlock = (rpcPort: number, height: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${rpcPort}/websocket`)
    const query = { jsonrpc: '2.0', id: 1, method: 'subscribe', params: { query: "tm.event='NewBlock'" } }
    socket.addEventListener('open', () => socket.send(JSON.stringify(query)))
    socket.addEventListener('error', () => reject(new TypeError('the WebSocket of CometBFT failed')))
    socket.addEventListener('message', ({ data }) => {
      const seen = /"height":"(\d+)"/.exec(String(data))?.[1]
      if (seen === undefined || Number(seen) < height) return
      socket.close()
      resolve()
    })
  })
