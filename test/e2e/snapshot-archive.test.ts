import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restoreCommand } from '../../bin/cli/commands/snapshot.ts'
import { openHome } from '../../bin/node/config/home.ts'
import { setTomlValue } from '../../bin/node/config/toml-lines.ts'
import { invariant } from '../../core/errors.ts'
import { sha256 } from '../../core/hash.ts'
import { accountAt, createClient, createWallet } from './clients.ts'
import {
  CHAIN_ID,
  chooseNodePorts,
  createNode,
  type Finished,
  PATIENCE_MS,
  runChain,
  TestNode,
  until,
} from './harness.ts'

const MAGIC = Buffer.from('NATSNAP2')
const END = Buffer.from('NATSEND2')
const HASH_BYTES = 32

const folder = mkdtempSync(join(tmpdir(), 'archive-'))
const archive = join(folder, 'chain.snapshot')
let source: TestNode
let height: number
const restored: TestNode[] = []

/** A snapshot command on a home. */
const snapshot = (home: string, ...args: readonly string[]): Promise<Finished> =>
  runChain(['snapshot', ...args, '--home', home])

let made = 0
const newHome = async (chainId = CHAIN_ID): Promise<string> => {
  const home = join(folder, `home-${++made}`)
  const evm = chainId === CHAIN_ID ? [] : ['--evm-chain-id', '2517']
  expect(await runChain(['init', 'new', '--chain-id', chainId, ...evm, '--home', home])).toMatchObject({ status: 0 })
  writeFileSync(join(home, 'config', 'genesis.json'), readFileSync(join(source.home, 'config', 'genesis.json')))
  return home
}

beforeAll(async () => {
  source = await createNode({
    timeoutCommitMs: 200,
    settings: { 'state-sync.snapshot-interval': '5', 'state-sync.snapshot-keep-recent': '0' },
  })
  await source.start()
  const [wallet, client] = [createWallet(source, accountAt(0)), createClient(source)]
  for (let i = 0; i < 3; i++) {
    const hash = await wallet.sendTransaction({ to: accountAt(1).address, value: 7n })
    await client.waitForTransactionReceipt({ hash, timeout: PATIENCE_MS })
  }
  await source.untilHeight(12)
  await until('a snapshot', () => (/made a snapshot height=10 /.test(source.output) ? true : undefined))
})

afterAll(async () => {
  for (const node of [source, ...restored]) await node.remove()
  rmSync(folder, { recursive: true, force: true })
})

