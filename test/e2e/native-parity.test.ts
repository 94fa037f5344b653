/**
 * The replies of evmd (cosmos/evm v0.7, cosmos-sdk 0.54) to a long native scenario, recorded by parity/capture-evmd.ts,
 * against those of a real node. Where this chain means to answer otherwise, its own reply stands in
 * fixtures/native-differences.json with the reason; kinds of differences are in parity/native-canon.ts.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chooseNodePorts, TestNode } from './harness.ts'
import { canonReply } from './parity/native-canon.ts'
import { makeHome } from './parity/native-home.ts'
import { type Exchange, NativePeer } from './parity/native-peer.ts'
import { scenario } from './parity/native-scenario.ts'

interface Difference {
  readonly why: string
  readonly reply: unknown
}

const load = <T>(name: string): ReadonlyMap<string, T> =>
  new Map(
    Object.entries(JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')) as Record<string, T>),
  )

const recorded = load<unknown>('native-evmd.json')
const differences = load<Difference>('native-differences.json')

let node: TestNode | undefined
let transcript: readonly Exchange[] = []

beforeAll(async () => {
  node = new TestNode(await chooseNodePorts(), {})
  await makeHome(node.home)
  await node.start()
  const peer = new NativePeer({ rest: node.urls.rest, comet: node.urls.comet, grpc: node.grpc })
  await scenario(peer).finally(() => peer.close())
  ;({ transcript } = peer)
})

afterAll(async () => await node?.remove())

const canonOf = (title: string, reply: unknown): string => `${title}: ${JSON.stringify(canonReply(title, reply))}`

test('every request that was recorded is asked', () => {
  const titles = new Set(transcript.map(({ title }) => title))
  const missing = [...recorded.keys()].filter((title) => !titles.has(title))
  expect(missing).toEqual([...differences].filter(([, { reply }]) => reply === null).map(([title]) => title))
})

test('every reply is that of evmd, or the one that is meant', () => {
  expect(recorded.size).toBeGreaterThan(600)
  const ours = transcript.map(({ title, reply }) => canonOf(title, reply))
  const meant = transcript.map(({ title }) =>
    canonOf(title, (differences.get(title) ?? { reply: recorded.get(title) }).reply),
  )
  const different = ours.filter((line, index) => line !== meant[index])
  expect(different).toEqual(meant.filter((line, index) => line !== ours[index]))
})

test('no difference is meant that is none', () => {
  const idle = [...differences].filter(
    ([title, { reply }]) => canonOf(title, reply) === canonOf(title, recorded.get(title)),
  )
  expect(idle.map(([title]) => title)).toEqual([])
})
