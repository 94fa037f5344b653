/**
 * The feed of committed blocks of a real node, read by `chain feed` in a process of its own. The consumer and the node are
 * killed; CometBFT's own record of each block and eth_getLogs are the witnesses of what came.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeFunctionData, type Hex, parseEther } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { FeedBlock } from '../../app/ports.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { hexToBytes } from '../../core/hex.ts'
import { formatOperator } from '../../modules/validator-addresses.ts'
import { PRECOMPILE_ADDRESSES, stakingAbi } from '../../packages/precompiles/index.ts'
import { sendMessage, signNative } from '../sim/native-transactions.ts'
import { accountAt, createClient, createWallet } from './clients.ts'
import { CHAIN_ID, chainCommand, createNode, endWithUs, runChain, type TestNode, until } from './harness.ts'
import { assemble } from './parity/assemble.ts'

/** Three pages of the feed at least. */
const LOGS_A_TRANSACTION = 12_000
const LOUD_TRANSACTIONS = 4
const PAGE_LENGTH = 4 * 1024 * 1024

/** Emits as many logs as the first word of its input says. */
const LOUD = assemble(`0 CALLDATALOAD loop: DUP1 ISZERO @end JUMPI DUP1 0 MSTORE DUP1 32 0 LOG1
  1 SWAP1 SUB @loop JUMP end: STOP`)
const FAILING = assemble('0 0 REVERT')

/** Copies what stands behind it and returns it as the code of the contract. */
const deploying = (code: Hex): Hex => {
  const length = (code.length / 2 - 1).toString(16).padStart(2, '0')
  return `0x60${length}80600b6000396000f3${code.slice(2)}`
}

/** A process that reads the feed, and every whole line that it has written. */
class Consumer {
  readonly blocks: FeedBlock[] = []
  readonly lineLengths: number[] = []
  readonly exited: Promise<number | string>
  readonly #child: ChildProcess
  #unfinished = ''

  constructor(args: readonly string[]) {
    const child = spawn(chainCommand, ['feed', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (text: string) => this.#read(text))
    endWithUs(child)
    this.#child = child
    // What the pipe holds of a killed process is read first.
    this.exited = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal ?? '')))
  }

  get height(): number {
    return this.blocks.at(-1)?.height ?? 0
  }

  async untilHeight(height: number): Promise<void> {
    await until(`block ${height} of the feed`, () => (this.height >= height ? true : undefined))
  }

  async kill(signal: NodeJS.Signals): Promise<number | string> {
    this.#child.kill(signal)
    return await this.exited
  }

  #read(text: string): void {
    const lines = (this.#unfinished + text).split('\n')
    this.#unfinished = lines.pop() ?? ''
    for (const line of lines) {
      this.lineLengths.push(line.length)
      this.blocks.push(JSON.parse(line) as FeedBlock)
    }
  }
}

let node: TestNode
const consumers: Consumer[] = []

const consume = (...args: readonly string[]): Consumer => {
  const consumer = new Consumer(['--home', node.home, ...args])
  consumers.push(consumer)
  return consumer
}

beforeAll(async () => {
  node = await createNode({ timeoutCommitMs: 200, settings: { 'json-rpc.logs-cap': '200000' } })
  await node.start()
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log(`the node wrote last:\n${node.lastWords()}`)
})
afterAll(async () => {
  for (const consumer of consumers) await consumer.kill('SIGKILL')
  await node?.remove()
})

const deploy = async (code: Hex): Promise<Hex> => {
  const hash = await createWallet(node, accountAt(1)).sendTransaction({ data: deploying(code) })
  const { contractAddress } = await createClient(node).waitForTransactionReceipt({ hash })
  invariant(contractAddress !== null && contractAddress !== undefined, 'it is a contract')
  return contractAddress
}

