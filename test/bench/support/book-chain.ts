/**
 * A chain with an order book and one validator, in two applications without CometBFT: one proposes and votes, the other one follows.
 * What benchmarks of the book's blocks run on.
 */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Application } from '../../../app/app.ts'
import type { ExtendedVote, ProposedBlock } from '../../../app/ports.ts'
import { APPLICATION_DEFAULTS } from '../../../app/settings.ts'
import { concatBytes, plainBytes, uint64ToBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { sha256 } from '../../../core/hash.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { consensusAddress } from '../../../core/signature.ts'
import { extensionSignBytes } from '../../../core/vote-extension.ts'
import { createInterpreterEngine } from '../../../evm/interpreter/create-engine.ts'
import { openRocksStore, type RocksStore } from '../../../store/rocks/rocks-store.ts'
import { withStake } from '../../sim/stake-genesis.ts'
import { BOOK_CHAIN, type BookTrader } from './book-traders.ts'

// PrivateKeyInfo of an ed25519 key (RFC 8410) up to its 32 bytes.
const ED25519_PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

export const START_MS = 1_750_000_000_000
const BLOCK_MS = 1_000
/** Older than the least age of an order that votes attest. */
const AGED_MS = 200
const NS_PER_MS = 1_000_000n
const PARAMETERS = {
  block: { maxBytes: 8_000_000, maxGas: 1_000_000_000 },
  evidence: { maxAgeNumBlocks: 100, maxAgeDurationNs: 10n ** 15n, maxBytes: 1_000_000 },
  validator: { pubKeyTypes: ['ed25519'] },
  version: { app: 1 },
  abci: { voteExtensionsEnableHeight: 1 },
}
const FUNDS = (10n ** 15n).toString()
const MARKET = {
  id: 1,
  base_denom: 'ubase',
  quote_denom: 'uquote',
  lot_size: '1000',
  factor: '1',
  settings: {
    fees: [
      { volume: '0', maker_ppm: 100, taker_ppm: 300 },
      { volume: '1000000000000', maker_ppm: -50, taker_ppm: 250 },
    ],
    min_notional: '0',
    band_ppm: 0,
    max_open_orders: 5_000,
    trigger_notional: '1',
    min_equity: '0',
    status: 'MARKET_STATUS_ACTIVE',
    mode: 'MARKET_MODE_CONTINUOUS',
  },
}

const silent = (): void => undefined

const makeValidatorKey = () => {
  const der = Buffer.from(concatBytes(ED25519_PKCS8_PREFIX, sha256(utf8ToBytes('bench'))))
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = plainBytes(createPublicKey(key).export({ format: 'der', type: 'spki' })).slice(-32)
  return { publicKey, sign: (bytes: Uint8Array) => plainBytes(sign(null, bytes, key)) }
}

/** An application with its database. */
class BookNode {
  readonly application: Application
  readonly folder: string
  readonly #store: RocksStore

  private constructor(folder: string, store: RocksStore, application: Application) {
    this.folder = folder
    this.#store = store
    this.application = application
  }

  static async open(wallMs: () => number): Promise<BookNode> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-'))
    const store = await openRocksStore({ path: folder, cacheBytes: 256 * 1024 * 1024 })
    const application = new Application({
      store,
      engine: await createInterpreterEngine(),
      settings: { ...APPLICATION_DEFAULTS, maxBlockMs: 60_000 },
      version: 'bench',
      environment: {
        clock: { nowMs: () => performance.now(), wallMs },
        yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
        journal: { load: () => [], append: silent, rewrite: silent },
        gossip: { offer: silent },
        heavy: { run: () => Promise.resolve('null') },
        consensusStatus: () => ({ catchingUp: false, peers: 0, highestHeight: 0 }),
        consensusRpc: () => Promise.resolve({}),
        log: { info: silent, warn: console.warn, error: console.error },
        announceHeight: silent,
        reached: silent,
        randomId: () => '0x01',
      },
    })
    return new BookNode(folder, store, application)
  }

  async close(): Promise<void> {
    this.#store.close()
    await this.#store.closed
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Runs a step, and may measure it. */
export type Timed = <T>(step: string, work: () => T | Promise<T>) => Promise<T>

export interface BookBlock {
  /** Sent to the proposer; the first block that may hold them is the next but one. */
  readonly orders: readonly Uint8Array[]
  /** Whether the follower has seen them before the block: then it knows their signatures. */
  readonly isKnown: boolean
}

export class BookChain {
  readonly proposer: BookNode
  readonly follower: BookNode
  height = 0
  readonly #key = makeValidatorKey()
  #votes: readonly ExtendedVote[] = []
  #lastCommit: readonly ExtendedVote[] = []

  private constructor(proposer: BookNode, follower: BookNode) {
    this.proposer = proposer
    this.follower = follower
  }

  static #wallMs = START_MS

  static async open(traders: readonly BookTrader[]): Promise<BookChain> {
    BookChain.#wallMs = START_MS
    const wallMs = (): number => BookChain.#wallMs
    const chain = new BookChain(await BookNode.open(wallMs), await BookNode.open(wallMs))
    const validators = [{ publicKey: chain.#key.publicKey, power: 10n }]
    const balances = traders
      .map(({ address }) => bytesToHex(address))
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map((address) => ({
        address,
        coins: ['ubase', 'uquote'].map((denom) => ({ denom, amount: FUNDS })),
      }))
    const appState = {
      evm: { chain_id: BOOK_CHAIN.evmChainId.toString() },
      bank: { balances },
      clob: { markets: [{ market: MARKET }] },
    }
    for (const { application } of [chain.proposer, chain.follower]) {
      await application.initChain({
        timeNs: BigInt(START_MS) * NS_PER_MS,
        chainId: BOOK_CHAIN.chainId,
        consensusParameters: PARAMETERS,
        validators,
        appState: utf8ToBytes(JSON.stringify(withStake(appState, validators))),
        initialHeight: 1,
      })
    }
    return chain
  }

  /** Time of the next block, in ms since 1970. */
  get timeMs(): number {
    return START_MS + this.height * BLOCK_MS
  }

  /** Seen by the node's CheckTx. Throws where one is refused. */
  admit(node: BookNode, orders: readonly Uint8Array[]): void {
    for (const raw of orders) {
      const { code, log } = node.application.checkTx(raw, false)
      invariant(code === 0, `an order is refused with ${code}: ${log}`)
    }
  }

  /** One height: orders are admitted before it, and stand in the block after it. Returns how many orders its own block holds. */
  async block({ orders, isKnown }: BookBlock, timed: Timed): Promise<number> {
    const { proposer, follower } = this
    await timed('CheckTx', () => this.admit(proposer, orders))
    if (isKnown) this.admit(follower, orders)
    BookChain.#wallMs += AGED_MS
    const block = await this.#propose(timed)
    const isAccepted = await timed('ProcessProposal', () => follower.application.processProposal(block))
    invariant(isAccepted, 'the other node accepts the proposal')
    invariant(await proposer.application.processProposal(block), 'its proposer accepts it')
    const extension = await timed('ExtendVote', () => proposer.application.extendVote(block))
    await proposer.application.finalizeBlock(block)
    const { transactionResults } = await timed('FinalizeBlock', () => follower.application.finalizeBlock(block))
    await proposer.application.commit()
    await timed('Commit', () => follower.application.commit())
    const refused = transactionResults.find(({ code }) => code !== 0)
    invariant(refused === undefined, `an order fails: ${refused?.code} ${refused?.log}`)
    this.#vote(block, extension)
    return block.transactions.length - 1
  }

  async close(): Promise<void> {
    await this.proposer.close()
    await this.follower.close()
  }

  async #propose(timed: Timed): Promise<ProposedBlock> {
    const shared = {
      height: this.height + 1,
      timeNs: BigInt(this.timeMs) * NS_PER_MS,
      proposerAddress: consensusAddress(this.#key.publicKey),
      nextValidatorsHash: new Uint8Array(32),
      lastCommitRound: 0,
      misbehavior: [],
    }
    const transactions = await timed('PrepareProposal', () =>
      this.proposer.application.prepareProposal({
        ...shared,
        votes: this.#votes,
        transactions: [],
        maxTxBytes: 7_000_000,
      }),
    )
    const lastCommit = this.#lastCommit.map(({ validatorAddress, power, flag }) => ({ validatorAddress, power, flag }))
    return { ...shared, lastCommit, transactions, hash: sha256(uint64ToBytes(shared.height)) }
  }

  #vote({ height }: ProposedBlock, extension: Uint8Array): void {
    this.height = height
    BookChain.#wallMs = this.timeMs
    const { chainId } = BOOK_CHAIN
    this.#votes = [
      {
        validatorAddress: consensusAddress(this.#key.publicKey),
        power: 10n,
        flag: 'commit',
        extension,
        extensionSignature: this.#key.sign(extensionSignBytes({ extension, height, round: 0, chainId })),
      },
    ]
    this.#lastCommit = this.#votes
  }
}

export const NO_ORDERS: BookBlock = { orders: [], isKnown: true }
