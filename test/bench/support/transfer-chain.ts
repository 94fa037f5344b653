/** A chain of plain or ERC-20 transfers in one application, without CometBFT and the gateway: what benchmarks of blocks run on. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeDeployData, encodeFunctionData } from 'viem'
import { QueriedApplication } from '../../../query/queried-application.ts'
import { APPLICATION_DEFAULTS, type PruningSettings } from '../../../app/settings.ts'
import { bigintToBytes, concatBytes, uint64ToBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { keccak256, sha256 } from '../../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../../core/hex.ts'
import { encodeRlp } from '../../../core/rlp.ts'
import { privateKeyToAddress, signDigest } from '../../../core/signature.ts'
import { contractAddress } from '../../../core/address.ts'
import { testConsensusKey } from '../../../core/testing/consensus-key.ts'
import { createEthereumjsEngine } from '../../../evm/reference/create-engine.ts'
import { createInterpreterEngine } from '../../../evm/interpreter/create-engine.ts'
import { openRocksStore, type RocksStore } from '../../../store/rocks/rocks-store.ts'
import type { KeyValueStore } from '../../../store/store.ts'
import { tokenAbi, tokenBytecode } from '../../e2e/contracts/token.ts'
import { withStake } from '../../sim/stake-genesis.ts'

const VALIDATORS = [{ publicKey: testConsensusKey('bench'), power: 10n }]

const CHAIN_ID = 2517n
const GENESIS_NS = 1_700_000_000_000_000_000n
const PARAMETERS = {
  block: { maxBytes: 8_000_000, maxGas: 1_000_000_000 },
  evidence: { maxAgeNumBlocks: 100, maxAgeDurationNs: 10n ** 15n, maxBytes: 1_000_000 },
  validator: { pubKeyTypes: ['ed25519'] },
  version: { app: 1 },
  abci: { voteExtensionsEnableHeight: 0 },
}
const silent = (): void => undefined

/** The address of an account without a key that anybody has. */
export const addressOf = (index: number): Uint8Array => keccak256(uint64ToBytes(index)).slice(12)

const pay = (to: Uint8Array, amount: bigint): Uint8Array =>
  hexToBytes(encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [bytesToHex(to), amount] }))

export interface TransferChainOptions {
  readonly senders: number
  /** Index of the recipient of the n-th transfer of a block: see addressOf. */
  recipient(height: number, index: number): number
  /** ERC-20 transfers instead of plain ones: two more blocks begin the chain, which make and share out the token. */
  readonly token?: boolean
  /** The interpreter when left out. */
  readonly engine?: 'interpreter' | 'ethereumjs'
  /** Every height is kept when left out. */
  readonly pruning?: PruningSettings
  /** What the application uses of the database; the database itself when left out. */
  wrap?(store: RocksStore): KeyValueStore
}

type Timed = <T>(step: string, work: () => T | Promise<T>) => Promise<T>

export class TransferChain {
  readonly store: RocksStore
  readonly application: QueriedApplication
  height = 0
  /** Folder of the database. */
  readonly folder: string
  readonly #options: TransferChainOptions
  readonly #keys: readonly Uint8Array[]
  readonly #nonces: number[]
  readonly #token: Uint8Array

  private constructor(
    folder: string,
    store: RocksStore,
    application: QueriedApplication,
    options: TransferChainOptions,
  ) {
    this.folder = folder
    this.store = store
    this.application = application
    this.#options = options
    this.#keys = Array.from({ length: options.senders }, (_, index) => keccak256(uint64ToBytes(index + 1)))
    this.#nonces = this.#keys.map(() => 0)
    this.#token = contractAddress(privateKeyToAddress(this.#keys[0] ?? new Uint8Array(32)), 0n)
  }

