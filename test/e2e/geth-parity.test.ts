/** The replies of geth 1.16.8 to a long scenario, recorded by parity/capture-geth.ts, against those of a real node. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeHome } from '../../bin/testing/make-home.ts'
import { chooseNodePorts, TestNode } from './harness.ts'
import { RICH } from './parity/calls.ts'
import { type Exchange, Peer } from './parity/peer.ts'
import { scenario } from './parity/scenario.ts'
import { states } from './parity/states.ts'
import { createWorld } from './parity/transactions.ts'
import { CHAIN_ID } from './parity/wallet.ts'

/**
 * The time of a block is as long as geth's period when the replies were recorded: all that is asked of one pending
 * block is asked within it.
 */
const BLOCK_MS = 1_800

const readFixture = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')) as Record<string, unknown>

const recorded = new Map(Object.entries({ ...readFixture('geth-parity.json'), ...readFixture('geth-states.json') }))

let node: TestNode | undefined
let transcript: readonly Exchange[] = []

beforeAll(async () => {
  node = new TestNode(await chooseNodePorts(), { settings: { 'json-rpc.api': 'eth,net,web3,debug,txpool' } })
  await makeHome(node.home, {
    chainId: 'parity-1',
    evmChainId: BigInt(CHAIN_ID),
    moniker: 'parity',
    accounts: [RICH],
    balance: '1000000nat',
    timeoutCommitMs: BLOCK_MS,
  })
  await node.start()
  const peer = new Peer(node.urls.http, node.urls.ws)
  await scenario(peer)
  await states(peer, createWorld().dev)
  ;({ transcript } = peer)
})

afterAll(async () => await node?.remove())

test('every request that was recorded is asked', () => {
  expect(transcript.map(({ title }) => title)).toEqual([...recorded.keys()])
})

test('every reply is that of geth, member by member and in the same order', () => {
  expect(recorded.size).toBeGreaterThan(1_500)
  const ours = transcript.map(({ title, reply }) => `${title}: ${JSON.stringify(reply)}`)
  const theirs = [...recorded].map(([title, reply]) => `${title}: ${JSON.stringify(reply)}`)
  const different = ours.filter((line, index) => line !== theirs[index])
  expect(different).toEqual(theirs.filter((line, index) => line !== ours[index]))
})
