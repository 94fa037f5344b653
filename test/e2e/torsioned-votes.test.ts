/**
 * Four validators of which one signs its vote extensions with a point of small order in R. CometBFT takes such
 * signatures, for it verifies by ZIP-215, and so every commit and every honest proposal carries them.
 */
import { createPublicKey, verify } from 'node:crypto'
import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { extensionSignBytes } from '../../core/vote-extension.ts'
import { createTorsionedSigner } from '../../core/testing/torsioned-signer.ts'
import { plainBytes } from '../../core/bytes.ts'
import { consensusAddress } from '../../core/signature.ts'
import { bytesToUnprefixedHex } from '../../core/hex.ts'
import { InjectedExtensionsSchema } from '../../proto/gen/nat/clob/v1/vote_extensions_pb.ts'
import { accounts } from './clients.ts'
import { CHAIN_ID, until } from './harness.ts'
import { startLoad, withoutReceipt } from './load.ts'
import { createNetwork, type Network } from './network.ts'
import { type RemoteSigner, startRemoteSigner, validatorSeed } from './remote-signer.ts'

const OPTIONS = { timeoutCommitMs: 300 } as const
const LIAR = 3
const ED25519_SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

let network: Network
let signer: RemoteSigner
let liar: Uint8Array

beforeAll(async () => {
  const created = await createNetwork({
    members: [{ ...OPTIONS, abci: 'socket' }, { ...OPTIONS, abci: 'grpc' }, OPTIONS, OPTIONS],
  })
  network = created
  const seed = validatorSeed(network.at(LIAR))
  const honest = createTorsionedSigner(seed, 0)
  liar = honest.publicKey
  const torsioned = createTorsionedSigner(seed)
  signer = startRemoteSigner(network.at(LIAR), {
    publicKey: liar,
    sign: honest.sign,
    signExtension: torsioned.sign,
  })
  await created.start()
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') network.print()
})
afterAll(async () => {
  await signer?.close()
  await network?.remove()
})

interface Block {
  readonly header: { readonly proposer_address: string }
  readonly data: { readonly txs: readonly string[] }
  readonly last_commit: {
    readonly round: number
    readonly signatures: readonly { readonly block_id_flag: number; readonly validator_address: string }[]
  }
}

const blockAt = async (height: number): Promise<Block> =>
  (await network.at(0).comet<{ readonly block: Block }>(`block?height=${height}`)).block

const COMMIT = 2

/** What the block at a height carries of the liar: undefined where its last commit does not have its vote. */
const carried = async (height: number): Promise<{ readonly refusedByOpenssl: boolean } | undefined> => {
  const { data, last_commit: commit } = await blockAt(height)
  const address = bytesToUnprefixedHex(consensusAddress(liar)).toUpperCase()
  const commits = commit.signatures.filter(({ block_id_flag: flag }) => flag === COMMIT)
  const at = commits.findIndex(({ validator_address: of }) => of === address)
  if (at === -1) return undefined
  const injected = plainBytes(Buffer.from(data.txs[0] ?? '', 'base64'))
  const vote = fromBinary(InjectedExtensionsSchema, injected.subarray(1)).votes[at]
  expect(vote?.signature.length, `the signature in block ${height}`).toBe(64)
  const { extension = new Uint8Array(0), signature = new Uint8Array(0) } = vote ?? {}
  const bytes = extensionSignBytes({ extension, height: height - 1, round: commit.round, chainId: CHAIN_ID })
  const key = createPublicKey({ key: Buffer.concat([ED25519_SPKI_PREFIX, liar]), format: 'der', type: 'spki' })
  return { refusedByOpenssl: !verify(null, bytes, key, signature) }
}

it('the chain goes on, whoever proposes, and its blocks carry those signatures', async () => {
  const load = await startLoad(network.at(0), accounts.slice(0, 1), 200)
  await until('signed extensions', () => (signer.extensions >= 8 ? true : undefined))
  const last = await network.at(0).untilHeight((await network.at(0).height()) + 8)
  await load.stop()
  await network.expectSameBlocks(last)
  let torsioned = 0
  const proposers = new Set<string>()
  for (let height = 2; height <= last; height++) {
    if ((await carried(height))?.refusedByOpenssl === true) torsioned++
    proposers.add((await blockAt(height)).header.proposer_address)
  }
  expect(torsioned).toBeGreaterThan(3)
  expect(proposers.size).toBe(4)
  for (const node of network.nodes) expect(node.output).not.toContain('proposal rejected')
  expect(load.refusals).toEqual([])
  expect(await withoutReceipt(network.at(1), load.answered)).toEqual([])
})
