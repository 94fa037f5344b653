/**
 * Records what geth answers to the scenario: `node test/e2e/parity/capture-geth.ts [geth [states]]`, with geth
 * 1.16.8.
 * Its chain has the gas limit of ours, and the chain id that the node under test is given.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choosePorts } from '../harness.ts'
import { Peer } from './peer.ts'
import { scenario } from './scenario.ts'
import { states } from './states.ts'
import { createWorld } from './transactions.ts'

const API = 'eth,net,web3,debug,txpool'
const GAS_LIMIT = '1000000000'
const fixture = (name: string): string => join(import.meta.dirname, '../fixtures', name)

/** What geth answers while `ask` asks it. */
const record = async (name: string, flags: readonly string[], ask: (peer: Peer) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'geth-'))
  const [http = 0, ws = 0, auth = 0] = await choosePorts(3)
  const geth = spawn(
    process.argv[2] ?? 'geth',
    [
      ...['--dev', '--dev.period', '2', '--dev.gaslimit', GAS_LIMIT, '--miner.gaslimit', GAS_LIMIT, ...flags],
      ...['--http', '--http.port', `${http}`, '--http.api', API, '--ws', '--ws.port', `${ws}`, '--ws.api', API],
      ...['--datadir', folder, '--ipcdisable', '--authrpc.port', `${auth}`, '--port', '0', '--nodiscover'],
    ],
    { stdio: 'ignore' },
  )
  try {
    const peer = new Peer(`http://127.0.0.1:${http}`, `ws://127.0.0.1:${ws}`)
    await peer.until('geth', async () => await peer.ask('eth_chainId').catch(() => undefined))
    await ask(peer)
    const lines = peer.transcript.map(({ title, reply }) => `${JSON.stringify(title)}: ${JSON.stringify(reply)}`)
    writeFileSync(fixture(name), `{\n${lines.join(',\n')}\n}\n`)
    console.log(`${lines.length} replies in ${name}`)
  } finally {
    geth.kill()
    await new Promise((resolve) => geth.once('exit', resolve))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Only so does geth know what its hashes are of, and storage before a block that changed it. */
const ARCHIVE = ['--state.scheme', 'hash', '--gcmode', 'archive', '--cache.preimages']

if (process.argv[3] !== 'states') await record('geth-parity.json', [], scenario)
await record('geth-states.json', ARCHIVE, (peer) => states(peer, createWorld().dev))
