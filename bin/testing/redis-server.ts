/** A Redis of the machine for tests: that of the PATH, or the one that scripts/setup.sh brings. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'

const VERSION = '6.2.912183'
const READY = 'Ready to accept connections'
const MOST_OUTPUT = 10_000
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

/** Redis says when it listens. One that does not within the limit is ended. */
const untilReady = async (child: ChildProcessByStdio<null, Readable, null>, binary: string): Promise<void> => {
  const timer = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS)
  const ready = new Promise<void>((resolve) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      output = `${output}${part}`.slice(-MOST_OUTPUT)
      if (output.includes(READY)) resolve()
    })
  })
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new TypeError(`${binary} did not start`)))
  })
  try {
    await Promise.race([ready, ended])
  } finally {
    clearTimeout(timer)
  }
}

/** It keeps nothing, and ends with this process or before. */
export const startRedis = async (binary: string): Promise<RedisServer> => {
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const where = ['--port', String(port), '--bind', '127.0.0.1']
    const made = spawn(binary, [...where, '--save', '', '--appendonly', 'no'], { stdio: ['ignore', 'pipe', 'ignore'] })
    child = made
    await untilReady(made, binary)
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
