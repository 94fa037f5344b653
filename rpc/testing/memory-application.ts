/** A double of the application's port: answers from a table, and lets tests push announcements. */
import { textToString } from '../../core/text.ts'
import type { Announcement, AnsweringApplication, Asker, Head, QuestionName, Questions } from '../../app/ports.ts'

export interface Asked {
  readonly name: QuestionName
  readonly parameters: unknown
  readonly head: number
}

export interface MemoryApplication extends AnsweringApplication {
  connected: boolean
  onConnection(listener: () => void): () => void
  readonly asked: Asked[]
  /** Who asked each of them. */
  readonly askers: (Asker | undefined)[]
  /** The answer of every question without one of its own. */
  answers: Partial<{ [Name in QuestionName]: (parameters: Questions[Name]) => string | Promise<string> }>
  announce(announcement: Announcement): void
  /** Announces the next head. */
  commit(changes?: Partial<Head>): Head
}

export const exampleHead = (height: number, changes: Partial<Head> = {}): Head => ({
  height,
  hash: `0x${height.toString(16).padStart(64, '0')}`,
  header: `{"number":"0x${height.toString(16)}"}`,
  logCount: 0,
  evmChainId: 1337,
  chainId: 'localnat-1',
  catchingUp: false,
  ...changes,
})

export const createMemoryApplication = (height = 7): MemoryApplication => {
  const listeners = new Set<(announcement: Announcement) => void>()
  const connectionListeners = new Set<() => void>()
  let connected = true
  let head = exampleHead(height)
  const application: MemoryApplication = {
    get connected() {
      return connected
    },
    set connected(value) {
      connected = value
      for (const listener of connectionListeners) listener()
    },
    onConnection(listener) {
      connectionListeners.add(listener)
      return () => connectionListeners.delete(listener)
    },
    asked: [],
    askers: [],
    answers: {},
    ask(name, parameters, asOf, asker) {
      application.asked.push({ name, parameters, head: asOf })
      application.askers.push(asker)
      const answer = application.answers[name] as ((parameters: unknown) => string | Promise<string>) | undefined
      return answer === undefined ? 'null' : answer(parameters)
    },
    askText: (name, parameters, asOf, asker) => application.ask(name, parameters, asOf, asker),
    askEncoded: (name, { encoded }, asOf, asker) =>
      application.ask(name, JSON.parse(textToString(encoded)) as Questions[typeof name], asOf, asker),
    subscribe(listener) {
      listeners.add(listener)
      listener({ type: 'head', head, isNew: false })
      return () => listeners.delete(listener)
    },
    announce(announcement) {
      if (announcement.type === 'head') head = announcement.head
      for (const listener of listeners) listener(announcement)
    },
    commit(changes) {
      application.announce({ type: 'head', head: exampleHead(head.height + 1, changes), isNew: true })
      return head
    },
  }
  return application
}
