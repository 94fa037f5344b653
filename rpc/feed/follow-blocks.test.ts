import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FeedBlock, FeedPage, FeedTransaction, Questions } from '../../app/ports.ts'
import { CodedError } from '../../core/errors.ts'
import type { Hex } from '../../core/hex.ts'
import { rpcError } from '../errors.ts'
import { createMemoryApplication, exampleHead, type MemoryApplication } from '../testing/memory-application.ts'
import { openFileCursor } from './file-cursor.ts'
import { type FeedCursor, type FeedPosition, followBlocks } from './follow-blocks.ts'

const hashOf = (height: number, chain = ''): Hex =>
  exampleHead(height, {}).hash.replace('0x0', `0x${chain || '0'}`) as Hex

const transactionAt = (index: number): FeedTransaction => ({
  index,
  family: 'native',
  hash: hashOf(index),
  raw: '0x',
  code: 0,
  codespace: '',
  log: '',
  data: '0x',
  gasWanted: '0',
  gasUsed: '0',
  events: [],
})

/** A block has as many transactions as its height says, modulo 4. */
const blockAt = (height: number, chain?: string): FeedBlock => {
  const transactions = Array.from({ length: height % 4 }, (_, index) => transactionAt(index))
  return {
    height,
    hash: hashOf(height, chain),
    timeNs: String(height),
    proposer: '0x',
    header: { parentHash: hashOf(height - 1, chain) },
    events: [],
    validatorUpdates: [],
    transactionCount: transactions.length,
    transactions,
  }
}

interface Chain {
  head: number
  readonly oldest: number
  readonly chain?: string
  /** Most transactions of a page: pages end within blocks. */
  readonly mostTransactions?: number
}

/** The application's side of the question, in few words: query/committed-blocks.ts. */
const answer = (
  of: Chain,
  { from = { height: of.oldest, transaction: 0 } }: Questions['committedBlocks'],
): FeedPage => {
  const { head, oldest, chain, mostTransactions = 5 } = of
  if (from.height < oldest) throw new CodedError('query', 8, `block ${from.height} is pruned`)
  const blocks: FeedBlock[] = []
  let rest: FeedPage['rest'] = null
  let next = from
  for (let room = mostTransactions; room > 0 && next.height <= head; ) {
    const block = blockAt(next.height, chain)
    const transactions = block.transactions.slice(next.transaction, next.transaction + room)
    if (next.transaction > 0) rest = { hash: block.hash, transactions }
    else blocks.push({ ...block, transactions })
    const end = next.transaction + transactions.length
    room -= Math.max(1, transactions.length)
    next = end < block.transactionCount ? { ...next, transaction: end } : { height: next.height + 1, transaction: 0 }
  }
  return { head, rest, blocks, next }
}

const serve = (chain: Chain): MemoryApplication => {
  const application = createMemoryApplication(chain.head)
  application.answers.committedBlocks = (parameters) => Promise.resolve(JSON.stringify(answer(chain, parameters)))
  return application
}

/** A cursor that is lost with the test. */
const memoryCursor = (position?: FeedPosition): FeedCursor & { position: FeedPosition | undefined } => ({
  position,
  load() {
    return this.position
  },
  save(saved) {
    this.position = saved
  },
})

