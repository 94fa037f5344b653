/** Whether a node runs with a home, asked without opening its database. */
import { connect } from 'node:net'
import { parseEndpoint } from '../../core/host-port.ts'
import type { Home } from './config/home.ts'

/** True while a node listens on the home's socket for gateways: from before its first block until it has stopped. */
export const isNodeRunning = async ({ queriesSocket }: Home): Promise<boolean> => {
  const endpoint = parseEndpoint(queriesSocket)
  if (endpoint === undefined) return false
  return await new Promise<boolean>((resolve) => {
    const probe = connect(endpoint)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    // Nobody has listened there yet, or a killed node has left its socket behind.
    probe.once('error', () => resolve(false))
  })
}
