/** A chain that is asked over its native interfaces, and the transcript of what it answered. */
import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
  type MessageInitShape,
  toBinary,
  toJson,
} from '@bufbuild/protobuf'
import { Client, credentials, type ServiceError } from '@grpc/grpc-js'
import { concatBytes } from '../../../core/bytes.ts'
import { keccak256 } from '../../../core/hash.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../../core/hex.ts'
import { baseAbci, ethSecp256k1, tx, txSigning } from '../../../proto/index.ts'
import { createTypeRegistry, methodPath, NATIVE_SERVICES } from '../../../rpc/native/services.ts'
import { until } from '../harness.ts'
import { type Actor, CHAIN_ID } from './native-accounts.ts'
import { stripEvents, stripValue, type WireEvent } from './native-strip.ts'

export interface Exchange {
  readonly title: string
  readonly reply: unknown
}

export interface Packed {
  readonly typeUrl: string
  readonly value: Uint8Array
}

export const pack = <Desc extends DescMessage>(schema: Desc, message: MessageInitShape<Desc>): Packed => ({
  typeUrl: `/${schema.typeName}`,
  value: toBinary(schema, create(schema, message)),
})

interface Coin {
  readonly denom: string
  readonly amount: string
}

export interface TxOptions {
  readonly gas?: bigint
  /** 4 gwei a gas when left out. */
  readonly fee?: readonly Coin[]
  readonly memo?: string
  readonly timeoutHeight?: bigint
  readonly chainId?: string
  /** The offset that is added to the account's own sequence. */
  readonly sequenceOffset?: number
  readonly accountOffset?: bigint
  readonly signatures?: (signature: Uint8Array) => readonly Uint8Array[]
}

const GAS = 400_000n
const GAS_PRICE = 4_000_000_000n
const registry = createTypeRegistry(NATIVE_SERVICES)

const compress = (publicKey: Hex): Uint8Array => {
  const point = hexToBytes(publicKey)
  return concatBytes(Uint8Array.of(2 + ((point[64] ?? 0) & 1)), point.subarray(1, 33))
}

interface Included {
  readonly tx: unknown
  readonly tx_response: {
    readonly code: number
    readonly codespace: string
    readonly data: string
    readonly raw_log: string
    readonly events: readonly WireEvent[]
    readonly height: string
  }
}

export interface NativeUrls {
  readonly rest: string
  readonly comet: string
  /** host:port */
  readonly grpc: string
}

export class NativePeer {
  readonly transcript: Exchange[] = []
  readonly urls: NativeUrls
  readonly #grpc: Client
  readonly #titles = new Map<string, number>()

  constructor(urls: NativeUrls) {
    this.urls = urls
    this.#grpc = new Client(urls.grpc, credentials.createInsecure())
  }

  close(): void {
    this.#grpc.close()
  }

  record(title: string, reply: unknown): void {
    const times = (this.#titles.get(title) ?? 0) + 1
    this.#titles.set(title, times)
    this.transcript.push({ title: times === 1 ? title : `${title} (${times})`, reply })
  }

  async rest<T = unknown>(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const options =
      body === undefined ? {} : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }
    const response = await fetch(`${this.urls.rest}${path}`, { ...options, headers })
    const text = await response.text()
    const hasHeight = response.headers.get('x-cosmos-block-height') !== null
    return {
      status: response.status,
      hasHeight,
      type: response.headers.get('content-type'),
      body: JSON.parse(text) as T,
    }
  }

  /** Notes what GET on each path answers. */
  async notePaths(...paths: readonly string[]): Promise<void> {
    for (const path of paths) this.record(`GET ${path}`, stripValue(await this.rest(path)))
  }

  async notePost(title: string, path: string, body: unknown): Promise<void> {
    this.record(`POST ${path} ${title}`, stripValue(await this.rest(path, body)))
  }

  async comet<T>(route: string): Promise<T> {
    const reply = (await (await fetch(`${this.urls.comet}/${route}`)).json()) as { result?: T; error?: unknown }
    if (reply.result === undefined) throw new TypeError(`${route}: ${JSON.stringify(reply.error)}`)
    return reply.result
  }

  /** Asks by path, or by a method with its request. */
  async noteQuery(path: string, data = new Uint8Array(0), height = 0n): Promise<void> {
    const route = `abci_query?path=${encodeURIComponent(JSON.stringify(path))}&data=0x${Buffer.from(data).toString('hex')}&height=${height}`
    const { response } = await this.comet<{ response: Record<string, unknown> }>(route)
    const { code, codespace, log, info, index, key, value, proofOps } = response
    // What is in it, gRPC shows.
    const known = { code, codespace, log, info, index, key, hasValue: value !== null && value !== '', proofOps }
    const shown = `${path} ${Buffer.from(data).toString('hex').slice(0, 16)}${height === 0n ? '' : ` at ${height}`}`
    this.record(`abci_query ${shown}`, stripValue(known))
  }