const heightsBetween = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe('a feed of blocks', () => {
  test.each([1, 2, 3, 5, 100])(
    'comes whole and in order, whatever a page holds: %i transactions',
    async (mostTransactions) => {
      const cursor = memoryCursor()
      const seen: FeedBlock[] = []
      const application = serve({ head: 30, oldest: 4, mostTransactions })
      const onBlock = (block: FeedBlock): void => void seen.push(block)
      await followBlocks({ application, cursor, isEndless: false, onBlock })
      expect(seen).toEqual(heightsBetween(4, 30).map((height) => blockAt(height)))
      expect(cursor.position).toEqual({ height: 30, hash: hashOf(30) })
    },
  )

  test('begins behind the cursor, or else with the height that is asked for', async () => {
    const seen: number[] = []
    const onBlock = ({ height }: FeedBlock): void => void seen.push(height)
    const cursor = memoryCursor()
    const application = serve({ head: 9, oldest: 1 })
    await followBlocks({ application, cursor, from: 7, isEndless: false, onBlock })
    expect(seen).toEqual([7, 8, 9])
    await followBlocks({ application: serve({ head: 11, oldest: 1 }), cursor, from: 2, isEndless: false, onBlock })
    expect(seen).toEqual([7, 8, 9, 10, 11])
  })

  test('saves the cursor when a block is done, and asks for the next page only then', async () => {
    const application = serve({ head: 6, oldest: 1, mostTransactions: 1 })
    const cursor = memoryCursor()
    const steps: string[] = []
    const { save } = cursor
    cursor.save = function (position) {
      steps.push(`saved ${position.height}`)
      return save.call(this, position)
    }
    const onBlock = async ({ height }: FeedBlock): Promise<void> => {
      const asked = application.asked.length
      steps.push(`begun ${height}`)
      await new Promise(setImmediate)
      expect(application.asked.length).toBe(asked)
      expect(cursor.position?.height ?? 0).toBe(height - 1)
      steps.push(`done ${height}`)
    }
    await followBlocks({ application, cursor, isEndless: false, onBlock })
    expect(steps).toEqual(
      heightsBetween(1, 6).flatMap((height) => [`begun ${height}`, `done ${height}`, `saved ${height}`]),
    )
  })

  test('brings the block once more whose consumer failed, and none twice that was saved', async () => {
    const application = serve({ head: 12, oldest: 1 })
    const cursor = memoryCursor()
    const seen: number[] = []
    const onBlock = ({ height }: FeedBlock): void => {
      seen.push(height)
      if (seen.length % 3 === 0) throw new RangeError('the consumer died')
    }
    for (let run = 0; run < 20 && cursor.position?.height !== 12; run++) {
      await followBlocks({ application, cursor, isEndless: false, onBlock }).catch(() => undefined)
    }
    expect(seen).toEqual([1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9, 9, 10, 11, 11, 12])
  })

  test('follows what is committed, also in the very moment in which it asks, and ends by the signal', async () => {
    const chain: Chain = { head: 3, oldest: 1 }
    const application = serve(chain)
    const { committedBlocks } = application.answers
    const commit = (): void => {
      chain.head++
      application.commit()
    }
    application.answers.committedBlocks = async (parameters) => {
      const text = await committedBlocks?.(parameters)
      // The page without this block is on its way when the block is told of.
      if (chain.head % 2 === 1 && chain.head < 9) commit()
      return text ?? 'null'
    }
    const seen: number[] = []
    const end = new AbortController()
    const onBlock = ({ height }: FeedBlock): void => {
      seen.push(height)
      if (height === 20) end.abort()
      // One announcement for several blocks: those between were lost with a connection.
      else if (height >= 10) setImmediate(() => ((chain.head += 2), commit()))
      else if (height % 2 === 0) setImmediate(commit)
    }
    await followBlocks({ application, cursor: memoryCursor(), isEndless: true, signal: end.signal, onBlock })
    expect(seen).toEqual(heightsBetween(1, 20))
  })

  test('ends by the signal while it waits for a block, or for an answer', async () => {
    for (const hangs of [false, true]) {
      const application = serve({ head: 2, oldest: 1 })
      const asked = Promise.withResolvers<void>()
      const { committedBlocks } = application.answers
      application.answers.committedBlocks = (parameters) => {
        if ((parameters.from?.height ?? 0) < 3) return committedBlocks?.(parameters) ?? 'null'
        setImmediate(asked.resolve)
        return hangs ? new Promise(() => undefined) : (committedBlocks?.(parameters) ?? 'null')
      }
      const end = new AbortController()
      const following = followBlocks({
        application,
        cursor: memoryCursor(),
        isEndless: true,
        signal: end.signal,
        onBlock: () => undefined,
      })
      await asked.promise
      end.abort()
      await expect(following).resolves.toBeUndefined()
    }
  })

  test('asks again when the node is away or busy, and gives up when it was told to', async () => {
    const passing = [
      rpcError('unavailable', 'away'),
      rpcError('timeout', 'slow'),
      new CodedError('query', 5, 'busy'),
      rpcError('internal', 'internal error'),
    ]
    const application = serve({ head: 5, oldest: 1 })
    const { committedBlocks } = application.answers
    application.answers.committedBlocks = (parameters) => {
      const error = passing.shift()
      return error === undefined ? (committedBlocks?.(parameters) ?? 'null') : Promise.reject(error)
    }
    const seen: number[] = []
    const onBlock = ({ height }: FeedBlock): void => void seen.push(height)
    await followBlocks({ application, cursor: memoryCursor(), isEndless: false, onBlock })
    expect(seen).toEqual([1, 2, 3, 4, 5])
    application.answers.committedBlocks = () => Promise.reject(rpcError('unavailable', 'away'))
    const impatient = { application, cursor: memoryCursor(), isEndless: true, patienceMs: 1, onBlock }
    await expect(followBlocks(impatient)).rejects.toMatchObject({ codespace: 'rpc', message: 'away' })
  })

  test('stops at a fault of the node that does not pass', async () => {
    const application = serve({ head: 5, oldest: 1 })
    application.answers.committedBlocks = () => Promise.reject(rpcError('internal', 'internal error'))
    const following = followBlocks({ application, cursor: memoryCursor(), isEndless: true, onBlock: () => undefined })
    await expect(following).rejects.toMatchObject({ message: 'internal error' })
    expect(application.asked.length).toBe(6)
  })

  test('stops when the block behind the cursor is pruned', async () => {
    const cursor = memoryCursor({ height: 5, hash: hashOf(5) })
    const application = serve({ head: 30, oldest: 7 })
    const following = followBlocks({ application, cursor, isEndless: true, onBlock: () => undefined })
    await expect(following).rejects.toMatchObject({ codespace: 'query', code: 8, message: 'block 6 is pruned' })
    expect(cursor.position?.height).toBe(5)
  })

  test('stops when the node is of another chain than the cursor', async () => {
    const cursor = memoryCursor({ height: 5, hash: hashOf(5) })
    const seen: FeedBlock[] = []
    const onBlock = (block: FeedBlock): void => void seen.push(block)
    const other = serve({ head: 30, oldest: 1, chain: 'f' })
    await expect(followBlocks({ application: other, cursor, isEndless: true, onBlock })).rejects.toMatchObject({
      codespace: 'feed',
      code: 1,
    })
    expect(seen).toEqual([])
  })

  test('stops at a page that is not what was asked for', async () => {
    const wrong: Record<string, (page: FeedPage) => FeedPage> = {
      'a gap': (page) => ({ ...page, blocks: page.blocks.toSpliced(1, 1) }),
      'no rest': (page) => ({ ...page, rest: null }),
      'a rest of another block': (page) => ({ ...page, rest: page.rest && { ...page.rest, hash: hashOf(1) } }),
      'a block without its transactions': (page) => ({
        ...page,
        blocks: page.blocks.map((block) => ({ ...block, transactions: [] })),
      }),
    }
    for (const [what, change] of Object.entries(wrong)) {
      const application = serve({ head: 30, oldest: 1 })
      const { committedBlocks } = application.answers
      application.answers.committedBlocks = async (parameters) =>
        JSON.stringify(change(JSON.parse((await committedBlocks?.(parameters)) ?? 'null') as FeedPage))
      const seen: number[] = []
      const onBlock = ({ height }: FeedBlock): void => void seen.push(height)
      const following = followBlocks({ application, cursor: memoryCursor(), isEndless: false, onBlock })
      await expect(following, what).rejects.toMatchObject({ codespace: 'feed', code: 2 })
      expect(seen).toEqual(heightsBetween(1, seen.length))
    }
  })
})

