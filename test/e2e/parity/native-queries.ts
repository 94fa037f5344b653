/** Every native route, of a chain that has lived through the transactions, with errors and pages. */
import { create, type DescMethod, toBinary } from '@bufbuild/protobuf'
import {
  authQuery,
  bankQuery,
  cometQuery,
  distributionQuery,
  govBetaQuery,
  govQuery,
  mintQuery,
  node,
  slashingQuery,
  stakingQuery,
  txService,
} from '../../../proto/index.ts'
import { methodPath } from '../../../rpc/native/services.ts'
import {
  DELEGATOR,
  FIRST,
  FIRST_CONSENSUS,
  IDLE,
  NOBODY,
  OTHER,
  SECOND,
  SECOND_CONSENSUS,
  STRANGER,
} from './native-accounts.ts'
import type { NativePeer } from './native-peer.ts'
import { stripValue } from './native-strip.ts'

const under = (prefix: string, ...paths: readonly string[]): readonly string[] =>
  paths.map((path) => `${prefix}${path}`)

const AUTH = under(
  '/cosmos/auth/v1beta1',
  ...[FIRST.address, IDLE.address, STRANGER, 'nonsense', FIRST.operator].flatMap((address) => [
    `/accounts/${address}`,
    `/account_info/${address}`,
  ]),
  ...['/params', '/bech32', '/bech32/AQID', '/bech32/nonsense-', '/accounts?pagination.limit=0x', '/address_by_id/x'],
  ...['fee_collector', 'distribution', 'bonded_tokens_pool', 'not_bonded_tokens_pool', 'gov', 'mint', 'nothing'].map(
    (name) => `/module_accounts/${name}`,
  ),
)

const BANK = under(
  '/cosmos/bank/v1beta1',
  ...[IDLE.address, STRANGER, 'nonsense', FIRST.operator, 'cosmos1jcltmuhplrdcwp7stlr4hlhlhgd4htqh3a79sq'].flatMap(
    (address) => [
      `/balances/${address}`,
      `/spendable_balances/${address}`,
      `/balances/${address}/by_denom?denom=anat`,
      `/spendable_balances/${address}/by_denom?denom=anat`,
    ],
  ),
  ...[
    `/balances/${IDLE.address}/by_denom`,
    `/balances/${IDLE.address}/by_denom?denom=1`,
    `/balances/${IDLE.address}/by_denom?denom=stake`,
  ],
  ...[`/balances/${IDLE.address}?resolve_denom=true`, `/spendable_balances/${IDLE.address}/by_denom`],
  ...[
    '/params',
    '/supply',
    '/supply/by_denom?denom=anat',
    '/supply/by_denom?denom=stake',
    '/supply/by_denom',
    '/supply?pagination.limit=1',
  ],
  ...[
    '/denoms_metadata',
    '/denoms_metadata/anat',
    '/denoms_metadata/nothing',
    '/denoms_metadata/a/b',
    '/denoms_metadata_by_query_string?denom=anat',
  ],
  ...[
    '/denoms_metadata_by_query_string',
    '/denom_owners/stake',
    '/denom_owners/1',
    '/denom_owners_by_query',
    '/denom_owners_by_query?denom=stake',
  ],
  ...['/send_enabled', '/send_enabled?denoms=anat', '/send_enabled?pagination.limit=2'],
)

