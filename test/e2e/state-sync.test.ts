import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { checkCallSequence } from '../../abci/testing/grammar.ts'
import { RESTORE_STEPS } from '../../app/environment.ts'
import { setTomlValue } from '../../bin/node/config/toml-lines.ts'
import { findCometbft } from '../../bin/node/supervise/cometbft-binary.ts'
import { accountAt, createClient, createWallet } from './clients.ts'
import { CHAIN_ID, chooseNodePorts, PATIENCE_MS, runChain, TestNode, until, useNode } from './harness.ts'

const INTERVAL = 5

const cometbft = await findCometbft()

const validator = useNode({
  settings: { 'state-sync.snapshot-interval': String(INTERVAL), 'state-sync.snapshot-keep-recent': '3' },
})
const joining: TestNode[] = []

interface Commit {
  readonly signed_header: {
    readonly header: { readonly app_hash: string }
    readonly commit: { readonly block_id: { readonly hash: string } }
  }
}
interface Status {
  readonly node_info: { readonly id: string }
  readonly sync_info: { readonly catching_up: boolean; readonly earliest_block_height: string }
}

const peerOf = async (node: TestNode): Promise<string> => {
  const { node_info } = await until('CometBFT', () => node.comet<Status>('status'))
  return `${node_info.id}@127.0.0.1:${node.ports.p2p}`
}

const trustedHash = async (height: number): Promise<string> =>
  (await validator().comet<Commit>(`commit?height=${height}`)).signed_header.commit.block_id.hash

const snapshotsOf = (node: TestNode): readonly string[] => {
  const folder = join(node.home, 'data', 'snapshots')
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []
}

/** Transfers that are included, sent to this node. */
const sendTransfers = async (node: TestNode, count: number): Promise<void> => {
  const [wallet, client] = [createWallet(node, accountAt(0)), createClient(node)]
  for (let i = 0; i < count; i++) {
    const hash = await wallet.sendTransaction({ to: accountAt(1).address, value: 1n })
    expect((await client.waitForTransactionReceipt({ hash, timeout: PATIENCE_MS })).status).toBe('success')
  }
}

/** A home that joins the validator's network, as docs/operating.md says. The peers are told: what a node says of itself is tested once. */
const joinHome = async (flags: readonly string[]): Promise<TestNode> => {
  const node = new TestNode(await chooseNodePorts(), { isRecorded: true })
  joining.push(node)
  const source = validator().urls.comet
  const done = await runChain(['join', source, ...flags, '--home', node.home])
  expect(done).toMatchObject({ status: 0, stderr: '' })
  expect(done.stdout).toContain(`${CHAIN_ID} (EVM chain id 2517) is at height `)
  expect(done.stdout).toContain(`next: chain start --home ${node.home}`)
  return node
}

const joinNetwork = async (peers: readonly TestNode[]): Promise<TestNode> => {
  const addresses: string[] = []
  for (const peer of peers) addresses.push(await peerOf(peer))
  const source = validator().urls.comet
  const node = await joinHome([source, '--state-sync', '--p2p.persistent_peers', addresses.join(',')])
  // A liar's peer must not learn of the honest one.
  editConfig(node, { 'p2p.pex': 'false' })
  return node
}

/** The height of the snapshot, once a block after it is there: CometBFT cannot be stopped between the two. */
const untilSynced = async (node: TestNode): Promise<number> => {
  const restored = (): string | undefined => /the snapshot is restored height=(\d+)/.exec(node.output)?.[1]
  const height = Number(await until('a restored snapshot', restored))
  await node.untilHeight(height + 1)
  return height
}

const expectSameBlock = async (node: TestNode, height: number): Promise<void> => {
  const at = `0x${height.toString(16)}`
  const block = await node.ask('eth_getBlockByNumber', at, true)
  expect(block).toMatchObject({ number: at })
  expect(block).toEqual(await validator().ask('eth_getBlockByNumber', at, true))
}

