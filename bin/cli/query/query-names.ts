/** Friendly names of queries, and what of their requests is an argument: those of the SDK's own commands. */

/** What stands here by service and method; names beside the method's own in kebab case. */
interface Friendly {
  readonly names?: readonly string[]
  /** Fields in order: `name?` may be left out, `name...` takes all that follow. The path of REST where left out. */
  readonly arguments?: readonly string[]
}

const BANK = 'cosmos.bank.v1beta1.Query'
const AUTH = 'cosmos.auth.v1beta1.Query'
const STAKING = 'cosmos.staking.v1beta1.Query'
const SLASHING = 'cosmos.slashing.v1beta1.Query'
const DISTRIBUTION = 'cosmos.distribution.v1beta1.Query'
const GOV = 'cosmos.gov.v1.Query'
const GOV_BETA = 'cosmos.gov.v1beta1.Query'
const UPGRADE = 'cosmos.upgrade.v1beta1.Query'
const CLOB = 'nat.clob.v1.Query'
const BRIDGE = 'nat.bridge.v1.Query'
const EVIDENCE = 'cosmos.evidence.v1beta1.Query'

export const FRIENDLY: Readonly<Record<string, Friendly>> = {
  [`${AUTH}/AccountAddressByID`]: { names: ['address-by-acc-num'], arguments: ['account_id'] },
  [`${AUTH}/ModuleAccountByName`]: { names: ['module-account'] },
  [`${BANK}/Balance`]: { arguments: ['address', 'denom'] },
  [`${BANK}/AllBalances`]: { names: ['balances'] },
  [`${BANK}/SpendableBalanceByDenom`]: { names: ['spendable-balance'], arguments: ['address', 'denom'] },
  [`${BANK}/TotalSupply`]: { names: ['total'] },
  [`${BANK}/SupplyOf`]: { names: ['total-supply-of'], arguments: ['denom'] },
  [`${BANK}/DenomMetadataByQueryString`]: { arguments: ['denom'] },
  [`${BANK}/DenomOwnersByQuery`]: { arguments: ['denom'] },
  [`${BANK}/SendEnabled`]: { arguments: ['denoms...'] },
  [`${STAKING}/ValidatorDelegations`]: { names: ['delegations-to'] },
  [`${STAKING}/ValidatorUnbondingDelegations`]: { names: ['unbonding-delegations-from'] },
  [`${STAKING}/Delegation`]: { arguments: ['delegator_addr', 'validator_addr'] },
  [`${STAKING}/UnbondingDelegation`]: { arguments: ['delegator_addr', 'validator_addr'] },
  [`${STAKING}/DelegatorDelegations`]: { names: ['delegations'] },
  [`${STAKING}/DelegatorUnbondingDelegations`]: { names: ['unbonding-delegations'] },
  [`${STAKING}/Redelegations`]: {
    names: ['redelegation'],
    arguments: ['delegator_addr', 'src_validator_addr?', 'dst_validator_addr?'],
  },
  [`${SLASHING}/SigningInfo`]: { arguments: ['cons_address'] },
  [`${DISTRIBUTION}/ValidatorCommission`]: { names: ['commission'] },
  [`${DISTRIBUTION}/ValidatorSlashes`]: {
    names: ['slashes'],
    arguments: ['validator_address', 'starting_height?', 'ending_height?'],
  },
  [`${DISTRIBUTION}/DelegationRewards`]: { names: ['rewards-by-validator'] },
  [`${DISTRIBUTION}/DelegationTotalRewards`]: { names: ['rewards'] },
  [`${DISTRIBUTION}/DelegatorWithdrawAddress`]: { names: ['withdraw-addr'] },
  [`${GOV}/TallyResult`]: { names: ['tally'] },
  [`${GOV}/Params`]: { arguments: ['params_type?'] },
  [`${GOV_BETA}/TallyResult`]: { names: ['tally'] },
  [`${UPGRADE}/CurrentPlan`]: { names: ['plan'] },
  [`${UPGRADE}/AppliedPlan`]: { names: ['applied'] },
  [`${UPGRADE}/ModuleVersions`]: { arguments: ['module_name?'] },
  [`${CLOB}/OpenOrders`]: { names: ['orders-of'] },
  [`${CLOB}/Agents`]: { names: ['agents-of'] },
  [`${BRIDGE}/WithdrawalProof`]: { names: ['proof'] },
  [`${BRIDGE}/SigningSet`]: { arguments: ['nonce?'] },
  [`${BRIDGE}/BridgeKeys`]: { names: ['keys'] },
  [`${EVIDENCE}/AllEvidence`]: { names: ['list'] },
}

/** Services whose group is not the name in front of their version. */
export const GROUPS: Readonly<Record<string, string>> = {
  'nat.clob.v1.Live': 'clob',
  'nat.clob.v1.History': 'clob',
  'nat.clob.v1.Batches': 'clob',
  'cosmos.base.tendermint.v1beta1.Service': 'comet',
  // The module `vm` of cosmos/evm, by the name of its commands.
  'cosmos.evm.vm.v1.Query': 'evm',
}

export const kebab = (name: string): string =>
  name
    .replaceAll('_', '-')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