/** Native transactions of an account that does nothing else: one that succeeds, one that the bank refuses. */
const sendNative = async (): Promise<void> => {
  const account = accountAt(3)
  const to = hexToBytes(accountAt(4).address)
  for (const [sequence, amount] of ['1', `${10n ** 30n}`].entries()) {
    const messages = [sendMessage(account, to, [{ denom: 'anat', amount }])]
    const raw = await signNative({ chainId: CHAIN_ID, messages, signers: [{ account, sequence }] })
    const reply = await node.comet<{ code: number; log: string }>(
      `broadcast_tx_sync?tx=0x${Buffer.from(raw).toString('hex')}`,
    )
    expect(reply).toMatchObject({ code: 0, log: '' })
  }
}

/** Everything that a block can have but what no honest node proposes. Resolves with the height that has the last of it. */
const makeTraffic = async (): Promise<number> => {
  const client = createClient(node)
  const [loud, failing] = [await deploy(LOUD), await deploy(FAILING)]
  const wallet = createWallet(node, accountAt(1))
  await sendNative()
  const hashes: Hex[] = []
  const staking = createWallet(node, accountAt(5))
  const operator = formatOperator(hexToBytes(accountAt(0).address))
  const delegation = [accountAt(5).address, operator, parseEther('3')] as const
  const data = encodeFunctionData({ abi: stakingAbi, functionName: 'delegate', args: delegation })
  hashes.push(await staking.sendTransaction({ to: PRECOMPILE_ADDRESSES.staking, data }))
  const nonce = await client.getTransactionCount({ address: accountAt(1).address })
  hashes.push(await wallet.sendTransaction({ to: failing, gas: 50_000n, nonce }))
  const count = `0x${LOGS_A_TRANSACTION.toString(16).padStart(64, '0')}` as const
  for (let at = 1; at <= LOUD_TRANSACTIONS; at++) {
    hashes.push(await wallet.sendTransaction({ to: loud, data: count, gas: 16_000_000n, nonce: nonce + at }))
  }
  const heights: bigint[] = []
  for (const hash of hashes) heights.push((await client.waitForTransactionReceipt({ hash })).blockNumber)
  return Number(heights.reduce((most, height) => (height > most ? height : most), 0n))
}

interface CometEvent {
  readonly type: string
  readonly attributes: readonly { readonly key: string; readonly value: string; readonly index: boolean }[]
}
interface CometResult {
  readonly code: number
  readonly data: string | null
  readonly log: string
  readonly codespace: string
  readonly gas_wanted: string
  readonly gas_used: string
  readonly events: readonly CometEvent[] | null
}
interface CometResults {
  readonly txs_results: readonly CometResult[] | null
  readonly finalize_block_events: readonly CometEvent[] | null
  readonly validator_updates: readonly { readonly power?: string }[] | null
}
interface CometBlock {
  readonly block: {
    readonly header: { readonly time: string; readonly proposer_address: string }
    readonly data: { readonly txs: readonly string[] | null }
  }
}

const base64 = (hex: Hex): string => Buffer.from(hexToBytes(hex)).toString('base64')

/** The members as CometBFT writes them. */
const asComet = ({ events, transactions, validatorUpdates }: FeedBlock) => ({
  finalize_block_events: events,
  txs_results: transactions.map(({ code, codespace, log, data, gasWanted, gasUsed, events: own }) => ({
    code,
    codespace,
    log,
    data: base64(data),
    gas_wanted: gasWanted,
    gas_used: gasUsed,
    events: own,
  })),
  powers: validatorUpdates.map(({ power }) => power),
})

const cometResults = async (height: number) => {
  const results = await node.comet<CometResults>(`block_results?height=${height}`)
  return {
    finalize_block_events: results.finalize_block_events ?? [],
    txs_results: (results.txs_results ?? []).map((result) => ({
      code: result.code,
      codespace: result.codespace,
      log: result.log,
      data: result.data ?? '',
      gas_wanted: result.gas_wanted,
      gas_used: result.gas_used,
      events: result.events ?? [],
    })),
    powers: (results.validator_updates ?? []).map(({ power = '0' }) => power),
  }
}

