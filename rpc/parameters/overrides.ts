/** State and block overrides of calls (geth's override.StateOverride and override.BlockOverrides). */
import type {
  AccountOverride,
  BlockOverrides,
  SimulatedBlockOverrides,
  StateOverrides,
  Withdrawal,
} from '../../app/ports.ts'
import { checksumAddress, parseAddress } from '../../core/address.ts'
import type { Hex } from '../../core/hex.ts'
import { rpcError } from '../errors.ts'
import {
  arrayDecoder,
  isObject,
  mismatch,
  optional,
  passMismatches,
  refuseMismatch,
  structDecoder,
  type Decode,
} from './go-json.ts'
import { decodeAddress, decodeBig, decodeData, decodeHash, decodeUint64 } from './hex.ts'

/** A Go map: each value is read before its key, and a value of a wrong kind is reported when nothing worse follows. */
const mapDecoder =
  <Value>(type: string, decodeKey: Decode<Hex>, decodeValue: Decode<Value>): Decode<Readonly<Record<Hex, Value>>> =>
  (value, place) => {
    if (value === null) return {}
    if (!isObject(value)) throw mismatch(value, place, type)
    const result: Record<Hex, Value> = {}
    const steps = Object.entries(value).flatMap(([key, item]) => {
      let read: Value
      return [
        (): void => void (read = decodeValue(item, place)),
        (): void => void (result[decodeKey(key, place)] = read),
      ]
    })
    passMismatches(steps, (step) => step())
    return result
  }

const decodeSlots = optional(mapDecoder('map[common.Hash]common.Hash', decodeHash, decodeHash))

export type AccountMembers = { readonly [Name in keyof AccountOverride]-?: AccountOverride[Name] | undefined }

const decodeAccount = structDecoder<AccountMembers>({
  type: 'override.OverrideAccount',
  name: 'OverrideAccount',
  members: {
    nonce: optional(decodeUint64),
    code: optional(decodeData),
    balance: optional(decodeBig),
    state: decodeSlots,
    stateDiff: decodeSlots,
    movePrecompileToAddress: optional(decodeAddress),
  },
})

const withoutUndefined = <Result extends object>(value: object): Result =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Result

export type StateOverridesRead = Readonly<Record<Hex, Partial<AccountMembers>>>

export const decodeStateOverrides: Decode<StateOverridesRead> = mapDecoder(
  'override.StateOverride',
  decodeAddress,
  decodeAccount,
)

/** Passes overrides without a check: an account that has both kinds of storage is refused where it is applied. */
export const passStateOverrides = (read: StateOverridesRead): StateOverrides =>
  Object.fromEntries(
    Object.entries(read).map(([address, account]) => [address, withoutUndefined<AccountOverride>(account)]),
  )

/**
 * Judges the overrides that were read. Throws rpc/failed when an account has both kinds of storage; of one that moves a
 * precompile the move is judged before, where overrides are applied.
 */
export const toStateOverrides = (read: StateOverridesRead): StateOverrides => {
  for (const [address, account] of Object.entries(read) as [Hex, Partial<AccountMembers>][]) {
    const { state, stateDiff, movePrecompileToAddress } = account
    if (state !== undefined && stateDiff !== undefined && movePrecompileToAddress === undefined) {
      throw rpcError('failed', `account ${checksumAddress(parseAddress(address))} has both 'state' and 'stateDiff'`)
    }
  }
  return passStateOverrides(read)
}

export interface BlockMembers extends Record<keyof BlockOverrides, Hex | undefined> {
  readonly difficulty: Hex | undefined
  readonly beaconRoot: Hex | undefined
  readonly withdrawals: readonly (WithdrawalRead | undefined)[] | undefined
}

type WithdrawalRead = Partial<Record<keyof Withdrawal, Hex | undefined>>

const decodeWithdrawalMembers = structDecoder<Record<keyof Withdrawal, Hex | undefined>>(
  {
    type: 'types.Withdrawal',
    name: 'Withdrawal',
    members: {
      index: optional(decodeUint64),
      validatorIndex: optional(decodeUint64),
      address: optional(decodeAddress),
      amount: optional(decodeUint64),
    },
  },
  true,
)

const decodeWithdrawal: Decode<WithdrawalRead> = (value, place) =>
  refuseMismatch(() => decodeWithdrawalMembers(value, place))

export type BlockOverridesRead = Partial<BlockMembers>

export const decodeBlockOverrides: Decode<BlockOverridesRead> = structDecoder<BlockMembers>({
  type: 'override.BlockOverrides',
  name: 'BlockOverrides',
  capitalized: true,
  members: {
    number: optional(decodeBig),
    difficulty: optional(decodeBig),
    time: optional(decodeUint64),
    gasLimit: optional(decodeUint64),
    feeRecipient: optional(decodeAddress),
    prevRandao: optional(decodeHash),
    baseFeePerGas: optional(decodeBig),
    blobBaseFee: optional(decodeBig),
    beaconRoot: optional(decodeHash),
    withdrawals: optional(arrayDecoder('types.Withdrawals', optional(decodeWithdrawal))),
  },
})

/** Difficulty has no effect on a chain with PREVRANDAO. Throws rpc/failed for what calls do not have. */
export const toBlockOverrides = (read: BlockOverridesRead): BlockOverrides => {
  const { difficulty: _, beaconRoot, withdrawals, ...rest } = read
  if (beaconRoot !== undefined) throw unsupported('beaconRoot')
  if (withdrawals !== undefined) throw unsupported('withdrawals')
  return withoutUndefined<BlockOverrides>(rest)
}

const unsupported = (name: string): Error =>
  rpcError('failed', `block override "${name}" is not supported for this RPC method`)

const ZERO_ADDRESS: Hex = `0x${'00'.repeat(20)}`

const toWithdrawal = (read: WithdrawalRead | undefined): Withdrawal | null =>
  read === undefined
    ? null
    : {
        index: read.index ?? '0x0',
        validatorIndex: read.validatorIndex ?? '0x0',
        address: read.address ?? ZERO_ADDRESS,
        amount: read.amount ?? '0x0',
      }

/** Reads the overrides of simulated blocks, which have all of them. */
export const toSimulatedBlockOverrides = (read: BlockOverridesRead): SimulatedBlockOverrides => {
  const { difficulty: _, withdrawals, ...rest } = read
  return {
    ...withoutUndefined<SimulatedBlockOverrides>(rest),
    ...(withdrawals === undefined ? {} : { withdrawals: withdrawals.map(toWithdrawal) }),
  }
}
