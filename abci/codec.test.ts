import { create, fromBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { abci } from '../proto/index.ts'
import { encodeResponse } from './codec.ts'

test('the answer to a block reads as it was written', () => {
  const event = (index: boolean) => ({ type: 'transfer', attributes: [{ key: 'amount', value: '5anat', index }] })
  const response = create(abci.ResponseSchema, {
    value: {
      case: 'finalizeBlock',
      value: {
        events: [event(true)],
        txResults: [
          {
            code: 0,
            data: Uint8Array.of(1),
            gasWanted: 100_000n,
            gasUsed: 70_000n,
            events: [event(true), event(false)],
          },
          {},
          { code: 5, codespace: 'sdk', log: 'insufficient funds: Zürich', gasWanted: 2n ** 63n - 1n },
        ],
        validatorUpdates: [{ power: 7n }],
        appHash: new Uint8Array(32).fill(9),
      },
    },
  })
  expect(fromBinary(abci.ResponseSchema, encodeResponse(response))).toEqual(response)
})

test('an answer without transactions reads as it was written', () => {
  const value = { case: 'finalizeBlock', value: { appHash: new Uint8Array(32) } } as const
  const response = create(abci.ResponseSchema, { value })
  expect(fromBinary(abci.ResponseSchema, encodeResponse(response))).toEqual(response)
})
