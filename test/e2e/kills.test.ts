/** Every two processes of a node are killed, in every order, and each alone hangs: the node recovers, or it has ended. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createNode, descendants, isAlive, type Part, type TestNode, until } from './harness.ts'

const PARTS: readonly Part[] = ['supervisor', 'application', 'cometbft', 'gateway']
const MOST_DEATHS = 3

const PAIRS = PARTS.flatMap((first) => PARTS.filter((part) => part !== first).map((second) => [first, second] as const))

let node: TestNode
/** Every process that was seen. */
const seen = new Set<number>()

beforeAll(async () => {
  node = await createNode({ timeoutCommitMs: 200 })
  await node.start()
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log(`the node wrote last:\n${node.lastWords()}`)
})
afterAll(async () => {
  await node?.remove()
  expect([...seen].filter(isAlive)).toEqual([])
})

const remember = (): void => {
  for (const pid of descendants(node.pid).keys()) seen.add(pid)
}

/** The gateway has one child of its own. */
const children = (): number => descendants(node.pid).size

/** Deaths since the node was started: five of one part in a row would end it, as they should. */
let deaths = 0

const prepare = async (more: number): Promise<void> => {
  deaths += more
  if (deaths <= MOST_DEATHS) return
  await node.stop()
  await node.start()
  deaths = more
}

describe('a node of which two processes are killed', () => {
  it.each(PAIRS)('%s, then %s', async (first, second) => {
    await prepare(1)
    const before = await node.height()
    remember()
    const family = [...descendants(node.pid).keys()]
    const pids = [node.pidOf(first), node.pidOf(second)]
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    if (first === 'supervisor' || second === 'supervisor') {
      expect(await node.stop()).toBe('SIGKILL')
      const ended = (): true | undefined => (family.some(isAlive) ? undefined : true)
      await until('the end of all others', ended)
      await node.start()
      deaths = 0
    }
    await node.untilHeight(before + 2)
    remember()
    expect(pids.filter(isAlive)).toEqual([])
    await expect.poll(children).toBe(4)
  })

  it.each(PARTS.filter((part) => part !== 'supervisor'))(
    '%s, and once more as soon as it is there again',
    async (part) => {
      await prepare(2)
      const before = await node.height()
      const first = node.kill(part)
      const again = (): number | undefined => {
        const pid = node.isRunning(part) ? node.pidOf(part) : first
        return pid === first ? undefined : pid
      }
      process.kill(await until(`${part} again`, again), 'SIGKILL')
      await node.untilHeight(before + 2)
      await expect.poll(children).toBe(4)
    },
  )
})

describe('a node whose CometBFT and gateway hang', () => {
  it('ends both, which give no sign of life, and goes on', async () => {
    await prepare(1)
    const before = await node.height()
    const parts = ['cometbft', 'gateway'] as const
    const pids = parts.map((part) => node.pidOf(part))
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    const gone = (): true | undefined => (pids.some(isAlive) ? undefined : true)
    await until('the end of both', gone)
    for (const part of parts) expect(node.output).toContain(`${part} gives no sign of life: it is ended`)
    await node.untilHeight(before + 2)
  })
})
