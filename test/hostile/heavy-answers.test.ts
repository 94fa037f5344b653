/** What an answer costs is known before it is made: the thread that executes blocks makes none that takes long. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { QuestionName, Questions } from '../../app/ports.ts'
import type { Hex } from '../../core/hex.ts'
import { assemble } from '../e2e/parity/assemble.ts'
import { signTransaction } from '../sim/traffic.ts'
import { blockOf, type Lone, openLone } from './lone-application.ts'

const GAS = 16_700_000n
/** Fees above the minimum price. */
const TIP_ANAT = 9_000_000_000n
const LARGE_DATA_BYTES = 120_000
/** The code logs without data and topics until less than 30,000 gas is left. */
const LOGS = assemble('again: 0 0 LOG0 30000 GAS GT @again JUMPI')

let lone: Lone
const hashes: Hex[] = []

const ask = async <Name extends QuestionName>(name: Name, parameters: Questions[Name]) => {
  const before = lone.handedOver.length
  const text = await lone.application.ask(name, parameters, 0)
  return { value: JSON.parse(text) as unknown, workers: lone.handedOver.slice(before) }
}

const decide = async (height: number, raws: readonly Uint8Array[]): Promise<void> => {
  await lone.application.finalizeBlock(blockOf(height, raws))
  await lone.application.commit()
}

/** Blocks: 1 plain transfers, 2 two transactions of logs, 3 a transaction of 120 KB. */
beforeAll(async () => {
  lone = await openLone({ workers: true })
  const [first, second, third] = lone.accounts
  if (first === undefined || second === undefined || third === undefined) throw new TypeError('accounts')
  const plain = { gas: 21_000n, tip: TIP_ANAT, to: first.address }
  const logs = { data: LOGS, gas: GAS, tip: TIP_ANAT }
  const large = { ...plain, data: `0x${'11'.repeat(LARGE_DATA_BYTES)}`, gas: GAS } as const
  const blocks = [
    [await signTransaction(third, 2, { nonce: 0, ...plain })],
    [await signTransaction(first, 2, { nonce: 0, ...logs }), await signTransaction(second, 2, { nonce: 0, ...logs })],
    [await signTransaction(third, 2, { nonce: 1, ...large })],
  ]
  for (const [index, raws] of blocks.entries()) {
    await decide(index + 1, raws)
    const { value } = await ask('block', { block: { number: index + 1 }, full: false })
    hashes.push(...(value as { transactions: Hex[] }).transactions)
  }
})

const [TRANSFER, LOGGING, , LARGE] = [0, 1, 2, 3]
const hashAt = (index: number): Hex => hashes[index] ?? '0x'

describe('an answer is made by a worker when it is long', () => {
  it('and by the thread that executes blocks when it is short', async () => {
    const hash = hashAt(TRANSFER)
    const block = { number: 1 }
    for (const { workers, value } of [
      await ask('block', { block, full: true }),
      await ask('block', { block: { number: 2 }, full: false }),
      await ask('header', { block: { number: 3 } }),
      await ask('blockReceipts', { block }),
      await ask('transaction', { hash }),
      await ask('transaction', { hash: hashAt(LOGGING) }),
      await ask('transactionByIndex', { block, index: 0 }),
      await ask('rawTransactionByIndex', { block, index: 0 }),
      await ask('receipt', { hash }),
    ]) {
      expect(workers).toEqual([])
      expect(value).not.toBeNull()
    }
  })

  it('for its logs', async () => {
    const receipt = await ask('receipt', { hash: hashAt(LOGGING) })
    expect(receipt.workers).toEqual(['receipt'])
    const { logs } = receipt.value as { logs: unknown[] }
    expect(logs.length).toBeGreaterThan(10_000)
    const receipts = await ask('blockReceipts', { block: { number: 2 } })
    expect(receipts.workers).toEqual(['blockReceipts'])
    expect(receipts.value).toMatchObject([receipt.value, { logs: { length: logs.length } }])
  })

  it('for its data', async () => {
    const [block, hash] = [{ number: 3 }, hashAt(LARGE)]
    expect((await ask('block', { block, full: true })).workers).toEqual(['block'])
    expect((await ask('block', { block, full: false })).workers).toEqual(['block'])
    expect((await ask('blockReceipts', { block })).workers).toEqual(['blockReceipts'])
    expect((await ask('transaction', { hash })).workers).toEqual(['transaction'])
    expect((await ask('transactionByIndex', { block, index: 0 })).workers).toEqual(['transactionByIndex'])
    expect((await ask('rawTransaction', { hash })).workers).toEqual(['rawTransaction'])
    expect((await ask('transaction', { hash: '0x00' })).value).toBeNull()
  })

  it('while it waits, too', async () => {
    const account = lone.accounts[2]
    if (account === undefined) throw new TypeError('accounts')
    const { value: full } = await ask('newPendingTransactionFilter', { full: true, client: 'a' })
    const data = `0x${'22'.repeat(LARGE_DATA_BYTES)}` as const
    const raw = await signTransaction(account, 2, { nonce: 2, data, to: account.address, gas: GAS, tip: TIP_ANAT })
    const { value: hash } = await ask('sendRawTransaction', { raw: `0x${Buffer.from(raw).toString('hex')}` })
    const shown = { hash, input: data, blockHash: null, from: account.address.toLowerCase() }
    for (const name of ['transaction', 'pendingTransaction'] as const) {
      const { value, workers } = await ask(name, { hash: hash as Hex })
      expect(value).toMatchObject(shown)
      expect(workers).toEqual(['waitingTransactions'])
    }
    const { value: bytes, workers: rawBy } = await ask('rawTransaction', { hash: hash as Hex })
    expect(rawBy).toEqual(['rawTransaction'])
    expect(bytes).toBe(`0x${Buffer.from(raw).toString('hex')}`)
    await decide(4, [raw])
    const { value, workers } = await ask('filterChanges', { id: full as Hex })
    expect(value).toMatchObject([shown])
    expect(workers).toEqual(['waitingTransactions'])
    expect((await ask('filterChanges', { id: full as Hex })).value).toEqual([])
  })
})