/** 2026-01-02T03:04:05.678901234Z in nanoseconds. */
const nanoseconds = (time: string): string => {
  const [, seconds = '', fraction = ''] = /^(.*?)(?:\.([0-9]+))?Z$/.exec(time) ?? []
  return `${BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))}`
}

const shownLogs = ({ hash, transactions }: FeedBlock) =>
  transactions.flatMap(({ hash: transactionHash, receipt }) =>
    (receipt?.logs ?? []).map(({ index, address, topics, data }) => ({
      blockHash: hash,
      transactionHash,
      transactionIndex: `0x${receipt?.index.toString(16)}`,
      logIndex: `0x${index.toString(16)}`,
      address,
      topics,
      data,
    })),
  )

const ethereumLogs = async (height: number): Promise<readonly unknown[]> => {
  const at = `0x${height.toString(16)}`
  const logs = await node.ask<readonly Record<string, unknown>[]>('eth_getLogs', { fromBlock: at, toBlock: at })
  return logs.map(({ blockHash, transactionHash, transactionIndex, logIndex, address, topics, data }) => ({
    blockHash,
    transactionHash,
    transactionIndex,
    logIndex,
    address,
    topics,
    data,
  }))
}

const expectAsWitnessed = async (shown: FeedBlock): Promise<void> => {
  const { height } = shown
  expect(asComet(shown), `block_results of ${height}`).toEqual(await cometResults(height))
  const { header, data } = (await node.comet<CometBlock>(`block?height=${height}`)).block
  expect(shown.transactions.map(({ raw }) => base64(raw))).toEqual(data.txs ?? [])
  expect(shown.timeNs).toBe(nanoseconds(header.time))
  expect(shown.proposer).toBe(`0x${header.proposer_address.toLowerCase()}`)
  const block = await node.ask<Record<string, unknown>>('eth_getBlockByNumber', `0x${height.toString(16)}`, false)
  const { hash, parentHash, stateRoot, receiptsRoot } = block
  expect(shown).toMatchObject({ hash, header: { parentHash, stateRoot, receiptsRoot, number: block['number'] } })
  const logs = shownLogs(shown)
  const witnessed = await ethereumLogs(height)
  expect(logs.length).toBe(witnessed.length)
  expect(logs, `logs of ${height}`).toEqual(witnessed)
}

