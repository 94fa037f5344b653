/** The replies of geth 1.16.8 to a long scenario, recorded by parity/capture-geth.ts, against those of a real node. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setTomlValue } from '../../bin/config/toml-lines.ts'
import { invariant } from '../../core/errors.ts'
import { chooseNodePorts, runChain, TestNode } from './harness.ts'
import { RICH } from './parity/calls.ts'
import { type Exchange, Peer } from './parity/peer.ts'
import { scenario } from './parity/scenario.ts'
import { states } from './parity/states.ts'
import { createWorld } from './parity/transactions.ts'
import { CHAIN_ID } from './parity/wallet.ts'

/** As long as geth's period when the replies were recorded: all that is asked of one pending block is asked within it. */
const BLOCK_MS = 1_800

const readFixture = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')) as Record<string, unknown>

const recorded = new Map(Object.entries({ ...readFixture('geth-parity.json'), ...readFixture('geth-states.json') }))

const makeHome = async (home: string): Promise<void> => {
  const steps = [
    ['init', 'parity', '--chain-id', 'parity-1', '--evm-chain-id', `${CHAIN_ID}`, '--home', home],
    ['genesis', 'add-account', RICH, '1000000nat', '--home', home],
    ['genesis', 'add-validator', '--home', home],
  ]
  for (const step of steps) {
    const { status, stderr } = await runChain(step)
    invariant(status === 0, `chain ${step.join(' ')}: ${stderr}`)
  }
  const config = join(home, 'config', 'config.toml')
  writeFileSync(config, setTomlValue(readFileSync(config, 'utf8'), 'consensus.timeout_commit', `"${BLOCK_MS}ms"`))
}

let node: TestNode | undefined
let transcript: readonly Exchange[] = []

beforeAll(async () => {
  node = new TestNode(await chooseNodePorts(), { settings: { 'json-rpc.api': 'eth,net,web3,debug,txpool' } })
  await makeHome(node.home)
  await node.start()
  const peer = new Peer(node.urls.http, node.urls.ws)
  await scenario(peer)
  await states(peer, createWorld().dev)
  ;({ transcript } = peer)
}, 120_000)

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
