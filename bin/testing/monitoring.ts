/** The dashboard and the rules of docker/, as far as tests look at them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const DOCKER = join(import.meta.dirname, '..', '..', 'docker')
export const RULES = join(DOCKER, 'prometheus', 'alerts.yml')
export const SCRAPES = join(DOCKER, 'prometheus', 'prometheus.yml')
const DASHBOARD = join(DOCKER, 'grafana', 'dashboards', 'nat-chain.json')

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

export interface Query {
  readonly title: string
  readonly expression: string
}

/** What Grafana puts in the place of its variables. */
const expand = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')

export const dashboardQueries = (): readonly Query[] => {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { readonly panels: readonly Panel[] }
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expression: expand(expr) })))
}

/** The expressions of the rules; each stands on a line of its own behind its name. */
export const alertQueries = (): readonly Query[] =>
  Array.from(
    readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)\n\s+expr: (.+)\n/g),
    ([, title = '', expression = '']) => ({
      title,
      expression,
    }),
  )

/** Names of figures in an expression, those of series of a histogram under the name of the histogram. */
export const metricNames = (expression: string): readonly string[] => [
  ...new Set(
    Array.from(expression.matchAll(/\b(?:nat|cometbft|nodejs|process)_\w+/g), ([name]) =>
      name
        .replace(/_seconds_(?:bucket|sum|count)$/, '_seconds')
        .replace(/_transactions_(?:bucket|sum|count)$/, '_transactions'),
    ),
  ),
]

interface AlertCase {
  readonly alert: string
  /** Series with their values, once a minute. */
  readonly series: Readonly<Record<string, string>>
  readonly atMinutes: number
  readonly labels: Readonly<Record<string, string>>
  readonly summary: string
}

const CASES: readonly AlertCase[] = [
  {
    alert: 'NoBlocks',
    series: { 'nat_block_timestamp_seconds{instance="a"}': '0x10', 'nat_consensus_catching_up{instance="a"}': '0x10' },
    atMinutes: 3,
    labels: { severity: 'critical', instance: 'a' },
    summary: 'the head of a is 3m 0s old',
  },
  {
    alert: 'DaemonUnhealthy',
    series: { 'nat_daemon_healthy{instance="a",daemon="bridge"}': '1 0x10' },
    atMinutes: 3,
    labels: { severity: 'critical', instance: 'a', daemon: 'bridge' },
    summary: 'the daemon bridge of a is unhealthy',
  },
  {
    alert: 'CertificateExpires',
    series: { 'nat_tls_certificate_expiry_seconds{instance="g"}': '3000000 864600x10' },
    atMinutes: 10,
    labels: { severity: 'warning', instance: 'g' },
    summary: 'the certificate of g expires in 10d 0h 0m 0s',
  },
  {
    alert: 'ValidatorAbsent',
    series: {
      'nat_validator_votes_total{instance="a",validator="0x01",vote="included"}': '0+45x30',
      'nat_validator_votes_total{instance="a",validator="0x01",vote="absent"}': '0+15x30',
      'nat_validator_votes_total{instance="a",validator="0x02",vote="included"}': '0+60x30',
      'nat_validator_votes_total{instance="a",validator="0x02",vote="absent"}': '0x30',
    },
    atMinutes: 25,
    labels: { severity: 'warning', instance: 'a', validator: '0x01' },
    summary: 'validator 0x01 misses 25% of the blocks',
  },
  {
    alert: 'PoolFull',
    series: { 'nat_pool_arrivals_total{instance="a",pool="transactions",origin="wallet",result="pool/7"}': '0+1x10' },
    atMinutes: 5,
    labels: { severity: 'warning', instance: 'a', pool: 'transactions' },
    summary: 'the pool of a refuses transactions: it is full',
  },
]

/** Tests of rules as promtool reads them; JSON is YAML. */
export const alertTests = (rules: string): string =>
  JSON.stringify({
    rule_files: [rules],
    evaluation_interval: '1m',
    tests: CASES.map(({ alert, series, atMinutes, labels, summary }) => ({
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      alert_rule_test: [
        { eval_time: '0m', alertname: alert, exp_alerts: [] },
        {
          eval_time: `${atMinutes}m`,
          alertname: alert,
          exp_alerts: [{ exp_labels: labels, exp_annotations: { summary } }],
        },
      ],
    })),
  })
