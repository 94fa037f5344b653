/** Homes that are broken in one way each: the doctor names the fault, and what to do. */
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, renameSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { editCometToml, initFundedHome, makeHome } from '../../testing/make-home.ts'
import { ensureBridgeKey } from '../../node/bridge/bridge-keys.ts'
import { openHome } from '../../node/config/home.ts'
import { describeFindings, examine } from './doctor.ts'
import type { Finding } from './finding.ts'
import { checkDisk, checkOpenFiles, judgeClock } from './machine.ts'
import { listeningInodes, portOwner } from './port-owners.ts'

const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const PEER = `${'ab'.repeat(20)}@127.0.0.1:1`
const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
const home = openHome(join(folder, 'home'))
const OPTIONS = { chainId: 'localnat-1', accounts: [ACCOUNT], balance: '1000nat' }
/** The machine may run a node on the usual ones. */
const FLAGS = {
  settings: {
    'api.address': '127.0.0.1:0',
    'grpc.address': '127.0.0.1:0',
    'json-rpc.address': '127.0.0.1:0',
    'json-rpc.ws-address': '127.0.0.1:0',
  },
  cometRpc: 'tcp://127.0.0.1:0',
  cometP2p: 'tcp://127.0.0.1:0',
}

const find = async (check: string, flags = FLAGS, rpcs: readonly string[] = []): Promise<readonly Finding[]> =>
  (await examine({ home, flags, rpcs })).filter((finding) => finding.check === check)

/** Spoils a file for the time of a test. */
const spoiling = async (path: string, text: string, run: () => Promise<void>): Promise<void> => {
  const sound = readFileSync(path)
  writeFileSync(path, text)
  try {
    await run()
  } finally {
    writeFileSync(path, sound)
  }
}

beforeAll(() => makeHome(home.root, OPTIONS))
afterAll(() => rmSync(folder, { recursive: true }))

