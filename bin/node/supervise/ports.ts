/** Which ports the node needs, and whether they are free. */
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatHostPort, type HostPort } from '../../../core/host-port.ts'
import { cliError } from '../../errors.ts'

export interface Listener {
  /** Such as "JSON-RPC". */
  readonly purpose: string
  readonly address: HostPort
  /** The key that moves it, and where it stands. */
  readonly setting: string
}

/** Throws what the system says of an address that it does not have. */
export const isFreePort = async ({ host, port }: HostPort): Promise<boolean> => {
  const server = createServer()
  return await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** Children of a node that was killed end within two seconds: a start right after it waits for their ports. */
const PATIENCE_MS = 3_000
const RETRY_MS = 50

const describeTaken = async ({ purpose, address, setting }: Listener): Promise<string | undefined> => {
  if (address.port === 0) return undefined
  const free = await isFreePort(address).catch((error: unknown) => {
    throw cliError(
      'portInUse',
      `cannot listen on ${formatHostPort(address)} (${purpose}; ${setting}): ${String(error)}`,
    )
  })
  return free ? undefined : `port ${address.port} (${purpose}) is in use; ${setting} moves it`
}

/** Throws cli/6 and names every port that stays taken, and what moves it. */
export const requireFreePorts = async (listeners: readonly Listener[]): Promise<void> => {
  const deadlineMs = performance.now() + PATIENCE_MS
  for (;;) {
    const taken: string[] = []
    for (const listener of listeners) {
      const text = await describeTaken(listener)
      if (text !== undefined) taken.push(text)
    }
    if (taken.length === 0) return
    if (performance.now() > deadlineMs) throw cliError('portInUse', taken.join('\n'))
    await sleep(RETRY_MS)
  }
}

/** Addresses that every interface of the machine answers on. */
export const isExposed = ({ host }: HostPort): boolean => host === '0.0.0.0' || host === '::'
