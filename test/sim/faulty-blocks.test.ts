import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { FinalizeBlockResponse, ProposedBlock } from '../../app/ports.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { proposalBytes } from '../../core/proposal-bytes.ts'
import { type InjectedVote, InjectedExtensionsSchema } from '../../proto/gen/nat/clob/v1/vote_extensions_pb.ts'
import { withHash, withTransactions } from './driver.ts'
import { FORGERIES } from './forgeries.ts'
import { SimNode } from './sim-node.ts'
import { GWEI, INVALID_KINDS, makeInvalid, signTransaction } from './traffic.ts'
import { makeTorsionedValidator, makeValidator, type Validator } from './validators.ts'
import { checkBlock, checkInvariants, gossip, pendingNonce, shownBlock, type World, withWorld } from './world.ts'

const BLOCK_GAS = 3_000_000
const HEIGHT = 4

/** Empty blocks up to the height under test, then a proposal with an injected and some valid transactions. */
const prepare = async ({ driver, nodes, accounts }: World): Promise<ProposedBlock> => {
  for (let height = 1; height < HEIGHT; height++) await driver.step()
  for (const [index, account] of accounts.slice(0, 4).entries()) {
    const tip = BigInt(10 - index) * GWEI
    gossip(
      nodes,
      await signTransaction(account, 2, { nonce: 0, to: account.address, value: 1n, maxFeePerGas: 50n * GWEI, tip }),
    )
  }
  const block = await driver.propose(nodes[0] as SimNode)
  expect(block.transactions.length).toBe(5)
  return block
}

/** What a node decides when the faulty block never had the fault, seen by a node of its own. */
const decideWithout = async (world: World, block: ProposedBlock): Promise<Record<string, unknown>> => {
  const node = await SimNode.open({ name: 'control', clock: world.clock })
  await world.driver.replay(node)
  await node.application.finalizeBlock(block)
  await node.application.commit()
  return withoutHashes(await shownBlock(node))
}

/** CometBFT's hash of the block is in extraData, and so in the hash. */
const withoutHashes = ({ hash: _, extraData: __, ...rest }: Record<string, unknown>): Record<string, unknown> => rest

/** Rejected when proposed; decided all the same it differs from `clean` in the codes of the faulty ones alone. */
const expectFault = async (
  world: World,
  faulty: ProposedBlock,
  clean: ProposedBlock,
): Promise<FinalizeBlockResponse> => {
  const { driver, nodes } = world
  expect(await driver.process(faulty)).toBe(false)
  const expected = await decideWithout(world, clean)
  const { response } = await driver.decide(faulty)
  const [first] = nodes as readonly [SimNode]
  expect(withoutHashes(await shownBlock(first))).toEqual(expected)
  await checkBlock(first, faulty, response.appHash)
  checkInvariants(first)
  await driver.step()
  return response
}

const codesOf = ({ transactionResults }: FinalizeBlockResponse): boolean[] =>
  transactionResults.map(({ code }) => code === 0)

describe('a transaction that is invalid at its place', () => {
  it.each(INVALID_KINDS.map((kind, index) => [kind, index] as const))(
    'with %s rejects the block, and decided all the same it gets a code and changes nothing',
    (kind, index) =>
      withWorld(100 + index, { maxGas: BLOCK_GAS }, async (world) => {
        const { driver, accounts, nodes } = world
        const block = await prepare(world)
        const account = accounts[index % 4] as World['accounts'][number]
        const nonce = await pendingNonce(nodes[0] as SimNode, account)
        const context = {
          random: driver.random,
          account,
          nonce,
          chainId: driver.setup.chainId,
          injected: block.transactions[0],
          blockGas: BigInt(BLOCK_GAS),
        }
        const at = 1 + driver.random.below(block.transactions.length)
        // Used only once its account's own transaction ran.
        const place = kind.endsWith('that was used') ? block.transactions.length : at
        const transactions = block.transactions.toSpliced(place, 0, await makeInvalid(kind, context))
        const response = await expectFault(world, withTransactions(block, transactions), block)
        expect(codesOf(response)).toEqual(transactions.map((_, position) => position !== place))
        const result = response.transactionResults[place]
        expect(result).toMatchObject({ gasUsed: 0n, gasWanted: 0n, data: EMPTY_BYTES, events: EMPTY_BYTES })
        expect(result?.codespace).not.toBe('')
        expect(result?.log).not.toBe('')
      })(),
  )

  it(
    'twice in a block counts once',
    withWorld(120, {}, async (world) => {
      const block = await prepare(world)
      const twice = withTransactions(block, [...block.transactions, block.transactions[1] as Uint8Array])
      const response = await expectFault(world, twice, block)
      expect(codesOf(response)).toEqual([true, true, true, true, true, false])
    }),
  )

  it(
    'asks for more gas than the ones before it left',
    withWorld(121, { maxGas: BLOCK_GAS }, async (world) => {
      const block = await prepare(world)
      const [, , , , , richest] = world.accounts as readonly World['accounts'][number][]
      const sender = richest as World['accounts'][number]
      // Uses 21,000 of the gas that it asks for: the rest stays for those behind it.
      const gas = BigInt(BLOCK_GAS) - 4n * 21_000n
      const fits = await signTransaction(sender, 0, { nonce: 0, to: sender.address, gas })
      const tooMuch = await signTransaction(sender, 0, { nonce: 1, to: sender.address, gas })
      const clean = withTransactions(block, [...block.transactions, fits])
      const faulty = withTransactions(block, [...block.transactions, fits, tooMuch])
      const response = await expectFault(world, faulty, clean)
      expect(response.transactionResults.at(-1)).toMatchObject({ codespace: 'app', code: 3 })
    }),
  )
})

