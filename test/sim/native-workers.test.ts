/** Native queries that take long are answered in worker threads: the tally of a running vote, and simulations. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { SIMULATE_PATH } from '../../query/dry-run.ts'
import { invariant } from '../../core/errors.ts'
import { govBetaQuery, govQuery, govTx, txService } from '../../proto/index.ts'
import { bech32Of, signNative } from './native-transactions.ts'
import { seeded } from './random.ts'
import { gossip, makeWorld, type World } from './world.ts'

const PATH = '/cosmos.gov.v1.Query/TallyResult'
const request = (proposalId: bigint): Uint8Array => {
  const schema = govQuery.QueryTallyResultRequestSchema
  return toBinary(schema, create(schema, { proposalId }))
}

/** Makes a proposal with a deposit that begins its vote at once. */
const propose = async ({ driver, nodes, accounts: [proposer] }: World): Promise<Uint8Array> => {
  invariant(proposer !== undefined, 'a world has accounts')
  const schema = govTx.MsgSubmitProposalSchema
  const initialDeposit = [{ denom: 'anat', amount: (1_000n * 10n ** 18n).toString() }]
  const texts = { title: 't', summary: 's', metadata: 'm' }
  const value = toBinary(schema, create(schema, { proposer: bech32Of(proposer), initialDeposit, ...texts }))
  const messages = [{ typeUrl: `/${schema.typeName}`, value }]
  const signers = [{ account: proposer, sequence: 0 }]
  const raw = await signNative({ chainId: driver.setup.chainId, messages, signers, gas: 500_000n })
  expect(gossip(nodes, raw)).toBe(true)
  await driver.step()
  return raw
}

it(
  'is the same over ABCI and on the ports of the node, and refusals are codes there too',
  seeded(431, async (random) => {
    const folder = mkdtempSync(join(tmpdir(), 'tally-'))
    const world = await makeWorld({ random, nodes: [{ name: 'a', path: join(folder, 'a'), workers: 1 }] })
    try {
      const [node] = world.nodes
      invariant(node !== undefined, 'a world has nodes')
      const raw = await propose(world)
      const { application } = node
      const ask = async (path: string, id: bigint) => {
        const data = Buffer.from(request(id)).toString('base64')
        return application.ask('native', { path, data, height: 0 }, application.height)
      }
      const tallyIn = (bytes: Uint8Array) => fromBinary(govQuery.QueryTallyResultResponseSchema, bytes).tally
      const none = { yesCount: '0', abstainCount: '0', noCount: '0', noWithVetoCount: '0' }

      const first = await ask(PATH, 1n)
      expect(tallyIn(Buffer.from(JSON.parse(first) as string, 'base64'))).toMatchObject(none)
      expect(await ask(PATH, 1n)).toBe(first)
      expect(await ask(`/${govBetaQuery.Query.typeName}/TallyResult`, 1n)).toBe(first)
      const overAbci = await application.abciQuery({ path: PATH, data: request(1n), height: 0, prove: false })
      expect(overAbci).toMatchObject({ code: 0, height: application.height })
      expect(tallyIn(overAbci.value)).toMatchObject(none)

      await expect(ask(PATH, 7n)).rejects.toMatchObject({ codespace: 'grpc', code: 5 })
      const refused = await application.abciQuery({ path: PATH, data: request(7n), height: 0, prove: false })
      expect(refused).toMatchObject({ codespace: 'sdk', code: 22 })
      const future = { path: PATH, data: request(1n), height: application.height + 5, prove: false }
      expect(await application.abciQuery(future)).toMatchObject({ codespace: 'sdk', code: 26 })

      const simulation = txService.Service.method.simulate
      const simulate = (txBytes: Uint8Array) =>
        application.abciQuery({
          path: SIMULATE_PATH,
          data: toBinary(simulation.input, create(simulation.input, { txBytes })),
          height: 0,
          prove: false,
        })
      const simulated = fromBinary(simulation.output, (await simulate(raw)).value)
      expect(simulated.gasInfo?.gasUsed).toBeGreaterThan(50_000n)
      expect(simulated.result?.msgResponses).toHaveLength(1)
      expect(await simulate(raw.subarray(1))).toMatchObject({ codespace: 'sdk', value: new Uint8Array(0) })
    } finally {
      await world.close()
      rmSync(folder, { recursive: true })
    }
  }),
)