describe('logs beyond the bound of one answer', () => {
  it('are an error of a search, and whole over the polls of a filter and the pages of a block', async () => {
    const { value: receipts } = await ask('blockReceipts', { block: { number: 2 } })
    const all = (receipts as { logs: { logIndex: Hex }[] }[]).flatMap(({ logs }) =>
      logs.map(({ logIndex }) => logIndex),
    )
    const criteria = { addresses: [], topics: [] }
    await expect(ask('logs', { ...criteria, fromBlock: { number: 2 }, toBlock: { number: 2 } })).rejects.toMatchObject({
      codespace: 'query',
      code: 5,
    })
    const paged: Hex[] = []
    let from: Questions['logsPage']['from'] | null = { height: 1, log: 0 }
    while (from !== null) {
      const { value } = await ask('logsPage', { criteria, from, to: 3 })
      const page = value as { next: Questions['logsPage']['from'] | null; logs: { logIndex: Hex }[] }
      paged.push(...page.logs.map(({ logIndex }) => logIndex))
      from = page.next
    }
    expect(paged).toEqual(all)
  })

  it('come over the polls of a filter', async () => {
    const account = lone.accounts[0]
    if (account === undefined) throw new TypeError('accounts')
    const criteria = { addresses: [], topics: [] }
    const { value: id } = await ask('newFilter', { criteria, client: 'a' })
    const { height } = lone.application
    await decide(height + 1, [await signTransaction(account, 2, { nonce: 1, data: LOGS, gas: GAS, tip: TIP_ANAT })])
    const polls: number[] = []
    do {
      const { value } = await ask('filterChanges', { id: id as Hex })
      polls.push((value as unknown[]).length)
    } while (polls.at(-1) !== 0)
    expect(polls.length).toBeGreaterThan(2)
    expect(Math.max(...polls)).toBeLessThanOrEqual(10_000)
    expect(polls.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(30_000)
  })
})

describe('filters of pending transactions', () => {
  it('cost the node no copy of what they are told of', async () => {
    const [, account] = lone.accounts
    if (account === undefined) throw new TypeError('accounts')
    const ids: Hex[] = []
    for (let count = 0; count < 500; count++) {
      ids.push((await ask('newPendingTransactionFilter', { full: true, client: `client ${count}` })).value as Hex)
    }
    const before = process.memoryUsage().heapUsed
    for (let nonce = 1; nonce < 5; nonce++) {
      const data = `0x${'33'.repeat(LARGE_DATA_BYTES)}` as const
      const raw = await signTransaction(account, 2, { nonce, data, to: account.address, gas: GAS, tip: TIP_ANAT })
      await ask('sendRawTransaction', { raw: `0x${Buffer.from(raw).toString('hex')}` })
    }
    // A text of each for every filter would be 480 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000)
    expect((await ask('filterChanges', { id: ids[0] ?? '0x' })).value).toHaveLength(4)
  })
})
