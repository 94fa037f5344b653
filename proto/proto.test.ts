import { describe, expect, it } from 'vitest'
import type { DescMessage } from '@bufbuild/protobuf'
import { staleFiles } from './check.ts'
import { abci, cometCrypto, cometParams, cometValidator } from './index.ts'

const numbers = ({ fields }: DescMessage): Record<string, number> =>
  Object.fromEntries(fields.map(({ name, number }) => [name, number]))

// Written down from proto/tendermint of CometBFT v0.40.0.
describe('field numbers of CometBFT v0.40.0', () => {
  it('are those of Request', () => {
    expect(numbers(abci.RequestSchema)).toEqual({
      echo: 1,
      flush: 2,
      info: 3,
      init_chain: 5,
      query: 6,
      check_tx: 8,
      commit: 11,
      list_snapshots: 12,
      offer_snapshot: 13,
      load_snapshot_chunk: 14,
      apply_snapshot_chunk: 15,
      prepare_proposal: 16,
      process_proposal: 17,
      extend_vote: 18,
      verify_vote_extension: 19,
      finalize_block: 20,
      insert_tx: 21,
      reap_txs: 22,
    })
  })

  it('are those of Response', () => {
    expect(numbers(abci.ResponseSchema)).toEqual({
      exception: 1,
      echo: 2,
      flush: 3,
      info: 4,
      init_chain: 6,
      query: 7,
      check_tx: 9,
      commit: 12,
      list_snapshots: 13,
      offer_snapshot: 14,
      load_snapshot_chunk: 15,
      apply_snapshot_chunk: 16,
      prepare_proposal: 17,
      process_proposal: 18,
      extend_vote: 19,
      verify_vote_extension: 20,
      finalize_block: 21,
      insert_tx: 22,
      reap_txs: 23,
    })
  })

  it('are those of commits, votes, blocks, keys and parameters', () => {
    expect(numbers(abci.CommitInfoSchema)).toEqual({ round: 1, votes: 2 })
    expect(numbers(abci.VoteInfoSchema)).toEqual({ validator: 1, block_id_flag: 3 })
    expect(numbers(abci.ExtendedVoteInfoSchema)).toEqual({
      validator: 1,
      vote_extension: 3,
      extension_signature: 4,
      block_id_flag: 5,
    })
    expect(numbers(abci.RequestFinalizeBlockSchema)).toEqual({
      txs: 1,
      decided_last_commit: 2,
      misbehavior: 3,
      hash: 4,
      height: 5,
      time: 6,
      next_validators_hash: 7,
      proposer_address: 8,
    })
    expect(numbers(cometCrypto.PublicKeySchema)).toEqual({
      ed25519: 1,
      secp256k1: 2,
      bls12381: 3,
      mldsa65: 4,
      secp256k1eth: 5,
    })
    expect(numbers(cometParams.ConsensusParamsSchema)).toEqual({
      block: 1,
      evidence: 2,
      validator: 3,
      version: 4,
      abci: 5,
      authority: 6,
    })
    expect(cometValidator.BlockIDFlag).toMatchObject({
      BLOCK_ID_FLAG_ABSENT: 1,
      BLOCK_ID_FLAG_COMMIT: 2,
      BLOCK_ID_FLAG_NIL: 3,
    })
  })
})

describe('generated code', () => {
  // The generator takes seconds on a busy machine.
  it('is what the definitions generate', () => {
    expect(staleFiles()).toEqual([])
  })
})
