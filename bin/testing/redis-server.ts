/** A Redis of the machine for tests: that of the PATH, or the one that scripts/setup.sh brings. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { createServer, type AddressInfo, connect } from 'node:net'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const VERSION = '6.2.912183'
const POLL_MS = 20
const START_LIMIT_MS = 20_000

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Undefined, with a line that says so, where there is none. */
export const findRedis = (): string | undefined => {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const held = join(cache, 'nat-chain', `redis-${VERSION}`, 'redis-server')
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = [...folders.map((folder) => join(folder, 'redis-server')), held].find(isExecutable)
  if (found === undefined)
    console.log(`skipped: no redis-server on the PATH, and ${held} is missing: "make test" brings it`)
  return found
}

export interface RedisServer {
  readonly url: string
  stop(): Promise<void>
  start(): Promise<void>
}

const freePort = async (): Promise<number> => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** It keeps nothing, and ends with this process or before. */
export const startRedis = async (binary: string): Promise<RedisServer> => {
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const where = ['--port', String(port), '--bind', '127.0.0.1']
    child = spawn(binary, [...where, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' })
    const deadline = performance.now() + START_LIMIT_MS
    while (!(await isOpen(port))) {
      if (child.exitCode !== null || performance.now() > deadline) throw new TypeError(`${binary} did not start`)
      await sleep(POLL_MS)
    }
  }
  const stop = async (): Promise<void> => {
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    child = undefined
    await ended
  }
  await start()
  return { url: `redis://127.0.0.1:${port}`, start, stop }
}
