/** Parameters in a genesis file: what is absent is the default. */
import { create } from '@bufbuild/protobuf'
import { failAt, parseArray, parseObject, parseString } from '../../../core/parse.ts'
import { formatDuration, parseDurationMember } from '../../../core/time.ts'
import { coin } from '../../../proto/index.ts'
import { DEFAULT_PARAMS, type GovParams, paramsFromProto, paramsToProto } from '../params.ts'
import { toDuration } from '../times.ts'

/** The members by their names in JSON and in the definition. */
const COINS = { min_deposit: 'minDeposit', expedited_min_deposit: 'expeditedMinDeposit' } as const
const PERIODS = {
  max_deposit_period: ['maxDepositPeriod', 'maxDepositPeriodNs'],
  voting_period: ['votingPeriod', 'votingPeriodNs'],
  expedited_voting_period: ['expeditedVotingPeriod', 'expeditedVotingPeriodNs'],
} as const
const TEXTS = {
  quorum: 'quorum',
  threshold: 'threshold',
  veto_threshold: 'vetoThreshold',
  min_initial_deposit_ratio: 'minInitialDepositRatio',
  proposal_cancel_ratio: 'proposalCancelRatio',
  proposal_cancel_dest: 'proposalCancelDest',
  expedited_threshold: 'expeditedThreshold',
  min_deposit_ratio: 'minDepositRatio',
} as const
const FLAGS = {
  burn_vote_quorum: 'burnVoteQuorum',
  burn_proposal_deposit_prevote: 'burnProposalDepositPrevote',
  burn_vote_veto: 'burnVoteVeto',
} as const

/** Longer lists than any that is valid are still read, to be refused in full words. */
const MAX_COINS = 1_000

const parseCoins = (value: unknown, path: string) =>
  parseArray(value, path, MAX_COINS).map((item, index) => {
    const at = `${path}[${index}]`
    const object = parseObject(item, at, ['denom', 'amount'])
    return { denom: parseString(object['denom'], `${at}.denom`), amount: parseString(object['amount'], `${at}.amount`) }
  })

const entries = <Table extends object>(table: Table) =>
  Object.entries(table) as [keyof Table & string, Table[keyof Table]][]

/** Throws genesis/1. */
export const parseParams = (value: unknown, path: string): GovParams => {
  const known = [COINS, PERIODS, TEXTS, FLAGS].flatMap((table) => Object.keys(table))
  const object = parseObject(value ?? {}, path, known)
  const proto = paramsToProto(DEFAULT_PARAMS)
  for (const [name, field] of entries(COINS)) {
    if (object[name] === undefined) continue
    const coins = parseCoins(object[name], `${path}.${name}`)
    proto[field] = coins.map((each) => create(coin.CoinSchema, each))
  }
  for (const [name, [field]] of entries(PERIODS)) {
    if (object[name] !== undefined) proto[field] = toDuration(parseDurationMember(object[name], `${path}.${name}`))
  }
  for (const [name, field] of entries(TEXTS)) {
    if (object[name] !== undefined) proto[field] = parseString(object[name], `${path}.${name}`)
  }
  for (const [name, field] of entries(FLAGS)) {
    const flag = object[name]
    if (flag === undefined) continue
    proto[field] = typeof flag === 'boolean' ? flag : failAt(`${path}.${name}`, 'must be true or false')
  }
  return paramsFromProto(proto, (message) => failAt(path, message))
}

/** The inverse of {@link parseParams}. */
export const formatParams = (params: GovParams): unknown => {
  const proto = paramsToProto(params)
  const coins = (list: typeof proto.minDeposit) => list.map(({ denom, amount }) => ({ denom, amount }))
  return {
    ...Object.fromEntries(entries(COINS).map(([name, field]) => [name, coins(proto[field])])),
    ...Object.fromEntries(entries(PERIODS).map(([name, [, field]]) => [name, formatDuration(params[field])])),
    ...Object.fromEntries(entries(TEXTS).map(([name, field]) => [name, proto[field]])),
    ...Object.fromEntries(entries(FLAGS).map(([name, field]) => [name, proto[field]])),
  }
}
