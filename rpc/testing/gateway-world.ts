/** A gateway before an application in memory, which a test starts and starts anew. */
import { invariant } from '../../core/errors.ts'
import { startGateway, type Gateway } from '../gateway.ts'
import { SILENT_LOG, type GatewayLog } from '../log.ts'
import { GATEWAY_DEFAULTS, type GatewaySettings } from '../settings.ts'
import { createMemoryApplication, type MemoryApplication } from './memory-application.ts'

type Server = 'address' | 'wsAddress' | 'restAddress' | 'grpcAddress'

const NO_SERVERS: Readonly<Record<Server, undefined>> = {
  address: undefined,
  wsAddress: undefined,
  restAddress: undefined,
  grpcAddress: undefined,
}

export class GatewayWorld {
  readonly #server: Server
  #application: MemoryApplication | undefined
  #gateway: Gateway | undefined

  /** It has this server alone, unless a test starts it with others. */
  constructor(server: Server) {
    this.#server = server
  }

  get application(): MemoryApplication {
    invariant(this.#application !== undefined, 'the application was started')
    return this.#application
  }

  get gateway(): Gateway {
    invariant(this.#gateway !== undefined, 'the gateway was started')
    return this.#gateway
  }

  async start(changes: Partial<GatewaySettings> = {}, log: GatewayLog = SILENT_LOG): Promise<void> {
    this.#application = createMemoryApplication()
    const settings = { ...GATEWAY_DEFAULTS, ...NO_SERVERS, [this.#server]: '127.0.0.1:0' }
    this.#gateway = await startGateway({ ...settings, ...changes }, this.#application, log)
  }

  async restart(changes: Partial<GatewaySettings>, log?: GatewayLog): Promise<void> {
    await this.gateway.close()
    await this.start(changes, log)
  }
}
