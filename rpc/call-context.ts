/** What methods are called with: the application as of the head that is shown, and the texts that never change. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HeadTracker, ReachableApplication } from './head.ts'
import { createInclusionWatch } from './inclusion.ts'
import type { GatewayLog } from './log.ts'
import type { CallContext, Method } from './method.ts'
import { describeMethods } from './rpc/describe-methods.ts'
import type { GatewaySettings } from './settings.ts'

const describeVersion = (version: string): string =>
  `${version}/${process.platform}-${process.arch}/node${process.versions.node}`

/** Those that are always served beside geth's are told of where the settings name them: clients compare the answer with geth's. */
const describeModules = (methods: ReadonlyMap<string, Method>, api: readonly string[]): string => {
  const served = new Set([...methods.keys()].map((name) => name.slice(0, name.indexOf('_'))))
  const names = [...served].filter((name) => name !== 'clob' || api.includes(name))
  return JSON.stringify(Object.fromEntries(names.sort().map((name) => [name, '1.0'])))
}

/** `methods` are those that are served. */
export const createContext = (
  settings: GatewaySettings,
  application: ReachableApplication,
  head: HeadTracker,
  methods: ReadonlyMap<string, Method>,
  log: GatewayLog,
): CallContext => {
  const ask: CallContext['ask'] = (name, parameters, asker) =>
    application.ask(name, parameters, head.current().head.height, asker)
  const askText: CallContext['askText'] = (name, parameters, asker) =>
    application.askText(name, parameters, head.current().head.height, asker)
  let description: string | undefined
  return {
    head,
    ask,
    askText,
    inclusion: createInclusionWatch({ head, ask, log }),
    clientVersion: JSON.stringify(describeVersion(settings.version)),
    modules: describeModules(methods, settings.api),
    description: () => (description ??= describeMethods([...methods.values()], settings.version)),
    onGone: () => () => undefined,
    takeTurn: async (work) => {
      await nextTurn()
      return work()
    },
  }
}
