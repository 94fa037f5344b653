/**
 * Messages made by hand against JSON that the Cosmos SDK's documents show (v0.54.4, the README of each module, section
 * REST), with the fields that came after the example was written. Order of members counts.
 */
import { create, toBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import {
  auth,
  authQuery,
  bankQuery,
  bankTx,
  cometQuery,
  distributionQuery,
  ed25519,
  feeMarketQuery,
  gov,
  govBeta,
  govBetaQuery,
  govQuery,
  mintQuery,
  slashingQuery,
  staking,
  stakingQuery,
  stakingTx,
  tx,
  txService,
  upgradeQuery,
} from '../../proto/index.ts'
import { createMessagePrinter } from './print-message.ts'
import { createTypeRegistry, NATIVE_SERVICES } from './services.ts'

const printer = createMessagePrinter(createTypeRegistry(NATIVE_SERVICES))

/** Prints the message as a whole, and piece by piece. */
const print = <Type extends DescMessage>(type: Type, message: MessageInitShape<Type>): string => {
  const text = printer.print(type, create(type, message))
  if (type.typeName.startsWith('google.protobuf.')) return text
  expect([...printer.pieces(type, create(type, message))].join('')).toBe(text)
  return text
}

const expectShown = <Type extends DescMessage>(type: Type, message: MessageInitShape<Type>, json: string): void =>
  expect(print(type, message)).toBe(JSON.stringify(JSON.parse(json)))

const pack = <Type extends DescMessage>(type: Type, message: MessageInitShape<Type>) => ({
  typeUrl: `/${type.typeName}`,
  value: toBinary(type, create(type, message)),
})

const time = (text: string, nanos = 0) => ({ seconds: BigInt(Date.parse(text)) / 1_000n, nanos })
const dec = (whole: bigint, digits = 0n): string => (whole * 10n ** 18n + digits).toString()
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

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

describe('gov', () => {
  const submitTime = time('2022-03-28T11:50:20Z', 819_676_256)
  const depositEndTime = time('2022-03-30T11:50:20Z', 819_676_256)

  test('a proposal of v1 in its deposit period', () => {
    const amount = [{ denom: 'stake', amount: '10' }]
    const send = pack(bankTx.MsgSendSchema, { fromAddress: 'cosmos1..', toAddress: 'cosmos1..', amount })
    expectShown(
      govQuery.QueryProposalResponseSchema,
      {
        proposal: {
          id: 2n,
          messages: [send],
          status: gov.ProposalStatus.DEPOSIT_PERIOD,
          finalTallyResult: { yesCount: '0', abstainCount: '0', noCount: '0', noWithVetoCount: '0' },
          submitTime,
          depositEndTime,
          totalDeposit: amount,
          metadata: 'AQ==',
          title: 'Proposal Title',
          summary: 'Proposal Summary',
          proposer: 'cosmos1..',
        },
      },
      `{
        "proposal": {
          "id": "2",
          "messages": [
            {
              "@type": "/cosmos.bank.v1beta1.MsgSend",
              "from_address": "cosmos1..",
              "to_address": "cosmos1..",
              "amount": [{ "denom": "stake", "amount": "10" }]
            }
          ],
          "status": "PROPOSAL_STATUS_DEPOSIT_PERIOD",
          "final_tally_result": { "yes_count": "0", "abstain_count": "0", "no_count": "0", "no_with_veto_count": "0" },
          "submit_time": "2022-03-28T11:50:20.819676256Z",
          "deposit_end_time": "2022-03-30T11:50:20.819676256Z",
          "total_deposit": [{ "denom": "stake", "amount": "10" }],
          "voting_start_time": null,
          "voting_end_time": null,
          "metadata": "AQ==",
          "title": "Proposal Title",
          "summary": "Proposal Summary",
          "proposer": "cosmos1..",
          "expedited": false,
          "failed_reason": ""
        }
      }`,
    )
  })

  test('the same of v1beta1: times that were not set are those of Go', () => {
    expectShown(
      govBetaQuery.QueryProposalResponseSchema,
      {
        proposal: {
          proposalId: 2n,
          status: govBeta.ProposalStatus.DEPOSIT_PERIOD,
          submitTime,
          depositEndTime,
          totalDeposit: [{ denom: 'stake', amount: '10' }],
        },
      },
      `{
        "proposal": {
          "proposal_id": "2",
          "content": null,
          "status": "PROPOSAL_STATUS_DEPOSIT_PERIOD",
          "final_tally_result": { "yes": "0", "abstain": "0", "no": "0", "no_with_veto": "0" },
          "submit_time": "2022-03-28T11:50:20.819676256Z",
          "deposit_end_time": "2022-03-30T11:50:20.819676256Z",
          "total_deposit": [{ "denom": "stake", "amount": "10" }],
          "voting_start_time": "0001-01-01T00:00:00Z",
          "voting_end_time": "0001-01-01T00:00:00Z"
        }
      }`,
    )
  })

  test('votes: weights of v1 have a point on the wire too, those of v1beta1 have none', () => {
    const { VoteOption } = gov
    expectShown(
      govQuery.QueryVoteResponseSchema,
      {
        vote: {
          proposalId: 1n,
          voter: 'cosmos1..',
          options: [{ option: VoteOption.YES, weight: '1.000000000000000000' }],
        },
      },
      `{
        "vote": {
          "proposal_id": "1",
          "voter": "cosmos1..",
          "options": [{ "option": "VOTE_OPTION_YES", "weight": "1.000000000000000000" }],
          "metadata": ""
        }
      }`,
    )
    const option = govBeta.VoteOption.YES
    expectShown(
      govBetaQuery.QueryVoteResponseSchema,
      { vote: { proposalId: 1n, voter: 'cosmos1..', option, options: [{ option, weight: dec(1n) }] } },
      `{
        "vote": {
          "proposal_id": "1",
          "voter": "cosmos1..",
          "option": "VOTE_OPTION_YES",
          "options": [{ "option": "VOTE_OPTION_YES", "weight": "1.000000000000000000" }]
        }
      }`,
    )
  })

  test('params/voting of v1: the others are null', () => {
    const text = print(govQuery.QueryParamsResponseSchema, { votingParams: { votingPeriod: { seconds: 172800n } } })
    expect(text).toBe(
      '{"voting_params":{"voting_period":"172800s"},"deposit_params":null,"tally_params":null,"params":null}',
    )
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
