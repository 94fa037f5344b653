/** Node and daemon as they run: the daemon is a process of its own, and the external chain is behind real HTTP. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { CHAIN_ID, CONTRACT, ExternalChain, ExternalEndpoint } from '../../../daemons/testing/external-chain.ts'
import { createLog } from '../runtime/log.ts'
import { type DaemonServer, serveDaemon } from './serve-daemon.ts'

const main = join(import.meta.dirname, '..', '..', '..', 'daemons', 'bridge', 'main.ts')
const contract = { chainId: CHAIN_ID, address: CONTRACT }
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

const startProcess = (path: string): ChildProcess => {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1', main, path],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  closers.push(() => child.kill('SIGKILL'))
  return child
}

const bench = async (maxUnhealthySeconds?: number) => {
  const folder = mkdtempSync(join(tmpdir(), 'bridge-'))
  closers.push(() => rmSync(folder, { recursive: true }))
  const chain = new ExternalChain()
  chain.deposits = [20, 21, 22].map((block, id) => ({ block, id }))
  const endpoint = await new ExternalEndpoint(chain).listen()
  closers.push(() => endpoint.close())
  const path = join(folder, 'bridge.sock')
  const halted = Promise.withResolvers<string>()
  const serve = async (): Promise<DaemonServer> => {
    const server = await serveDaemon({
      path,
      endpoints: [endpoint.url],
      maxUnhealthySeconds,
      log: createLog({ write: () => undefined }),
      onUnhealthy: halted.resolve,
    })
    closers.push(() => server.close().catch(() => undefined))
    return server
  }
  const server = await serve()
  return { chain, endpoint, path, serve, server, halted: halted.promise }
}

const expectIds = async (server: DaemonServer, from: number, ids: readonly number[]): Promise<void> => {
  await expect.poll(() => server.events(contract, from, 100).map(({ id }) => id)).toEqual(ids)
}

describe('the socket of the daemon', () => {
  it('is not taken from a node that runs, and is from one that was killed', async () => {
    const { path, serve, server } = await bench()
    await expect(serve()).rejects.toMatchObject({ code: 11, codespace: 'cli' })
    expect(statSync(path).isSocket()).toBe(true)
    await server.close()
    const script = `require('node:net').createServer().listen('${path}', () => process.kill(process.pid, 'SIGKILL'))`
    const killed = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
    await new Promise((resolve) => killed.once('exit', resolve))
    expect(statSync(path).isSocket()).toBe(true)
    await serve()
  })
})

describe('the daemon of the bridge', () => {
  it('tells its events, and goes on where it is killed', async () => {
    const { server, path, chain } = await bench()
    const child = startProcess(path)
    server.follow(contract, 0)
    await expectIds(server, 0, [0, 1, 2])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    server.follow(contract, 2)
    await expectIds(server, 2, [2])
    child.kill('SIGKILL')
    chain.deposits.push({ block: 50, id: 3 })
    chain.deposits.push({ block: 150, id: 4 })
    chain.finalized = 200
    startProcess(path)
    await expectIds(server, 2, [2, 3, 4])
    await expect.poll(() => server.health().nextBlock).toBe(201)
    const health = server.health()
    expect(health).toMatchObject({ name: 'bridge', healthy: true, finalizedBlock: 200 })
    console.log(`memory of the daemon: ${Math.round((health.memoryBytes ?? 0) / 1e6)} MB`)
  })

  it('tells all again to an application that starts anew', async () => {
    const { server, serve, path } = await bench()
    startProcess(path)
    server.follow(contract, 0)
    await expectIds(server, 0, [0, 1, 2])
    await server.close()
    const next = await serve()
    next.follow(contract, 1)
    await expectIds(next, 1, [1, 2])
  })

  it('is told of another contract', async () => {
    const { server, path } = await bench()
    startProcess(path)
    server.follow(contract, 0)
    await expectIds(server, 0, [0, 1, 2])
    server.follow({ chainId: 5n, address: CONTRACT }, 0)
    await expectIds(server, 0, [])
    await expect.poll(() => server.health().error).toMatch(/is of chain 31337, and the bridge is on chain 5/)
    server.follow(contract, 0)
    await expectIds(server, 0, [0, 1, 2])
    await expect.poll(() => server.health().healthy).toBe(true)
  })

  it('halts the node when it is unhealthy for too long', async () => {
    const { server, path, endpoint, halted } = await bench(2)
    startProcess(path)
    server.follow(contract, 0)
    await expectIds(server, 0, [0, 1, 2])
    await endpoint.close()
    expect(await halted).toMatch(
      /^the daemon "bridge" has been unhealthy for more than 2 s, since 20.*Z: 127\.0\.0\.1:\d+: no answer/,
    )
    expect(server.health()).toMatchObject({ healthy: false })
    // What was finalized stays so.
    expect(server.events(contract, 0, 9)).toHaveLength(3)
  })

  it('halts the node when it never comes', async () => {
    const { halted } = await bench(1)
    expect(await halted).toMatch(/more than 1 s, since .*: it has not reported yet/)
  })

  it.each([
    ['noise', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a huge frame', Buffer.alloc(10_000_000, 0xff)],
    ['an unknown message', Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from('{}')])],
  ])('is dropped where it says %s, and another one takes its place', async (_, bytes) => {
    const { server, path } = await bench()
    const socket = connect(path)
    socket.on('error', () => undefined)
    // What the node has said already must be read before the socket can close.
    socket.resume()
    socket.write(bytes)
    await new Promise((resolve) => socket.once('close', resolve))
    expect(server.health().error).toMatch(/a frame/)
    startProcess(path)
    server.follow(contract, 0)
    await expectIds(server, 0, [0, 1, 2])
    await expect.poll(() => server.health().healthy).toBe(true)
  })
})