const VALIDATOR = `/validators/${FIRST.operator}`
const STAKING = under(
  '/cosmos/staking/v1beta1',
  ...[
    '/params',
    '/pool',
    '/validators',
    '/validators?status=BOND_STATUS_BONDED',
    '/validators?status=BOND_STATUS_UNBONDING',
    '/validators?status=nonsense',
  ],
  ...[
    '/validators?status=',
    '/validators?pagination.limit=1',
    '/validators?pagination.limit=1&pagination.count_total=true',
  ],
  ...[
    '/validators?pagination.offset=1',
    '/validators?pagination.offset=1&pagination.limit=1',
    '/validators?pagination.reverse=true',
  ],
  ...[
    '/validators?pagination.key=AAAA&pagination.offset=1',
    '/validators?pagination.limit=x',
    '/validators?pagination.key=!',
    '/validators?unknown=1',
  ],
  ...['/validators?pagination.offset=99', '/validators?pagination.limit=-1'],
  ...[FIRST.operator, SECOND.operator, NOBODY, 'nonsense', FIRST.address].flatMap((operator) => [
    `/validators/${operator}`,
    `/validators/${operator}/delegations`,
    `/validators/${operator}/unbonding_delegations`,
  ]),
  ...[`${VALIDATOR}/delegations?pagination.limit=1`, `${VALIDATOR}/delegations?pagination.count_total=true`],
  ...[DELEGATOR.address, STRANGER, 'nonsense'].flatMap((delegator) => [
    `${VALIDATOR}/delegations/${delegator}`,
    `${VALIDATOR}/delegations/${delegator}/unbonding_delegation`,
    `/delegations/${delegator}`,
    `/delegators/${delegator}/unbonding_delegations`,
    `/delegators/${delegator}/redelegations`,
    `/delegators/${delegator}/validators`,
    `/delegators/${delegator}/validators/${FIRST.operator}`,
  ]),
  `/validators/${NOBODY}/delegations/${DELEGATOR.address}`,
  `/delegators/${DELEGATOR.address}/validators/${NOBODY}`,
  `/delegators/${DELEGATOR.address}/redelegations?src_validator_addr=${FIRST.operator}&dst_validator_addr=${SECOND.operator}`,
  `/delegators/${DELEGATOR.address}/redelegations?src_validator_addr=${SECOND.operator}&dst_validator_addr=${FIRST.operator}`,
  `/delegators/${DELEGATOR.address}/redelegations?src_validator_addr=nonsense`,
  ...['/historical_info/0', '/historical_info/-1', '/historical_info/99999999', '/historical_info/x'],
)

const SLASHING = under(
  '/cosmos/slashing/v1beta1',
  ...[
    '/params',
    '/signing_infos',
    '/signing_infos?pagination.limit=1',
    `/signing_infos/${FIRST_CONSENSUS}`,
    `/signing_infos/${SECOND_CONSENSUS}`,
  ],
  ...[
    `/signing_infos/${FIRST.operator}`,
    '/signing_infos/nonsense',
    '/signing_infos/natvalcons1xqcnzvf3xycnzvf3xycnzvf3xycnzvf3vu9ts8',
  ],
)

const DISTRIBUTION = under(
  '/cosmos/distribution/v1beta1',
  ...['/params', '/community_pool'],
  ...[FIRST.operator, SECOND.operator, NOBODY, 'nonsense'].flatMap((operator) => [
    `/validators/${operator}`,
    `/validators/${operator}/outstanding_rewards`,
    `/validators/${operator}/commission`,
    `/validators/${operator}/slashes`,
    `/validators/${operator}/slashes?starting_height=1&ending_height=5`,
    `/validators/${operator}/slashes?starting_height=9&ending_height=5`,
    `/delegators/${DELEGATOR.address}/rewards/${operator}`,
  ]),
  ...[DELEGATOR.address, STRANGER, 'nonsense'].flatMap((delegator) => [
    `/delegators/${delegator}/rewards`,
    `/delegators/${delegator}/validators`,
    `/delegators/${delegator}/withdraw_address`,
    `/delegators/${delegator}/rewards/${FIRST.operator}`,
  ]),
  `${VALIDATOR}/current_rewards`,
  `${VALIDATOR}/historical_rewards/999`,
  `/delegators/${DELEGATOR.address}/starting_info/${FIRST.operator}`,
)

const GOV = ['/cosmos/gov/v1', '/cosmos/gov/v1beta1'].flatMap((prefix) =>
  under(
    prefix,
    ...[
      '/params/voting',
      '/params/deposit',
      '/params/tallying',
      '/params/nonsense',
      '/proposals',
      '/proposals?pagination.limit=1',
    ],
    ...[
      '/proposals?pagination.reverse=true&pagination.limit=1',
      '/proposals?pagination.count_total=true&pagination.limit=1',
    ],
    ...[
      '/proposals?proposal_status=PROPOSAL_STATUS_PASSED',
      '/proposals?proposal_status=2',
      '/proposals?proposal_status=1',
      '/proposals?proposal_status=nonsense',
    ],
    ...[
      `/proposals?depositor=${OTHER.address}`,
      `/proposals?voter=${DELEGATOR.address}`,
      '/proposals?voter=nonsense',
      '/proposals?depositor=nonsense',
    ],
    ...['1', '2', '3', '4', '5', '99', '0', 'x', '-1'].flatMap((id) => [
      `/proposals/${id}`,
      `/proposals/${id}/tally`,
      `/proposals/${id}/votes`,
      `/proposals/${id}/deposits`,
    ]),
    ...[
      `/proposals/1/votes/${DELEGATOR.address}`,
      `/proposals/2/deposits/${DELEGATOR.address}`,
      `/proposals/2/deposits/${STRANGER}`,
    ],
    ...[
      `/proposals/99/votes/${DELEGATOR.address}`,
      `/proposals/99/deposits/${DELEGATOR.address}`,
      `/proposals/0/votes/${DELEGATOR.address}`,
      '/proposals/2/deposits/nonsense',
    ],
  ),
)

