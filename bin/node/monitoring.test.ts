/** The dashboard and the alerts of docker/, held against a real Prometheus that watches a real node. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { editCometToml, makeHome } from '../testing/make-home.ts'
import {
  alertQueries,
  alertTests,
  dashboardQueries,
  metricNames,
  type Query,
  RULES,
  SCRAPES,
} from '../testing/monitoring.ts'
import { choosePorts, freePorts, type RunningChain, startChain } from '../testing/node-process.ts'
import { findPrometheus, type RunningPrometheus, startPrometheus } from '../testing/prometheus.ts'
import { makeCertificate } from '../testing/certificates.ts'
import { startTraceReceiver, type TraceReceiver } from '../testing/trace-receiver.ts'
import { askOwnServer, type OwnServer } from './runtime/own-server.ts'
import { findCometbft } from './supervise/cometbft-binary.ts'

const ALICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const ACCOUNT = mnemonicToAccount('test test test test test test test test test test test junk')
const SLOW = { interval: 200 }
const QUERIES: readonly Query[] = [...dashboardQueries(), ...alertQueries()]

const cometbft = await findCometbft().catch((error: unknown) => {
  console.log(`skipped: the node needs CometBFT: ${String(error)}`)
  return undefined
})
const binaries = cometbft === undefined ? undefined : findPrometheus()

const folder = mkdtempSync(join(tmpdir(), 'monitoring-'))
let node: RunningChain | undefined
let receiver: TraceReceiver
let jsonRpc: OwnServer
let prometheus: RunningPrometheus | undefined

/** The settings of docker/, with the ports of this node. */
const configOf = (ports: Readonly<Record<string, number>>): string => {
  const text = Object.entries(ports).reduce(
    (config, [target, port]) => config.replace(target, `127.0.0.1:${port}`),
    readFileSync(SCRAPES, 'utf8').replace('"alerts.yml"', JSON.stringify(RULES)),
  )
  // A test does not wait for a quarter of a minute.
  return text.replaceAll('15s', '1s')
}

