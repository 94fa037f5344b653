/** Answers of the other modules, as the Cosmos SDK prints them. */
import { describe, test } from 'vitest'
import {
  auth,
  authQuery,
  bankQuery,
  distributionQuery,
  feeMarketQuery,
  mintQuery,
  slashingQuery,
  upgradeQuery,
} from '../../proto/index.ts'
import { ascii, dec, expectShown, pack } from './testing/print.ts'

describe('slashing', () => {
  test('Params: fractions are bytes that hold a text', () => {
    expectShown(
      slashingQuery.QueryParamsResponseSchema,
      {
        params: {
          signedBlocksWindow: 100n,
          minSignedPerWindow: ascii(dec(0n, 5n * 10n ** 17n)),
          downtimeJailDuration: { seconds: 600n },
          slashFractionDoubleSign: ascii(dec(0n, 5n * 10n ** 16n)),
          slashFractionDowntime: ascii(dec(0n, 10n ** 16n)),
        },
      },
      `{
        "params": {
          "signed_blocks_window": "100",
          "min_signed_per_window": "0.500000000000000000",
          "downtime_jail_duration": "600s",
          "slash_fraction_double_sign": "0.050000000000000000",
          "slash_fraction_downtime": "0.010000000000000000"
        }
      }`,
    )
  })

  test('signing_infos', () => {
    const address = 'cosmosvalcons1nrqslkwd3pz096lh6t082frdqc84uwxn0t958c'
    expectShown(
      slashingQuery.QuerySigningInfosResponseSchema,
      { info: [{ address, indexOffset: 4169n, jailedUntil: { seconds: 0n } }], pagination: { total: 1n } },
      `{
        "info": [
          {
            "address": "${address}",
            "start_height": "0",
            "index_offset": "4169",
            "jailed_until": "1970-01-01T00:00:00Z",
            "tombstoned": false,
            "missed_blocks_counter": "0"
          }
        ],
        "pagination": { "next_key": null, "total": "1" }
      }`,
    )
  })
})

test('mint: inflation and annual provisions', () => {
  const { QueryInflationResponseSchema, QueryAnnualProvisionsResponseSchema } = mintQuery
  expectShown(
    QueryInflationResponseSchema,
    { inflation: ascii('130197115720711261') },
    '{"inflation":"0.130197115720711261"}',
  )
  expectShown(
    QueryAnnualProvisionsResponseSchema,
    { annualProvisions: ascii('1432452520532626265712995618') },
    '{"annual_provisions":"1432452520.532626265712995618"}',
  )
})

describe('distribution', () => {
  test('delegation rewards and the total of them', () => {
    const coins = [{ denom: 'stake', amount: dec(1234n, 5n) }]
    expectShown(
      distributionQuery.QueryDelegationTotalRewardsResponseSchema,
      { rewards: [{ validatorAddress: 'cosmosvaloper1', reward: coins }], total: coins },
      `{
        "rewards": [
          {
            "validator_address": "cosmosvaloper1",
            "reward": [{ "denom": "stake", "amount": "1234.000000000000000005" }]
          }
        ],
        "total": [{ "denom": "stake", "amount": "1234.000000000000000005" }]
      }`,
    )
  })

  test('nothing outstanding is an object with an empty list', () => {
    const { QueryValidatorOutstandingRewardsResponseSchema, QueryCommunityPoolResponseSchema } = distributionQuery
    expectShown(QueryValidatorOutstandingRewardsResponseSchema, {}, '{"rewards":{"rewards":[]}}')
    expectShown(QueryCommunityPoolResponseSchema, {}, '{"pool":[]}')
  })
})

describe('other modules', () => {
  test('upgrade: applied plan, and no plan', () => {
    expectShown(upgradeQuery.QueryAppliedPlanResponseSchema, { height: 30n }, '{ "height": "30" }')
    expectShown(upgradeQuery.QueryCurrentPlanResponseSchema, {}, '{ "plan": null }')
    expectShown(
      upgradeQuery.QueryModuleVersionsResponseSchema,
      { moduleVersions: [{ name: 'auth', version: 2n }] },
      '{ "module_versions": [{ "name": "auth", "version": "2" }] }',
    )
  })

  test('auth: an account without a key, and a module account', () => {
    const account = { address: 'cosmos1zwg6tpl8aw4rawv8sgag9086lpw5hv33u5ctr2', accountNumber: 1n }
    expectShown(
      authQuery.QueryAccountResponseSchema,
      { account: pack(auth.BaseAccountSchema, account) },
      `{
        "account": {
          "@type": "/cosmos.auth.v1beta1.BaseAccount",
          "address": "cosmos1zwg6tpl8aw4rawv8sgag9086lpw5hv33u5ctr2",
          "pub_key": null,
          "account_number": "1",
          "sequence": "0"
        }
      }`,
    )
    expectShown(
      authQuery.QueryModuleAccountsResponseSchema,
      { accounts: [pack(auth.ModuleAccountSchema, { baseAccount: account, name: 'mint', permissions: ['minter'] })] },
      `{
        "accounts": [
          {
            "@type": "/cosmos.auth.v1beta1.ModuleAccount",
            "base_account": {
              "address": "cosmos1zwg6tpl8aw4rawv8sgag9086lpw5hv33u5ctr2",
              "pub_key": null,
              "account_number": "1",
              "sequence": "0"
            },
            "name": "mint",
            "permissions": ["minter"]
          }
        ]
      }`,
    )
  })

  test('bank: metadata with its lists', () => {
    expectShown(
      bankQuery.QueryDenomMetadataResponseSchema,
      { metadata: { base: 'uatom', denomUnits: [{ denom: 'uatom', exponent: 0, aliases: ['microatom'] }] } },
      `{
        "metadata": {
          "description": "",
          "denom_units": [{ "denom": "uatom", "exponent": 0, "aliases": ["microatom"] }],
          "base": "uatom",
          "display": "",
          "name": "",
          "symbol": "",
          "uri": "",
          "uri_hash": ""
        }
      }`,
    )
  })

  test('fee market: a base fee that is absent is null, a gas limit of a block a text', () => {
    expectShown(feeMarketQuery.QueryBaseFeeResponseSchema, {}, '{ "base_fee": null }')
    expectShown(feeMarketQuery.QueryBlockGasResponseSchema, { gas: 21000n }, '{ "gas": "21000" }')
  })
})
