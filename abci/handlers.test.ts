import { create, fromBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type {
  ConsensusApplication,
  ConsensusParameters,
  InitChainRequest,
  PrepareProposalRequest,
  ProposedBlock,
} from '../app/ports.ts'
import { encodeEvents } from '../proto/encode-exec-tx-result.ts'
import { abci } from '../proto/index.ts'
import { encodeAnswer, encodeFinalizeBlock } from './codec.ts'
import { ABCI_CODES, isProtocolError } from './errors.ts'
import { createHandlers, dispatch, type AbciMethod } from './handlers.ts'
import { createMemoryApplication } from './testing/memory-application.ts'

const address = new Uint8Array(20).fill(0xa1)
const hash = new Uint8Array(32).fill(0xb2)
const validatorsHash = new Uint8Array(32).fill(0xc3)
const publicKey = new Uint8Array(32).fill(0xd4)

const parameters: ConsensusParameters = {
  block: { maxBytes: 8_000_000, maxGas: 1_000_000_000 },
  evidence: { maxAgeNumBlocks: 100_000, maxAgeDurationNs: 172_800_000_000_500n, maxBytes: 1_048_576 },
  validator: { pubKeyTypes: ['ed25519'] },
  version: { app: 3 },
  abci: { voteExtensionsEnableHeight: 2 },
}

const wireParameters = {
  block: { maxBytes: 8_000_000n, maxGas: 1_000_000_000n },
  evidence: {
    maxAgeNumBlocks: 100_000n,
    maxAgeDuration: { seconds: 172_800n, nanos: 500 },
    maxBytes: 1_048_576n,
  },
  validator: { pubKeyTypes: ['ed25519'] },
  version: { app: 3n },
  abci: { voteExtensionsEnableHeight: 2n },
}

const misbehavior = {
  type: abci.MisbehaviorType.DUPLICATE_VOTE,
  validator: { address, power: 5n },
  height: 6n,
  time: { seconds: 10n, nanos: 1 },
  totalVotingPower: 30n,
}

const finalizeRequest = (change: object = {}): abci.RequestFinalizeBlock =>
  create(abci.RequestFinalizeBlockSchema, {
    txs: [Uint8Array.of(1), Uint8Array.of(2, 3)],
    decidedLastCommit: {
      round: 2,
      votes: [
        { validator: { address, power: 10n }, blockIdFlag: 1 },
        { validator: { address, power: 20n }, blockIdFlag: 2 },
        { validator: { address, power: 30n }, blockIdFlag: 3 },
      ],
    },
    misbehavior: [misbehavior],
    hash,
    height: 7n,
    time: { seconds: 1_700_000_000n, nanos: 123_456_789 },
    nextValidatorsHash: validatorsHash,
    proposerAddress: address,
    ...change,
  })

const expectedBlock: ProposedBlock = {
  height: 7,
  timeNs: 1_700_000_000_123_456_789n,
  proposerAddress: address,
  nextValidatorsHash: validatorsHash,
  lastCommitRound: 2,
  lastCommit: [
    { validatorAddress: address, power: 10n, flag: 'absent' },
    { validatorAddress: address, power: 20n, flag: 'commit' },
    { validatorAddress: address, power: 30n, flag: 'nil' },
  ],
  misbehavior: [
    {
      type: 'duplicate-vote',
      validatorAddress: address,
      power: 5n,
      height: 6,
      timeNs: 10_000_000_001n,
      totalPower: 30n,
    },
  ],
  transactions: [Uint8Array.of(1), Uint8Array.of(2, 3)],
  hash,
}

const withApplication = (overrides: Partial<ConsensusApplication>): ReturnType<typeof createHandlers> =>
  createHandlers(createMemoryApplication(overrides))

const errorOf = async (run: () => unknown): Promise<unknown> => {
  try {
    await run()
    return undefined
  } catch (error) {
    return error
  }
}

/** The code of the protocol error that `run` ends in; undefined for any other end. */
const protocolCodeOf = async (run: () => unknown): Promise<number | undefined> => {
  const error = await errorOf(run)
  return isProtocolError(error) ? error.code : undefined
}

describe('FinalizeBlock and ProcessProposal', () => {
  it('hand the block over in the words of the port', async () => {
    const seen: ProposedBlock[] = []
    const handlers = withApplication({
      async processProposal(block) {
        seen.push(block)
        return false
      },
      async finalizeBlock(block) {
        seen.push(block)
        return {
          transactionResults: block.transactions.map((_, index) => ({
            code: index,
            codespace: 'sdk',
            log: 'a lone \ud800 surrogate',
            data: Uint8Array.of(9),
            gasWanted: 21_000n,
            gasUsed: 20_000n,
            events: encodeEvents([{ type: 'transfer', attributes: [{ key: 'amount', value: '1anat', index: true }] }]),
          })),
          events: [{ type: 'block', attributes: [] }],
          validatorUpdates: [{ publicKey, power: 0n }],
          consensusParameterUpdates: parameters,
          appHash: hash,
        }
      },
    })
    const { $typeName: _, decidedLastCommit, ...rest } = finalizeRequest()
    const proposal = create(abci.RequestProcessProposalSchema, {
      ...rest,
      ...(decidedLastCommit && { proposedLastCommit: decidedLastCommit }),
    })
    expect((await handlers.processProposal(proposal)).status).toBe(abci.ResponseProcessProposal_ProposalStatus.REJECT)
    const answer = await handlers.finalizeBlock(finalizeRequest())
    expect(seen).toEqual([expectedBlock, expectedBlock])
    expect(fromBinary(abci.ResponseFinalizeBlockSchema, encodeFinalizeBlock(answer))).toEqual(
      create(abci.ResponseFinalizeBlockSchema, {
        txResults: [0, 1].map((code) => ({
          code,
          codespace: 'sdk',
          log: 'a lone \ufffd surrogate',
          data: Uint8Array.of(9),
          gasWanted: 21_000n,
          gasUsed: 20_000n,
          events: [{ type: 'transfer', attributes: [{ key: 'amount', value: '1anat', index: true }] }],
        })),
        events: [{ type: 'block' }],
        validatorUpdates: [{ pubKey: { sum: { case: 'ed25519', value: publicKey } }, power: 0n }],
        consensusParamUpdates: wireParameters,
        appHash: hash,
      }),
    )
  })

  it.each<[string, keyof typeof ABCI_CODES, object]>([
    ['a height of zero', 'outOfRange', { height: 0n }],
    ['a negative height', 'outOfRange', { height: -1n }],
    ['a height that is no safe integer', 'outOfRange', { height: 2n ** 53n }],
    ['no time', 'missingField', { time: undefined }],
    ['a time with a negative fraction', 'outOfRange', { time: { seconds: 1n, nanos: -1 } }],
    ['a time in the year 10000', 'outOfRange', { time: { seconds: 253_402_300_800n } }],
    ['no commit', 'missingField', { decidedLastCommit: undefined }],
    ['a negative round', 'outOfRange', { decidedLastCommit: { round: -1 } }],
    ['a vote of nobody', 'missingField', { decidedLastCommit: { votes: [{ blockIdFlag: 2 }] } }],
    [
      'a vote with an unknown flag',
      'outOfRange',
      { decidedLastCommit: { votes: [{ validator: { address }, blockIdFlag: 0 }] } },
    ],
    [
      'a vote with a negative power',
      'outOfRange',
      { decidedLastCommit: { votes: [{ validator: { address, power: -1n }, blockIdFlag: 2 }] } },
    ],
    ['a short proposer address', 'outOfRange', { proposerAddress: address.subarray(1) }],
    ['a short hash', 'outOfRange', { hash: hash.subarray(1) }],
    ['a misbehavior without a time', 'missingField', { misbehavior: [{ ...misbehavior, time: undefined }] }],
  ])('with %s are refused before the application is called', async (_, code, change) => {
    const handlers = withApplication({
      finalizeBlock: () => Promise.reject(new RangeError('must not be called')),
    })
    expect(await protocolCodeOf(() => handlers.finalizeBlock(finalizeRequest(change)))).toBe(ABCI_CODES[code])
  })

  it('halt on an answer that CometBFT could not take', async () => {
    const answer = await createMemoryApplication().finalizeBlock({ ...expectedBlock, height: 1 })
    const broken = [
      { ...answer, transactionResults: [] },
      { ...answer, validatorUpdates: [{ publicKey: address, power: 1n }] },
      { ...answer, validatorUpdates: [{ publicKey, power: -1n }] },
      { ...answer, transactionResults: answer.transactionResults.map((r) => ({ ...r, gasUsed: 2n ** 63n })) },
    ]
    for (const value of broken) {
      const handlers = withApplication({ finalizeBlock: async () => value })
      const error = await errorOf(() => handlers.finalizeBlock(finalizeRequest()))
      expect(error).toBeInstanceOf(Error)
      expect(isProtocolError(error)).toBe(false)
    }
  })
})

describe('PrepareProposal', () => {
  const request = create(abci.RequestPrepareProposalSchema, {
    maxTxBytes: 10n,
    txs: [Uint8Array.of(1)],
    localLastCommit: {
      round: 1,
      votes: [
        {
          validator: { address, power: 10n },
          blockIdFlag: 2,
          voteExtension: Uint8Array.of(5),
          extensionSignature: Uint8Array.of(6),
        },
      ],
    },
    height: 7n,
    time: { seconds: -62_135_596_800n },
    nextValidatorsHash: validatorsHash,
    proposerAddress: address,
  })

  it("brings the extensions of the last commit, and Go's zero time", async () => {
    const seen: PrepareProposalRequest[] = []
    const handlers = withApplication({
      async prepareProposal(proposal) {
        seen.push(proposal)
        return [new Uint8Array(8)]
      },
    })
    expect((await handlers.prepareProposal(request)).txs).toEqual([new Uint8Array(8)])
    expect(seen).toEqual([
      {
        height: 7,
        timeNs: -62_135_596_800_000_000_000n,
        proposerAddress: address,
        nextValidatorsHash: validatorsHash,
        lastCommitRound: 1,
        votes: [
          {
            validatorAddress: address,
            power: 10n,
            flag: 'commit',
            extension: Uint8Array.of(5),
            extensionSignature: Uint8Array.of(6),
          },
        ],
        misbehavior: [],
        transactions: [Uint8Array.of(1)],
        maxTxBytes: 10,
      },
    ])
  })

  it('halts on a proposal over max_tx_bytes, tags and lengths counted', async () => {
    const handlers = withApplication({ prepareProposal: async () => [new Uint8Array(9)] })
    const error = await errorOf(() => handlers.prepareProposal(request))
    expect(String(error)).toContain('a proposal of 11 bytes')
  })
})

describe('InitChain', () => {
  const request = (change: object = {}): abci.RequestInitChain =>
    create(abci.RequestInitChainSchema, {
      time: { seconds: 5n },
      chainId: 'nat-1',
      consensusParams: wireParameters,
      validators: [{ pubKey: { sum: { case: 'ed25519', value: publicKey } }, power: 7n }],
      appStateBytes: Uint8Array.of(0x7b, 0x7d),
      initialHeight: 1n,
      ...change,
    })

  it('turns genesis into the words of the port, and the answer back', async () => {
    const seen: InitChainRequest[] = []
    const handlers = withApplication({
      async initChain(genesis) {
        seen.push(genesis)
        return {
          consensusParameters: genesis.consensusParameters,
          validators: genesis.validators,
          appHash: hash,
        }
      },
    })
    const answer = await handlers.initChain(request())
    expect(seen).toEqual([
      {
        timeNs: 5_000_000_000n,
        chainId: 'nat-1',
        consensusParameters: parameters,
        validators: [{ publicKey, power: 7n }],
        appState: Uint8Array.of(0x7b, 0x7d),
        initialHeight: 1,
      },
    ])
    const { consensusParams, validators } = request()
    expect(answer).toEqual(
      create(abci.ResponseInitChainSchema, {
        ...(consensusParams && { consensusParams }),
        validators,
        appHash: hash,
      }),
    )
  })

  it.each([
    ['secp256k1', { case: 'secp256k1', value: new Uint8Array(33) }],
    ['bls12381', { case: 'bls12381', value: new Uint8Array(48) }],
    ['mldsa65', { case: 'mldsa65', value: new Uint8Array(1952) }],
    ['secp256k1eth', { case: 'secp256k1eth', value: new Uint8Array(65) }],
    ['none', { case: undefined }],
  ] as const)('refuses a validator key of type %s', async (_, sum) => {
    const handlers = createHandlers(createMemoryApplication())
    const validators = [{ pubKey: { sum }, power: 1n }]
    expect(await protocolCodeOf(() => handlers.initChain(request({ validators })))).toBe(ABCI_CODES.unsupportedKeyType)
  })

  it('refuses parameters with a group missing', async () => {
    const handlers = createHandlers(createMemoryApplication())
    for (const group of ['block', 'evidence', 'validator'] as const) {
      const consensusParams = { ...wireParameters, [group]: undefined }
      expect(await protocolCodeOf(() => handlers.initChain(request({ consensusParams })))).toBe(ABCI_CODES.missingField)
    }
  })
})

describe('the other methods', () => {
  const handlers = createHandlers(createMemoryApplication())

  it('answer a query with a code when its height is out of range, for users choose it', async () => {
    for (const height of [-1n, 2n ** 62n]) {
      const answer = await handlers.query(create(abci.RequestQuerySchema, { path: '/x', height }))
      expect([answer.codespace, answer.code]).toEqual(['abci', ABCI_CODES.outOfRange])
    }
    const answer = await handlers.query(create(abci.RequestQuerySchema, { path: '/x', height: 3n }))
    expect([answer.code, answer.log, answer.height]).toEqual([0, '/x', 3n])
  })

  it('give CheckTx a copy of the transaction and tell a recheck apart', async () => {
    const seen: [Uint8Array, boolean][] = []
    const { checkTx } = withApplication({
      checkTx(transaction, recheck) {
        seen.push([transaction, recheck])
        return { code: 5, codespace: 'sdk', log: 'no funds', gasWanted: 21_000n }
      },
    })
    const tx = Uint8Array.of(1, 2)
    const answer = await checkTx(create(abci.RequestCheckTxSchema, { tx }))
    await checkTx(create(abci.RequestCheckTxSchema, { tx, type: abci.CheckTxType.RECHECK }))
    tx.fill(0)
    expect(seen).toEqual([
      [Uint8Array.of(1, 2), false],
      [Uint8Array.of(1, 2), true],
    ])
    expect(answer).toMatchObject({ code: 5, codespace: 'sdk', log: 'no funds', gasWanted: 21_000n })
  })

  it('extend and verify votes', async () => {
    const seen: unknown[] = []
    const extending = withApplication({
      extendVote: (given) => {
        seen.push(given)
        return Uint8Array.of(1, 2, 3)
      },
    })
    const { $typeName: _, decidedLastCommit, ...rest } = finalizeRequest()
    const block = { ...rest, ...(decidedLastCommit && { proposedLastCommit: decidedLastCommit }) }
    const { voteExtension } = await extending.extendVote(create(abci.RequestExtendVoteSchema, block))
    expect(voteExtension).toEqual(Uint8Array.of(1, 2, 3))
    // The whole block: it may be one that was never processed here.
    expect(seen).toEqual([expectedBlock])
    const vote = { hash, height: 4n, validatorAddress: address, voteExtension: Uint8Array.of(1) }
    const request = create(abci.RequestVerifyVoteExtensionSchema, vote)
    const { ACCEPT, REJECT } = abci.ResponseVerifyVoteExtension_VerifyStatus
    expect((await handlers.verifyVoteExtension(request)).status).toBe(ACCEPT)
    const strict = withApplication({ verifyVoteExtension: ({ extension }) => extension.length > 1 })
    expect((await strict.verifyVoteExtension(request)).status).toBe(REJECT)
  })

  it('pass snapshots through', async () => {
    const snapshot = { height: 5, format: 1, chunks: 2, hash, metadata: Uint8Array.of(7) }
    const seen: unknown[] = []
    const serving = withApplication({
      listSnapshots: () => [snapshot],
      offerSnapshot: (offered, appHash) => {
        seen.push([offered, appHash])
        return 'rejectFormat'
      },
      loadSnapshotChunk: (wanted) => {
        seen.push(wanted)
        return Uint8Array.of(1, 2)
      },
      applySnapshotChunk: (chunk) => {
        seen.push(chunk)
        return Promise.resolve({ result: 'retry', refetchChunks: [chunk.index], rejectSenders: [chunk.sender] })
      },
    })
    const { snapshots } = await serving.listSnapshots(create(abci.RequestListSnapshotsSchema))
    expect(snapshots).toMatchObject([{ height: 5n, format: 1, chunks: 2, hash, metadata: Uint8Array.of(7) }])
    const offer = create(abci.RequestOfferSnapshotSchema, { snapshot: { ...snapshot, height: 5n }, appHash: hash })
    const { REJECT_FORMAT } = abci.ResponseOfferSnapshot_Result
    expect((await serving.offerSnapshot(offer)).result).toBe(REJECT_FORMAT)
    const load = create(abci.RequestLoadSnapshotChunkSchema, { height: 5n, format: 1, chunk: 1 })
    expect((await serving.loadSnapshotChunk(load)).chunk).toEqual(Uint8Array.of(1, 2))
    const apply = create(abci.RequestApplySnapshotChunkSchema, { index: 1, chunk: Uint8Array.of(3), sender: 'peer' })
    const { RETRY } = abci.ResponseApplySnapshotChunk_Result
    expect(await serving.applySnapshotChunk(apply)).toMatchObject({
      result: RETRY,
      refetchChunks: [1],
      rejectSenders: ['peer'],
    })
    expect(seen).toEqual([
      [expect.objectContaining(snapshot), hash],
      { height: 5, format: 1, chunk: 1 },
      { index: 1, chunk: Uint8Array.of(3), sender: 'peer' },
    ])
    await expect((async () => serving.offerSnapshot(create(abci.RequestOfferSnapshotSchema)))()).rejects.toThrow(
      'snapshot is missing',
    )
  })

  it('say that the mempool of the application is not supported', async () => {
    expect((await handlers.insertTx(create(abci.RequestInsertTxSchema))).code).not.toBe(0)
    expect((await handlers.reapTxs(create(abci.RequestReapTxsSchema))).txs).toEqual([])
  })

  it('are those of the gRPC service, one handler each', () => {
    const methods: string[] = abci.ABCI.methods.map(({ localName }) => localName)
    expect(Object.keys(handlers).sort()).toEqual(methods.sort())
    expect(abci.RequestSchema.fields.map(({ localName }) => localName).sort()).toEqual(methods)
  })

  it('answer each request with the response of its own case', async () => {
    for (const method of ['echo', 'flush', 'info', 'query', 'checkTx', 'listSnapshots'] satisfies AbciMethod[]) {
      const field = abci.RequestSchema.fields.find(({ localName }) => localName === method)
      if (field?.message === undefined) throw new TypeError(`no request of ${method}`)
      const value = { case: method, value: create(field.message) } as abci.Request['value']
      const answer = await dispatch(handlers, create(abci.RequestSchema, { value }))
      expect(fromBinary(abci.ResponseSchema, encodeAnswer(answer)).value.case).toBe(method)
    }
    expect(await protocolCodeOf(() => dispatch(handlers, create(abci.RequestSchema)))).toBe(ABCI_CODES.unknownMethod)
  })
})