const untilSnapshots = (node: TestNode, count: number): Promise<true> =>
  until(`${count} snapshots`, () => (snapshotsOf(node).length >= count ? true : undefined))

const untilSaid = (node: TestNode, text: RegExp): Promise<true> =>
  until(String(text), () => (text.test(node.output) ? true : undefined))

const editConfig = (node: TestNode, values: Readonly<Record<string, string>>): void => {
  const path = join(node.home, 'config', 'config.toml')
  const toml = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    Object.entries(values).reduce((text, [key, value]) => setTomlValue(text, key, value), toml),
  )
}

afterEach(async ({ task }) => {
  for (const node of joining.splice(0)) {
    if (task.result?.state === 'fail') console.log(`the joining node wrote last:\n${node.output.slice(-6_000)}`)
    await node.remove()
  }
})
afterAll(() => expect(joining).toEqual([]))

describe('a node that joins by one command', () => {
  it('executes every block, and knows from the node that it asked whom to dial', async () => {
    const source = validator()
    const node = await joinHome([])
    expect(readFileSync(join(node.home, 'config', 'config.toml'), 'utf8')).toContain(
      `persistent_peers = "${await peerOf(source)}"`,
    )
    node.spawn()
    await source.untilHeight(3)
    await node.untilHeight(3)
    await expectSameBlock(node, 1)
    await expectSameBlock(node, 3)
    const doctor = await runChain(['doctor', ...node.flags, '--rpc', source.urls.comet])
    expect(doctor).toMatchObject({ status: 0, stderr: '' })
    for (const check of ['clock', 'network', 'head', 'peers']) {
      expect(doctor.stdout).toMatch(new RegExp(`^(ok|warning) +${check} `, 'm'))
    }
  })

  it('needs a seed alone, on a local network too', async () => {
    const source = validator()
    const node = await joinHome(['--p2p.seeds', await peerOf(source)])
    expect(readFileSync(join(node.home, 'config', 'config.toml'), 'utf8')).toContain('persistent_peers = ""')
    node.spawn()
    await node.untilHeight(2)
    await expectSameBlock(node, 2)
  })

  it('is refused where nothing would come of it, and no home is made', async () => {
    const source = validator().urls.comet
    const folder = join(validator().home, 'refused')
    for (const [args, text] of [
      [['join', source, '--state-sync'], /name a second URL/],
      [['join', 'http://127.0.0.1:1'], /http:\/\/127\.0\.0\.1:1\/status cannot be read/],
      [['join', 'ftp://x'], /is no http or https URL/],
      [['join', validator().urls.http], /does not answer as|answered HTTP|cannot be read/],
      [['join', source, '--p2p.seeds', 'x@1.2.3.4'], /--p2p\.seeds has "x@1\.2\.3\.4", but must be/],
    ] as const) {
      const { status, stderr } = await runChain([...args, '--home', folder])
      expect(stderr).toMatch(text)
      expect([1, 2]).toContain(status)
      expect(existsSync(folder)).toBe(false)
    }
  })
})

