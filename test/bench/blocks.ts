/**
 * Blocks of plain transfers through the application alone, without CometBFT and the gateway: what each step costs.
 * Run: node test/bench/blocks.ts [transactions a block] [accounts]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Application } from '../../app/app.ts'
import { APPLICATION_DEFAULTS } from '../../app/settings.ts'
import { bigintToBytes, concatBytes, uint64ToBytes, utf8ToBytes } from '../../core/bytes.ts'
import { keccak256, sha256 } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import { encodeRlp } from '../../core/rlp.ts'
import { privateKeyToAddress, signDigest } from '../../core/signature.ts'
import { createEthereumjsEngine } from '../../evm/ethereumjs/create-engine.ts'
import { openRocksStore } from '../../store/rocks/rocks-store.ts'

const perBlock = Number(process.argv[2] ?? 5_000)
const accounts = Number(process.argv[3] ?? 64)
const BLOCKS = 8
const CHAIN_ID = 2517n

const keys = Array.from({ length: accounts }, (_, index) => keccak256(uint64ToBytes(index + 1)))
const addresses = keys.map(privateKeyToAddress)

const transfer = (account: number, nonce: number): Uint8Array => {
  const to = keccak256(uint64ToBytes(account * 1_000_003 + nonce)).slice(12)
  const body = [
    bigintToBytes(CHAIN_ID),
    bigintToBytes(BigInt(nonce)),
    bigintToBytes(100_000_000n),
    bigintToBytes(4_000_000_000n),
    bigintToBytes(21_000n),
    to,
    bigintToBytes(1n),
    new Uint8Array(0),
    [],
  ]
  const { r, s, yParity } = signDigest(
    keccak256(Uint8Array.of(2), encodeRlp(body)),
    keys[account] ?? new Uint8Array(32),
  )
  const trim = (bytes: Uint8Array): Uint8Array => bigintToBytes(BigInt(bytesToHex(bytes)))
  return concatBytes(Uint8Array.of(2), encodeRlp([...body, bigintToBytes(BigInt(yParity)), trim(r), trim(s)]))
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const store = await openRocksStore({ path: folder, cacheBytes: 256 * 1024 * 1024 })
const silent = () => undefined
const application = new Application({
  store,
  engine: await createEthereumjsEngine(),
  settings: { ...APPLICATION_DEFAULTS, maxBlockMs: 60_000 },
  version: 'bench',
  environment: {
    clock: { nowMs: () => performance.now() },
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
const appState = {
  evm: { chain_id: CHAIN_ID.toString() },
  bank: {
    balances: addresses.map((address) => ({
      address: bytesToHex(address),
      coins: [{ denom: 'anat', amount: (10n ** 24n).toString() }],
    })),
  },
}
const parameters = {
  block: { maxBytes: 8_000_000, maxGas: 1_000_000_000 },
  evidence: { maxAgeNumBlocks: 100, maxAgeDurationNs: 10n ** 15n, maxBytes: 1_000_000 },
  validator: { pubKeyTypes: ['ed25519'] },
  version: { app: 1 },
  abci: { voteExtensionsEnableHeight: 0 },
}
await application.initChain({
  timeNs: 1_700_000_000_000_000_000n,
  chainId: 'localnat-1',
  consensusParameters: parameters,
  validators: [{ publicKey: keccak256(new Uint8Array(1)), power: 10n }],
  appState: utf8ToBytes(JSON.stringify(appState)),
  initialHeight: 1,
})
const steps = new Map<string, number[]>()
const timed = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
  const from = performance.now()
  const result = await work()
  steps.set(name, [...(steps.get(name) ?? []), performance.now() - from])
  return result
}
const nonces = new Array<number>(accounts).fill(0)
for (let height = 1; height <= BLOCKS; height++) {
  const raws: Uint8Array[] = []
  for (let i = 0; i < perBlock; i++) {
    const account = i % accounts
    const nonce = nonces[account] ?? 0
    raws.push(transfer(account, nonce))
    nonces[account] = nonce + 1
  }
  const hexes = raws.map(bytesToHex)
  await timed('admit', () => {
    for (const raw of hexes) void application.ask('sendRawTransaction', { raw }, height - 1)
  })
  const meta = {
    height,
    timeNs: 1_700_000_000_000_000_000n + BigInt(height) * 1_000_000_000n,
    proposerAddress: new Uint8Array(20),
    nextValidatorsHash: new Uint8Array(32),
    lastCommitRound: 0,
    misbehavior: [],
  }
  const transactions = await timed('prepare', () =>
    application.prepareProposal({ ...meta, votes: [], transactions: [], maxTxBytes: 8_000_000 }),
  )
  const block = { ...meta, lastCommit: [], transactions, hash: sha256(uint64ToBytes(height)) }
  await timed('process', () => application.processProposal(block))
  await timed('finalize', () => application.finalizeBlock(block))
  await timed('commit', () => application.commit())
  steps.set('transactions', [...(steps.get('transactions') ?? []), transactions.length])
}
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
console.log(`${perBlock} plain transfers a block, ${accounts} senders, ${BLOCKS} blocks; medians in ms`)
for (const [name, values] of steps) console.log(`${name.padEnd(14)} ${median(values).toFixed(1)}`)
application.close()
store.close()
await store.closed
rmSync(folder, { recursive: true, force: true })
