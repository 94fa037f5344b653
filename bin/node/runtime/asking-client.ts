/**
 * Whose question is being answered. It follows the question through every promise to the workers' queue (AsyncLocalStorage),
 * so that nothing between them, which answers all alike, has to pass it on.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { QueryApplication } from '../../../app/ports.ts'

/** Of gateways themselves, and of CometBFT's RPC, which tells nobody's address. */
const NOBODY = ''

const asking = new AsyncLocalStorage<string>()

export const askingClient = (): string => asking.getStore() ?? NOBODY

/** The application, which remembers who asks. */
export const withClients = (application: QueryApplication): QueryApplication => ({
  ask: (name, parameters, head, client = NOBODY) => asking.run(client, () => application.ask(name, parameters, head)),
  subscribe: (listener) => application.subscribe(listener),
})
