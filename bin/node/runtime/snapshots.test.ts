import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RocksStore } from '../../../store/rocks/rocks-store.ts'
import { RestoreSession } from '../../../app/restore-session.ts'
import { invariant } from '../../../core/errors.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Random } from '../../../test/sim/random.ts'
import { gossip, makeWorld, type World } from '../../../test/sim/world.ts'
import type { NodeLog } from './log.ts'
import { compressChunk, decompressChunk, requireSoundChunks } from './snapshot-files.ts'
import { type Snapshots, startSnapshots } from './snapshots.ts'

const INTERVAL = 4
const SLOW = { interval: 10 }

const folder = mkdtempSync(join(tmpdir(), 'snapshots-'))
const snapshots = join(folder, 'snapshots')
let world: World
let running: Snapshots | undefined
const said: string[] = []

const note = (message: string, fields?: Readonly<Record<string, unknown>>): void =>
  void said.push(`${message} ${JSON.stringify(fields)}`)
const log: NodeLog = { info: note, warn: note, error: note }

const start = (keepRecent = 2, interval = INTERVAL): Snapshots => {
  const { store } = world.nodes[0] as World['nodes'][0]
  const { handle } = store as RocksStore
  const head = world.driver.height
  running = startSnapshots({ handle, folder: snapshots, interval, keepRecent, head, log })
  return running
}

const heights = (): readonly number[] => (running?.shelf.list() ?? []).map(({ height }) => height)

/** Commits blocks up to a height that is due, and tells of each as the application does. */
const runToNext = async ({ shelf }: Snapshots): Promise<number> => {
  const { driver, nodes, traffic } = world
  do {
    gossip(nodes, await traffic.next())
    await driver.step()
    shelf.committed(driver.height)
  } while (driver.height % INTERVAL !== 0)
  return driver.height
}

/** The thread takes a moment to load. */
const untilMade = async (): Promise<number> => {
  invariant(running !== undefined, 'snapshots are made')
  let wanted = 0
  await expect
    .poll(async () => {
      invariant(running !== undefined, 'snapshots are made')
      wanted = await runToNext(running)
      await expect.poll(() => heights()[0] ?? 0, { timeout: 4_000, interval: 10 }).toBeGreaterThanOrEqual(wanted)
      return true
    }, SLOW)
    .toBe(true)
  return wanted
}

