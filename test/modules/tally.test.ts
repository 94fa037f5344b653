/** A module is added to a chain by its folder and one line: here the line is {@link MODULES} with one more. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect, it, vi } from 'vitest'
import { printAminoJson } from '../../app/native/amino-json.ts'
import { invariant } from '../../core/errors.ts'
import { moduleAddress } from '../../core/address.ts'
import { abci } from '../../proto/index.ts'
import { MsgAddSchema, Query } from '../fixtures/tally/tally_pb.ts'
import { exportText, forkWorld } from '../sim/fork.ts'
import { bech32Of, sendMessage, signNative, type Packed } from '../sim/native-transactions.ts'
import type { SimNode } from '../sim/sim-node.ts'
import { checkInvariants, gossip, pendingNonce, withWorld, type World } from '../sim/world.ts'

vi.mock(import('../../app/module-list.ts'), async (original) => {
  const { MODULES } = await original()
  const { tallyModule } = await import('./tally/index.ts')
  return { MODULES: [...MODULES, tallyModule] }
})

const NODES = [{ name: 'a' }, { name: 'b' }] as const
const PATH = '/nat.tally.v1.Query/Total'

const addMessage = (sender: string, amount: bigint): Packed => ({
  typeUrl: '/nat.tally.v1.MsgAdd',
  value: toBinary(MsgAddSchema, create(MsgAddSchema, { sender, amount })),
})

/** Executes one message in a block, and returns its result. */
const run = async ({ nodes, accounts, driver }: World, message: (sender: string) => Packed) => {
  const [[node], [account]] = [nodes, accounts]
  invariant(node !== undefined && account !== undefined, 'a world has nodes and accounts')
  const sequence = await pendingNonce(node, account)
  const messages = [message(bech32Of(account))]
  const raw = await signNative({ chainId: driver.setup.chainId, messages, signers: [{ account, sequence }] })
  expect(gossip(nodes, raw)).toBe(true)
  const { response } = await driver.step()
  const result = response.transactionResults.at(-1)
  invariant(result !== undefined, 'the block has the transaction')
  const { events } = fromBinary(abci.ExecTxResultSchema, result.events)
  return { code: result.code, log: result.log, events: events.map(({ type }) => type) }
}

const ask = async ({ application }: SimNode) => {
  const { code, value } = await application.abciQuery({ path: PATH, data: new Uint8Array(0), height: 0, prove: false })
  expect(code).toBe(0)
  return fromBinary(Query.method.total.output, value)
}

const tallyOf = (node: SimNode): unknown =>
  (JSON.parse(exportText(node, node.application.height)) as { readonly tally: unknown }).tally

it(
  'a module of its own folder and one line has its genesis, message, query, hook, parameter and account',
  withWorld(
    650,
    { extensionsFrom: 0, moduleGenesis: { tally: { params: { max_step: '5' }, total: '2' } } },
    async (world) => {
      const [node] = world.nodes
      invariant(node !== undefined, 'a world has nodes')
      const added = await run(world, (sender) => addMessage(sender, 5n))
      expect(added).toMatchObject({ code: 0, events: expect.arrayContaining(['tally_add']) })
      const above = await run(world, (sender) => addMessage(sender, 6n))
      expect(above).toMatchObject({ code: 18, log: expect.stringContaining('amount 6 is above max_step 5') })
      expect(await ask(node)).toMatchObject({ total: 7n, blocks: 2n })
      const [account] = world.accounts
      invariant(account !== undefined, 'a world has accounts')
      const toModule = sendMessage(account, moduleAddress('tally'), [{ denom: 'anat', amount: '1' }])
      expect((await run(world, () => toModule)).code).toBe(4)
      expect(printAminoJson(addMessage('nat1', 5n))).toBe(
        '{"type":"nat/tally/MsgAdd","value":{"amount":"5","sender":"nat1"}}',
      )
      const exported = { params: { max_step: '5' }, total: '7', blocks: '3' }
      expect(tallyOf(node)).toEqual(exported)
      const fork = await forkWorld(world, node.application.height, NODES)
      try {
        const [next] = fork.nodes
        invariant(next !== undefined, 'a world has nodes')
        expect(tallyOf(next)).toEqual(exported)
        await fork.driver.step()
        expect(await ask(next)).toMatchObject({ total: 7n, blocks: 4n })
        checkInvariants(next)
      } finally {
        await fork.close()
      }
    },
  ),
)
