/**
 * A block that is executed once more, transaction by transaction: its system calls, the hooks of the modules before it,
 * native transactions and invalid ones included, from the request that is stored with it.
 */
import { contractAddress } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { ZERO_HASH } from '../../core/hash.ts'
import type { SignedTransaction } from '../../evm/transaction/transaction.ts'
import { toMessage } from '../../evm/transaction/validity.ts'
import { BlockRun, decodeAnew } from '../../app/block/run.ts'
import type { Decode } from '../../app/block/transaction.ts'
import type { Chain } from '../../app/block/chain.ts'
import { queryFailed } from '../../app/errors.ts'
import { EthereumTransaction } from '../../app/families/ethereum/transaction.ts'
import { readBlockContent } from '../../app/index/finalize-request.ts'
import { chainOf, pendingMeta } from '../pending.ts'
import { requireHeader, type ChainView } from '../chain-view.ts'
import type { TraceBudget } from './budget.ts'
import type { CreateTracer, TracePlace, Tracer } from './tracer.ts'

/** An Ethereum transaction that was executed, with what was listening. */
export interface Replayed {
  readonly signed: SignedTransaction
  readonly tracer: Tracer | undefined
}

/** The senders of the block's own transactions are known: recovering them takes longer than most executions. */
const decodeKnown = (chain: Chain, known: readonly SignedTransaction[]): Decode => {
  const byHash = new Map(known.map((signed) => [bytesToKey(signed.hash), signed]))
  return (raw) => {
    const family = chain.families.of(raw)
    const signed = family.isInEthereumBlock ? byHash.get(bytesToKey(family.hash(raw))) : undefined
    return signed === undefined ? family.decode(raw) : new EthereumTransaction(signed)
  }
}

export class BlockReplay {
  readonly run: BlockRun
  readonly #transactions: readonly Uint8Array[]
  readonly #decode: Decode
  readonly #budget: TraceBudget
  readonly #place: Pick<TracePlace, 'blockHash' | 'height'>
  /** The next place among all transactions of the block, and among its Ethereum transactions. */
  #next = 0
  #index = 0

  private constructor(
    run: BlockRun,
    transactions: readonly Uint8Array[],
    decode: Decode,
    budget: TraceBudget,
    place: Pick<TracePlace, 'blockHash' | 'height'>,
  ) {
    this.run = run
    this.#transactions = transactions
    this.#decode = decode
    this.#budget = budget
    this.#place = place
  }

  /** Throws query/9 where the state before the block is not kept. */
  static async begin(view: ChainView, height: number, budget: TraceBudget): Promise<BlockReplay> {
    const chain = chainOf(view, height - 1)
    const content = readBlockContent(view.reader.store, height)
    if (content === undefined) throw queryFailed(`the request of block ${height} is not available`)
    const decode = decodeKnown(chain, view.reader.transactions(height))
    const run = new BlockRun(chain, content, decode)
    await run.begin(content.transactions)
    const place = { blockHash: requireHeader(view, height).hash, height }
    return new BlockReplay(run, content.transactions, decode, budget, place)
  }

  /** The block on top of the pool, which has no hash yet. */
  static async beginPending(view: ChainView, budget: TraceBudget): Promise<BlockReplay> {
    const chain = chainOf(view, view.head)
    const meta = pendingMeta(view, chain)
    const decode = decodeAnew(chain)
    const run = new BlockRun(chain, meta, decode, 'preview')
    await run.begin([])
    const place = { blockHash: ZERO_HASH, height: meta.height }
    return new BlockReplay(run, view.pending, decode, budget, place)
  }

  /** Executes up to the next Ethereum transaction, and that one; undefined behind the last. */
  async next(create?: CreateTracer): Promise<Replayed | undefined> {
    for (;;) {
      await this.toEthereum()
      const raw = this.#transactions[this.#next]
      if (raw === undefined) return undefined
      this.#next++
      const done = await this.#execute(raw, create)
      if (done !== undefined) return done
    }
  }

  /** Executes what stands before the next Ethereum transaction. */
  async toEthereum(): Promise<void> {
    for (let raw = this.#transactions[this.#next]; raw !== undefined; raw = this.#transactions[this.#next]) {
      if (this.run.chain.families.of(raw).isInEthereumBlock) return
      this.#next++
      await this.run.apply(raw)
      this.#budget.checkTime()
    }
  }

  async #execute(raw: Uint8Array, create: CreateTracer | undefined): Promise<Replayed | undefined> {
    this.#budget.beginTransaction()
    const tracer = create === undefined ? undefined : this.#createTracer(raw, create)
    const outcome = await this.run.apply(raw, tracer?.hooks)
    if (outcome.kind === 'invalid' || outcome.ethereum === undefined) return undefined
    this.#index++
    const { signed, result } = outcome.ethereum
    tracer?.end?.(result)
    return { signed, tracer }
  }

  /** None for what cannot be decoded: it is invalid at its place. */
  #createTracer(raw: Uint8Array, create: CreateTracer): Tracer | undefined {
    let signed: SignedTransaction | undefined
    try {
      signed = this.#decode(raw).signed
    } catch (error) {
      if (error instanceof CodedError) return undefined
      throw error
    }
    if (signed === undefined) return undefined
    const message = toMessage(signed)
    return create({
      state: this.run.overlay,
      environment: this.run.environment,
      message,
      to: message.to ?? contractAddress(message.sender, message.nonce),
      place: { ...this.#place, index: this.#index, transactionHash: signed.hash },
      budget: this.#budget,
    })
  }
}
