/** Parameters of governance: the SDK's v1 Params with decimals and durations as integers. */
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import type { Address } from '../../core/address.ts'
import { ANAT_PER_NAT, DENOMINATION } from '../../core/amounts.ts'
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { type Decimal, formatDecimal, ONE, parseDecimal } from '../../core/decimal.ts'
import { CodedError } from '../../core/errors.ts'
import { gov } from '../../proto/index.ts'
import type { Coin } from '../ledger.ts'
import { coversAll, describeCoins, formatCoins, readCoins, toWireCoins } from './coins.ts'
import { fromDuration, toDuration } from './times.ts'

export interface GovParams {
  /** Its denominations are those that a deposit may have. */
  readonly minDeposit: readonly Coin[]
  readonly expeditedMinDeposit: readonly Coin[]
  readonly maxDepositPeriodNs: bigint
  readonly votingPeriodNs: bigint
  readonly expeditedVotingPeriodNs: bigint
  /** Part of the bonded tokens that must vote. */
  readonly quorum: Decimal
  /** Part of the votes other than abstentions that must say yes. */
  readonly threshold: Decimal
  readonly expeditedThreshold: Decimal
  /** Part of the votes above which vetoes end it. */
  readonly vetoThreshold: Decimal
  /** Part of the minimal deposit that a proposal must bring; zero asks for none. */
  readonly minInitialDepositRatio: Decimal
  /** Part of the minimal deposit below which no deposit is taken; zero takes any. */
  readonly minDepositRatio: Decimal
  /** Part of the deposits that cancelling costs. */
  readonly proposalCancelRatio: Decimal
  /** Who gets that part; undefined burns it. */
  readonly proposalCancelDest: Address | undefined
  readonly burnVoteQuorum: boolean
  readonly burnProposalDepositPrevote: boolean
  readonly burnVoteVeto: boolean
}

const DAY_NS = 86_400n * 1_000_000_000n

/** Ten years: the end of a period that begins now still fits the keys of queues and the times of a genesis file. */
const MAX_PERIOD_NS = 3_650n * DAY_NS

/** The SDK's, but for the deposits. */
export const DEFAULT_PARAMS: GovParams = {
  minDeposit: [{ denom: DENOMINATION, amount: 1_000n * ANAT_PER_NAT }],
  expeditedMinDeposit: [{ denom: DENOMINATION, amount: 5_000n * ANAT_PER_NAT }],
  maxDepositPeriodNs: 2n * DAY_NS,
  votingPeriodNs: 2n * DAY_NS,
  expeditedVotingPeriodNs: DAY_NS,
  quorum: (334n * ONE) / 1_000n,
  threshold: ONE / 2n,
  expeditedThreshold: (667n * ONE) / 1_000n,
  vetoThreshold: (334n * ONE) / 1_000n,
  minInitialDepositRatio: 0n,
  minDepositRatio: ONE / 100n,
  proposalCancelRatio: ONE / 2n,
  proposalCancelDest: undefined,
  burnVoteQuorum: false,
  burnProposalDepositPrevote: false,
  burnVoteVeto: true,
}

/** What is wrong with them together, in the SDK's words (Params.ValidateBasic). */
export const paramsFault = (params: GovParams): string | undefined => {
  const { minDeposit, expeditedMinDeposit, threshold, expeditedThreshold } = params
  if (minDeposit.length === 0) return 'invalid minimum deposit: '
  if (expeditedMinDeposit.length === 0) return 'invalid expedited minimum deposit: '
  if (coversAll(minDeposit, expeditedMinDeposit)) {
    return `expedited minimum deposit must be greater than minimum deposit: ${formatCoins(expeditedMinDeposit)}`
  }
  if (params.maxDepositPeriodNs <= 0n) return 'maximum deposit period must be positive'
  if (params.votingPeriodNs <= 0n) return 'voting period must be positive'
  if (params.expeditedVotingPeriodNs <= 0n) return 'expedited voting period must be positive'
  if (params.maxDepositPeriodNs > MAX_PERIOD_NS) return 'maximum deposit period must be at most 3650 days'
  if (params.votingPeriodNs > MAX_PERIOD_NS) return 'voting period must be at most 3650 days'
  if (params.expeditedVotingPeriodNs >= params.votingPeriodNs) {
    return 'expedited voting period must be strictly less than the regular voting period'
  }
  const fault = ratioFaults(params)
  if (fault !== undefined) return fault
  return expeditedThreshold > threshold
    ? undefined
    : `expedited vote threshold ${formatDecimal(expeditedThreshold)}, must be greater than the regular threshold ${formatDecimal(threshold)}`
}