describe('the list of vote extensions', () => {
  it.each(Object.entries(FORGERIES))('%s rejects the block, and changes nothing where it was decided', (_, forge) =>
    withWorld(130, { powers: [10n, 9n, 8n, 7n] }, async (world) => {
      const block = await prepare(world)
      const [injected = EMPTY_BYTES, ...rest] = block.transactions
      const { chainId, validators } = world.driver.setup
      const forged = forge(injected, { height: HEIGHT, chainId, validator: validators[0] as Validator })
      const response = await expectFault(world, withTransactions(block, [forged, ...rest]), block)
      expect(codesOf(response)).toEqual([false, true, true, true, true])
      expect(response.transactionResults[0]).toMatchObject({ codespace: 'app', code: 1 })
    })(),
  )

  const injectedVotes = ({ transactions: [raw = EMPTY_BYTES] }: ProposedBlock): readonly InjectedVote[] =>
    fromBinary(InjectedExtensionsSchema, raw.subarray(1)).votes

  const forger = { ...makeValidator('forger', 9n), sign: () => new Uint8Array(64) }
  const honest = (...powers: readonly bigint[]) => powers.map((power, index) => makeValidator(`honest ${index}`, power))

  it(
    'with signatures that have a point of small order in R is valid, for CometBFT takes them',
    withWorld(
      136,
      { validators: [makeTorsionedValidator('torsioned', 9n), ...honest(4n, 4n, 4n)] },
      async ({ driver, nodes }) => {
        await driver.step()
        for (let height = 2; height <= 10; height++) {
          const { block } = await driver.step(nodes[height % 2])
          // More than two thirds do not vote without it.
          expect(injectedVotes(block)[0]?.signature.length).toBe(64)
        }
      },
    ),
  )

  it(
    'leaves out a vote whose signature is wrong, as block sync may bring one, and the chain goes on',
    // Neither of the others may fail: CometBFT has verified more than two thirds.
    withWorld(137, { validators: [forger, ...honest(10n, 10n)] }, async ({ driver, nodes }) => {
      await driver.step()
      let forged = 0
      for (let height = 2; height <= 20; height++) {
        const { block } = await driver.step(nodes[height % 2])
        const [first] = block.lastCommit
        if (first?.flag !== 'commit') continue
        forged++
        expect(injectedVotes(block)[0]).toMatchObject({ extension: EMPTY_BYTES, signature: EMPTY_BYTES })
      }
      expect(forged).toBeGreaterThan(0)
    }),
  )

  it(
    'takes no more bytes than CometBFT gives the proposer, which keeps its pool where there is no room',
    withWorld(138, { powers: [10n, 9n, 8n, 7n] }, async (world) => {
      const { driver, nodes } = world
      const { hash: _, lastCommit, ...block } = await prepare(world)
      const votes = lastCommit.map((vote) => ({ ...vote, extension: EMPTY_BYTES, extensionSignature: EMPTY_BYTES }))
      const [{ application }] = nodes as readonly [SimNode]
      const propose = (maxTxBytes: number) =>
        application.prepareProposal({ ...block, votes, transactions: [], maxTxBytes })
      const all = await propose(8_000_000)
      expect(all).toHaveLength(5)
      for (let room = 0; room < 600; room++) {
        const used = (await propose(room)).reduce((sum, { length }) => sum + proposalBytes(length), 0)
        expect(used).toBeLessThanOrEqual(room)
      }
      expect(await propose(0)).toEqual([])
      expect(await propose(8_000_000)).toEqual(all)
      await driver.step()
    }),
  )

  it(
    'that is missing costs the first transaction its place',
    withWorld(131, {}, async (world) => {
      const block = await prepare(world)
      const [injected = EMPTY_BYTES, first = EMPTY_BYTES, ...rest] = block.transactions
      const faulty = withTransactions(block, [first, ...rest])
      const response = await expectFault(world, faulty, withTransactions(block, [injected, ...rest]))
      expect(codesOf(response)).toEqual([false, true, true, true])
    }),
  )

  it(
    'that stands second costs both their places',
    withWorld(132, {}, async (world) => {
      const block = await prepare(world)
      const [injected = EMPTY_BYTES, first = EMPTY_BYTES, ...rest] = block.transactions
      const faulty = withTransactions(block, [first, injected, ...rest])
      const response = await expectFault(world, faulty, withTransactions(block, [injected, ...rest]))
      expect(codesOf(response)).toEqual([false, false, true, true, true])
    }),
  )

  it(
    'must not be left out of an empty block',
    withWorld(133, {}, async (world) => {
      const block = await prepare(world)
      const empty = withTransactions(block, [])
      const response = await expectFault(world, empty, withTransactions(block, block.transactions.slice(0, 1)))
      expect(response.transactionResults).toEqual([])
    }),
  )

  it(
    'must not stand in a block whose last commit carries none',
    withWorld(134, { extensionsFrom: HEIGHT + 10 }, async (world) => {
      const { driver, nodes } = world
      await driver.step()
      const block = await driver.propose(nodes[0] as SimNode)
      const forged = withTransactions(block, [Uint8Array.of(0x71)])
      const response = await expectFault(world, forged, block)
      expect(codesOf(response)).toEqual([false])
    }),
  )

  it(
    'belongs to the round in which the last block was decided',
    withWorld(135, { powers: [1n] }, async ({ driver, nodes }) => {
      await driver.step()
      const second = await driver.propose(nodes[0] as SimNode, 3)
      await driver.decide(second, 3)
      const { hash: _, ...content } = await driver.propose(nodes[0] as SimNode)
      expect(content.lastCommitRound).toBe(3)
      expect(await driver.process(withHash({ ...content, lastCommitRound: 2 }))).toBe(false)
      expect(await driver.process(withHash(content))).toBe(true)
    }),
  )
})

