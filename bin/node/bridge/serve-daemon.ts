/**
 * The application's side of the bridge's daemon: a socket in the home that only its owner can open. The daemon connects, is told what to
 * watch, and tells events and its health. What it tells is kept in memory alone, for the application to ask.
 */
import { chmodSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { removeStaleSocket } from '../../../abci/endpoint.ts'
import type { BridgeWatch } from '../../../app/environment.ts'
import type { DaemonHealth } from '../../../app/ports.ts'
import type { BridgeContract } from '../../../core/bridge-event.ts'
import { errorText } from '../../../core/errors.ts'
import {
  FrameReader,
  type HealthMessage,
  PROTOCOL_VERSION,
  readFromDaemon,
  writeToDaemon,
} from '../../../daemons/bridge/protocol.ts'
import { cliError } from '../../errors.ts'
import type { NodeLog } from '../runtime/log.ts'
import { EventRing } from './event-ring.ts'
import { HealthClock, STEP_MS } from './health-clock.ts'
import type { BridgeOptions } from './options.ts'

export const BRIDGE_DAEMON = 'bridge'
/** One, and the next one, which takes its place. */
const MAX_CONNECTIONS = 2
const LOG_PAUSE_MS = 60_000
const MOST_UNREAD_BYTES = 1024 * 1024

export interface ServeDaemonOptions extends BridgeOptions {
  /** Path of the socket. */
  readonly path: string
  readonly log: NodeLog
  /** Told once, when the daemon was unhealthy for too long. */
  onUnhealthy(reason: string): void
}

export interface DaemonServer extends BridgeWatch {
  health(): DaemonHealth
  /** Told when the daemon becomes healthy, or unhealthy, or has another error. */
  onChange(listener: () => void): void
  close(): Promise<void>
}

class ListeningDaemonServer implements DaemonServer {
  readonly #options: ServeDaemonOptions
  readonly #ring = new EventRing()
  readonly #clock: HealthClock
  readonly #server: Server
  readonly #timer: NodeJS.Timeout
  #socket: Socket | undefined
  #last: HealthMessage | undefined
  #listener: () => void = () => undefined
  #known = ''
  #wasHealthy: boolean | undefined
  #loggedMs = Number.NEGATIVE_INFINITY
  #isOver = false

  constructor(options: ServeDaemonOptions) {
    this.#options = options
    this.#clock = new HealthClock({
      name: BRIDGE_DAEMON,
      maxUnhealthySeconds: options.maxUnhealthySeconds,
      nowMs: () => performance.now(),
      wallMs: () => Date.now(),
    })
    this.#server = createServer((socket) => this.#accept(socket))
    this.#server.maxConnections = MAX_CONNECTIONS
    this.#timer = setInterval(() => this.#step(), STEP_MS)
  }

  async listen(): Promise<void> {
    const { path, log } = this.#options
    // That of a killed node; one that runs keeps its own.
    await removeStaleSocket(path)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = `${path} is open in another process: is "chain start" running with this home?`
      reject(error.code === 'EADDRINUSE' ? cliError('homeInUse', inUse) : error)
    })
    // The file has its mode from its first moment.
    const mask = process.umask(0o177)
    try {
      this.#server.listen(path, resolve)
    } finally {
      process.umask(mask)
    }
    await promise
    chmodSync(path, 0o600)
    this.#server.removeAllListeners('error')
    this.#server.on('error', (error) => log.error('the socket of the bridge daemon', { error: error.message }))
  }

  follow(contract: BridgeContract | undefined, nextId: number): void {
    if (this.#ring.follow(contract, nextId)) this.#tellWhatToWatch()
  }

  events(contract: BridgeContract, from: number, max: number): ReturnType<BridgeWatch['events']> {
    return this.#ring.events(contract, from, max)
  }

  health(): DaemonHealth {
    const { warnings = [], finalized, scanned, memory } = this.#last ?? {}
    return {
      ...this.#clock.health(),
      warnings,
      ...(finalized === undefined ? {} : { finalizedBlock: finalized }),
      ...(scanned === undefined ? {} : { nextBlock: scanned }),
      ...(memory === undefined ? {} : { memoryBytes: memory }),
    }
  }

  onChange(listener: () => void): void {
    this.#listener = listener
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#socket?.destroy()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  #accept(socket: Socket): void {
    // A daemon that was killed may still look alive here: the newest one counts.
    this.#socket?.destroy()
    this.#socket = socket
    const reader = new FrameReader()
    socket.on('data', (chunk) => {
      try {
        for (const message of reader.push(chunk)) this.#hear(message)
      } catch (error) {
        this.#report(errorText(error))
        socket.destroy()
      }
    })
    // Its end follows, and the supervisor starts another one.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined
    })
    this.#tellWhatToWatch()
  }

  #hear(value: unknown): void {
    const message = readFromDaemon(value)
    if (message.type === 'events') return this.#ring.take(message.contract, message.isFirst, message.events)
    this.#last = message
    this.#report(this.#ring.contradiction === undefined ? message.error : errorText(this.#ring.contradiction))
  }

  #tellWhatToWatch(): void {
    const socket = this.#socket
    if (socket === undefined) return
    // It does not read: it is told anew when it connects again.
    if (socket.writableLength > MOST_UNREAD_BYTES) return void socket.destroy()
    const { endpoints } = this.#options
    const { contract, nextId } = this.#ring
    socket.write(writeToDaemon({ type: 'follow', version: PROTOCOL_VERSION, endpoints, contract, nextId }))
  }

  #report(error: string | undefined): void {
    this.#clock.report(error)
    this.#noteChange()
  }

  #step(): void {
    const verdict = this.#clock.step()
    this.#noteChange()
    if (verdict === undefined || this.#isOver) return
    this.#isOver = true
    this.#options.onUnhealthy(verdict)
  }

  #noteChange(): void {
    const { healthy, error = '', since } = this.#clock.health()
    const warnings = this.#last?.warnings ?? []
    const text = JSON.stringify([healthy, error, warnings])
    if (text === this.#known) return
    const isFirst = this.#known === ''
    this.#known = text
    this.#listener()
    // It turned, or has something new to say, though not every second.
    const nowMs = performance.now()
    if (healthy === this.#wasHealthy && nowMs - this.#loggedMs < LOG_PAUSE_MS) return
    this.#wasHealthy = healthy
    this.#loggedMs = nowMs
    if (!healthy) this.#options.log.warn('the bridge daemon is unhealthy', { since, error })
    else if (warnings.length > 0) this.#options.log.warn('the bridge daemon goes on', { warnings })
    else if (!isFirst) this.#options.log.info('the bridge daemon is healthy')
  }
}

/** Rejects when the socket cannot be made. */
export const serveDaemon = async (options: ServeDaemonOptions): Promise<DaemonServer> => {
  const server = new ListeningDaemonServer(options)
  try {
    await server.listen()
  } catch (error) {
    await server.close()
    throw error
  }
  return server
}
