import { create, toBinary } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { abci } from '../proto/index.ts'
import { proposalBytes } from './proposal-bytes.ts'

it.each([1, 127, 128, 16_383, 16_384, 131_072, 2_097_152])(
  'a transaction of %i bytes takes what protobuf writes',
  (length) => {
    const written = toBinary(
      abci.ResponsePrepareProposalSchema,
      create(abci.ResponsePrepareProposalSchema, { txs: [new Uint8Array(length)] }),
    )
    expect(proposalBytes(length)).toBe(written.length)
  },
)
