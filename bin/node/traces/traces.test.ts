import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CodedError } from '../../../core/errors.ts'
import { hexToBytes } from '../../../core/hex.ts'
import type { NodeWitness } from '../runtime/node-witness.ts'
import { startTraceReceiver, type TraceReceiver } from '../../testing/trace-receiver.ts'
import { createLog } from '../runtime/log.ts'
import { createSpanExporter, type SpanExporter } from './span-exporter.ts'
import { withoutSecrets } from './start-traces.ts'
import { type TransactionTrace, TransactionTraces } from './transaction-traces.ts'

const HASH = 'ab'.repeat(32)
type Block = Parameters<NodeWitness['committed']>[0]
const families = { of: () => ({ name: 'ethereum' }) } as unknown as Parameters<NodeWitness['committed']>[1]

/** A block of transactions with these hashes, all of them without an error. */
const blockOf = (height: number, ...hashes: readonly string[]): Block =>
  ({
    record: { header: { number: height } },
    candidate: {
      content: { transactions: hashes.map(() => new Uint8Array(1)) },
      outcomes: hashes.map((hash) => ({
        kind: 'applied',
        gasUsed: 21_000n,
        ethereum: { signed: { hash: hexToBytes(`0x${hash}`) }, receipt: { succeeded: true } },
      })),
      response: { transactionResults: hashes.map(() => ({ code: 0 })) },
    },
  }) as unknown as Block

const follow = (oneIn = 1) => {
  const clock = { nowMs: 0 }
  const told: TransactionTrace[] = []
  const traces = new TransactionTraces({ oneIn, nowMs: () => clock.nowMs, tell: (trace) => void told.push(trace) })
  return { clock, told, traces }
}

describe('the way of a transaction', () => {
  it('is told with all steps that this node took, behind the commit of its block', () => {
    const { clock, told, traces } = follow()
    const end = traces.arrived('transactions', 'wallet')
    clock.nowMs = 2
    end(hexToBytes(`0x${HASH}`))
    traces.called('prepareProposal', 10, 20)
    traces.called('processProposal', 20, 21)
    traces.called('finalizeBlock', 30, 31)
    clock.nowMs = 45
    traces.committed(blockOf(7, HASH), families)
    clock.nowMs = 46
    traces.announced()
    expect(told).toEqual([])
    traces.called('commit', 40, 50)
    expect(told).toEqual([
      {
        ...{ hash: HASH, height: 7, family: 'ethereum', succeeded: true, gasUsed: 21_000, origin: 'wallet' },
        steps: [
          { name: 'admission', fromMs: 0, toMs: 2 },
          { name: 'proposal', fromMs: 10, toMs: 20 },
          { name: 'judgement', fromMs: 20, toMs: 21 },
          { name: 'execution', fromMs: 30, toMs: 31 },
          { name: 'commit', fromMs: 40, toMs: 45 },
          { name: 'announcement', fromMs: 45, toMs: 46 },
        ],
      },
    ])
  })

  it('has no steps of another block, and none that this node did not take', () => {
    const { told, traces } = follow()
    traces.arrived('transactions', 'wallet')(new CodedError('pool', 3, 'refused'))
    traces.called('prepareProposal', 1, 2)
    traces.committed(blockOf(1), families)
    traces.called('commit', 3, 4)
    traces.called('finalizeBlock', 5, 6)
    traces.committed(blockOf(2, HASH), families)
    traces.called('commit', 7, 8)
    expect(told.map(({ steps }) => steps.map(({ name }) => name))).toEqual([['execution', 'commit', 'announcement']])
  })

  it('is told of one of so many, the same ones everywhere, and of no more than a collector takes', () => {
    const hashes = Array.from({ length: 1_000 }, (_, index) => index.toString(16).padStart(64, '0'))
    const { told, traces } = follow(10)
    traces.committed(blockOf(1, ...hashes), families)
    traces.called('commit', 1, 2)
    expect(told.map(({ hash }) => Number(`0x${hash}`))).toEqual(Array.from({ length: 100 }, (_, index) => 10 * index))
    const all = follow()
    all.traces.committed(blockOf(1, ...hashes), families)
    all.traces.called('commit', 1, 2)
    expect(all.told).toHaveLength(500)
  })
})

describe('the collector', () => {
  let receiver: TraceReceiver
  let exporter: SpanExporter | undefined
  let said = ''

  beforeEach(async () => {
    said = ''
    receiver = await startTraceReceiver()
  })
  afterEach(async () => {
    await exporter?.close()
    await receiver.close()
  })

  const open = (endpoint: string): SpanExporter => {
    const log = createLog({ write: (line) => (said += line) })
    exporter = createSpanExporter({ endpoint, instance: 'here', chainId: 'localnat-1', version: '1.2.3', log })
    return exporter
  }

  const steps = [
    { name: 'admission', fromMs: 1, toMs: 2 },
    { name: 'announcement', fromMs: 5, toMs: 8 },
  ] as const
  const trace: TransactionTrace = { hash: HASH, height: 7, family: 'native', succeeded: false, gasUsed: 5, steps }

  it('gets a span for the whole way and one for each step, in a trace that is named by the hash', async () => {
    open(receiver.url).tell(trace)
    await exporter?.close()
    const [admission, announcement, whole] = receiver.spans
    expect(receiver.paths).toEqual(['/v1/traces'])
    expect(receiver.spans.map(({ name }) => name)).toEqual(['admission', 'announcement', 'transaction'])
    expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([HASH.slice(0, 32)]))
    expect(admission?.parentSpanId).toBe(whole?.spanId)
    expect(announcement?.parentSpanId).toBe(whole?.spanId)
    expect(whole).toMatchObject({
      attributes: {
        'nat.transaction.hash': `0x${HASH}`,
        'nat.transaction.family': 'native',
        'nat.transaction.gas_used': 5,
        'nat.block.height': 7,
      },
      status: { code: 2 },
      resource: { 'service.name': 'nat-chain', 'service.instance.id': 'here', 'nat.chain_id': 'localnat-1' },
    })
    const nanoseconds = BigInt(whole?.endTimeUnixNano ?? 0) - BigInt(whole?.startTimeUnixNano ?? 0)
    expect(Number(nanoseconds) / 1e6).toBeCloseTo(7, 1)
    expect(Math.abs(Number(BigInt(whole?.startTimeUnixNano ?? 0) / 1_000_000n) - performance.timeOrigin)).toBeLessThan(
      1_000,
    )
  })

  it('that answers hugely fills no log', async () => {
    const hostile = createServer((_request, response) => response.writeHead(400).end('x'.repeat(1_000_000)))
    hostile.listen(0, '127.0.0.1')
    await once(hostile, 'listening')
    open(`http://127.0.0.1:${(hostile.address() as AddressInfo).port}`).tell(trace)
    await expect.poll(() => said).toContain('traces cannot be sent')
    await exporter?.close()
    await new Promise((resolve) => hostile.close(resolve))
    expect(said.length).toBeLessThan(2_000)
  })

  it('is named without what may be a key', () => {
    expect(withoutSecrets('https://user:secret@collector:4318/v1/traces?key=secret#secret')).toBe(
      'https://collector:4318/v1/traces',
    )
  })

  it('that is away is said once, and holds nothing up', async () => {
    await receiver.close()
    open(receiver.url)
    for (let index = 0; index < 3; index++) exporter?.tell(trace)
    await exporter?.close()
    expect(said.split('\n').filter((line) => line.includes('traces cannot be sent')).length).toBeLessThanOrEqual(1)
    receiver = await startTraceReceiver()
  })
})