/** Little more than the least that parameters may say. */
const MAX_BYTES = 4_600_000
const FILLER_BYTES = 100_000

describe('limits of a whole block', () => {
  it(
    'bytes: one more than the consensus parameter rejects it',
    withWorld(140, { maxBytes: MAX_BYTES, maxGas: 200_000_000 }, async (world) => {
      const { driver, accounts } = world
      const block = await prepare(world)
      const sender = accounts[6] as World['accounts'][number]
      const sign = (nonce: number, bytes: number, tip = GWEI): Promise<Uint8Array> =>
        signTransaction(sender, 2, { nonce, to: sender.address, gas: 2_000_000n, tip, data: `0x${'00'.repeat(bytes)}` })
      // Tag, one to three bytes of length, content: as CometBFT counts them.
      const wireBytes = ({ length }: Uint8Array): number => length + (length < 128 ? 2 : length < 16_384 ? 3 : 4)
      const transactions = [...block.transactions]
      const used = (): number => transactions.reduce((sum, raw) => sum + wireBytes(raw), 0)
      let nonce = 0
      while (used() < MAX_BYTES - 2 * FILLER_BYTES) transactions.push(await sign(nonce++, FILLER_BYTES))
      const room = MAX_BYTES - used() - 4
      // The largest transaction has 131,072 bytes: two share what is left.
      transactions.push(await sign(nonce++, room - 100_000))
      // Signatures with leading zeros are shorter: another fee gives another one.
      const sized = async (wanted: number): Promise<Uint8Array> => {
        for (let tip = GWEI; ; tip++) {
          const once = await sign(nonce, wanted - 150, tip)
          const raw = await sign(nonce, wanted - 150 + wanted - once.length, tip)
          if (raw.length === wanted) return raw
        }
      }
      const left = MAX_BYTES - used() - 4
      const [fits, over] = [await sized(left), await sized(left + 1)]
      expect([fits.length, over.length]).toEqual([left, left + 1])
      expect(await driver.process(withTransactions(block, [...transactions, over]))).toBe(false)
      expect(await driver.process(withTransactions(block, [...transactions, fits]))).toBe(true)
      // Decided all the same its transactions are as good as any.
      const { response } = await driver.decide(withTransactions(block, [...transactions, over]))
      expect(codesOf(response).every(Boolean)).toBe(true)
    }),
  )
})
