/** What a caller can do with its own stake. Amounts are of the bond denomination. */
import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { encodeBech32 } from '../../../core/bech32.ts'
import { divideByInteger } from '../../../core/decimal.ts'
import { plainBytes } from '../../../core/bytes.ts'
import { formatOperator, parseOperator } from '../../../modules/validator-addresses.ts'
import { ed25519, stakingQuery, stakingTx } from '../../../proto/index.ts'
import { address, bool, int256, int64, string, uint256 } from '../abi/types.ts'
import { refuseCall } from '../errors.ts'
import { transaction } from '../precompile.ts'
import type { Scope } from '../scope.ts'
import { requireAddress } from '../shapes.ts'
import {
  cancelUnbondingEvent,
  createValidatorEvent,
  delegateEvent,
  editValidatorEvent,
  redelegateEvent,
  unbondEvent,
} from './events.ts'
import { commissionRates, description } from './shapes.ts'

const { method } = stakingTx.Msg
const KEY_BYTES = 32
const MAX_HEIGHT = (1n << 63n) - 1n
/** Stands for a commission rate or a minimum that stays as it is. */
const UNCHANGED = -1n

const bondCoin = (scope: Scope, amount: bigint) => ({
  denom: scope.lookUp(stakingQuery.Query.method.params, {}).params?.bondDenom ?? '',
  amount: amount.toString(),
})

/** Characters: what is far longer than a key is not looked at, for matching megabytes ends in an error of the engine. */
const MAX_KEY_TEXT = 1_000
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const parseKey = (text: string) => {
  if (text.length > MAX_KEY_TEXT || !BASE64.test(text)) throw refuseCall('the consensus pubkey is not base64')
  const key = plainBytes(Buffer.from(text, 'base64'))
  if (key.length !== KEY_BYTES) {
    throw refuseCall(`consensus pubkey len is invalid, got: ${key.length}, expected: ${KEY_BYTES}`)
  }
  return create(AnySchema, {
    typeUrl: `/${ed25519.PubKeySchema.typeName}`,
    value: toBinary(ed25519.PubKeySchema, create(ed25519.PubKeySchema, { key })),
  })
}

const createValidator = transaction(
  'createValidator',
  {
    description,
    commissionRates,
    minSelfDelegation: uint256,
    validatorAddress: address,
    pubkey: string,
    value: uint256,
  },
  { success: bool },
  (scope, values) => {
    const { commissionRates: rates, minSelfDelegation, validatorAddress, pubkey, value } = values
    const delegatorAddress = requireAddress(validatorAddress, 'validator')
    const key = parseKey(pubkey)
    scope.requireNoContract()
    scope.requireCaller(validatorAddress)
    scope.message(method.createValidator, {
      description: values.description,
      commission: {
        rate: rates.rate.toString(),
        maxRate: rates.maxRate.toString(),
        maxChangeRate: rates.maxChangeRate.toString(),
      },
      minSelfDelegation: minSelfDelegation.toString(),
      delegatorAddress,
      validatorAddress: formatOperator(validatorAddress),
      pubkey: key,
      value: bondCoin(scope, value),
    })
    scope.log(createValidatorEvent, { validatorAddress, value })
    return { success: true }
  },
)

const unlessUnchanged = (value: bigint): string => (value === UNCHANGED ? '' : value.toString())

const editValidator = transaction(
  'editValidator',
  { description, validatorAddress: address, commissionRate: int256, minSelfDelegation: int256 },
  { success: bool },
  (scope, { description: text, validatorAddress, commissionRate, minSelfDelegation }) => {
    requireAddress(validatorAddress, 'validator')
    scope.requireNoContract()
    scope.requireCaller(validatorAddress)
    scope.message(method.editValidator, {
      description: text,
      validatorAddress: formatOperator(validatorAddress),
      commissionRate: unlessUnchanged(commissionRate),
      minSelfDelegation: unlessUnchanged(minSelfDelegation),
    })
    scope.log(editValidatorEvent, { validatorAddress, commissionRate, minSelfDelegation })
    return { success: true }
  },
)

