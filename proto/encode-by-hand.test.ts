/** What is written by hand is what the general encoder writes. */
import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { encodeBroadcastResponse } from './encode-broadcast-response.ts'
import { encodeTxMsgData } from './encode-tx-msg-data.ts'
import { baseAbci, txService } from './index.ts'

describe('TxMsgData', () => {
  const url = '/cosmos.bank.v1beta1.MsgSendResponse'
  test.each([
    ['nothing', []],
    ['one response', [{ typeUrl: url, value: new Uint8Array(0) }]],
    ['an empty one', [{ typeUrl: '', value: new Uint8Array(0) }]],
    [
      'several, and long ones',
      [
        { typeUrl: url, value: Uint8Array.of(1, 2, 3) },
        { typeUrl: `${url}2`, value: new Uint8Array(70_000).fill(7) },
        { typeUrl: url, value: new Uint8Array(200).fill(9) },
      ],
    ],
  ])('of %s', (_, msgResponses) => {
    const { TxMsgDataSchema } = baseAbci
    expect(Buffer.from(encodeTxMsgData(msgResponses))).toEqual(
      Buffer.from(toBinary(TxMsgDataSchema, create(TxMsgDataSchema, { msgResponses }))),
    )
  })
})

describe('BroadcastTxResponse', () => {
  test.each([
    ['of what was taken', { txhash: 'AB'.repeat(32), codespace: '', code: 0, rawLog: '' }],
    ['of a refusal', { txhash: 'AB'.repeat(32), codespace: 'sdk', code: 32, rawLog: 'account sequence: Zürich' }],
    ['of a long refusal', { txhash: 'CD'.repeat(32), codespace: 'bank', code: 1_000_000, rawLog: 'x'.repeat(5_000) }],
    ['of a text with a lone surrogate', { txhash: '', codespace: '', code: 1, rawLog: 'a\ud800b'.toWellFormed() }],
  ])('%s', (_, txResponse) => {
    const { BroadcastTxResponseSchema } = txService
    expect(Buffer.from(encodeBroadcastResponse(txResponse))).toEqual(
      Buffer.from(toBinary(BroadcastTxResponseSchema, create(BroadcastTxResponseSchema, { txResponse }))),
    )
  })
})
