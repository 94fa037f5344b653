/** Answers of the staking module, as the Cosmos SDK prints them. */
import { describe, expect, test } from 'vitest'
import { ed25519, staking, stakingQuery } from '../../proto/index.ts'
import { dec, expectShown, pack, print, time } from './testing/print.ts'

const VALIDATOR = {
  operatorAddress: 'cosmosvaloper1xwazl8ftks4gn00y5x3c47auquc62ssuvynw64',
  consensusPubkey: pack(ed25519.PubKeySchema, {
    key: new Uint8Array(Buffer.from('5v4n3px3PkfNnKflSgepDnsMQR1hiNXnqOC11Y72/PQ=', 'base64')),
  }),
  jailed: false,
  status: staking.BondStatus.BONDED,
  tokens: '21592843799',
  delegatorShares: dec(21592843799n),
  description: {
    moniker: 'jabbey',
    website: 'https://twitter.com/JoeAbbey',
    details: 'just another dad in the cosmos',
  },
  unbondingHeight: 0n,
  unbondingTime: { seconds: 0n, nanos: 0 },
  commission: {
    commissionRates: {
      rate: dec(0n, 10n ** 17n),
      maxRate: dec(0n, 2n * 10n ** 17n),
      maxChangeRate: dec(0n, 10n ** 17n),
    },
    updateTime: time('2021-10-09T19:03:54Z', 984_821_705),
  },
  minSelfDelegation: '1',
}

const VALIDATOR_JSON = `{
  "operator_address": "cosmosvaloper1xwazl8ftks4gn00y5x3c47auquc62ssuvynw64",
  "consensus_pubkey": {
    "@type": "/cosmos.crypto.ed25519.PubKey",
    "key": "5v4n3px3PkfNnKflSgepDnsMQR1hiNXnqOC11Y72/PQ="
  },
  "jailed": false,
  "status": "BOND_STATUS_BONDED",
  "tokens": "21592843799",
  "delegator_shares": "21592843799.000000000000000000",
  "description": {
    "moniker": "jabbey",
    "identity": "",
    "website": "https://twitter.com/JoeAbbey",
    "security_contact": "",
    "details": "just another dad in the cosmos"
  },
  "unbonding_height": "0",
  "unbonding_time": "1970-01-01T00:00:00Z",
  "commission": {
    "commission_rates": {
      "rate": "0.100000000000000000",
      "max_rate": "0.200000000000000000",
      "max_change_rate": "0.100000000000000000"
    },
    "update_time": "2021-10-09T19:03:54.984821705Z"
  },
  "min_self_delegation": "1",
  "unbonding_on_hold_ref_count": "0",
  "unbonding_ids": []
}`