/** What the amount is worth at the validator's rate, as cosmos/evm shows it: of its shares and tokens afterwards. */
const sharesOf = (scope: Scope, validatorAddr: string, amount: bigint): bigint => {
  const found = scope.lookUp(stakingQuery.Query.method.validator, { validatorAddr }).validator
  const tokens = BigInt(found?.tokens ?? '0')
  return tokens === 0n ? 0n : divideByInteger(BigInt(found?.delegatorShares ?? '0') * amount, tokens)
}

const delegate = transaction(
  'delegate',
  { delegatorAddress: address, validatorAddress: string, amount: uint256 },
  { success: bool },
  (scope, { delegatorAddress, validatorAddress, amount }) => {
    const delegator = requireAddress(delegatorAddress, 'delegator')
    scope.requireCaller(delegatorAddress)
    const coin = bondCoin(scope, amount)
    scope.message(method.delegate, { delegatorAddress: delegator, validatorAddress, amount: coin })
    const newShares = sharesOf(scope, validatorAddress, amount)
    const operator = parseOperator(validatorAddress)
    scope.log(delegateEvent, { delegatorAddress, validatorAddress: operator, amount, newShares })
    return { success: true }
  },
)

const undelegate = transaction(
  'undelegate',
  { delegatorAddress: address, validatorAddress: string, amount: uint256 },
  { completionTime: int64 },
  (scope, { delegatorAddress, validatorAddress, amount }) => {
    const delegator = requireAddress(delegatorAddress, 'delegator')
    scope.requireCaller(delegatorAddress)
    const coin = bondCoin(scope, amount)
    const answer = scope.message(method.undelegate, { delegatorAddress: delegator, validatorAddress, amount: coin })
    const completionTime = answer.completionTime?.seconds ?? 0n
    const operator = parseOperator(validatorAddress)
    scope.log(unbondEvent, { delegatorAddress, validatorAddress: operator, amount, completionTime })
    return { completionTime }
  },
)

const redelegate = transaction(
  'redelegate',
  { delegatorAddress: address, validatorSrcAddress: string, validatorDstAddress: string, amount: uint256 },
  { completionTime: int64 },
  (scope, { delegatorAddress, validatorSrcAddress, validatorDstAddress, amount }) => {
    requireAddress(delegatorAddress, 'delegator')
    scope.requireCaller(delegatorAddress)
    const answer = scope.message(method.beginRedelegate, {
      delegatorAddress: encodeBech32(delegatorAddress),
      validatorSrcAddress,
      validatorDstAddress,
      amount: bondCoin(scope, amount),
    })
    const completionTime = answer.completionTime?.seconds ?? 0n
    scope.log(redelegateEvent, {
      delegatorAddress,
      validatorSrcAddress: parseOperator(validatorSrcAddress),
      validatorDstAddress: parseOperator(validatorDstAddress),
      amount,
      completionTime,
    })
    return { completionTime }
  },
)

const cancelUnbondingDelegation = transaction(
  'cancelUnbondingDelegation',
  { delegatorAddress: address, validatorAddress: string, amount: uint256, creationHeight: uint256 },
  { success: bool },
  (scope, { delegatorAddress, validatorAddress, amount, creationHeight }) => {
    const delegator = requireAddress(delegatorAddress, 'delegator')
    if (creationHeight > MAX_HEIGHT) throw refuseCall('invalid creation height')
    scope.requireCaller(delegatorAddress)
    scope.message(method.cancelUnbondingDelegation, {
      delegatorAddress: delegator,
      validatorAddress,
      amount: bondCoin(scope, amount),
      creationHeight,
    })
    const operator = parseOperator(validatorAddress)
    scope.log(cancelUnbondingEvent, { delegatorAddress, validatorAddress: operator, amount, creationHeight })
    return { success: true }
  },
)

export const stakingTransactions = [
  createValidator,
  editValidator,
  delegate,
  undelegate,
  redelegate,
  cancelUnbondingDelegation,
] as const
