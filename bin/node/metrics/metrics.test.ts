import { afterEach, expect, it } from 'vitest'
import { CodedError } from '../../../core/errors.ts'
import { createLog } from '../runtime/log.ts'
import { BlockFigures } from './block-figures.ts'
import { PrometheusMeter } from './prometheus-meter.ts'
import { type MetricsServer, serveMetrics } from './serve-metrics.ts'

const listener = { purpose: 'metrics', address: { host: '127.0.0.1', port: 0 }, setting: 'telemetry.address' }
const log = createLog({ write: () => undefined })
let server: MetricsServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

/** The lines of our own figures, without what Node and the system say. */
const own = async (meter: PrometheusMeter): Promise<readonly string[]> =>
  (await meter.text()).split('\n').filter((line) => line.startsWith('nat_'))

it('shows counters, histograms and what is read when somebody asks', async () => {
  const meter = new PrometheusMeter()
  const counter = meter.counter({ name: 'nat_a_total', help: 'a', labels: ['kind', 'outcome'] })
  counter.add(2, 'x', 'ok')
  counter.add(3, 'x', 'ok')
  const histogram = meter.histogram({ name: 'nat_b_seconds', help: 'b', buckets: [1, 2] })
  histogram.observe(1.5)
  let value = 1
  meter.gauge({ name: 'nat_c', help: 'c' }, () => [[value]])
  meter.counted({ name: 'nat_d_total', help: 'd', labels: ['kind'] }, () => Promise.resolve([[value, 'y']]))
  value = 7
  expect(await own(meter)).toEqual([
    'nat_a_total{kind="x",outcome="ok"} 5',
    'nat_b_seconds_bucket{le="1"} 0',
    'nat_b_seconds_bucket{le="2"} 1',
    'nat_b_seconds_bucket{le="+Inf"} 1',
    'nat_b_seconds_sum 1.5',
    'nat_b_seconds_count 1',
    'nat_c 7',
    'nat_d_total{kind="y"} 7',
  ])
  // What is read is not added up.
  expect(await own(meter)).toContain('nat_d_total{kind="y"} 7')
})

it('has no more series of a figure than it can hold', async () => {
  const meter = new PrometheusMeter()
  const counter = meter.counter({ name: 'nat_a_total', help: 'a', labels: ['who'] })
  for (let id = 0; id < 1_000; id++) counter.add(1, String(id))
  meter.gauge({ name: 'nat_b', help: 'b', labels: ['who'] }, () =>
    Array.from({ length: 1_000 }, (_, id) => [1, String(id)] as const),
  )
  const lines = await own(meter)
  expect(lines).toContain('nat_a_total{who="other"} 700')
  expect(lines).toHaveLength(301 + 300)
})

it('serves them at /metrics alone, and to the names of loopback alone', async () => {
  const meter = new PrometheusMeter()
  server = await serveMetrics(listener, meter, log)
  const url = `http://${server.address}`
  const answer = await fetch(`${url}/metrics`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await answer.text()
  for (const name of [
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'process_start_time_seconds',
  ])
    expect(text).toContain(`# TYPE ${name} gauge`)
  expect((await fetch(url)).status).toBe(404)
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405)
})

it('says which setting moves a port that is taken', async () => {
  server = await serveMetrics(listener, new PrometheusMeter(), log)
  const port = Number(new URL(`http://${server.address}`).port)
  await expect(
    serveMetrics({ ...listener, address: { host: '127.0.0.1', port } }, new PrometheusMeter(), log),
  ).rejects.toThrow(/telemetry\.address.*EADDRINUSE/)
})

it('answers with an error and goes on when a figure cannot be read', async () => {
  const meter = new PrometheusMeter()
  let isBroken = true
  meter.gauge({ name: 'nat_a', help: 'a' }, () => {
    if (isBroken) throw new CodedError('store', 1, 'closed')
    return [[1]]
  })
  let said = ''
  server = await serveMetrics(listener, meter, createLog({ write: (line) => (said += line) }))
  const url = `http://${server.address}/metrics`
  expect((await fetch(url)).status).toBe(500)
  expect(said).toContain('the figures cannot be collected')
  isBroken = false
  expect(await (await fetch(url)).text()).toContain('nat_a 1')
})

it('counts arrivals at a pool by what became of them', async () => {
  const meter = new PrometheusMeter()
  let nowMs = 0
  const figures = new BlockFigures(meter, () => nowMs)
  const end = figures.arrived('transactions', 'wallet')
  nowMs = 30
  end(new Uint8Array(32))
  figures.arrived('transactions', 'network')(new CodedError('pool', 3, 'no'))
  figures.judged(true)
  const lines = await own(meter)
  expect(lines).toContain('nat_pool_arrivals_total{pool="transactions",origin="wallet",result="admitted"} 1')
  expect(lines).toContain('nat_pool_arrivals_total{pool="transactions",origin="network",result="pool/3"} 1')
  expect(lines).toContain('nat_pool_admission_seconds_sum{pool="transactions"} 0.03')
  expect(lines).toContain('nat_proposals_total{outcome="accepted"} 1')
})
