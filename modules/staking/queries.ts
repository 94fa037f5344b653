/** The read-only gRPC methods of cosmos.staking.v1beta1.Query. */
import type { Address } from '../../core/address.ts'
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { concatBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import type { PageRequest } from '../../proto/gen/cosmos/base/query/v1beta1/pagination_pb.ts'
import { stakingQuery } from '../../proto/index.ts'
import type { StateReader } from '../../store/state.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryHandler } from '../module.ts'
import { takePage } from '../pages.ts'
import { queryRefusal } from '../sdk-errors.ts'
import type { DelegationView } from '../stake.ts'
import { formatOperator, parseOperator } from '../validator-addresses.ts'
import { readDelegation, readDelegationsOf, readDelegationsTo } from './keeper/delegations.ts'
import { toWireParams } from './params.ts'
import { readStakingParams } from './keeper/params.ts'
import { readPools } from './keeper/pools.ts'
import {
  readRedelegationEntries,
  readRedelegationsFrom,
  readRedelegationsOf,
  type Redelegation,
} from './keeper/redelegations.ts'
import { readUnbondingEntries, readUnbondingsFrom, readUnbondingsOf } from './keeper/unbonding.ts'
import type { Validator } from './validator.ts'
import { existingValidator, readValidator, readValidators } from './keeper/validators.ts'
import { STATUS_NAMES, toWireDelegation, toWireRedelegation, toWireUnbonding, toWireValidator } from './wire.ts'

const parse = (text: string, what: string, decode: (text: string) => Address): Address => {
  if (text === '') throw queryRefusal('invalidArgument', `${what} address cannot be empty`)
  try {
    return decode(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', `invalid ${what} address: ${error.message}`)
  }
}

const parseDelegator = (text: string): Address => parse(text, 'delegator', parseAccountAddress)
const parseValidator = (text: string): Address => parse(text, 'validator', parseOperator)

const findValidator = (state: StateReader, operator: Address): Validator => {
  const validator = readValidator(state, operator)
  if (validator !== undefined) return validator
  throw queryRefusal('notFound', `validator ${formatOperator(operator)} not found`)
}

const pairText = (delegator: Address, operator: Address): string =>
  `with delegator ${encodeBech32(delegator)} not found for validator ${formatOperator(operator)}`

function* withStatus(validators: Iterable<Validator>, status: string): Generator<Validator> {
  for (const validator of validators) {
    if (status === '' || STATUS_NAMES[validator.status] === status) yield validator
  }
}

const listValidators = (state: StateReader, status: string, page: PageRequest | undefined) => {
  if (status !== '' && !Object.values<string>(STATUS_NAMES).includes(status)) {
    throw queryRefusal('invalidArgument', `invalid validator status ${status.slice(0, 64)}`)
  }
  const { items, pagination } = takePage(
    page,
    (start) => withStatus(readValidators(state, start), status),
    ({ operator }) => operator,
  )
  return { validators: items.map(toWireValidator), pagination }
}

const pageOfDelegations = (
  state: StateReader,
  page: PageRequest | undefined,
  list: (start: Uint8Array | undefined) => Iterable<DelegationView>,
  keyOf: (delegation: DelegationView) => Uint8Array,
) => {
  const { items, pagination } = takePage(page, list, keyOf)
  const { bondDenomination } = readStakingParams(state)
  const delegationResponses = items.map((delegation) =>
    toWireDelegation(delegation, existingValidator(state, delegation.operator), bondDenomination),
  )
  return { delegationResponses, pagination }
}

const answerRedelegations = (state: StateReader, redelegations: readonly Redelegation[]) =>
  redelegations.map((redelegation) => toWireRedelegation(redelegation, readValidator(state, redelegation.destination)))

/**
 * Lists redelegations by all three addresses, by the source alone, or of one delegator, as the SDK tells them apart.
 */
const listRedelegations = (state: StateReader, request: stakingQuery.QueryRedelegationsRequest) => {
  const { delegatorAddr, srcValidatorAddr, dstValidatorAddr } = request
  if (delegatorAddr !== '' && srcValidatorAddr !== '' && dstValidatorAddr !== '') {
    const [source, destination] = [parseValidator(srcValidatorAddr), parseValidator(dstValidatorAddr)]
    const trio = { delegator: parseDelegator(delegatorAddr), source, destination }
    const entries = readRedelegationEntries(state, trio)
    if (entries.length === 0) {
      const text = `delegator address ${delegatorAddr} from validator address ${srcValidatorAddr}`
      throw queryRefusal('notFound', `redelegation not found for ${text}`)
    }
    return { redelegationResponses: answerRedelegations(state, [{ ...trio, entries }]) }
  }
  const bySource = delegatorAddr === '' && srcValidatorAddr !== '' && dstValidatorAddr === ''
  const { items, pagination } = bySource
    ? takePage(
        request.pagination,
        (start) => readRedelegationsFrom(state, parseValidator(srcValidatorAddr), start),
        ({ delegator, destination }) => concatBytes(delegator, destination),
      )
    : takePage(
        request.pagination,
        (start) => readRedelegationsOf(state, parseDelegator(delegatorAddr), start),
        ({ source, destination }) => concatBytes(source, destination),
      )
  return { redelegationResponses: answerRedelegations(state, items), pagination }
}

const unbondingOf = (state: StateReader, delegator: Address, operator: Address) => {
  const entries = readUnbondingEntries(state, delegator, operator)
  if (entries.length === 0) throw queryRefusal('notFound', `unbonding delegation ${pairText(delegator, operator)}`)
  return { unbond: toWireUnbonding({ delegator, operator, entries }) }
}

const requireDelegation = (state: StateReader, delegator: Address, operator: Address): DelegationView => {
  const delegation = readDelegation(state, delegator, operator)
  if (delegation !== undefined) return delegation
  throw queryRefusal('notFound', `delegation ${pairText(delegator, operator)}`)
}

const { method } = stakingQuery.Query

const DELEGATOR_QUERIES: readonly QueryHandler[] = [
  handleQuery(method.delegation, ({ state }, { delegatorAddr, validatorAddr }) => {
    const delegation = requireDelegation(state, parseDelegator(delegatorAddr), parseValidator(validatorAddr))
    const validator = existingValidator(state, delegation.operator)
    return { delegationResponse: toWireDelegation(delegation, validator, readStakingParams(state).bondDenomination) }
  }),
  handleQuery(method.unbondingDelegation, ({ state }, { delegatorAddr, validatorAddr }) =>
    unbondingOf(state, parseDelegator(delegatorAddr), parseValidator(validatorAddr)),
  ),
  handleQuery(method.delegatorDelegations, ({ state }, { delegatorAddr, pagination }) => {
    const delegator = parseDelegator(delegatorAddr)
    const list = (start: Uint8Array | undefined) => readDelegationsOf(state, delegator, start)
    return pageOfDelegations(state, pagination, list, ({ operator }) => operator)
  }),
  handleQuery(method.delegatorUnbondingDelegations, ({ state }, request) => {
    const delegator = parseDelegator(request.delegatorAddr)
    const { items, pagination } = takePage(
      request.pagination,
      (start) => readUnbondingsOf(state, delegator, start),
      ({ operator }) => operator,
    )
    return { unbondingResponses: items.map(toWireUnbonding), pagination }
  }),
  handleQuery(method.redelegations, ({ state }, request) => listRedelegations(state, request)),
  handleQuery(method.delegatorValidators, ({ state }, request) => {
    const delegator = parseDelegator(request.delegatorAddr)
    const { items, pagination } = takePage(
      request.pagination,
      (start) => readDelegationsOf(state, delegator, start),
      ({ operator }) => operator,
    )
    return { validators: items.map(({ operator }) => toWireValidator(existingValidator(state, operator))), pagination }
  }),
  handleQuery(method.delegatorValidator, ({ state }, { delegatorAddr, validatorAddr }) => {
    const { operator } = requireDelegation(state, parseDelegator(delegatorAddr), parseValidator(validatorAddr))
    return { validator: toWireValidator(existingValidator(state, operator)) }
  }),
]

export const STAKING_QUERIES: readonly QueryHandler[] = [
  handleQuery(method.validators, ({ state }, { status, pagination }) => listValidators(state, status, pagination)),
  handleQuery(method.validator, ({ state }, { validatorAddr }) => ({
    validator: toWireValidator(findValidator(state, parseValidator(validatorAddr))),
  })),
  handleQuery(method.validatorDelegations, ({ state }, { validatorAddr, pagination }) => {
    const operator = parseValidator(validatorAddr)
    const list = (start: Uint8Array | undefined) => readDelegationsTo(state, operator, start)
    return pageOfDelegations(state, pagination, list, ({ delegator }) => delegator)
  }),
  handleQuery(method.validatorUnbondingDelegations, ({ state }, request) => {
    const operator = parseValidator(request.validatorAddr)
    const { items, pagination } = takePage(
      request.pagination,
      (start) => readUnbondingsFrom(state, operator, start),
      ({ delegator }) => delegator,
    )
    return { unbondingResponses: items.map(toWireUnbonding), pagination }
  }),
  ...DELEGATOR_QUERIES,
  handleQuery(method.historicalInfo, () => {
    throw queryRefusal('unimplemented', 'historical info needs the header of a block, which the application answers')
  }),
  handleQuery(method.pool, ({ state }) => {
    const { bonded, notBonded } = readPools(state)
    return { pool: { bondedTokens: bonded.toString(), notBondedTokens: notBonded.toString() } }
  }),
  handleQuery(method.params, ({ state }) => ({ params: toWireParams(readStakingParams(state)) })),
]
