/** Whoever removes the file of a socket leaves a server that runs and that nobody finds any more. */
import { lstat } from 'node:fs/promises'
import { parseEndpoint } from '../../../core/host-port.ts'

const LOOK_EVERY_MS = 5_000

export interface SocketServer {
  /** Where it listens, with its scheme. */
  readonly address: string
  listenAgain(): void
}

const isGone = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )

/** Has each server whose file is gone listen anew. Returns what ends that. */
export const watchSocketFiles = (
  servers: readonly SocketServer[],
  log: { warn(message: string, fields: Readonly<Record<string, unknown>>): void },
  everyMs = LOOK_EVERY_MS,
): (() => void) => {
  const look = async ({ address, listenAgain }: SocketServer): Promise<void> => {
    const endpoint = parseEndpoint(address)
    if (endpoint === undefined || !('path' in endpoint) || !(await isGone(endpoint.path))) return
    log.warn('the file of a socket was removed: it is made anew', { address })
    listenAgain()
  }
  const timer = setInterval(() => {
    for (const server of servers) void look(server)
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