describe('a cursor in a file', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cursor-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('is what was saved last', async () => {
    const path = join(folder, 'cursor')
    expect(await openFileCursor(path).load()).toBeUndefined()
    for (const height of [1, 2, 70_000]) {
      await openFileCursor(path).save({ height, hash: hashOf(height) })
      expect(await openFileCursor(path).load()).toEqual({ height, hash: hashOf(height) })
    }
    expect(readFileSync(path, 'utf8')).toBe(`{"height":70000,"hash":"${hashOf(70_000)}"}\n`)
  })

  test('that was half written when its process was killed leaves the one before', async () => {
    const path = join(folder, 'cursor')
    await openFileCursor(path).save({ height: 1, hash: hashOf(1) })
    writeFileSync(`${path}.new`, '{"hei')
    expect(await openFileCursor(path).load()).toEqual({ height: 1, hash: hashOf(1) })
    await openFileCursor(path).save({ height: 2, hash: hashOf(2) })
    expect(await openFileCursor(path).load()).toEqual({ height: 2, hash: hashOf(2) })
  })

  test('that is none is refused', () => {
    const path = join(folder, 'cursor')
    for (const text of ['', '{', '7', '{"height":-1}', '{"height":1,"hash":"0x12"}', '{"height":"1"}']) {
      writeFileSync(path, text)
      expect(() => openFileCursor(path).load()).toThrow(`${path} is no cursor of a feed: remove it to begin anew`)
    }
  })

  test('in a folder that is not there fails before any block is lost', () => {
    expect(() => openFileCursor(join(folder, 'none', 'cursor')).save({ height: 1, hash: hashOf(1) })).toThrow('ENOENT')
  })
})
