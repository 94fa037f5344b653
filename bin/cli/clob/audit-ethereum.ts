/** What an audit asks a node's JSON-RPC: balances of NAT, and many values of one height with one request. Nothing of it is believed before it is proven. */
import * as z from 'zod'
import type { Address } from '../../../core/address.ts'
import { bytesToHex, hexToBytes } from '../../../core/hex.ts'
import { cliError } from '../../errors.ts'
import { MAX_ANSWER_BYTES } from '../../node/runtime/comet-rpc.ts'
import { CometClient } from '../client/comet-client.ts'
import { askAgain } from './audit-node.ts'

const bytes = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform(hexToBytes)
const nodes = z.array(bytes).max(65)
const proof = z.object({ accountProof: nodes, storageProof: z.array(z.object({ proof: nodes })) })
const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,12}$/)
  .transform(Number)

export type AccountProof = z.infer<typeof proof>

export class EthereumNode {
  readonly #client: CometClient

  constructor(url: string) {
    // JSON-RPC over HTTP is the same there.
    this.#client = new CometClient(url, MAX_ANSWER_BYTES, '--json-rpc')
  }

  get url(): string {
    return this.#client.url
  }

  async chainId(): Promise<number> {
    return await this.#ask('eth_chainId', quantity, [])
  }

  /** Asks for the nodes of the account and of each slot, in the order of `slots`, of which there are at most 1,024. */
  async proof(address: Address, slots: readonly Uint8Array[], height: number): Promise<AccountProof> {
    const params = [bytesToHex(address), slots.map(bytesToHex), `0x${height.toString(16)}`]
    const found = await this.#ask('eth_getProof', proof, params)
    if (found.storageProof.length === slots.length) return found
    throw cliError('query', `eth_getProof of ${this.url} proves ${found.storageProof.length} of ${slots.length} slots`)
  }

  async #ask<Shape extends z.ZodType>(
    method: string,
    shape: Shape,
    params: readonly unknown[],
  ): Promise<z.infer<Shape>> {
    const read = shape.safeParse(await askAgain(() => this.#client.call(method, params)))
    if (read.success) return read.data
    throw cliError('query', `${method} of ${this.url} is malformed: ${z.prettifyError(read.error)}`)
  }
}