const OTHERS = [
  '/cosmos/gov/v1/constitution',
  ...under('/cosmos/mint/v1beta1', '/params', '/inflation', '/annual_provisions'),
  ...under(
    '/cosmos/upgrade/v1beta1',
    '/current_plan',
    '/applied_plan/x',
    '/authority',
    '/upgraded_consensus_state/1',
    '/module_versions?module_name=bank',
    '/module_versions?module_name=nothing',
  ),
  ...under('/cosmos/evidence/v1beta1/evidence', '', '/AB', '/x', '?pagination.limit=1'),
  ...under('/cosmos/consensus/v1', '/params'),
  ...under('/cosmos/evm/feemarket/v1', '/base_fee', '/block_gas'),
  ...under('/cosmos/base/node/v1beta1', '/config', '/status'),
  ...under('/cosmos/params/v1beta1', '/params'),
  ...['/', '/cosmos', '/nothing', '/cosmos/bank/v1beta1/params/', '/cosmos/bank/v1beta1//params'],
]

const COMET = under(
  '/cosmos/base/tendermint/v1beta1',
  ...[
    '/syncing',
    '/blocks/latest',
    '/blocks/1',
    '/blocks/2',
    '/blocks/0',
    '/blocks/-1',
    '/blocks/x',
    '/blocks/99999999',
  ],
  ...[
    '/validatorsets/latest',
    '/validatorsets/1',
    '/validatorsets/latest?pagination.limit=1',
    '/validatorsets/99999999',
    '/validatorsets/0',
  ],
  ...['/block_results/1', '/block_results/99999999', '/abci_query?path=/nothing', '/abci_query'],
)

const TXS = under(
  '/cosmos/tx/v1beta1',
  ...[
    '/txs',
    '/txs?query=',
    '/txs?query=nonsense',
    "/txs?query=message.action='/nothing'",
    "/txs?events=message.action='/nothing'",
  ],
  ...[
    `/txs/${'00'.repeat(32)}`,
    '/txs/x',
    '/txs/AB',
    "/txs?query=proposal_vote.proposal_id='1'&limit=0",
    '/txs?query=tx.height=1&page=9',
  ],
  ...[
    '/txs?query=tx.height=1&order_by=ORDER_BY_DESC',
    '/txs?query=tx.height=1&order_by=nonsense',
    '/txs/block/1',
    '/txs/block/0',
    '/txs/block/99999999',
    '/txs/block/x',
  ],
  ...['/txs?query=tx.height=1&pagination.limit=1'],
)

type Asked = readonly [DescMethod, Record<string, unknown>]