describe('chain doctor', () => {
  it('finds nothing wrong with a new home, and changes nothing', async () => {
    const findings = await examine({ home, flags: FLAGS, rpcs: [] })
    expect(findings.filter(({ level }) => level === 'fault')).toEqual([])
    expect(await find('peers')).toMatchObject([{ level: 'ok' }])
    expect(describeFindings(findings).at(-1)).toMatch(/^\d+ well, \d+ warnings, 0 faults$/)
    for (const { level, action } of findings) expect(action === undefined).toBe(level === 'ok')
  })

  it('says that there is no home', async () => {
    const findings = await examine({ home: openHome(join(folder, 'nowhere')), flags: FLAGS, rpcs: [] })
    const faults = findings.filter(({ level }) => level === 'fault')
    expect(faults).toMatchObject([{ check: 'home', action: expect.stringContaining('chain init') as string }])
  })

  it.each([
    ['app.toml', home.appToml, 'pruning = "sometimes"', /app\.toml:1: pruning is "sometimes"/],
    ['config.toml', home.configToml, '[p2p', /expected|incomplete|invalid/i],
    ['config.toml', home.configToml, '[p2p]\nseeds = "somebody:26656"', /no addresses of peers: somebody:26656/],
    ['config.toml', home.configToml, 'moniker = "x"\nx = [', /config\.toml:2:\d+: Invalid TOML/],
    ['genesis', home.genesis, '{"chain_id": "lo', /JSON/],
    ['key files', home.validatorKey, '', /priv_validator_key\.json holds no ed25519 validator key/],
    ['key files', home.nodeKey, '', /node_key\.json is missing or holds no ed25519 node key/],
    ['key files', home.bridgeKey, '{', /bridge_key\.json holds no keys of the bridge/],
  ])('names what is wrong with %s', async (check, path, text, detail) => {
    await spoiling(path, text, async () => {
      expect(await find(check)).toMatchObject([{ level: 'fault', detail: expect.stringMatching(detail) }])
    })
  })

  it('asks for the key of the validator only where no other program signs', async () => {
    const kept = `${home.validatorKey}.kept`
    renameSync(home.validatorKey, kept)
    try {
      expect(await find('home')).toMatchObject([{ level: 'ok' }])
      expect(await find('key files')).toMatchObject([{ level: 'fault' }])
      await spoiling(home.configToml, 'priv_validator_laddr = "tcp://127.0.0.1:1"', async () => {
        expect(await find('key files')).toMatchObject([{ level: 'ok' }])
      })
    } finally {
      renameSync(kept, home.validatorKey)
    }
  })

  it('blames nothing else for a damaged key of the validator', async () => {
    await spoiling(home.validatorKey, '', async () => {
      expect(await find('genesis')).toMatchObject([{ level: 'ok' }])
    })
  })

  it('says what to do where it is not known what the validator has signed last, once there are blocks', async () => {
    const blocks = join(home.data, 'blockstore.db')
    await spoiling(home.validatorState, '', async () => {
      expect(await find('key files')).toMatchObject([{ level: 'ok' }])
      mkdirSync(blocks)
      try {
        const action = expect.stringContaining('never an older one') as string
        expect(await find('key files')).toMatchObject([{ level: 'fault', action }])
        // Another program signs.
        await spoiling(home.configToml, 'priv_validator_laddr = "tcp://127.0.0.1:1"', async () => {
          expect(await find('key files')).toMatchObject([{ level: 'ok' }])
        })
      } finally {
        rmSync(blocks, { recursive: true })
      }
    })
  })

  it('warns of a port of CometBFT that others reach, as the file or a flag names it', async () => {
    for (const [cometRpc, levels] of [
      ['tcp://0.0.0.0:0', ['ok', 'warning']],
      ['tcp://[::]:0', ['ok', 'warning']],
      ['tcp://127.0.0.1:0', ['ok']],
    ] as const) {
      const found = await find('config.toml', { ...FLAGS, cometRpc })
      expect(found.map(({ level }) => level)).toEqual(levels)
      expect(JSON.stringify(found).includes('miss its votes')).toBe(levels.length > 1)
    }
  })

  it('warns of a home of before whose persistent peers would be called late', async () => {
    const flags = { ...FLAGS, cometPersistentPeers: `${'a'.repeat(40)}@127.0.0.1:1` }
    const toml = readFileSync(home.configToml, 'utf8').replace(/^pex = .*$/m, 'pex = true')
    const period = /^persistent_peers_max_dial_period = .*$/m
    expect(toml).toMatch(period)
    const levels = async (text: string): Promise<readonly string[]> => {
      let found: readonly string[] = []
      await spoiling(home.configToml, text, async () => {
        found = (await find('config.toml', flags)).map(({ level }) => level)
      })
      return found
    }
    expect(await levels(toml)).toEqual(['ok'])
    for (const old of ['persistent_peers_max_dial_period = "0s"', '']) {
      expect(await levels(toml.replace(period, old))).toEqual(['ok', 'warning'])
    }
    // CometBFT keeps to it with peer exchange alone.
    expect(await levels(toml.replace(period, '').replace(/^pex = .*$/m, 'pex = false'))).toEqual(['ok'])
  })

  it('warns of keys that others can read', async () => {
    if (!existsSync(home.bridgeKey)) ensureBridgeKey(home)
    for (const path of [home.validatorKey, home.bridgeKey]) {
      chmodSync(path, 0o644)
      expect(await find('keys')).toMatchObject([{ level: 'warning', action: `run "chmod 600 ${path}"` }])
      chmodSync(path, 0o600)
    }
    expect(await find('keys')).toEqual([])
    const key = join(folder, 'tls.key')
    writeFileSync(key, '', { mode: 0o640 })
    const flags = { ...FLAGS, settings: { ...FLAGS.settings, 'tls.key-path': key } }
    expect(await find('keys', flags)).toMatchObject([{ detail: `${key} can be read by others` }])
  })

  it('says whom a full node must name, and who does not answer', async () => {
    const full = openHome(join(folder, 'full'))
    await initFundedHome(full.root, OPTIONS)
    writeFileSync(full.genesis, readFileSync(home.genesis))
    const peers = async (): Promise<Finding | undefined> =>
      (await examine({ home: full, flags: FLAGS, rpcs: [] })).find(({ check }) => check === 'peers')
    expect(await peers()).toMatchObject({ level: 'fault', detail: 'none is named' })
    editCometToml(full.root, { 'p2p.persistent_peers': `"${PEER}"` })
    expect(await peers()).toMatchObject({ level: 'fault', detail: `no connection to ${PEER}` })
  })

  it('says who holds a port', async () => {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const settings = { ...FLAGS.settings, 'json-rpc.address': `127.0.0.1:${port}` }
    const findings = await find(`port ${port}`, { ...FLAGS, settings })
    server.close()
    expect(findings).toMatchObject([{ level: 'fault', action: expect.stringContaining('json-rpc.address') }])
    expect(findings[0]?.detail).toContain(`held by process ${process.pid} (`)
    expect(portOwner(port)).toBeUndefined()
  })

  it('reads who listens from what Linux tells', () => {
    const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2161 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000 100 0 0 10 0
   1: 0100007F:2161 0100007F:8888 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000 20 4 30 10 -1`
    expect(listeningInodes(table, 8_545)).toEqual(['4711'])
    expect(listeningInodes(table, 8_546)).toEqual([])
  })

  it('judges room, open files and the clock', () => {
    const free = (gib: number): string => checkDisk(home.root, () => gib * 2 ** 30).level
    expect([0.5, 5, 50].map(free)).toEqual(['fault', 'warning', 'ok'])
    const files = (limit: string): string => checkOpenFiles(`Max open files   ${limit}  ${limit}  files`).level
    expect(['256', '4096', '1048576', 'unlimited'].map(files)).toEqual(['fault', 'warning', 'ok', 'ok'])
    const clock = (skewMs: number): string => judgeClock(1e12 + skewMs, 1e12, 'x').level
    expect([0, -1_500, 3_000, -3_000, 60_000].map(clock)).toEqual(['ok', 'ok', 'warning', 'warning', 'fault'])
  })

  it('compares clock, chain and height with another node', async () => {
    let network = 'localnat-1'
    const other = createHttpServer((request, response) => {
      response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString())
      const result = {
        node_info: { id: 'a', network, version: '' },
        sync_info: { latest_block_height: '70', catching_up: false, latest_block_time: new Date().toISOString() },
        validator_info: { address: '', voting_power: '0' },
      }
      response.end(JSON.stringify({ result: request.url === '/status' ? result : {} }))
    })
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    expect(await find('clock', FLAGS, [url])).toMatchObject([
      { level: 'fault', detail: expect.stringMatching(/3[56]\d\d\.\d s ahead of/) },
    ])
    expect(await find('network', FLAGS, [url])).toMatchObject([{ level: 'ok' }])
    network = 'other-1'
    expect(await find('network', FLAGS, [url])).toMatchObject([{ level: 'fault' }])
    other.close()
    expect((await find('network', FLAGS, ['http://127.0.0.1:1']))[0]?.level).toBe('fault')
  })

  it('goes nowhere where another node sends it', async () => {
    const asked: string[] = []
    const serve = async (location: string): Promise<string> => {
      const server = createHttpServer((request, response) => {
        asked.push(`${location === '' ? 'second' : 'first'} ${request.url}`)
        response.writeHead(location === '' ? 200 : 302, { location: location + (request.url ?? '') }).end('{}')
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      servers.push(server)
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }
    const servers: ReturnType<typeof createHttpServer>[] = []
    const url = await serve(await serve(''))
    expect(await find('clock', FLAGS, [url])).toMatchObject([{ level: 'ok' }])
    expect(await find('network', FLAGS, [url])).toMatchObject([
      { level: 'fault', detail: expect.stringMatching(/redirects to another host/) },
    ])
    expect(asked.filter((each) => each.startsWith('second'))).toEqual([])
    for (const server of servers) server.close()
  })
})
