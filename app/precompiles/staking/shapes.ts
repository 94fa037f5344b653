/** The structs of the staking precompile, and the messages of staking as these. */
import { fromBinary } from '@bufbuild/protobuf'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { checksumAddress } from '../../../core/address.ts'
import { bytesToBase64 } from '../../../core/bytes.ts'
import { parseOperator } from '../../../modules/validator-addresses.ts'
import { ed25519, type staking } from '../../../proto/index.ts'
import { array, bool, int64, string, tuple, uint256, uint64, uint8, type ValueOf } from '../abi/types.ts'

export const description = tuple({
  moniker: string,
  identity: string,
  website: string,
  securityContact: string,
  details: string,
})

/** The rates in 10^-18 parts. */
export const commissionRates = tuple({ rate: uint256, maxRate: uint256, maxChangeRate: uint256 })

export const validator = tuple({
  /** The address of its account, in hexadecimal. */
  operatorAddress: string,
  /** base64. */
  consensusPubkey: string,
  jailed: bool,
  status: uint8,
  tokens: uint256,
  delegatorShares: uint256,
  description,
  unbondingHeight: int64,
  unbondingTime: int64,
  commission: uint256,
  minSelfDelegation: uint256,
})

export const unbondingDelegation = tuple({
  delegatorAddress: string,
  validatorAddress: string,
  entries: array(
    tuple({
      creationHeight: int64,
      completionTime: int64,
      initialBalance: uint256,
      balance: uint256,
      unbondingId: uint64,
      unbondingOnHoldRefCount: int64,
    }),
  ),
})

const redelegationEntry = tuple({
  creationHeight: int64,
  completionTime: int64,
  initialBalance: uint256,
  sharesDst: uint256,
})

export const redelegation = tuple({
  delegatorAddress: string,
  validatorSrcAddress: string,
  validatorDstAddress: string,
  entries: array(redelegationEntry),
})

export const redelegationResponse = tuple({
  redelegation,
  entries: array(tuple({ redelegationEntry, balance: uint256 })),
})

const seconds = (time: Timestamp | undefined): bigint => time?.seconds ?? 0n

const NO_DESCRIPTION = { moniker: '', identity: '', website: '', securityContact: '', details: '' }

export const NO_VALIDATOR: ValueOf<typeof validator> = {
  operatorAddress: '',
  consensusPubkey: '',
  jailed: false,
  status: 0n,
  tokens: 0n,
  delegatorShares: 0n,
  description: NO_DESCRIPTION,
  unbondingHeight: 0n,
  unbondingTime: 0n,
  commission: 0n,
  minSelfDelegation: 0n,
}

const toKey = (packed: staking.Validator['consensusPubkey']): string =>
  packed === undefined ? '' : bytesToBase64(fromBinary(ed25519.PubKeySchema, packed.value).key)

export const toValidator = (from: staking.Validator): ValueOf<typeof validator> => ({
  operatorAddress: checksumAddress(parseOperator(from.operatorAddress)),
  consensusPubkey: toKey(from.consensusPubkey),
  jailed: from.jailed,
  status: BigInt(from.status),
  tokens: BigInt(from.tokens),
  delegatorShares: BigInt(from.delegatorShares),
  description: from.description ?? NO_DESCRIPTION,
  unbondingHeight: from.unbondingHeight,
  unbondingTime: seconds(from.unbondingTime),
  commission: BigInt(from.commission?.commissionRates?.rate ?? '0'),
  minSelfDelegation: BigInt(from.minSelfDelegation),
})

export const toUnbonding = (from: staking.UnbondingDelegation | undefined): ValueOf<typeof unbondingDelegation> => ({
  delegatorAddress: from?.delegatorAddress ?? '',
  validatorAddress: from?.validatorAddress ?? '',
  entries: (from?.entries ?? []).map((entry) => ({
    creationHeight: entry.creationHeight,
    completionTime: seconds(entry.completionTime),
    initialBalance: BigInt(entry.initialBalance),
    balance: BigInt(entry.balance),
    unbondingId: entry.unbondingId,
    unbondingOnHoldRefCount: entry.unbondingOnHoldRefCount,
  })),
})

const toRedelegationEntry = (entry: staking.RedelegationEntry | undefined): ValueOf<typeof redelegationEntry> => ({
  creationHeight: entry?.creationHeight ?? 0n,
  completionTime: seconds(entry?.completionTime),
  initialBalance: BigInt(entry?.initialBalance ?? '0'),
  sharesDst: BigInt(entry?.sharesDst ?? '0'),
})

/** Answers of the module hold the entries beside the redelegation, with what they are worth. */
export const toRedelegation = (from: staking.RedelegationResponse | undefined): ValueOf<typeof redelegation> => ({
  delegatorAddress: from?.redelegation?.delegatorAddress ?? '',
  validatorSrcAddress: from?.redelegation?.validatorSrcAddress ?? '',
  validatorDstAddress: from?.redelegation?.validatorDstAddress ?? '',
  entries: (from?.entries ?? []).map((entry) => toRedelegationEntry(entry.redelegationEntry)),
})

export const toRedelegationResponse = (from: staking.RedelegationResponse): ValueOf<typeof redelegationResponse> => ({
  redelegation: {
    ...toRedelegation(from),
    entries: (from.redelegation?.entries ?? []).map(toRedelegationEntry),
  },
  entries: from.entries.map((entry) => ({
    redelegationEntry: toRedelegationEntry(entry.redelegationEntry),
    balance: BigInt(entry.balance),
  })),
})