  static async open(options: TransferChainOptions): Promise<TransferChain> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-'))
    const store = await openRocksStore({ path: folder, cacheBytes: 256 * 1024 * 1024 })
    const application = new QueriedApplication({
      store: options.wrap?.(store) ?? store,
      engine: options.engine === 'ethereumjs' ? await createEthereumjsEngine() : await createInterpreterEngine(),
      settings: {
        ...APPLICATION_DEFAULTS,
        maxBlockMs: 60_000,
        ...(options.pruning === undefined ? {} : { pruning: options.pruning }),
      },
      version: 'bench',
      environment: {
        clock: { nowMs: () => performance.now(), wallMs: () => Date.now() },
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
    const chain = new TransferChain(folder, store, application, options)
    await chain.#begin()
    if (options.token === true) await chain.#shareOutToken()
    return chain
  }

  /** Makes, admits, executes and commits one block of `count` transfers. */
  async block(count: number, timed: Timed = async (_, work) => await work()): Promise<number> {
    const height = this.height + 1
    return this.#decide(
      Array.from({ length: count }, (_, index) => this.#transfer(height, index)),
      timed,
    )
  }

  async #decide(transfers: readonly Uint8Array[], timed: Timed): Promise<number> {
    const height = ++this.height
    const raws = transfers.map(bytesToHex)
    await timed('admit', () => {
      for (const raw of raws) void this.application.ask('sendRawTransaction', { raw }, height - 1)
    })
    const meta = {
      height,
      timeNs: GENESIS_NS + BigInt(height) * 1_000_000_000n,
      proposerAddress: new Uint8Array(20),
      nextValidatorsHash: new Uint8Array(32),
      lastCommitRound: 0,
      misbehavior: [],
    }
    const transactions = await timed('prepare', () =>
      this.application.prepareProposal({ ...meta, votes: [], transactions: [], maxTxBytes: 8_000_000 }),
    )
    const block = { ...meta, lastCommit: [], transactions, hash: sha256(uint64ToBytes(height)) }
    await timed('process', () => this.application.processProposal(block))
    await timed('finalize', () => this.application.finalizeBlock(block))
    await timed('commit', () => this.application.commit())
    return transactions.length
  }

  async close(): Promise<void> {
    this.application.close()
    this.store.close()
    await this.store.closed
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #begin(): Promise<void> {
    const balances = this.#keys.map((key) => ({
      address: bytesToHex(privateKeyToAddress(key)),
      coins: [{ denom: 'anat', amount: (10n ** 24n).toString() }],
    }))
    const appState = { evm: { chain_id: CHAIN_ID.toString() }, bank: { balances } }
    await this.application.initChain({
      timeNs: GENESIS_NS,
      chainId: 'localnat-1',
      consensusParameters: PARAMETERS,
      validators: VALIDATORS,
      appState: utf8ToBytes(JSON.stringify(withStake(appState, VALIDATORS))),
      initialHeight: 1,
    })
  }

  /** Deployed by the first sender, who then gives some to all. */
  async #shareOutToken(): Promise<void> {
    const untimed: Timed = async (_, work) => await work()
    const deploy = encodeDeployData({ abi: tokenAbi, bytecode: tokenBytecode, args: [10n ** 24n] })
    await this.#decide([this.#sign(0, undefined, 0n, hexToBytes(deploy), 3_000_000n)], untimed)
    const shares = this.#keys.map((key) => this.#sign(0, this.#token, 0n, pay(privateKeyToAddress(key), 10n ** 18n)))
    await this.#decide(shares, untimed)
  }

  #transfer(height: number, index: number): Uint8Array {
    const sender = index % this.#keys.length
    const recipient = addressOf(this.#options.recipient(height, index))
    return this.#options.token === true
      ? this.#sign(sender, this.#token, 0n, pay(recipient, 1n))
      : this.#sign(sender, recipient, 1n, new Uint8Array(0), 21_000n)
  }

  #sign(sender: number, to: Uint8Array | undefined, value: bigint, data: Uint8Array, gas = 100_000n): Uint8Array {
    const nonce = this.#nonces[sender] ?? 0
    this.#nonces[sender] = nonce + 1
    const body = [
      bigintToBytes(CHAIN_ID),
      bigintToBytes(BigInt(nonce)),
      bigintToBytes(100_000_000n),
      bigintToBytes(4_000_000_000n),
      bigintToBytes(gas),
      to ?? new Uint8Array(0),
      bigintToBytes(value),
      data,
      [],
    ]
    const digest = keccak256(Uint8Array.of(2), encodeRlp(body))
    const { r, s, yParity } = signDigest(digest, this.#keys[sender] ?? new Uint8Array(32))
    const trim = (bytes: Uint8Array): Uint8Array => bigintToBytes(BigInt(bytesToHex(bytes)))
    return concatBytes(Uint8Array.of(2), encodeRlp([...body, bigintToBytes(BigInt(yParity)), trim(r), trim(s)]))
  }
}
