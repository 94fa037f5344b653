/** A small external chain behind real HTTP, which can be wrong in every way that matters. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { bigintToBytes, concatBytes, padLeft, uint64ToBytes, utf8ToBytes } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex, hexToBytes, quantityToHex } from '../../core/hex.ts'
import { BRIDGE_TOPIC } from '../bridge/chain-answers.ts'

export const CHAIN_ID = 31_337n
export const CONTRACT = hexToBytes('0x00000000000000000000000000000000000000c0')
export const OTHER = hexToBytes('0x00000000000000000000000000000000000000c1')

export interface Deposit {
  readonly block: number
  readonly id: number
  readonly amount?: bigint
  readonly recipient?: Uint8Array
  readonly data?: Uint8Array
}

const word = (value: bigint | number): Uint8Array => padLeft(bigintToBytes(BigInt(value)), 32)
const dynamic = (bytes: Uint8Array): Uint8Array =>
  concatBytes(word(bytes.length), bytes, new Uint8Array((32 - (bytes.length % 32)) % 32))

/** Encodes (amount, from, accAddress, data) as Solidity does. */
export const encodeData = (amount: bigint, from: Uint8Array, recipient: Uint8Array, data: Uint8Array): Uint8Array => {
  const first = dynamic(recipient)
  return concatBytes(word(amount), padLeft(from, 32), word(128), word(128 + first.length), first, dynamic(data))
}

/** What all endpoints of one chain share. */
export class ExternalChain {
  chainId = CHAIN_ID
  finalized = 100
  deployedAt = 10
  /** Another salt is another chain below finality. */
  salt = ''
  deposits: Deposit[] = []

  hashOf(height: number): string {
    return bytesToHex(keccak256(uint64ToBytes(height), utf8ToBytes(this.salt)))
  }

  block(height: number): object | null {
    if (height > this.finalized) return null
    return {
      number: quantityToHex(height),
      hash: this.hashOf(height),
      timestamp: quantityToHex(1_700_000_000 + height),
    }
  }

  logs(from: number, to: number): readonly Record<string, unknown>[] {
    return this.deposits
      .filter(({ block }) => block >= from && block <= to)
      .map(({ block, id, amount = 5n, recipient = new Uint8Array(20).fill(7), data = new Uint8Array(3) }, index) => ({
        address: bytesToHex(CONTRACT),
        topics: [BRIDGE_TOPIC, bytesToHex(word(id))],
        data: bytesToHex(encodeData(amount, new Uint8Array(20).fill(9), recipient, data)),
        blockNumber: quantityToHex(block),
        blockHash: this.hashOf(block),
        logIndex: quantityToHex(index),
        removed: false,
      }))
  }
}

/** Takes the place of a right answer; undefined for the right one. A string is sent as it is, with status 200. */
export type Fault = (method: string, parameters: readonly unknown[]) => unknown

const answer = (chain: ExternalChain, method: string, parameters: readonly unknown[]): unknown => {
  switch (method) {
    case 'eth_chainId':
      return quantityToHex(chain.chainId)
    case 'eth_syncing':
      return false
    case 'eth_getBlockByNumber':
      return chain.block(parameters[0] === 'finalized' ? chain.finalized : Number(parameters[0]))
    case 'eth_getCode':
      return parameters[0] === bytesToHex(CONTRACT) && Number(parameters[1]) >= chain.deployedAt ? '0x60' : '0x'
    case 'eth_getLogs': {
      const [{ fromBlock, toBlock, address }] = parameters as [{ fromBlock: string; toBlock: string; address: string }]
      return address === bytesToHex(CONTRACT) ? chain.logs(Number(fromBlock), Number(toBlock)) : []
    }
    default:
      return undefined
  }
}

/** One endpoint of it. */
export class ExternalEndpoint {
  readonly chain: ExternalChain
  readonly #server: Server
  fault: Fault = () => undefined
  /** The time before each answer. */
  delayMs = 0
  /** First and last block of every eth_getLogs. */
  readonly ranges: [number, number][] = []
  /** Writes the answer itself, and says so by true. */
  raw: (response: ServerResponse) => boolean = () => false

  constructor(chain: ExternalChain) {
    this.chain = chain
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get name(): string {
    return `127.0.0.1:${this.port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    if (this.delayMs > 0) await sleep(this.delayMs)
    if (this.raw(response)) return
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] }
    if (method === 'eth_getLogs') {
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
      this.ranges.push([Number(fromBlock), Number(toBlock)])
    }
    const wrong = this.fault(method, params)
    if (typeof wrong === 'string') return void response.end(wrong)
    const result = wrong ?? { result: answer(this.chain, method, params) }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result as object) }))
  }
}