const ratioFaults = (params: GovParams): string | undefined => {
  const mayBeZero: readonly (readonly [string, Decimal])[] = [
    ['quorom', params.quorum],
    ['minimum initial deposit ratio of proposal', params.minInitialDepositRatio],
    ['minimum deposit ratio', params.minDepositRatio],
    ['burn rate of cancel proposal', params.proposalCancelRatio],
  ]
  const positive: readonly (readonly [string, Decimal])[] = [
    ['vote threshold', params.threshold],
    ['expedited vote threshold', params.expeditedThreshold],
    ['veto threshold', params.vetoThreshold],
  ]
  for (const [name, value] of mayBeZero) if (value < 0n) return `${name} cannot be negative: ${formatDecimal(value)}`
  for (const [name, value] of positive) if (value <= 0n) return `${name} must be positive: ${formatDecimal(value)}`
  for (const [name, value] of [...mayBeZero, ...positive]) {
    if (value > ONE) return `${name} too large: ${formatDecimal(value)}`
  }
  return undefined
}

export const paramsToProto = (params: GovParams): gov.Params =>
  create(gov.ParamsSchema, {
    minDeposit: toWireCoins(params.minDeposit),
    maxDepositPeriod: toDuration(params.maxDepositPeriodNs),
    votingPeriod: toDuration(params.votingPeriodNs),
    quorum: formatDecimal(params.quorum),
    threshold: formatDecimal(params.threshold),
    vetoThreshold: formatDecimal(params.vetoThreshold),
    minInitialDepositRatio: formatDecimal(params.minInitialDepositRatio),
    proposalCancelRatio: formatDecimal(params.proposalCancelRatio),
    proposalCancelDest: params.proposalCancelDest === undefined ? '' : encodeBech32(params.proposalCancelDest),
    expeditedVotingPeriod: toDuration(params.expeditedVotingPeriodNs),
    expeditedThreshold: formatDecimal(params.expeditedThreshold),
    expeditedMinDeposit: toWireCoins(params.expeditedMinDeposit),
    burnVoteQuorum: params.burnVoteQuorum,
    burnProposalDepositPrevote: params.burnProposalDepositPrevote,
    burnVoteVeto: params.burnVoteVeto,
    minDepositRatio: formatDecimal(params.minDepositRatio),
  })

const readRatio = (text: string, name: string, fail: (message: string) => never): Decimal => {
  try {
    return parseDecimal(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return fail(`invalid ${name} string: ${error.message}`)
  }
}

const readDestination = (text: string, fail: (message: string) => never): Address | undefined => {
  try {
    return text === '' ? undefined : parseAccountAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return fail(`deposits destination address is invalid: ${text.slice(0, 100)}`)
  }
}

/** Reads and checks them; `fail` throws the error of what is wrong, in the SDK's words. */
export const paramsFromProto = (
  message: MessageInitShape<typeof gov.ParamsSchema>,
  fail: (message: string) => never,
) => {
  const proto = create(gov.ParamsSchema, message)
  const period = (duration: typeof proto.votingPeriod, name: string): bigint =>
    duration === undefined
      ? fail(`${name} must not be nil`)
      : (fromDuration(duration) ?? fail(`${name} is longer than 292 years`))
  const params: GovParams = {
    minDeposit: readCoins(proto.minDeposit) ?? fail(`invalid minimum deposit: ${describeCoins(proto.minDeposit)}`),
    expeditedMinDeposit:
      readCoins(proto.expeditedMinDeposit) ??
      fail(`invalid expedited minimum deposit: ${describeCoins(proto.expeditedMinDeposit)}`),
    maxDepositPeriodNs: period(proto.maxDepositPeriod, 'maximum deposit period'),
    votingPeriodNs: period(proto.votingPeriod, 'voting period'),
    expeditedVotingPeriodNs: period(proto.expeditedVotingPeriod, 'expedited voting period'),
    quorum: readRatio(proto.quorum, 'quorum', fail),
    threshold: readRatio(proto.threshold, 'threshold', fail),
    expeditedThreshold: readRatio(proto.expeditedThreshold, 'expedited threshold', fail),
    vetoThreshold: readRatio(proto.vetoThreshold, 'vetoThreshold', fail),
    minInitialDepositRatio: readRatio(proto.minInitialDepositRatio, 'minimum initial deposit ratio', fail),
    minDepositRatio: readRatio(proto.minDepositRatio, 'minimum deposit ratio', fail),
    proposalCancelRatio: readRatio(proto.proposalCancelRatio, 'proposal cancel ratio', fail),
    proposalCancelDest: readDestination(proto.proposalCancelDest, fail),
    burnVoteQuorum: proto.burnVoteQuorum,
    burnProposalDepositPrevote: proto.burnProposalDepositPrevote,
    burnVoteVeto: proto.burnVoteVeto,
  }
  const fault = paramsFault(params)
  return fault === undefined ? params : fail(fault)
}
