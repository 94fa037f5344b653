/** A gateway's native port and native gRPC before a double of the application, for one test file. */
import { create, fromBinary, toBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { afterEach, beforeEach } from 'vitest'
import { startGateway, type Gateway } from '../gateway.ts'
import { SILENT_LOG } from '../log.ts'
import { GATEWAY_DEFAULTS, type GatewaySettings } from '../settings.ts'
import { createMemoryApplication, type MemoryApplication } from './memory-application.ts'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

export class NativeGateway {
  readonly application: MemoryApplication
  readonly #gateway: Gateway

  private constructor(application: MemoryApplication, gateway: Gateway) {
    this.application = application
    this.#gateway = gateway
  }

  static async start(changes: Partial<GatewaySettings> = {}): Promise<NativeGateway> {
    const application = createMemoryApplication()
    const native = { restAddress: '127.0.0.1:0', grpcAddress: '127.0.0.1:0' }
    const settings = { ...GATEWAY_DEFAULTS, ...native, address: undefined, wsAddress: undefined }
    const gateway = await startGateway({ ...settings, ...changes }, application, SILENT_LOG)
    return new NativeGateway(application, gateway)
  }

  get url(): string {
    return `http://${this.#gateway.restAddress}`
  }

  get grpcAddress(): string {
    return this.#gateway.grpcAddress ?? ''
  }

  /** Every native question is answered with this message. */
  answerWith<Type extends DescMessage>(type: Type, message: MessageInitShape<Type> = {} as never): void {
    this.application.answers.native = () => JSON.stringify(base64(toBinary(type, create(type, message))))
  }

  failWith(error: Error): void {
    this.application.answers.native = () => {
      throw error
    }
  }

  async get(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const response = await fetch(`${this.url}${path}`, { headers, method })
    const { status } = response
    return { status, height: response.headers.get('x-cosmos-block-height'), text: await response.text() }
  }

  async post(path: string, body: string) {
    const response = await fetch(`${this.url}${path}`, { method: 'POST', body })
    return { status: response.status, text: await response.text() }
  }

  /** The question that was asked last, its request decoded. */
  asked<Type extends DescMessage>(type: Type): { path: string; height: number; message: object } {
    const { parameters } = this.application.asked.at(-1) ?? {}
    const {
      path = '',
      data = '',
      height = -1,
    } = (parameters ?? {}) as Partial<Record<'path' | 'data', string>> & {
      height?: number
    }
    const { $typeName: _, ...message } = fromBinary(type, Buffer.from(data, 'base64'))
    return { path, height, message }
  }

  async close(): Promise<void> {
    await this.#gateway.close()
  }
}

/** One for each test of a file. */
export const useNativeGateway = (settings: Partial<GatewaySettings> = {}): (() => NativeGateway) => {
  let gateway: NativeGateway | undefined
  beforeEach(async () => {
    gateway = await NativeGateway.start(settings)
  })
  afterEach(async () => await gateway?.close())
  return () => {
    if (gateway === undefined) throw new TypeError('the gateway was started')
    return gateway
  }
}