  async noteGrpc(method: DescMethod, request: Record<string, unknown>): Promise<void> {
    const { input, output } = method
    const reply = await new Promise<unknown>((resolve) => {
      this.#grpc.makeUnaryRequest(
        methodPath(method),
        (bytes: Uint8Array) => Buffer.from(bytes),
        (bytes: Buffer) => bytes,
        toBinary(input, create(input, request)),
        (error: ServiceError | null, bytes) => {
          if (error !== null) resolve({ code: error.code, details: error.details })
          else
            resolve(
              toJson(output, fromBinary(output, bytes ?? Buffer.alloc(0)), {
                registry,
                useProtoFieldName: true,
                alwaysEmitImplicit: true,
              }),
            )
        },
      )
    })
    const shown = JSON.stringify(request, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
    this.record(`gRPC ${methodPath(method)} ${shown}`, stripValue(reply))
  }

  async #sequence(address: string): Promise<{ accountNumber: bigint; sequence: number }> {
    const { body } = await this.rest<{ account: { account_number: string; sequence: string } }>(
      `/cosmos/auth/v1beta1/accounts/${address}`,
    )
    return { accountNumber: BigInt(body.account.account_number), sequence: Number(body.account.sequence) }
  }

  async sign({ account, address }: Actor, messages: readonly Packed[], options: TxOptions = {}): Promise<Uint8Array> {
    const { gas = GAS, memo = '', timeoutHeight = 0n, chainId = CHAIN_ID } = options
    const { sequenceOffset = 0, accountOffset = 0n } = options
    const { accountNumber, sequence } = await this.#sequence(address)
    const amount = options.fee ?? [{ denom: 'anat', amount: (gas * GAS_PRICE).toString() }]
    const body = create(tx.TxBodySchema, { messages: messages.map((each) => ({ ...each })), memo, timeoutHeight })
    const authInfo = create(tx.AuthInfoSchema, {
      signerInfos: [
        {
          publicKey: pack(ethSecp256k1.PubKeySchema, { key: compress(account.publicKey) }),
          modeInfo: { sum: { case: 'single', value: { mode: txSigning.SignMode.DIRECT } } },
          sequence: BigInt(sequence + sequenceOffset),
        },
      ],
      fee: { amount: amount.map((coin) => ({ ...coin })), gasLimit: gas },
    })
    const [bodyBytes, authInfoBytes] = [toBinary(tx.TxBodySchema, body), toBinary(tx.AuthInfoSchema, authInfo)]
    const doc = { bodyBytes, authInfoBytes, chainId, accountNumber: accountNumber + accountOffset }
    const hash = bytesToHex(keccak256(toBinary(tx.SignDocSchema, create(tx.SignDocSchema, doc))))
    const signature = hexToBytes(await account.sign({ hash })).subarray(0, 64)
    const signatures = [...(options.signatures?.(signature) ?? [signature])]
    return toBinary(tx.TxRawSchema, create(tx.TxRawSchema, { bodyBytes, authInfoBytes, signatures }))
  }

  /** The answer of CheckTx. */
  async broadcast(bytes: Uint8Array) {
    const route = `broadcast_tx_sync?tx=0x${Buffer.from(bytes).toString('hex')}`
    const { code, codespace, log, data, hash } = await this.comet<
      Record<'codespace' | 'log' | 'data' | 'hash', string> & { code: number }
    >(route)
    return { check: { code, codespace, log, data }, hash }
  }

  async included(hash: string): Promise<Included> {
    return until('the transaction in a block', async () => {
      const { status, body } = await this.rest<Included>(`/cosmos/tx/v1beta1/txs/${hash}`)
      return status === 200 ? body : undefined
    })
  }

  async noteRaw(title: string, bytes: Uint8Array): Promise<void> {
    const { check } = await this.broadcast(bytes)
    this.record(`check: ${title}`, stripValue(check))
  }

  /** Notes what CheckTx refuses, or what the block made of it. */
  async send(
    title: string,
    actor: Actor,
    messages: readonly Packed[],
    options?: TxOptions,
  ): Promise<Included | undefined> {
    const { check, hash } = await this.broadcast(await this.sign(actor, messages, options))
    if (check.code !== 0) {
      this.record(`tx: ${title}`, { check: stripValue(check) })
      return undefined
    }
    const found = await this.included(hash)
    const { code, codespace, data, raw_log, events } = found.tx_response
    this.record(`tx: ${title}`, {
      code,
      codespace,
      raw_log: stripValue(raw_log),
      responses: readResponses(data),
      events: stripEvents(events),
    })
    return found
  }

  /** Sends messages and waits for their block; what it was is not noted. */
  async sendQuietly(actor: Actor, messages: readonly Packed[]): Promise<Included> {
    const { check, hash } = await this.broadcast(await this.sign(actor, messages))
    if (check.code !== 0) throw new TypeError(check.log)
    return this.included(hash)
  }
}

/** Reads a TxMsgData: what each message answered. */
const readResponses = (hex: string): readonly string[] => {
  const { msgResponses, data } = fromBinary(baseAbci.TxMsgDataSchema, Buffer.from(hex, 'hex'))
  const shown = msgResponses.map(({ typeUrl, value }) => {
    const type = registry.getMessage(typeUrl.slice(1))
    if (type === undefined) return `${typeUrl} unknown`
    return `${typeUrl} ${JSON.stringify(stripValue(toJson(type, fromBinary(type, value), { registry })))}`
  })
  return [...shown, ...data.map(() => 'old data')]
}
