/**
 * Records what geth answers to the scenario: `node test/e2e/parity/capture-geth.ts [geth]`, with geth 1.16.8.
 * Its chain has the gas limit of ours, and the chain id that the node under test is given.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { choosePorts } from '../harness.ts'
import { Peer } from './peer.ts'
import { scenario } from './scenario.ts'

const API = 'eth,net,web3,debug,txpool'
const GAS_LIMIT = '1000000000'
const fixture = join(import.meta.dirname, '../fixtures/geth-parity.json')

const folder = mkdtempSync(join(tmpdir(), 'geth-'))
const [http = 0, ws = 0, auth = 0] = await choosePorts(3)
const geth = spawn(
  process.argv[2] ?? 'geth',
  [
    ...['--dev', '--dev.period', '2', '--dev.gaslimit', GAS_LIMIT, '--miner.gaslimit', GAS_LIMIT],
    ...['--http', '--http.port', `${http}`, '--http.api', API, '--ws', '--ws.port', `${ws}`, '--ws.api', API],
    ...['--datadir', folder, '--ipcdisable', '--authrpc.port', `${auth}`, '--port', '0', '--nodiscover'],
  ],
  { stdio: 'ignore' },
)
try {
  const peer = new Peer(`http://127.0.0.1:${http}`, `ws://127.0.0.1:${ws}`)
  await peer.until('geth', async () => await peer.ask('eth_chainId').catch(() => undefined))
  await scenario(peer)
  mkdirSync(dirname(fixture), { recursive: true })
  const lines = peer.transcript.map(({ title, reply }) => `${JSON.stringify(title)}: ${JSON.stringify(reply)}`)
  writeFileSync(fixture, `{\n${lines.join(',\n')}\n}\n`)
  console.log(`${lines.length} replies in ${fixture}`)
} finally {
  geth.kill()
  await new Promise((resolve) => geth.once('exit', resolve))
  rmSync(folder, { recursive: true, force: true })
}