beforeAll(async () => {
  if (binaries === undefined) return
  const home = join(folder, 'home')
  await makeHome(home, {
    chainId: 'localnat-1',
    accounts: [ALICE],
    balance: '5nat',
    hasTestMarkets: true,
    timeoutCommitMs: 200,
  })
  const ports = await choosePorts()
  const [own = 0, comet = 0] = await freePorts(2)
  editCometToml(home, {
    'instrumentation.prometheus': 'true',
    'instrumentation.prometheus_listen_addr': `"127.0.0.1:${comet}"`,
  })
  const { certificatePath, keyPath } = makeCertificate(folder, 'node')
  receiver = await startTraceReceiver()
  jsonRpc = {
    address: { host: '127.0.0.1', port: Number(new URL(ports.jsonRpcUrl).port) },
    certificate: readFileSync(certificatePath, 'utf8'),
  }
  // The node has all that brings figures of its own: a certificate, and a daemon whose endpoint does not answer.
  const settings = {
    'telemetry.enabled': 'true',
    'telemetry.traces-endpoint': receiver.url,
    'tls.certificate-path': certificatePath,
    'tls.key-path': keyPath,
    'bridge-daemon-eth-rpc-endpoint': 'http://127.0.0.1:9',
    'max-daemon-unhealthy-seconds': '4294967295',
  }
  const flags = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value])
  node = startChain('start', '--home', home, ...ports.flags, ...flags)
  const [application = 0, gateway = 0] = ports.metricsUrls.map((url) => Number(new URL(url).port))
  const config = join(folder, 'prometheus.yml')
  writeFileSync(
    config,
    configOf({ 'application:26661': application, 'gateway:26662': gateway, 'cometbft:26660': comet }),
  )
  prometheus = await startPrometheus(binaries, { config, folder: join(folder, 'data'), port: own })
})
afterAll(async () => {
  await prometheus?.stop()
  node?.process.kill('SIGTERM')
  await node?.exited
  await receiver?.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Vector {
  readonly result: readonly {
    readonly metric: Readonly<Record<string, string>>
    readonly value: readonly [number, string]
  }[]
}

const valuesOf = async (query: string): Promise<readonly number[]> => {
  const { result = [] } = (await prometheus?.ask<Vector>('query', { query })) ?? {}
  return result.map(({ value: [, text] }) => Number(text))
}

describe.skipIf(binaries === undefined)('Prometheus', () => {
  it('takes the rules and the settings of docker/', () => {
    const check = (...args: readonly string[]): string =>
      execFileSync(binaries?.promtool ?? '', ['check', ...args], { encoding: 'utf8' })
    expect(check('rules', RULES)).toContain(`SUCCESS: ${alertQueries().length} rules found`)
    expect(check('config', SCRAPES)).toContain('is valid prometheus config file syntax')
  })

  it('fires alerts when it should', () => {
    const tests = join(folder, 'alerts.test.yml')
    writeFileSync(tests, alertTests(RULES))
    const said = execFileSync(binaries?.promtool ?? '', ['test', 'rules', tests], { encoding: 'utf8' })
    expect(said).toContain('SUCCESS')
  })

  it('reads application, gateway and CometBFT', async () => {
    await expect.poll(() => valuesOf('sum(up)'), SLOW).toEqual([3])
    await expect.poll(() => valuesOf('nat_block_height > bool 2'), SLOW).toEqual([1])
    expect(node?.output()).toContain('metrics are served')
  })

  it('knows every figure that the dashboard and the alerts ask for', async () => {
    const knownNames = async (): Promise<ReadonlySet<string>> =>
      new Set(Object.keys((await prometheus?.ask<Record<string, unknown>>('metadata')) ?? {}))
    const asked = new Set(QUERIES.flatMap(({ expression }) => metricNames(expression)))
    expect(asked.size).toBeGreaterThan(40)
    // The process of native gRPC begins behind the gateway, and is read with the next look.
    const unknown = async (): Promise<readonly string[]> => {
      const known = await knownNames()
      return [...asked].filter((name) => !known.has(name))
    }
    await expect.poll(unknown, SLOW).toEqual([])
    // And each of our own is asked for, so that nothing is measured that nobody sees.
    const own = [...(await knownNames())].filter((name) => name.startsWith('nat_'))
    expect(own.filter((name) => !asked.has(name))).toEqual([])
  })

  it.each(QUERIES.map(({ title, expression }) => [title, expression]))('answers %s: %s', async (_title, query) => {
    expect((await prometheus?.ask<{ readonly resultType: string }>('query', { query }))?.resultType).toBe('vector')
  })

  it('says that the daemon is well, when the certificate expires, and that blocks come', async () => {
    // There is no contract to watch: it needs no endpoint yet.
    await expect.poll(() => valuesOf('nat_daemon_healthy'), SLOW).toEqual([1])
    const [days = 0] = await valuesOf('(nat_tls_certificate_expiry_seconds - time()) / 86400')
    expect(Math.round(days)).toBe(30)
    await expect.poll(() => valuesOf('sum(rate(nat_block_interval_seconds_count[10s])) > 0.5'), SLOW).toHaveLength(1)
    expect(await valuesOf('nat_validator_votes_total{vote="included"} > 0')).toHaveLength(1)
  })

  it('and a collector are told the way of a transaction', async () => {
    const raw = await ACCOUNT.signTransaction({
      ...{ type: 'eip1559', chainId: 2517, nonce: 0, to: ALICE, gas: 21_000n },
      ...{ maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
    })
    const request = { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] }
    const { result: hash = '' } = JSON.parse(await askOwnServer(jsonRpc, '/', JSON.stringify(request))) as {
      readonly result?: string
    }
    const ofTransaction = (): readonly string[] =>
      receiver.spans.filter(({ traceId }) => traceId === hash.slice(2, 34)).map(({ name }) => name)
    await expect
      .poll(ofTransaction, SLOW)
      .toEqual(['admission', 'proposal', 'judgement', 'execution', 'commit', 'announcement', 'transaction'])
    const counted = 'nat_transactions_total{family="ethereum",outcome="succeeded"}'
    await expect.poll(() => valuesOf(counted), SLOW).toEqual([1])
  })

  it('sees that a node alone has no peers, and that its blocks come', async () => {
    const pending = async (): Promise<readonly string[]> => {
      const { result = [] } = (await prometheus?.ask<Vector>('query', { query: 'ALERTS' })) ?? {}
      return result.map(({ metric }) => metric['alertname'] ?? '')
    }
    await expect.poll(pending, SLOW).toEqual(['NoPeers'])
  })
})

it('no query of the dashboard is empty, and no title stands twice in a rule', () => {
  expect(dashboardQueries().every(({ expression }) => expression.length > 0)).toBe(true)
  const titles = alertQueries().map(({ title }) => title)
  expect(new Set(titles).size).toBe(titles.length)
})

it('every alert and every figure is explained', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'monitoring.md'), 'utf8')
  const names = new Set(QUERIES.flatMap(({ expression }) => metricNames(expression)))
  expect(
    alertQueries()
      .filter(({ title }) => !text.includes(`\`${title}\``))
      .map(({ title }) => title),
  ).toEqual([])
  expect([...names].filter((name) => name.startsWith('nat_') && !text.includes(`\`${name}\``))).toEqual([])
})