describe('chain snapshot', () => {
  it('refuses a home that is open, and lists what is there all the same', async () => {
    for (const args of [['create'], ['export', archive]]) {
      const { status, stderr } = await snapshot(source.home, ...args)
      expect(status).toBe(1)
      expect(stderr).toMatch(/is open in another process/)
    }
    expect(existsSync(archive)).toBe(false)
    const { status, stdout } = await snapshot(source.home, 'list')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^height 10 {2}format 1 {2}1 chunks .* [0-9]+ accounts/m)
  })

  it('makes one of the head of a stopped home, and an archive of it', async () => {
    expect(await source.stop()).toBe(0)
    height = Number(/stopped height=(\d+)/.exec(source.output)?.[1])
    expect((await snapshot(source.home, 'create')).stdout).toContain(`height ${height}  format 1`)
    expect((await snapshot(source.home, 'list')).stdout).toMatch(new RegExp(`^height ${height} `))
    const unknown = await snapshot(source.home, 'export', archive, '--height', '9999')
    expect(unknown).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no snapshot of height 9999') as string,
    })
    expect(await snapshot(source.home, 'export', archive)).toMatchObject({ status: 0, stderr: '' })
    const again = await snapshot(source.home, 'export', archive)
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('exists') as string })
    // No key leaves its home.
    const text = zstdDecompressSync(readFileSync(archive).subarray(MAGIC.length, -END.length)).toString('latin1')
    for (const file of ['config/priv_validator_key.json', 'config/node_key.json']) {
      const { value } = (JSON.parse(readFileSync(join(source.home, file), 'utf8')) as { priv_key: { value: string } })
        .priv_key
      expect(text).not.toContain(value)
    }
    expect(text).not.toContain('priv_validator')
  })

  it.each(['the head', 'an older height'])(
    'restores a home from an archive of %s that follows the network',
    async (kind) => {
      let file = archive
      if (kind !== 'the head') {
        file = join(folder, 'older.snapshot')
        expect(await snapshot(source.home, 'export', file, '--height', '10')).toMatchObject({ status: 0 })
      }
      const node = new TestNode(await chooseNodePorts(), {})
      restored.push(node)
      expect(await runChain(['init', 'new', '--chain-id', CHAIN_ID, '--home', node.home])).toMatchObject({ status: 0 })
      writeFileSync(
        join(node.home, 'config', 'genesis.json'),
        readFileSync(join(source.home, 'config', 'genesis.json')),
      )
      const { status, stdout, stderr } = await snapshot(node.home, 'restore', file)
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(/the state root of block \d+ is right/)
      const hash = /has the hash (0x[0-9a-f]{64})/.exec(stdout)?.[1]
      expect(readdirSync(join(node.home, 'data'))).not.toContain('.restoring')
      await source.start()
      const { node_info } = await until('CometBFT', () => source.comet<{ node_info: { id: string } }>('status'))
      const config = join(node.home, 'config', 'config.toml')
      const peer = `"${node_info.id}@127.0.0.1:${source.ports.p2p}"`
      writeFileSync(config, setTomlValue(readFileSync(config, 'utf8'), 'p2p.persistent_peers', peer))
      node.spawn()
      const head = await node.untilHeight((await source.height()) + 3)
      const at = `0x${head.toString(16)}`
      expect(await node.ask('eth_getBlockByNumber', at, true)).toEqual(
        await source.ask('eth_getBlockByNumber', at, true),
      )
      const first = `0x${(kind === 'the head' ? height : 10).toString(16)}`
      expect(await source.ask('eth_getBlockByNumber', first, false)).toMatchObject({ hash })
      expect(await node.ask('eth_getBlockByNumber', first, true)).toEqual(
        await source.ask('eth_getBlockByNumber', first, true),
      )
      expect(await node.ask('eth_getBalance', accountAt(1).address, at)).toBe(
        await source.ask('eth_getBalance', accountAt(1).address, at),
      )
      expect(await node.stop()).toBe(0)
      expect(await source.stop()).toBe(0)
      const second = await snapshot(node.home, 'restore', file)
      expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining('holds a chain already') as string })
    },
  )
})

