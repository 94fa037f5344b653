/** A small ConsensusApplication for tests of the wire: it keeps transactions in memory and counts. */
import { setImmediate } from 'node:timers/promises'
import type { ConsensusApplication, InitChainRequest, ProposedBlock, TransactionResult } from '../../app/ports.ts'
import { EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { sha256 } from '../../core/hash.ts'
import { encodeEvents } from '../../proto/encode-exec-tx-result.ts'

type ValidatorUpdate = InitChainRequest['validators'][number]

export interface MemoryApplication extends ConsensusApplication {
  readonly committedHeight: () => number
  readonly validators: readonly ValidatorUpdate[]
  readonly transactions: readonly Uint8Array[]
  /** Resolves when `height` is committed. */
  waitForHeight(height: number): Promise<void>
}

const acceptTransaction = (transaction: Uint8Array): TransactionResult => ({
  code: 0,
  codespace: '',
  log: '',
  data: EMPTY_BYTES,
  gasWanted: 1n,
  gasUsed: BigInt(transaction.length),
  events: encodeEvents([
    { type: 'stored', attributes: [{ key: 'length', value: String(transaction.length), index: true }] },
  ]),
})

/** A transaction that begins with byte 0xff is refused by CheckTx. Methods may be replaced by `overrides`. */
export const createMemoryApplication = (overrides: Partial<ConsensusApplication> = {}): MemoryApplication => {
  const validators: ValidatorUpdate[] = []
  const transactions: Uint8Array[] = []
  const waiting: { readonly height: number; resolve(): void }[] = []
  let pending: ProposedBlock | undefined
  let height = 0
  let appHash: Uint8Array = EMPTY_BYTES

  const hashOf = (block: ProposedBlock): Uint8Array => sha256(utf8ToBytes(String(block.height)), ...block.transactions)

  return {
    validators,
    transactions,
    committedHeight: () => height,
    waitForHeight: (wanted) =>
      new Promise((resolve) => {
        if (height >= wanted) resolve()
        else waiting.push({ height: wanted, resolve })
      }),
    info: () => ({
      data: 'memory',
      version: '1',
      appVersion: 0,
      lastBlockHeight: height,
      lastBlockAppHash: appHash,
    }),
    async initChain(request) {
      validators.splice(0, validators.length, ...request.validators)
      return { consensusParameters: undefined, validators: [], appHash: EMPTY_BYTES }
    },
    checkTx: (transaction) => ({
      code: transaction[0] === 0xff ? 1 : 0,
      codespace: 'memory',
      log: '',
      gasWanted: 1n,
    }),
    async prepareProposal({ transactions: offered }) {
      return offered
    },
    async processProposal() {
      await setImmediate()
      return true
    },
    extendVote: ({ height: of }) => utf8ToBytes(`extension of ${of}`),
    verifyVoteExtension: () => true,
    async finalizeBlock(block) {
      await setImmediate()
      invariant(block.height === height + 1, `block ${block.height} after ${height}`)
      pending = block
      return {
        transactionResults: block.transactions.map(acceptTransaction),
        events: [],
        validatorUpdates: [],
        consensusParameterUpdates: undefined,
        appHash: hashOf(block),
      }
    },
    async commit() {
      invariant(pending !== undefined, 'a commit without a block')
      transactions.push(...pending.transactions)
      height = pending.height
      appHash = hashOf(pending)
      pending = undefined
      for (const waiter of waiting) if (waiter.height <= height) waiter.resolve()
      return 0
    },
    async abciQuery({ path, data, height: at }) {
      return { code: 0, codespace: '', log: path, key: data, value: sha256(data), height: at }
    },
    listSnapshots: () => [],
    offerSnapshot: () => 'abort',
    loadSnapshotChunk: () => EMPTY_BYTES,
    applySnapshotChunk: () => Promise.resolve({ result: 'abort', refetchChunks: [], rejectSenders: [] }),
    ...overrides,
  }
}
