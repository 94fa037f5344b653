/** Which ports the node needs, and whether they are free. */
import { createServer } from 'node:net'
import { cliError } from '../errors.ts'
import { formatHostPort, type HostPort } from '../config/kinds.ts'

export interface Listener {
  /** Such as "JSON-RPC". */
  readonly purpose: string
  readonly address: HostPort
  /** The key that moves it, and where it stands. */
  readonly setting: string
}

const isFree = async ({ host, port }: HostPort): Promise<boolean> => {
  const server = createServer()
  return await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** Throws cli/6 and names every port that is taken, and what moves it. */
export const requireFreePorts = async (listeners: readonly Listener[]): Promise<void> => {
  const taken: string[] = []
  for (const { purpose, address, setting } of listeners) {
    if (address.port === 0) continue
    const free = await isFree(address).catch((error: unknown) => {
      throw cliError(
        'portInUse',
        `cannot listen on ${formatHostPort(address)} (${purpose}; ${setting}): ${String(error)}`,
      )
    })
    if (!free) taken.push(`port ${address.port} (${purpose}) is in use; ${setting} moves it`)
  }
  if (taken.length > 0) throw cliError('portInUse', taken.join('\n'))
}

/** Addresses that every interface of the machine answers on. */
export const isExposed = ({ host }: HostPort): boolean => host === '0.0.0.0' || host === '::'