describe('staking', () => {
  test('DelegatorDelegations', () => {
    const entry = (validatorAddress: string, amount: bigint) => ({
      delegation: {
        delegatorAddress: 'cosmos1vcs68xf2tnqes5tg0khr0vyevm40ff6zdxatp5',
        validatorAddress,
        shares: dec(amount),
      },
      balance: { denom: 'stake', amount: String(amount) },
    })
    expectShown(
      stakingQuery.QueryDelegatorDelegationsResponseSchema,
      {
        delegationResponses: [
          entry('cosmosvaloper1quqxfrxkycr0uzt4yk0d57tcq3zk7srm7sm6r8', 256250000n),
          entry('cosmosvaloper194v8uwee2fvs2s8fa5k7j03ktwc87h5ym39jfv', 255150000n),
        ],
        pagination: { total: 2n },
      },
      `{
        "delegation_responses": [
          {
            "delegation": {
              "delegator_address": "cosmos1vcs68xf2tnqes5tg0khr0vyevm40ff6zdxatp5",
              "validator_address": "cosmosvaloper1quqxfrxkycr0uzt4yk0d57tcq3zk7srm7sm6r8",
              "shares": "256250000.000000000000000000"
            },
            "balance": { "denom": "stake", "amount": "256250000" }
          },
          {
            "delegation": {
              "delegator_address": "cosmos1vcs68xf2tnqes5tg0khr0vyevm40ff6zdxatp5",
              "validator_address": "cosmosvaloper194v8uwee2fvs2s8fa5k7j03ktwc87h5ym39jfv",
              "shares": "255150000.000000000000000000"
            },
            "balance": { "denom": "stake", "amount": "255150000" }
          }
        ],
        "pagination": { "next_key": null, "total": "2" }
      }`,
    )
  })

  test('Redelegations, which encoding/json prints: numbers, and null for the list that is empty', () => {
    const message = (unbondingId: bigint) => ({
      redelegationResponses: [
        {
          redelegation: {
            delegatorAddress: 'cosmos1thfntksw0d35n2tkr0k8v54fr8wxtxwxl2c56e',
            validatorSrcAddress: 'cosmosvaloper1lzhlnpahvznwfv4jmay2tgaha5kmz5qx4cuznf',
            validatorDstAddress: 'cosmosvaloper1vq8tw77kp8lvxq9u3c8eeln9zymn68rng8pgt4',
          },
          entries: [
            {
              redelegationEntry: {
                creationHeight: 151523n,
                completionTime: time('2021-11-09T06:03:25Z', 640_682_116),
                initialBalance: '200000000',
                sharesDst: dec(200000000n),
                unbondingId,
              },
              balance: '200000000',
            },
          ],
        },
      ],
    })
    const json = (unbondingId: string): string => `{
      "redelegation_responses": [
        {
          "redelegation": {
            "delegator_address": "cosmos1thfntksw0d35n2tkr0k8v54fr8wxtxwxl2c56e",
            "validator_src_address": "cosmosvaloper1lzhlnpahvznwfv4jmay2tgaha5kmz5qx4cuznf",
            "validator_dst_address": "cosmosvaloper1vq8tw77kp8lvxq9u3c8eeln9zymn68rng8pgt4",
            "entries": null
          },
          "entries": [
            {
              "redelegation_entry": {
                "creation_height": 151523,
                "completion_time": "2021-11-09T06:03:25.640682116Z",
                "initial_balance": "200000000",
                "shares_dst": "200000000.000000000000000000"${unbondingId}
              },
              "balance": "200000000"
            }
          ]
        }
      ],
      "pagination": null
    }`
    expectShown(stakingQuery.QueryRedelegationsResponseSchema, message(0n), json(''))
    expectShown(stakingQuery.QueryRedelegationsResponseSchema, message(7n), json(', "unbonding_id": 7'))
  })

  test('times within it have no zeros at their end', () => {
    const entry = { completionTime: time('2021-11-09T06:03:25Z', 120_000_000), initialBalance: '1', sharesDst: '1' }
    const message = { redelegationResponses: [{ entries: [{ redelegationEntry: entry, balance: '1' }] }] }
    const text = print(stakingQuery.QueryRedelegationsResponseSchema, message)
    expect(text).toContain('"completion_time":"2021-11-09T06:03:25.12Z"')
    expect(text).toContain('"redelegation":{"entries":null}')
  })

  test('DelegatorUnbondingDelegations', () => {
    expectShown(
      stakingQuery.QueryDelegatorUnbondingDelegationsResponseSchema,
      {
        unbondingResponses: [
          {
            delegatorAddress: 'cosmos1nxv42u3lv642q0fuzu2qmrku27zgut3n3z7lll',
            validatorAddress: 'cosmosvaloper1e7mvqlz50ch6gw4yjfemsc069wfre4qwmw53kq',
            entries: [
              {
                creationHeight: 2442278n,
                completionTime: time('2021-10-12T10:59:03Z', 797_335_857),
                initialBalance: '50000000000',
                balance: '50000000000',
                unbondingId: 3n,
              },
            ],
          },
        ],
        pagination: { total: 1n },
      },
      `{
        "unbonding_responses": [
          {
            "delegator_address": "cosmos1nxv42u3lv642q0fuzu2qmrku27zgut3n3z7lll",
            "validator_address": "cosmosvaloper1e7mvqlz50ch6gw4yjfemsc069wfre4qwmw53kq",
            "entries": [
              {
                "creation_height": "2442278",
                "completion_time": "2021-10-12T10:59:03.797335857Z",
                "initial_balance": "50000000000",
                "balance": "50000000000",
                "unbonding_id": "3",
                "unbonding_on_hold_ref_count": "0"
              }
            ]
          }
        ],
        "pagination": { "next_key": null, "total": "1" }
      }`,
    )
  })

  test('Validator', () => {
    expectShown(
      stakingQuery.QueryValidatorResponseSchema,
      { validator: VALIDATOR },
      `{ "validator": ${VALIDATOR_JSON} }`,
    )
  })

  test('Validators with a page to follow', () => {
    const nextKey = new Uint8Array(Buffer.from('FONDBFkE4tEEf7yxWWKOD49jC2NK', 'base64'))
    expectShown(
      stakingQuery.QueryValidatorsResponseSchema,
      { validators: [VALIDATOR], pagination: { nextKey, total: 2n } },
      `{
        "validators": [${VALIDATOR_JSON}],
        "pagination": { "next_key": "FONDBFkE4tEEf7yxWWKOD49jC2NK", "total": "2" }
      }`,
    )
  })

  test('Parameters', () => {
    expectShown(
      stakingQuery.QueryParamsResponseSchema,
      {
        params: {
          unbondingTime: { seconds: 2419200n },
          maxValidators: 100,
          maxEntries: 7,
          historicalEntries: 10000,
          bondDenom: 'stake',
          minCommissionRate: '0',
        },
      },
      `{
        "params": {
          "unbonding_time": "2419200s",
          "max_validators": 100,
          "max_entries": 7,
          "historical_entries": 10000,
          "bond_denom": "stake",
          "min_commission_rate": "0.000000000000000000"
        }
      }`,
    )
  })

  test('Pool', () => {
    expectShown(
      stakingQuery.QueryPoolResponseSchema,
      { pool: { notBondedTokens: '432805737458', bondedTokens: '15783637712645' } },
      '{ "pool": { "not_bonded_tokens": "432805737458", "bonded_tokens": "15783637712645" } }',
    )
  })
})
