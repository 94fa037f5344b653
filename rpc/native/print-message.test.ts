/** What holds in messages of every module: what may be absent, packed messages, escapes and times. */
import { describe, expect, test } from 'vitest'
import { cometQuery, stakingTx, tx, txService } from '../../proto/index.ts'
import { expectShown, pack, print, time } from './testing/print.ts'

describe('transactions', () => {
  test('a Tx with everything that may be absent', () => {
    const edit = pack(stakingTx.MsgEditValidatorSchema, { validatorAddress: 'cosmosvaloper1' })
    expectShown(
      txService.TxDecodeResponseSchema,
      {
        tx: {
          body: { messages: [edit], memo: 'hello' },
          authInfo: {
            signerInfos: [{ modeInfo: { sum: { case: 'single', value: { mode: 1 } } }, sequence: 5n }],
            fee: { gasLimit: 200000n },
          },
          signatures: [new Uint8Array(0), Uint8Array.of(1, 2)],
        },
      },
      `{
        "tx": {
          "body": {
            "messages": [
              {
                "@type": "/cosmos.staking.v1beta1.MsgEditValidator",
                "description": {
                  "moniker": "", "identity": "", "website": "", "security_contact": "", "details": ""
                },
                "validator_address": "cosmosvaloper1",
                "commission_rate": null,
                "min_self_delegation": null
              }
            ],
            "memo": "hello",
            "timeout_height": "0",
            "unordered": false,
            "timeout_timestamp": null,
            "extension_options": [],
            "non_critical_extension_options": []
          },
          "auth_info": {
            "signer_infos": [
              { "public_key": null, "mode_info": { "single": { "mode": "SIGN_MODE_DIRECT" } }, "sequence": "5" }
            ],
            "fee": { "amount": [], "gas_limit": "200000", "payer": "", "granter": "" },
            "tip": null
          },
          "signatures": ["", "AQI="]
        }
      }`,
    )
  })

  test('an Any of a type that nobody knows keeps its bytes', () => {
    const any = { typeUrl: '/unknown.Type', value: Uint8Array.of(1, 2, 3) }
    const text = print(tx.TxBodySchema, { messages: [any] })
    expect(text).toContain('"messages":[{"@type":"/unknown.Type","value":"AQID"}]')
  })

  test('Go escapes what HTML would read', () => {
    expect(print(tx.TxBodySchema, { memo: '<&>\u2028"\\\n' })).toContain(
      String.raw`"memo":"\u003c\u0026\u003e\u2028\"\\\n"`,
    )
  })
})

test('fractions of times have three, six or nine digits', () => {
  const shown = (nanos: number): string => {
    const header = { time: time('2023-11-14T22:13:20Z', nanos) }
    const text = print(cometQuery.GetLatestBlockResponseSchema, { block: { header } })
    return /"time":"([^"]+)"/.exec(text)?.[1] ?? ''
  }
  expect([0, 120_000_000, 120_000, 1].map(shown)).toEqual([
    '2023-11-14T22:13:20Z',
    '2023-11-14T22:13:20.120Z',
    '2023-11-14T22:13:20.000120Z',
    '2023-11-14T22:13:20.000000001Z',
  ])
})
