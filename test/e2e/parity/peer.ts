/** A node that is asked, and the transcript of what it answered with the facts of its chain taken out. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '../../../core/hex.ts'
import { hashOf } from './wallet.ts'

const POLL_MS = 10
/** Ends the waiting for what does not come. */
const LIMIT_MS = 180_000

export interface Exchange {
  readonly title: string
  readonly reply: unknown
}

interface Block {
  readonly number: Hex
  readonly hash: Hex
  readonly baseFeePerGas: Hex
  readonly gasLimit: Hex
}

type Members = Record<string, unknown>

/** Members of a block that two chains cannot share. */
const FACTS = new Set([
  'blockHash',
  'blockNumber',
  'blockTimestamp',
  'parentHash',
  'stateRoot',
  'timestamp',
  'mixHash',
  'miner',
  'extraData',
  'gasLimit',
  'baseFeePerGas',
  'size',
  'number',
  'oldestBlock',
  'subscription',
  'totalDifficulty',
  'currentBlock',
])

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null

/** geth makes its list of a Go map: in no order. */
const sortAccessList = (answer: Members): Members => {
  const list = answer['accessList'] as readonly { readonly address: string; readonly storageKeys: readonly string[] }[]
  const sorted = list.map(({ address, storageKeys }) => ({ address, storageKeys: storageKeys.toSorted() }))
  return { ...answer, accessList: sorted.sort((a, b) => (a.address < b.address ? -1 : 1)) }
}

export class Peer {
  readonly url: string
  readonly wsUrl: string
  readonly transcript: Exchange[] = []
  /** The newest block that the scenario has waited for. */
  head: Block = { number: '0x0', hash: '0xnone', baseFeePerGas: '0x0', gasLimit: '0x1' }

  constructor(url: string, wsUrl: string) {
    this.url = url
    this.wsUrl = wsUrl
  }

  async post(body: string): Promise<unknown> {
    const response = await fetch(this.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const text = await response.text()
    return text === '' ? '' : JSON.parse(text)
  }

  async ask<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T> {
    const reply = (await this.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as Members
    if ('error' in reply) throw new TypeError(`${method}: ${JSON.stringify(reply['error'])}`)
    return reply['result'] as T
  }

  /** Notes the answers to several requests, sent in one batch: nothing happens between them. */
  async note(...requests: readonly (readonly [title: string, method: string, ...params: unknown[]])[]): Promise<void> {
    const calls = requests.map(([, method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
    const replies = (await this.post(JSON.stringify(calls))) as readonly unknown[]
    for (const [index, [title]] of requests.entries()) this.record(title, replies[index])
  }

  record(title: string, reply: unknown): void {
    this.transcript.push({ title, reply: this.#strip(reply) })
  }

  async until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    for (const end = performance.now() + LIMIT_MS; performance.now() < end; await sleep(POLL_MS)) {
      const found = await look()
      if (found !== undefined) return found
    }
    throw new TypeError(`not within ${LIMIT_MS} ms: ${what}`)
  }

  /** Waits for a new block, so that what is sent next shares the one after it. */
  async freshBlock(): Promise<void> {
    const before = await this.ask<string>('eth_blockNumber')
    await this.until('a block', async () => ((await this.ask('eth_blockNumber')) === before ? undefined : true))
  }

  /** Sends in one batch; every one must be taken. */
  async send(raws: readonly Hex[]): Promise<void> {
    const calls = raws.map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] }))
    const replies = (await this.post(JSON.stringify(calls))) as readonly Members[]
    const refused = replies.find((reply) => 'error' in reply)
    if (refused !== undefined) throw new TypeError(`refused: ${JSON.stringify(refused)}`)
  }

  /** Waits until all are in blocks; the block of the last is the head then. */
  async mined(raws: readonly Hex[]): Promise<void> {
    for (const raw of raws) {
      const receipt = await this.until('a receipt', async () => {
        const found = await this.ask<Members | null>('eth_getTransactionReceipt', hashOf(raw))
        return found ?? undefined
      })
      this.head = await this.ask<Block>('eth_getBlockByNumber', receipt['blockNumber'], false)
    }
  }

  /** Includes transactions in whatever blocks they come. */
  async include(...raws: readonly Hex[]): Promise<void> {
    await this.send(raws)
    await this.mined(raws)
  }

  /** All in one block. */
  async mine(...raws: readonly Hex[]): Promise<void> {
    await this.freshBlock()
    await this.send(raws)
    await this.mined(raws)
  }

  #strip(value: unknown, key = '', parent: Members = {}): unknown {
    // A proof is of the state trie, which holds other accounts here and there.
    if (key === 'accountProof') return '<accountProof>'
    if (Array.isArray(value)) return value.map((item) => this.#strip(item, key, parent))
    if (isObject(value)) {
      if ('accessList' in value && 'gasUsed' in value) return sortAccessList(value)
      const isBlock = 'parentHash' in value
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          name,
          isBlock && name === 'hash' && member !== null ? '<hash>' : this.#strip(member, name, value),
        ]),
      )
    }
    if (typeof value === 'string' && FACTS.has(key) && value !== '') return `<${key}>`
    if (key === 'gasUsedRatio' && typeof value === 'number') return value === 0 ? 0 : '<ratio>'
    if ((key === 'effectiveGasPrice' || key === 'gasPrice') && typeof value === 'string')
      return this.#price(value, parent)
    if (typeof value !== 'string') return value
    return (
      value
        .replaceAll(/baseFee: \d+/g, 'baseFee: <baseFee>')
        .replaceAll(this.head.hash, '<blockHash>')
        .replaceAll(/missing trie node [0-9a-f]{64} \(path \) state 0x[0-9a-f]{64}/g, 'missing trie node <root>')
        .replaceAll(/requested \d+, head \d+/g, 'requested <number>, head <number>')
        .replaceAll(/must be in order: \d+ <= \d+/g, 'must be in order: <number> <= <number>')
        // Geth prints the address of what it wanted to print.
        .replaceAll(/block gas limit reached: \d+/g, 'block gas limit reached: <gas>')
    )
  }

  /** The price as what it is above the base fee, when it follows from it. */
  #price(value: string, { type }: Members): string {
    if (type !== '0x2' && type !== '0x4') return value
    const above = BigInt(value) - BigInt(this.head.baseFeePerGas)
    return above % 1_000_000_000n === 0n ? `<base>+${above / 1_000_000_000n}gwei` : value
  }
}
