/** The application with its desk: what CometBFT drives and gateways ask. */
import { Application, type ApplicationOptions } from '../app/app.ts'
import { invariant } from '../core/errors.ts'
import { type Text, textToString } from '../core/text.ts'
import type {
  AbciQueryRequest,
  AbciQueryResponse,
  Announcement,
  AnsweringApplication,
  ConsensusApplication,
  EncodedParameters,
  Head,
  QuestionName,
  Questions,
} from '../app/ports.ts'
import { Announcer, headOf } from './announcer.ts'
import { QuestionDesk } from './desk.ts'

export class QueriedApplication extends Application implements ConsensusApplication, AnsweringApplication {
  readonly #environment: ApplicationOptions['environment']
  readonly #announcer = new Announcer()
  readonly #desk: QuestionDesk

  constructor(options: ApplicationOptions) {
    super(options)
    const { environment, settings, engine } = options
    this.#environment = environment
    const { mempool, orders, ...source } = this.source
    this.#desk = new QuestionDesk({
      ...source,
      settings,
      environment,
      engine,
      pool: mempool.pool,
      waiting: orders,
      committedHeight: () => this.height,
      submit: (raw) => mempool.submit(raw),
      submitOrder: (raw) => orders.submit(raw),
      broadcast: (raw) => this.broadcast(raw),
      failedNative: (hash) => mempool.failedNative(hash),
      announcer: this.#announcer,
    })
    this.listen({
      committed: (block) => this.#desk.committed(block),
      head: (isNew) => this.#announcer.head(this.#head(), isNew),
      executable: (hash) => this.#announcer.transaction(hash),
      wiped: () => this.#desk.forget(),
    })
  }

  async abciQuery(request: AbciQueryRequest): Promise<AbciQueryResponse> {
    return this.#desk.abciQuery(request)
  }

  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name], head: number): string | Promise<string> {
    const text = this.askText(name, parameters, head)
    return text instanceof Promise ? text.then(textToString) : textToString(text)
  }

  askText<Name extends QuestionName>(name: Name, parameters: Questions[Name], head: number): Text | Promise<Text> {
    return this.#desk.ask(name, parameters, head)
  }

  askEncoded(name: QuestionName, parameters: EncodedParameters, head: number): Text | Promise<Text> {
    return this.#desk.askEncoded(name, parameters, head)
  }

  subscribe(listener: (announcement: Announcement) => void): () => void {
    return this.#announcer.subscribe(listener, this.source.head() === undefined ? undefined : this.#head())
  }

  /** Closes the open views of old heights; call it before the database is closed. */
  close(): void {
    this.#desk.close()
  }

  #head(): Head {
    const { head, parameters } = this.source
    const record = head()
    invariant(record !== undefined, 'a chain without a head')
    const { evmChainId, chainId } = parameters()
    const { catchingUp } = this.#environment.consensusStatus()
    const daemons = this.#environment.daemons?.()
    return headOf(record, { evmChainId: Number(evmChainId), chainId, catchingUp, ...(daemons && { daemons }) })
  }
}
