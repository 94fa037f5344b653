/** A disk that runs full stops the node with a clear message; with space again it goes on and has lost nothing. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { accounts } from './clients.ts'
import { createNode, type TestNode, until } from './harness.ts'
import { type Load, startLoad, withoutReceipt } from './load.ts'

const mount = (...options: readonly string[]): boolean => {
  try {
    execFileSync('mount', options, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

let load: Load | undefined

/** The application's database alone: it is what must be written before CometBFT is answered. */
const database = (of: TestNode): string => join(of.home, 'data', 'application.db')

const prepare = async (): Promise<TestNode | undefined> => {
  const made = await createNode({ timeoutCommitMs: 100 })
  mkdirSync(database(made), { recursive: true })
  if (mount('-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', database(made))) return made
  await made.remove()
  console.log('skipped: mounting a tmpfs of 8 MB is not allowed here')
  return undefined
}
const node = await prepare()

afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log(`the node wrote last:\n${node?.lastWords() ?? ''}`)
})
afterAll(async () => {
  await load?.stop()
  if (node === undefined) return
  await node.stop('SIGKILL')
  execFileSync('umount', ['-l', database(node)])
  await node.remove()
})

describe.skipIf(node === undefined)('a disk of 8 MB', () => {
  it('stops the node with what to do, and once there is space it goes on with every answered transaction', async () => {
    if (node === undefined) return
    const full = node
    await full.start()
    load = await startLoad(full, accounts.slice(0, 8), 1)
    const stopped = (): true | undefined => (/No space left|disk is full/i.test(full.output) ? true : undefined)
    await until('the end of the space', stopped)
    const status = await full.stop('SIGCONT')
    expect(status).toBe(1)
    expect(full.lastWords()).toMatch(/the disk is full.*free some space.*start again/is)
    expect(mount('-o', 'remount,size=64m', database(full))).toBe(true)
    await full.start()
    const height = await full.height()
    await full.untilHeight(height + 5)
    await load.stop()
    expect(await withoutReceipt(full, load.answered)).toEqual([])
  })
})
