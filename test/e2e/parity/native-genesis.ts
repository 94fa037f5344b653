/** Parameters of both chains, so that replies differ in nothing but what the software makes of them. */
type Member = Readonly<Record<string, unknown>>

/** Longer than the scenario needs between a proposal and what it asks about it. */
const VOTING_PERIOD = '20s'
const EXPEDITED_VOTING_PERIOD = '12s'

const coins = (amount: string) => [{ denom: 'anat', amount }]

const PARAMS: Readonly<Record<string, Member>> = {
  staking: {
    unbonding_time: '1814400s',
    max_validators: 100,
    max_entries: 2,
    historical_entries: 10_000,
    bond_denom: 'anat',
    min_commission_rate: '0.050000000000000000',
  },
  slashing: {
    signed_blocks_window: '10000',
    min_signed_per_window: '0.500000000000000000',
    downtime_jail_duration: '600s',
    slash_fraction_double_sign: '0.050000000000000000',
    slash_fraction_downtime: '0.010000000000000000',
  },
  distribution: { community_tax: '0.020000000000000000', withdraw_addr_enabled: true },
  mint: {
    mint_denom: 'anat',
    inflation_rate_change: '0.130000000000000000',
    inflation_max: '0.200000000000000000',
    inflation_min: '0.070000000000000000',
    goal_bonded: '0.670000000000000000',
    blocks_per_year: '6311520',
    max_supply: '0',
  },
  gov: {
    min_deposit: coins('10000000000000000000'),
    expedited_min_deposit: coins('50000000000000000000'),
    max_deposit_period: '172800s',
    voting_period: VOTING_PERIOD,
    expedited_voting_period: EXPEDITED_VOTING_PERIOD,
  },
}

/** The minter has a state of its own beside the parameters. */
const MINTER = { inflation: '0.130000000000000000', annual_provisions: '0.000000000000000000' }

export const METADATA = {
  description: 'The native token: gas, staking and governance',
  denom_units: [
    { denom: 'anat', exponent: 0, aliases: [] },
    { denom: 'NAT', exponent: 18, aliases: [] },
  ],
  base: 'anat',
  display: 'NAT',
  name: 'NAT',
  symbol: 'NAT',
}

/** `state` is app_state. */
export const withParameters = (state: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const changed: Record<string, unknown> = { ...state }
  for (const [name, params] of Object.entries(PARAMS)) {
    const member = (state[name] ?? {}) as Member
    changed[name] = { ...member, params: { ...(member['params'] as Member | undefined), ...params } }
  }
  changed['mint'] = { ...(changed['mint'] as Member), minter: MINTER }
  return changed
}