describe('the feed of a running node', () => {
  it('is whole and in order for a consumer that is killed, of a node that is killed, and says what CometBFT and JSON-RPC say', async () => {
    const cursor = join(node.folder, 'cursor')
    const first = consume('--follow', '--cursor', cursor)
    await first.untilHeight(3)
    expect(await first.kill('SIGKILL')).toBe('SIGKILL')
    const trafficEnd = await makeTraffic()
    const second = consume('--follow', '--cursor', cursor)
    await second.untilHeight(first.height + 1)
    expect(await second.kill('SIGKILL')).toBe('SIGKILL')
    const third = consume('--follow', '--cursor', cursor)
    await third.untilHeight(trafficEnd)
    // All of it, and while the consumer listens: it finds the node again by itself.
    const killedAt = await node.height()
    node.kill('supervisor')
    await node.stop('SIGKILL')
    await node.start()
    await third.untilHeight(killedAt + 3)
    expect(await third.kill('SIGINT')).toBe(0)
    for (const consumer of [first, second, third]) {
      const [begin] = consumer.blocks
      invariant(begin !== undefined, 'it has read something')
      const heights = consumer.blocks.map(({ height }) => height)
      expect(heights).toEqual(heights.map((_, index) => begin.height + index))
    }
    // What was printed last before a kill comes once more where its cursor was not saved yet, and nothing else does.
    expect(first.blocks[0]?.height).toBe(1)
    for (const [before, after] of [
      [first, second],
      [second, third],
    ] as const) {
      expect([before.height, before.height + 1]).toContain(after.blocks[0]?.height)
    }
    const blocks = new Map([first, second, third].flatMap((each) => each.blocks.map((block) => [block.height, block])))
    expect(blocks.size).toBe(third.height)
    for (const block of blocks.values()) await expectAsWitnessed(block)
    const transactions = [...blocks.values()].flatMap((block) => block.transactions)
    // Nothing of it may be missing, or nothing is proven.
    expect(transactions.some(({ family, code }) => family === 'native' && code === 0)).toBe(true)
    expect(transactions.some(({ family, code }) => family === 'native' && code !== 0)).toBe(true)
    expect(transactions.some(({ receipt, log }) => receipt?.succeeded === false && log === 'execution reverted')).toBe(
      true,
    )
    expect(transactions.some(({ receipt, events }) => receipt !== undefined && events.length > 1)).toBe(true)
    expect(transactions.filter(({ receipt }) => receipt?.logs.length === LOGS_A_TRANSACTION)).toHaveLength(
      LOUD_TRANSACTIONS,
    )
    expect([...blocks.values()].some(({ validatorUpdates }) => validatorUpdates.length > 0)).toBe(true)
    expect(Math.max(...[second, third].flatMap(({ lineLengths }) => lineLengths))).toBeGreaterThan(PAGE_LENGTH)
  })

  it('ends at the head without --follow, begins where it is told, and goes on with its cursor', async () => {
    const cursor = join(node.folder, 'other-cursor')
    const head = await node.height()
    const from = head - 3
    const once = consume('--from', String(from), '--cursor', cursor)
    expect(await once.exited).toBe(0)
    expect(once.blocks.length).toBeGreaterThanOrEqual(4)
    expect(once.blocks.map(({ height }) => height)).toEqual(once.blocks.map((_, index) => from + index))
    await node.untilHeight(once.height + 1)
    const again = consume('--from', '1', '--cursor', cursor)
    expect(await again.exited).toBe(0)
    expect(again.blocks[0]).toMatchObject({ height: once.height + 1, header: { parentHash: once.blocks.at(-1)?.hash } })
    expect(existsSync(`${cursor}.new`)).toBe(false)
    rmSync(cursor)
  })

  it('ends without a word when nobody reads it any more', async () => {
    const child = spawn('/bin/sh', [
      '-c',
      `"$0" feed --home "$1" --follow | head -n 2; exit 0`,
      chainCommand,
      node.home,
    ])
    endWithUs(child)
    const written = { out: '', error: '' }
    child.stdout.on('data', (bytes: Buffer) => (written.out += bytes.toString()))
    child.stderr.on('data', (bytes: Buffer) => (written.error += bytes.toString()))
    await new Promise((resolve) => child.once('close', resolve))
    expect(
      written.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as FeedBlock).height),
    ).toEqual([1, 2])
    expect(written.error).toBe('')
  })

  it('says what is wrong: no node, another chain, a file that is no cursor', async () => {
    const nobody = await runChain(['feed', '--home', join(node.folder, 'nowhere')])
    expect(nobody.status).toBe(1)
    expect(nobody.stderr).toMatch(/Error: no node answers at unix:.*: is it running\? \(cli\/\d+\)\n$/)
    const cursor = join(node.folder, 'foreign-cursor')
    writeFileSync(cursor, JSON.stringify({ height: 1, hash: `0x${'12'.repeat(32)}` }))
    const foreign = await runChain(['feed', '--home', node.home, '--cursor', cursor])
    expect(foreign.status).toBe(1)
    expect(foreign.stderr).toMatch(/^Error: block 2 \(0x[0-9a-f]{64}\) does not follow block 1 of the cursor/)
    expect(foreign.stdout).toBe('')
    writeFileSync(cursor, EMPTY_BYTES)
    const none = await runChain(['feed', '--home', node.home, '--cursor', cursor])
    expect(none.stderr).toBe(`Error: ${cursor} is no cursor of a feed: remove it to begin anew (feed/3)\n`)
  })
})