beforeAll(async () => {
  world = await makeWorld({ random: new Random(9), nodes: [{ name: 'one', path: join(folder, 'db') }] })
})
afterEach(async () => {
  await running?.close()
  running = undefined
  said.length = 0
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('snapshots of a running node', () => {
  it('show exactly their height, whatever is written meanwhile, and restore', async () => {
    const { shelf } = start()
    await untilMade()
    const node = world.nodes[0] as World['nodes'][0]
    const height = await runToNext(running as Snapshots)
    const appHash = node.application.info().lastBlockAppHash
    // Blocks go on at once.
    for (let i = 0; i < 3; i++) await world.driver.step()
    await expect.poll(() => heights()[0], SLOW).toBe(height)
    const [made] = shelf.list()
    invariant(made !== undefined && node.application.parameters !== undefined, 'a snapshot was made')
    const session = new RestoreSession(openMemoryStore(), node.application.parameters, made, appHash, shelf.decompress)
    for (let index = 0; index < made.chunks; index++) session.apply(shelf.chunk(height, 1, index))
    session.finish()
    expect(session.height).toBe(height)
    expect(shelf.chunk(height, 1, made.chunks).length).toBe(0)
    expect(shelf.chunk(height, 2, 0).length).toBe(0)
    expect(shelf.chunk(height + 1, 1, 0).length).toBe(0)
  })

  it('are kept as many as asked, and are there again after a restart', async () => {
    start(2)
    await untilMade()
    await untilMade()
    const newest = await untilMade()
    expect(heights()).toEqual([newest, newest - INTERVAL])
    expect(readdirSync(snapshots).toSorted()).toEqual(
      heights()
        .map((height) => `${height}-1`)
        .toSorted(),
    )
    expect(running?.oldestHeight()).toBe(newest - INTERVAL)
    await running?.close()
    const before = readdirSync(snapshots)
    // What a killed process leaves behind, and what is no snapshot.
    mkdirSync(join(snapshots, '.making-8-1'))
    mkdirSync(join(snapshots, 'notes'))
    mkdirSync(join(snapshots, '3-1'))
    writeFileSync(join(snapshots, '3-1', 'metadata'), 'no metadata')
    start(2, 0)
    expect(heights()).toEqual([newest, newest - INTERVAL])
    expect(said.join('\n')).toMatch(/a damaged snapshot is not offered/)
    expect(existsSync(join(snapshots, '.making-8-1'))).toBe(false)
    running?.shelf.committed(newest + INTERVAL)
    expect(heights()[0]).toBe(newest)
    rmSync(join(snapshots, '3-1'), { recursive: true })
    rmSync(join(snapshots, 'notes'), { recursive: true })
    expect(readdirSync(snapshots)).toEqual(before)
  })

  it('are as many as asked right after a start, and hold no blocks where none is made any more', async () => {
    start(3)
    await untilMade()
    await untilMade()
    const newest = await untilMade()
    expect(heights()).toEqual([newest, newest - INTERVAL, newest - 2 * INTERVAL])
    await running?.close()
    start(2, 0)
    expect(heights()).toEqual([newest, newest - INTERVAL])
    expect(readdirSync(snapshots)).toHaveLength(2)
    expect(running?.oldestHeight()).toBeUndefined()
  })

  it('are not offered when a chunk is missing, and a chunk that goes is none', async () => {
    start(2, 0)
    const [height = 0] = heights()
    const path = join(snapshots, `${height}-1`, 'chunk-0')
    const chunk = readFileSync(path)
    rmSync(path)
    expect(running?.shelf.chunk(height, 1, 0).length).toBe(0)
    start(2, 0)
    expect(heights()).not.toContain(height)
    expect(said.join('\n')).toMatch(/chunk-0 is missing/)
    writeFileSync(path, chunk)
  })

  it('are not put into an archive with a byte that has changed', () => {
    start(2, 0)
    const [made] = running?.shelf.list() ?? []
    invariant(made !== undefined, 'a snapshot was made')
    const path = join(snapshots, `${made.height}-1`, 'chunk-0')
    const chunk = readFileSync(path)
    expect(() => requireSoundChunks(snapshots, made)).not.toThrow()
    writeFileSync(path, chunk.with(9, (chunk[9] as number) ^ 1))
    expect(() => requireSoundChunks(snapshots, made)).toThrow('chunk-0 is damaged')
    writeFileSync(path, chunk)
  })

  it('stay where the database of the node is gone: nothing was rolled back', () => {
    const { store } = world.nodes[0] as World['nodes'][0]
    const { handle } = store as RocksStore
    const before = readdirSync(snapshots)
    running = startSnapshots({ handle, folder: snapshots, interval: 0, keepRecent: 2, head: 0, log })
    expect(heights()).toEqual([])
    expect(readdirSync(snapshots)).toEqual(before)
    expect(before.length).toBe(2)
  })

  it('are removed when their blocks were rolled back', () => {
    const { store } = world.nodes[0] as World['nodes'][0]
    const held = readdirSync(snapshots).map((name) => Number.parseInt(name, 10))
    const head = Math.min(...held)
    const { handle } = store as RocksStore
    running = startSnapshots({ handle, folder: snapshots, interval: 0, keepRecent: 2, head, log })
    expect(held.length).toBe(2)
    expect(heights()).toEqual([head])
    expect(readdirSync(snapshots)).toEqual([`${head}-1`])
  })

  it('are left unfinished by a node that stops, and nothing of them stays', async () => {
    const { shelf } = start()
    await untilMade()
    await runToNext(running as Snapshots)
    shelf.committed(world.driver.height)
    await running?.close()
    expect(readdirSync(snapshots).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('unpack within their limit, and no further', () => {
    const content = new Uint8Array(100_000).fill(7)
    expect(decompressChunk(compressChunk(content), content.length)).toEqual(content)
    expect(() => decompressChunk(compressChunk(content), content.length - 1)).toThrow(/larger than/)
    expect(() => decompressChunk(zstdCompressSync(Buffer.alloc(2 ** 28)), 3 * 1024 * 1024)).toThrow(/larger than/)
    expect(() => decompressChunk(content, content.length)).toThrow(/Unknown frame|corrupt/i)
  })
})