describe('chain snapshot restore', () => {
  let home: string
  beforeAll(async () => {
    home = await newHome()
  })

  /** Every file of the home, so that what a refusal leaves behind is seen. */
  const listing = (): readonly string[] => readdirSync(home, { recursive: true }).map(String).toSorted()

  const refusalOf = async (bytes: Uint8Array, blockHash?: string, into = home): Promise<string> => {
    const file = join(folder, 'tried.snapshot')
    writeFileSync(file, bytes)
    try {
      await restoreCommand({
        home: openHome(into),
        file,
        say: () => undefined,
        ...(blockHash === undefined ? {} : { blockHash }),
      })
      return 'restored'
    } catch (error) {
      return String(error)
    }
  }

  interface Parts {
    readonly manifest: { chainId: string; height: number; files: { path: string; size: number }[] }
    readonly contents: Uint8Array[]
  }
  const takeApart = (): Parts => {
    const stream = zstdDecompressSync(readFileSync(archive).subarray(MAGIC.length, -END.length))
    const length = stream.readUInt32BE(0)
    const manifest = JSON.parse(stream.toString('utf8', 4, 4 + length)) as Parts['manifest']
    let at = 4 + length + HASH_BYTES
    const contents = manifest.files.map(({ size }) => {
      const content = stream.subarray(at, at + size)
      at += size + HASH_BYTES
      return content
    })
    return { manifest, contents }
  }
  const putTogether = ({ manifest, contents }: Parts, tail = new Uint8Array(0)): Uint8Array => {
    const text = Buffer.from(JSON.stringify(manifest))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(text.length)
    const body = [length, text, sha256(text), ...contents.flatMap((content) => [content, sha256(content)]), tail]
    return Buffer.concat([MAGIC, zstdCompressSync(Buffer.concat(body)), END])
  }
  const changed = (change: (parts: Parts) => void): Uint8Array => {
    const parts = takeApart()
    change(parts)
    return putTogether(parts)
  }
  const fileAt = ({ manifest }: Parts, index: number) => {
    const file = manifest.files[index]
    invariant(file !== undefined, 'an archive of some files')
    return file
  }

  it('refuses archives that are cut short or have a changed byte, and leaves nothing behind', async () => {
    const bytes = readFileSync(archive)
    const before = listing()
    for (let step = 0; step < 24; step++) {
      const at = Math.floor(((step + 0.5) / 24) * bytes.length)
      expect(await refusalOf(bytes.subarray(0, at)), `cut at ${at}`).toMatch(/damaged or cut short|no archive/)
      const flipped = bytes.with(at, (bytes[at] as number) ^ (1 << (step % 8)))
      expect(await refusalOf(flipped), `byte ${at}`).toMatch(/damaged or cut short/)
      expect(listing()).toEqual(before)
    }
    for (const [at, expected] of [
      [0, /no archive/],
      [bytes.length - 1, /damaged or cut short/],
    ] as const) {
      expect(await refusalOf(bytes.subarray(0, at))).toMatch(expected)
    }
    expect(await refusalOf(Buffer.from('something else'))).toMatch(/no archive/)
    expect(await refusalOf(Buffer.concat([Buffer.from('NATSNAP1'), bytes.subarray(MAGIC.length)]))).toMatch(
      /an archive of an earlier version: export it again/,
    )
    const stream = zstdDecompressSync(bytes.subarray(MAGIC.length, -END.length))
    for (let step = 0; step < 24; step++) {
      const at = 4 + Math.floor((step / 24) * stream.readUInt32BE(0))
      const flipped = stream.with(at, (stream[at] as number) ^ (1 << (step % 7)))
      const lying = Buffer.concat([MAGIC, zstdCompressSync(flipped), END])
      expect(await refusalOf(lying), `byte ${at} of the manifest`).toMatch(/its manifest does not have its hash/)
    }
    expect(listing()).toEqual(before)
  })

  it('refuses paths that lead out of their folder, keys, and files without a place', async () => {
    const before = listing()
    for (const path of [
      '../config/priv_validator_key.json',
      'cometbft/../../config/node_key.json',
      '/etc/passwd',
      'cometbft/state.db/../../x',
      'cometbft/state.db/sub/file',
      'cometbft/state.db/..',
      'cometbft/cs.wal/wal',
      'cometbft/priv_validator_state.json',
      'snapshot/chunk-7',
      'application.db/CURRENT',
    ]) {
      const lying = changed((parts) => {
        parts.manifest.files.push({ path, size: 1 })
        parts.contents.push(Uint8Array.of(1))
      })
      expect(await refusalOf(lying), path).toMatch(/has no place in a home/)
    }
    const twice = changed((parts) => {
      parts.manifest.files.push(fileAt(parts, -1 + parts.manifest.files.length))
      parts.contents.push(parts.contents.at(-1) as Uint8Array)
    })
    expect(await refusalOf(twice)).toMatch(/has no place in a home/)
    expect(listing()).toEqual(before)
  })

  it('refuses bombs: sizes beyond the limits or the disk, and more than is named', async () => {
    const before = listing()
    const grown = (size: number, index: number) => changed((parts) => Object.assign(fileAt(parts, index), { size }))
    expect(await refusalOf(grown(64 * 1024 * 1024, 0))).toMatch(/has no place in a home/)
    expect(await refusalOf(grown(4 * 1024 * 1024, 1))).toMatch(/has no place in a home/)
    expect(await refusalOf(grown(2 ** 40, 3))).toMatch(/has no place in a home/)
    const vast = changed(({ manifest }) => {
      for (let i = 0; i < 400_000; i++) manifest.files.push({ path: `cometbft/state.db/x${i}`, size: 16 * 1024 ** 3 })
    })
    expect(await refusalOf(vast)).toMatch(/bytes on .* are free/)
    expect(await refusalOf(putTogether(takeApart(), new Uint8Array(1e8)))).toMatch(/more than its manifest names/)
    const manifestBomb = Buffer.concat([MAGIC, zstdCompressSync(Buffer.alloc(2 ** 28, 0x7f)), END])
    expect(await refusalOf(manifestBomb)).toMatch(/damaged/)
    // A chunk that unpacks to a gigabyte.
    const inner = zstdCompressSync(Buffer.alloc(2 ** 30))
    const chunkBomb = changed((parts) => {
      Object.assign(fileAt(parts, 1), { size: inner.length })
      parts.contents[1] = inner
    })
    expect(await refusalOf(chunkBomb)).toMatch(/does not have its hash/)
    expect(listing()).toEqual(before)
  })

  it('refuses archives of another chain or block, without a snapshot, or without what CometBFT needs', async () => {
    const before = listing()
    const without = (pattern: RegExp) =>
      changed((parts) => {
        const kept = parts.manifest.files.map(({ path }) => !pattern.test(path))
        parts.contents.splice(0, Infinity, ...parts.contents.filter((_, index) => kept[index]))
        parts.manifest.files = parts.manifest.files.filter((_, index) => kept[index])
      })
    expect(await refusalOf(without(/state\.db/))).toMatch(/does not hold CometBFT's state\.db/)
    expect(await refusalOf(without(/blockstore\.db/))).toMatch(/does not hold CometBFT's blockstore\.db/)
    expect(await refusalOf(without(/chunk/))).toMatch(/holds no snapshot/)
    expect(await refusalOf(without(/metadata/))).toMatch(/has no place|no snapshot/)
    expect(await refusalOf(changed(({ manifest }) => void (manifest.height += 1)))).toMatch(/not that of its snapshot/)
    expect(await refusalOf(changed(({ manifest }) => void (manifest.chainId = 'other-1')))).toMatch(
      /the archive is of other-1/,
    )
    expect(await refusalOf(readFileSync(archive), `0x${'ab'.repeat(32)}`)).toMatch(/not of the one that you trust/)
    expect(await refusalOf(readFileSync(archive), '0xab')).toMatch(/must be 0x and 64 digits/)
    const foreign = await newHome()
    const genesis = join(foreign, 'config', 'genesis.json')
    writeFileSync(genesis, readFileSync(genesis, 'utf8').replace(`"${CHAIN_ID}"`, '"foreign-1"'))
    expect(await refusalOf(readFileSync(archive), undefined, foreign)).toMatch(
      /the archive is of localnat-1, but .* is of foreign-1/,
    )
    expect(listing()).toEqual(before)
  })

  it('goes on where a killed restore left its folder, and start refuses one that was moving', async () => {
    const restoring = join(home, 'data', '.restoring')
    mkdirSync(join(restoring, 'application.db'), { recursive: true })
    writeFileSync(join(restoring, 'moving'), '')
    mkdirSync(join(home, 'data', 'state.db'), { recursive: true })
    const started = await runChain(['start', '--home', home])
    expect(started).toMatchObject({ status: 1, stderr: expect.stringContaining('restore" again') as string })
    expect(await refusalOf(readFileSync(archive))).toBe('restored')
    expect(existsSync(restoring)).toBe(false)
    expect(readdirSync(join(home, 'data'))).toEqual(
      expect.arrayContaining(['application.db', 'state.db', 'blockstore.db']),
    )
    expect(await refusalOf(readFileSync(archive))).toMatch(/holds a chain already/)
  })
})