describe('a node that joins by state sync', () => {
  it('reaches the head from a snapshot, and serves new blocks with equal hashes', async () => {
    const source = validator()
    await sendTransfers(source, 3)
    await untilSnapshots(source, 2)
    const node = await joinNetwork([source])
    node.spawn()
    const height = await untilSynced(node)
    expect(height % INTERVAL).toBe(0)
    const caughtUp = async (): Promise<true | undefined> =>
      (await node.comet<Status>('status')).sync_info.catching_up ? undefined : true
    await until('the head', caughtUp)
    const head = await node.untilHeight(height + 3)
    await source.untilHeight(head)
    await sendTransfers(node, 2)
    for (const number of [height, height + 1, head]) {
      const at = `0x${number.toString(16)}`
      for (const [method, ...parameters] of [
        ['eth_getBlockByNumber', at, true],
        ['eth_getBlockReceipts', at],
        ['eth_getBalance', accountAt(0).address, at],
      ] as const) {
        expect(await node.ask(method, ...parameters)).toEqual(await source.ask(method, ...parameters))
      }
    }
    // Nothing is below the snapshot.
    const below = `0x${(height - 1).toString(16)}`
    await expect(node.ask('eth_getBalance', accountAt(0).address, below)).rejects.toThrow(/not available|pruned/)
    await expect(node.ask('eth_call', { to: accountAt(0).address }, below)).rejects.toThrow(/not available|pruned/)
    expect(await node.ask('eth_getBlockByNumber', below, false)).toBeNull()
    expect(await node.ask('eth_getBlockReceipts', below)).toBeNull()
    // CometBFT called what it may call, in an order that ABCI allows.
    expect(checkCallSequence(node.calls())).toBeUndefined()
    const methods = node.calls().map(({ method }) => method)
    expect(methods).toEqual(expect.arrayContaining(['offerSnapshot', 'applySnapshotChunk', 'finalizeBlock']))
    expect(methods).not.toContain('initChain')
    expect(await node.stop()).toBe(0)
    node.spawn()
    await node.untilHeight(head + 1)
  })

  it('is refused by CometBFT with a wrong trust hash, and nothing of its home is spoilt', async () => {
    const source = validator()
    await untilSnapshots(source, 1)
    const node = await joinNetwork([source])
    editConfig(node, { 'statesync.trust_hash': `"${'AB'.repeat(32)}"` })
    node.spawn()
    await untilSaid(node, /expected header's hash ABAB\w+, but got/)
    await node.stop()
    editConfig(node, { 'statesync.trust_hash': `"${await trustedHash(1)}"` })
    node.spawn()
    await expectSameBlock(node, 1 + (await untilSynced(node)))
  })

  it.each(RESTORE_STEPS)('joins after all when it was killed at %s', async (step) => {
    const source = validator()
    await untilSnapshots(source, 1)
    const node = await joinNetwork([source])
    process.env['CHAIN_KILL_AT'] = step
    node.spawn()
    delete process.env['CHAIN_KILL_AT']
    await untilSaid(node, new RegExp(`killed at ${step}`))
    // The supervisor starts it again, to be killed there again, or gives up where CometBFT cannot go on from there.
    expect([0, 1]).toContain(await node.stop())
    // CometBFT may have noted the state, but no block: docs/operating.md says what to do then.
    execFileSync(cometbft, ['reset-state', '--home', node.home])
    node.spawn()
    await expectSameBlock(node, 1 + (await untilSynced(node)))
  })

  it('takes nothing from a peer that lies, and all from an honest one beside it', async () => {
    const source = validator()
    await untilSnapshots(source, 1)
    const liar = await joinNetwork([source])
    liar.spawn()
    await untilSynced(liar)
    // It offers what the validator offers, with every chunk spoilt.
    const name = snapshotsOf(source).toSorted((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))[0] ?? ''
    await liar.untilHeight(Number.parseInt(name, 10))
    await liar.stop()
    const copy = join(liar.home, 'data', 'snapshots', name)
    cpSync(join(source.home, 'data', 'snapshots', name), copy, { recursive: true })
    for (const file of readdirSync(copy).filter((one) => one.startsWith('chunk-'))) {
      const chunk = readFileSync(join(copy, file))
      const middle = chunk.length >> 1
      writeFileSync(join(copy, file), chunk.with(middle, (chunk[middle] as number) ^ 1))
    }
    liar.spawn()
    await liar.untilHeight(1)
    const liarAddress = await peerOf(liar)

    const node = await joinNetwork([liar])
    node.spawn()
    await untilSaid(node, /not what the snapshot names/)
    expect(node.output).not.toMatch(/the snapshot is restored/)
    await node.stop()
    editConfig(node, { 'p2p.persistent_peers': `"${liarAddress},${await peerOf(source)}"` })
    node.spawn()
    await expectSameBlock(node, 1 + (await untilSynced(node)))
  })
})