const GRPC: readonly Asked[] = [
  [authQuery.Query.method.account, { address: STRANGER }],
  [authQuery.Query.method.account, { address: 'nonsense' }],
  [authQuery.Query.method.account, {}],
  [authQuery.Query.method.params, {}],
  [authQuery.Query.method.bech32Prefix, {}],
  [authQuery.Query.method.moduleAccountByName, { name: 'nothing' }],
  [bankQuery.Query.method.balance, { address: IDLE.address, denom: 'anat' }],
  [bankQuery.Query.method.balance, { address: 'nonsense', denom: 'anat' }],
  [bankQuery.Query.method.balance, { address: IDLE.address }],
  [bankQuery.Query.method.denomMetadata, { denom: 'nothing' }],
  [bankQuery.Query.method.supplyOf, { denom: 'stake' }],
  [stakingQuery.Query.method.params, {}],
  [stakingQuery.Query.method.validator, { validatorAddr: FIRST.operator }],
  [stakingQuery.Query.method.validator, { validatorAddr: NOBODY }],
  [stakingQuery.Query.method.validator, {}],
  [stakingQuery.Query.method.validators, { status: 'nonsense' }],
  [stakingQuery.Query.method.delegation, { delegatorAddr: DELEGATOR.address, validatorAddr: FIRST.operator }],
  [stakingQuery.Query.method.delegation, { delegatorAddr: STRANGER, validatorAddr: FIRST.operator }],
  [stakingQuery.Query.method.unbondingDelegation, { delegatorAddr: DELEGATOR.address, validatorAddr: FIRST.operator }],
  [stakingQuery.Query.method.redelegations, { delegatorAddr: DELEGATOR.address }],
  [slashingQuery.Query.method.params, {}],
  [slashingQuery.Query.method.signingInfo, { consAddress: FIRST_CONSENSUS }],
  [slashingQuery.Query.method.signingInfo, {}],
  [distributionQuery.Query.method.params, {}],
  [
    distributionQuery.Query.method.delegationRewards,
    { delegatorAddress: DELEGATOR.address, validatorAddress: FIRST.operator },
  ],
  [distributionQuery.Query.method.delegationRewards, { delegatorAddress: DELEGATOR.address, validatorAddress: NOBODY }],
  [distributionQuery.Query.method.delegationRewards, { delegatorAddress: '', validatorAddress: NOBODY }],
  [distributionQuery.Query.method.validatorCommission, { validatorAddress: FIRST.operator }],
  [mintQuery.Query.method.params, {}],
  [mintQuery.Query.method.inflation, {}],
  [govQuery.Query.method.params, { paramsType: 'deposit' }],
  [govQuery.Query.method.params, {}],
  [govQuery.Query.method.proposal, { proposalId: 1n }],
  [govQuery.Query.method.proposal, { proposalId: 99n }],
  [govQuery.Query.method.vote, { proposalId: 1n, voter: DELEGATOR.address }],
  [govBetaQuery.Query.method.proposal, { proposalId: 2n }],
  [govBetaQuery.Query.method.params, { paramsType: 'tallying' }],
  [txService.Service.method.getTx, { hash: '00'.repeat(32) }],
  [txService.Service.method.getTx, { hash: '' }],
  [txService.Service.method.getTx, { hash: 'x' }],
  [txService.Service.method.simulate, {}],
  [txService.Service.method.broadcastTx, {}],
  [txService.Service.method.getTxsEvent, {}],
  [txService.Service.method.getBlockWithTxs, { height: 99_999_999n }],
  [cometQuery.Service.method.getSyncing, {}],
  [cometQuery.Service.method.getBlockByHeight, { height: 99_999_999n }],
  [node.Service.method.config, {}],
]

const abciQueries = async (peer: NativePeer): Promise<void> => {
  for (const [method, request] of GRPC.slice(0, 37)) {
    await peer.noteQuery(methodPath(method), toBinary(method.input, create(method.input, request)))
  }
  const params = methodPath(bankQuery.Query.method.params)
  await peer.noteQuery(params, new Uint8Array(0), 1n)
  await peer.noteQuery(params, new Uint8Array(0), 99_999_999n)
  await peer.noteQuery(params, Buffer.from('broken'))
  for (const path of [
    '',
    '/',
    '/nothing',
    '/nothing.Query/Here',
    '/cosmos.bank.v1beta1.Query/Nothing',
    '/cosmos.bank.v1beta1.Msg/Send',
    '/app',
    '/app/version',
    '/app/nothing',
    '/app/simulate',
    '/store',
    '/store/nothing/key',
    '/store/bank/nothing',
    '/p2p/filter/addr/127.0.0.1:1',
    '/p2p/nothing',
    '/custom/bank/x',
  ]) {
    await peer.noteQuery(path)
  }
}

const atHeights = async (peer: NativePeer): Promise<void> => {
  const path = '/cosmos/bank/v1beta1/params'
  for (const height of ['1', '0', '-1', 'x', '99999999']) {
    peer.record(
      `${path} at height ${height}`,
      stripValue(await peer.rest(path, undefined, { 'x-cosmos-block-height': height })),
    )
  }
  await peer.notePost('where GET is', path, {})
}

export const queries = async (peer: NativePeer): Promise<void> => {
  await peer.notePaths(...AUTH, ...BANK, ...STAKING, ...SLASHING, ...DISTRIBUTION, ...GOV, ...OTHERS, ...COMET, ...TXS)
  for (const [method, request] of GRPC) await peer.noteGrpc(method, request)
  await abciQueries(peer)
  await atHeights(peer)
}
