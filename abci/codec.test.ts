import { create, fromBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { encodeEvents } from '../proto/encode-exec-tx-result.ts'
import { abci } from '../proto/index.ts'
import { encodeAnswer } from './codec.ts'

const read = (bytes: Uint8Array): abci.Response['value'] => fromBinary(abci.ResponseSchema, bytes).value

test('the answer to a block reads as it was written', () => {
  const event = (index: boolean) => ({ type: 'transfer', attributes: [{ key: 'amount', value: '5anat', index }] })
  const nothing = { code: 0, codespace: '', log: '', data: new Uint8Array(0), gasWanted: 0n, gasUsed: 0n }
  const results = [
    { ...nothing, data: Uint8Array.of(1), gasWanted: 100_000n, gasUsed: 70_000n, events: [event(true), event(false)] },
    { ...nothing, events: [] },
    { ...nothing, code: 5, codespace: 'sdk', log: 'insufficient funds: Zürich', gasWanted: 2n ** 63n - 1n, events: [] },
  ]
  const shell = {
    events: [event(true)],
    validatorUpdates: [{ power: 7n }],
    appHash: new Uint8Array(32).fill(9),
  }
  const response = {
    ...create(abci.ResponseFinalizeBlockSchema, shell),
    txResults: results.map((result) => ({ ...result, events: encodeEvents(result.events) })),
  }
  const value = create(abci.ResponseFinalizeBlockSchema, { ...shell, txResults: results })
  expect(read(encodeAnswer({ method: 'finalizeBlock', response }))).toEqual({ case: 'finalizeBlock', value })
})

test('an answer without transactions reads as it was written', () => {
  const value = create(abci.ResponseFinalizeBlockSchema, { appHash: new Uint8Array(32) })
  const response = { ...value, txResults: [] }
  expect(read(encodeAnswer({ method: 'finalizeBlock', response }))).toEqual({ case: 'finalizeBlock', value })
})

test.each([
  ['of none', []],
  ['of all sizes', [0, 1, 127, 128, 300, 70_000]],
  ['of very many', Array<number>(50_000).fill(90)],
])('a proposal %s reads as it was written', (_, sizes) => {
  const txs = sizes.map((size, at) => new Uint8Array(size).fill(at))
  const value = create(abci.ResponsePrepareProposalSchema, { txs })
  const answer = read(encodeAnswer({ method: 'prepareProposal', response: value }))
  expect(answer.case).toBe('prepareProposal')
  const taken = (answer.value as abci.ResponsePrepareProposal).txs
  expect(taken.length).toBe(txs.length)
  for (const [at, raw] of txs.entries()) expect(Buffer.compare(taken[at] as Uint8Array, raw)).toBe(0)
})
