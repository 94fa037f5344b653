/**
 * Whose question is being answered. It follows the question through every promise to the workers' queue (AsyncLocalStorage),
 * so that nothing between them, which answers all alike, has to pass it on.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { AnsweringApplication, Asker } from '../../../app/ports.ts'

/** Gateways themselves, and CometBFT's RPC, which tells nobody's address. */
const NOBODY: Asker = { client: '', connection: '', onGone: () => () => undefined }

const asking = new AsyncLocalStorage<Asker>()

export const currentAsker = (): Asker => asking.getStore() ?? NOBODY

/** The application, which remembers who asks. */
export const withAskers = (application: AnsweringApplication): AnsweringApplication => ({
  ask: (name, parameters, head, asker = NOBODY) => asking.run(asker, () => application.ask(name, parameters, head)),
  askText: (name, parameters, head, asker = NOBODY) =>
    asking.run(asker, () => application.askText(name, parameters, head)),
  askEncoded: (name, parameters, head, asker = NOBODY) =>
    asking.run(asker, () => application.askEncoded(name, parameters, head)),
  subscribe: (listener) => application.subscribe(listener),
})
