import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setTomlValue } from '../../bin/node/config/toml-lines.ts'
import { createNode, type TestNode } from './harness.ts'
import { inspectHome } from './inspect-home.ts'

let node: TestNode

beforeAll(async () => {
  node = await createNode({ timeoutCommitMs: 20 })
  await node.start()
  expect(await node.stop()).toBe(0)
})
afterAll(async () => await node?.remove())

const setApp = (key: string, value: string): void => {
  const path = join(node.home, 'config', 'app.toml')
  writeFileSync(path, setTomlValue(readFileSync(path, 'utf8'), key, value))
}

describe('halting', () => {
  it('stops exactly at halt-height, however fast blocks come, with status 0', async () => {
    const height = ((await inspectHome(node.home)).head?.height ?? 0) + 9
    setApp('halt-height', String(height))
    node.spawn()
    expect(await node.exited).toBe(0)
    expect(node.output).toContain(`halt-height ${height}`)
    expect((await inspectHome(node.home)).head?.height).toBe(height)
    // Nothing is done at a height that is reached already.
    node.spawn()
    expect(await node.exited).toBe(0)
    expect((await inspectHome(node.home)).head?.height).toBe(height)
    setApp('halt-height', '0')
    node.spawn()
    await node.untilHeight(height + 2)
    expect(await node.stop()).toBe(0)
  })

  it('stops after the first block of halt-time or later', async () => {
    const before = Number((await inspectHome(node.home)).head?.timeNs ?? 0) / 1e9
    const time = Math.ceil(Math.max(before, Date.now() / 1000)) + 4
    setApp('halt-time', String(time))
    node.spawn()
    expect(await node.exited).toBe(0)
    expect(node.output).toContain(`halt-time ${time}`)
    const head = (await inspectHome(node.home)).head
    expect(Number(head?.timeNs) / 1e9).toBeGreaterThanOrEqual(time)
    setApp('halt-time', '0')
    node.spawn()
    await node.untilHeight((head?.height ?? 0) + 1)
    const previous = await node.ask<{ timestamp: string }>(
      'eth_getBlockByNumber',
      `0x${((head?.height ?? 0) - 1).toString(16)}`,
      false,
    )
    expect(Number(previous.timestamp)).toBeLessThan(time)
    expect(await node.stop()).toBe(0)
  })
})
