/** Both ends of the stream between gateway and application, over real sockets. */
import { EventEmitter } from 'node:events'
import { connect, type Socket } from 'node:net'
import { askerOn } from '../asker.ts'
import {
  connectApplication,
  type ConnectApplicationOptions,
  type RemoteApplication,
} from '../stream/connect-application.ts'
import { serveQueries, type QueryServer, type ServeQueriesOptions } from '../stream/serve-queries.ts'
import { createMemoryApplication } from './memory-application.ts'

const open: { close(): Promise<void> }[] = []

/** To be ended by {@link closeAll}. */
export const closeLater = (end: { close(): Promise<void> }): void => void open.push(end)

/** Ends all that was begun, what came last first. */
export const closeAll = async (): Promise<void> => {
  for (const end of open.splice(0).reverse()) await end.close()
}

/** The application's side, on a port of loopback. */
export const serve = async (
  application = createMemoryApplication(),
  options: Partial<ServeQueriesOptions> = {},
): Promise<QueryServer> => {
  const server = await serveQueries({ address: 'tcp://127.0.0.1:0', application, ...options })
  closeLater(server)
  return server
}

/** A gateway's side, once it is connected. */
export const joinAs = async (
  address: string,
  options: Partial<ConnectApplicationOptions> = {},
): Promise<RemoteApplication> => {
  const remote = connectApplication({ address, reconnectMs: { first: 5, most: 20 }, ...options })
  closeLater(remote)
  await remote.whenConnected()
  return remote
}

/** Clients that leave when they are told to. */
export const askers = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const socket = new EventEmitter()
    return { ...askerOn(socket, '192.0.2.1'), connection: `c${index}`, leave: () => void socket.emit('close') }
  })

export const rawConnection = (address: string): Socket => {
  const socket = connect(Number(address.split(':').at(-1)), '127.0.0.1')
  socket.on('error', () => {})
  return socket
}

export const ended = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()))
